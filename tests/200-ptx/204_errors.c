// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every mistake is reported at its place, with what was expected, and none hides another.
#include "ptx_test.h"

static void parse_bad(const char *text, struct weir_sink *sink) {
  struct weir_module *m = weir_ptx_parse("bad.ptx", text, strlen(text), sink);
  if (m) fail_msg("accepted: %s", text);
}

// A statement in line 8 of a kernel gives exactly one error, which says `words`, at `column`.
static void one_error(const char *statement, unsigned column, const char *words) {
  char *text = kernel_text(statement), place[64];
  struct weir_sink sink = {0};
  parse_bad(text, &sink);
  snprintf(place, sizeof place, "bad.ptx:8:%u: error:", column);
  if (sink.errors != 1 || !strstr(sink.diags[0].message, place) || !strstr(sink.diags[0].message, words)) {
    weir_sink_print(&sink, stderr);
    fail_msg("'%s' should give '%s … %s'", statement, place, words);
  }
  weir_sink_free(&sink);
  weir_free(text);
}

static void test_instructions(void **state) {
  (void)state;
  one_error("add.u32 %r1, %r2;", 1, "expected 3 operands, got 2");
  one_error("bar.sync 1, 2, 3;", 1, "expected 1 to 2 operands, got 3");
  one_error("ad.u32 %r1, %r2, %r3;", 1, "did you mean 'add'?");
  one_error("ld.globl.u32 %r1, [%rd1];", 1, "did you mean '.global'?");
  one_error("add.b32 %r1, %r2, %r3;", 1, "no form with type .b32");
  one_error("add %r1, %r2, %r3;", 1, "needs a type");
  one_error("mul.s32 %r1, %r2, %r3;", 1, "lo|hi");
  one_error("setp.eq.gt.u32 %p1, %r2, %r3;", 1, "'.gt'");
  one_error("cvt.f32.s32 %f1, %r1;", 1, "rn|rz|rm|rp");
}

#define SUMS "{%f1, %f2, %f3, %f4}"

// As many registers as the shape has elements for, in the layout that it has (PTX ISA, mma, wmma).
static void test_matrices(void **state) {
  (void)state;
  one_error("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " SUMS ", {%r1}, {%r2}, " SUMS ";", 72,
            "operand 2 of 'mma': expected 2 registers in braces");
  one_error("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " SUMS ", {%r1, %r2}, %r3, " SUMS ";", 84,
            "operand 3 of 'mma': expected 1 register in braces");
  one_error("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " SUMS ", {%f1, %r2}, {%rd3}, " SUMS ";", 85,
            ".b64 where .b32");
  one_error("mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32 " SUMS ", {%r1, %r2}, {%r3}, " SUMS ";", 1, "'.row.col'");
  one_error("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%fd1}, [%rd1];", 41, "expected 2 registers in braces");
  one_error("ldmatrix.sync.aligned.m8n8.x2.b16 {%r1, %r2, %r3}, [%rd1];", 35, "expected 2 registers in braces");
  one_error(".reg .s4 quarter;", 6, "unknown type or qualifier '.s4'");
}

static void test_operands(void **state) {
  (void)state;
  one_error("add.u32 %r1, %rd2, %r3;", 14, ".b64 where .u32");
  one_error("add.f32 %f1, %f2, %fd3;", 19, ".f64 where .f32");
  one_error("add.u32 %r1, %r99, %r3;", 14, "outside %r<9>");
  one_error("ld.global.u32 %r1, [varr];", 21, "did you mean 'var'?");
  one_error("ld.global.u32 %r1, %rd1;", 20, "an address in brackets");
  one_error("ld.global.v2.u32 {%r1}, [%rd1];", 18, "{a, b}");
  one_error("mov.u32 7, %r1;", 9, "a register to write");
  one_error("mov.f32 %f1, 1;", 14, "floating-point constant");
  one_error("bra nowhere;", 5, "'nowhere' is not declared");
  one_error("bra var;", 5, "a label");
  one_error("@%r1 bra x; x:", 2, "not a predicate register");
  one_error("mov.u64 %rd1, 18446744073709551616;", 15, "not a 64-bit integer");
  one_error("mov.u32 %r1, 4 / 0;", 16, "division by zero");
  one_error("mov.f32 %f1, 0f3F8;", 14, "not a number");
  one_error("mov.u32 %r1, 1 << 64;", 16, "a shift by more than 63 bits");
  one_error("mov.u32 %r1, 1 << 9999;", 16, "a shift by more than 63 bits");
  one_error("mov.u32 %r1, 1 >> -1;", 16, "a shift by more than 63 bits");
  one_error("mov.f64 %fd1, 1e999999999999;", 15, "outside of double precision's range");
  one_error("mov.f64 %fd1, -1e309;", 16, "outside of double precision's range");
  // As ptxas 13.0: "Label expected for forward reference of 'T'", of lists and prototypes alike.
  one_error("brx.idx %r1, T; T: .branchtargets A; A:", 14, "'T' is declared behind its use, in line 8");
  one_error("call %rd1, P; P: .callprototype _ ();", 12, "'P' is declared behind its use, in line 8");
  one_error("call %rd1, P; P: .calltargets P;", 12, "'P' is declared behind its use, in line 8");
  one_error("bar.sync 16;", 10, "a barrier, 0 to 15");
  one_error("bar.arrive 16, 32;", 12, "a barrier, 0 to 15");
  one_error("bar.red.popc.u32 %r1, 16, %p1;", 23, "a barrier, 0 to 15");
  one_error("bar.sync 15, 33;", 14, "a multiple of the warp size");
  one_error("lop3.b32 %r1, %r2, %r3, %r4, 256;", 30, "0 to 255");
  one_error("lop3.b32 %r1, %r2, %r3, %r4, 999;", 30, "0 to 255");
  one_error("cp.async.ca.shared.global [%rd1], [%rd2], 12;", 43, "4, 8 or 16 bytes");
  one_error("cp.async.cg.shared.global [%rd1], [%rd2], 8;", 43, "16 bytes");
  one_error("mov.u32 %r1, %envreg32;", 14, "is not declared");
  one_error("call k;", 6, "'k' has 1 parameters, the call 0");
}

static void test_declarations(void **state) {
  (void)state;
  one_error(".reg .b32 %r<3>;", 11, "declared again");
  one_error(".reg .b99 %x;", 6, "'.b99'");
  one_error(".local .align 3 .b8 x[4];", 15, "power of two");
  one_error("x: x:", 4, "declared again");
  one_error(".shared .b8 x[99999999999999];", 14, "too large");
}

static void test_modules(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
    {".version 8.5\n.target sm_90\n.address_size 32\n", "3:15: error: weir runs programs with 64-bit addresses"},
    {".version 2.3\n.target sm_20\n", "1:10: error: PTX version 2.3; weir reads 3.0 to 9.x"},
    {"", "no .version"},
    {".version 8.5\n", "no .target"},
    {".version 8.5\n.target sm_90\n.global .b8 x[2] = {1, 2, 3};", "3:27: error: more elements"},
    {".version 8.5\n.target sm_90\n.global .b8 x[2] = {1, y};", "3:24: error: 'y' is not declared"},
    {".version 8.5\n.target sm_90\n.entry k() {", "expected '}', got the end of the file"},
    {".version 8.5\n.target sm_90\n.entry k() { ret; } /* x\n.entry l() { ret; }\n",
     "3:21: error: a comment without its closing */"},
    {".version 8.5\n.target sm_90\n.entry k() {\nret; /* x\n}\n", "4:6: error: a comment without its closing */"},
    {".version 8.5\n.target sm_90\n.entry k() .maxntid 4294967296 { ret; }",
     "3:21: error: .maxntid is 1 to 2147483647"},
    {".version 8.5\n.target sm_90\n.entry k() .maxntid 65536, 65536 { ret; }",
     "3:28: error: .maxntid is 1 to 2147483647"},
    {".version 8.5\n.target sm_90\n.entry k() .reqntid 0 { ret; }", "3:21: error: .reqntid is 1 to 2147483647"},
    {".version 8.5\n.target sm_90\n.entry k() .minnctapersm 0 { ret; }", "3:26: error: .minnctapersm is 1 to"},
    {".version 8.5\n.target sm_90\n.entry k() .maxnreg -1 { ret; }", "3:21: error: .maxnreg is 1 to"},
    {".version 8.5\n.target sm_90\n.file 1 \"x", "string without its closing quote"},
    {".version 8.5\n.target sm_90\n.func f() { ret; }\n.func f() { ret; }", "4:7: error: 'f' has a body already"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_sink sink = {0};
    parse_bad(cases[i].text, &sink);
    if (sink.errors != 1 || !strstr(sink.diags[0].message, cases[i].message)) {
      weir_sink_print(&sink, stderr);
      fail_msg("expected: %s", cases[i].message);
    }
    weir_sink_free(&sink);
  }
}

// A mistake in a statement, in a declaration and in a second function: each is found, with its caret.
static void test_all_at_once(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  parse_bad(HEAD ".global .u32 a = ;\n"
                 ".entry k() { .reg .b32 x;\n"
                 "  add.u32 x, y, 1;\n"
                 "  mov.u32 x 5;\n"
                 "  ld.global.v2.u32 {x, z}, [a];\n"
                 "}\n"
                 ".entry l() { frob x; }\n",
            &sink);
  assert_int_equal(sink.errors, 5);
  assert_string_equal(
    sink.diags[1].message,
    "bad.ptx:6:14: error: 'y' is not declared; did you mean 'x'?\n    add.u32 x, y, 1;\n               ^\n");
  assert_non_null(strstr(sink.diags[0].message, "bad.ptx:4:18:"));
  assert_non_null(strstr(sink.diags[2].message, "bad.ptx:7:13:"));
  assert_non_null(strstr(sink.diags[3].message, "bad.ptx:8:24:"));
  assert_non_null(strstr(sink.diags[4].message, "bad.ptx:10:14:"));
  weir_sink_free(&sink);
}

// Errors of another file in the sink change nothing: the second file is read as if alone.
static void test_shared_sink(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  parse_bad(HEAD ".entry k() { bra nowhere; bra k; brx.idx 1, k; call nothing; }", &sink);
  assert_int_equal(sink.errors, 4); // two names, and two branches to a function
  static const char good[] = HEAD ".entry k() { .reg .b32 a; mov.u32 a, 1; ret; }";
  struct weir_module *m = weir_ptx_parse("good.ptx", good, strlen(good), &sink);
  assert_non_null(m);
  assert_string_equal(m->functions[0]->registers[0]->name, "a");
  static const char bad[] = HEAD ".entry k() { call k, (k); }";
  assert_null(weir_ptx_parse("bad.ptx", bad, strlen(bad), &sink));
  weir_module_free(m);
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_instructions), cmocka_unit_test(test_matrices), cmocka_unit_test(test_operands),
    cmocka_unit_test(test_declarations), cmocka_unit_test(test_modules),  cmocka_unit_test(test_all_at_once),
    cmocka_unit_test(test_shared_sink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
