// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Hints put on accesses from outside: which accesses a request names, what is then written, and what is refused.
#include "ptx_test.h"

#include "base/alloc.h"
#include "ptx/arrays.h"
#include "ptx/hints.h"

// Line 1 of a.cu has two loads, of x and of y, and a store to y; y comes through a sum with an index, x through a loop.
static const char program[] =
  ".version 8.8\n.target sm_100\n.address_size 64\n"
  ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u64 k_param_2)\n{\n"
  ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n"
  "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n" // lines 7, 8
  "ld.param.u64 %rd3, [k_param_2];\n"
  "cvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd4, %rd2;\n"
  "add.s64 %rd5, %rd3, %rd4;\nmad.wide.u32 %rd5, %r1, 4, %rd5;\n"
  "L:\n.loc 1 1 3\n"
  "ld.global.nc.u32 %r2, [%rd1];\n"                    // 16
  "ld.weak.global.L1::evict_last.u32 %r3, [%rd5+4];\n" // 17
  "st.global.u32 [%rd5], %r3;\n"                       // 18
  ".loc 1 2 3\n"
  "add.s64 %rd1, %rd1, 4;\n"
  "ld.global.u64 %rd6, [%rd5];\nld.volatile.global.u32 %r4, [%rd6];\n" // 21, 22
  ".loc 1 3 3\n"
  "cp.async.ca.shared.global [%r5], [%rd1], 16;\n"   // 24
  "cp.async.cg.shared.global [%r6], [%rd5], 16;\n"   // 25
  "cp.async.ca.shared.global [%r7], [%rd5+8], 4;\n"  // 26
  "ld.global.u32 %r8, [%rd1];\n"                     // 27
  "cp.async.commit_group;\ncp.async.wait_group 0;\n" // 28, 29
  "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nret;\n}\n"
  ".file 1 \"/opt/me/a.cu\"\n";

// What the module's text is with the request on it; or, if it is refused, what is said.
static char *with(const char *request) {
  struct weir_sink sink = {0};
  char *line = weir_text_format("--hint\t%s\n", request), *text = NULL;
  size_t bytes;
  struct weir_hints *h = weir_hints_read(line, &sink);
  struct weir_module *m = weir_ptx_parse("dir/test.ptx", program, strlen(program), &sink);
  assert_non_null(m);
  FILE *to = open_memstream(&text, &bytes);
  if (h && weir_hints_apply(h, m, &sink) && weir_hints_all_found(h, &sink))
    weir_ptx_print(m, to);
  else
    weir_sink_print(&sink, to);
  fclose(to);
  weir_hints_free(h);
  weir_module_free(m);
  weir_sink_free(&sink);
  weir_free(line);
  return text;
}

static unsigned count(const char *text, const char *part) {
  unsigned n = 0;
  for (; (text = strstr(text, part)); text++) n++;
  return n;
}

#define HOLDS(request, ...) hold(request, (const char *const[]){__VA_ARGS__, NULL})

// The text has each part once, and is a module again.
static void hold(const char *request, const char *const *parts) {
  char *text = with(request);
  for (unsigned i = 0; parts[i]; i++)
    if (count(text, parts[i]) != 1)
      fail_msg("%s: '%s' is there %u times in\n%s", request, parts[i], count(text, parts[i]), text);
  weir_module_free(parse_ok(text));
  free(text);
}

#define X0 "ld.global.nc.u32 \t%r2"
#define Y0 "ld.weak.global.L1::evict_last.u32 \t%r3"
#define S0 "st.global.u32 \t[%rd5]"
#define CA16 "cp.async.ca.shared.global \t[%r5]"
#define CG16 "cp.async.cg.shared.global \t[%r6]"
#define CA4 "cp.async.ca.shared.global \t[%r7]"
#define L1 "ld.global.u32 \t%r8"

static void test_lines(void **state) {
  (void)state;
  HOLDS("a.cu:1=cs", "ld.global.cs.nc.u32", "ld.weak.global.cs.u32", "st.global.cs.u32");
  HOLDS("me/a.cu:1=ca", "ld.global.ca.nc.u32", "ld.weak.global.ca.u32", S0); // no store has it
  HOLDS("a.cu:1=wt", "st.global.wt.u32", X0, Y0);
  HOLDS("a.cu:1=none", X0, "ld.weak.global.u32", S0);
  HOLDS("test.ptx:17=L1::no_allocate", "ld.weak.global.L1::no_allocate.u32", X0, S0);
  HOLDS("dir/test.ptx:16=L1::evict_first", "ld.global.nc.L1::evict_first.u32", Y0);
}

static void test_numbers_and_arrays(void **state) {
  (void)state;
  HOLDS("a.cu:1#1=cg", "ld.global.cg.nc.u32", Y0, S0);
  HOLDS("a.cu:1#3=cg", "st.global.cg.u32", X0, Y0);
  HOLDS("a.cu:1[param_0]=cg", "ld.global.cg.nc.u32", Y0, S0);
  HOLDS("a.cu:1[k_param_1]=cg", "ld.weak.global.cg.u32", "st.global.cg.u32", X0);
}

// cp.async loads from global memory by an operator that it always has: .ca, or .cg of 16 bytes alone (PTX ISA, "cp.async").
static void test_copies(void **state) {
  (void)state;
  HOLDS("a.cu:3#1=cg", "cp.async.cg.shared.global \t[%r5]", CG16, CA4, L1);
  HOLDS("a.cu:3=ca", CA16, "cp.async.ca.shared.global \t[%r6]", CA4, "ld.global.ca.u32 \t%r8");
  HOLDS("a.cu:3[param_0]=cg", "cp.async.cg.shared.global \t[%r5]", "ld.global.cg.u32 \t%r8", CG16, CA4);
  HOLDS("a.cu:3=cs", "ld.global.cs.u32 \t%r8", CA16, CG16, CA4); // the load alone
  HOLDS("a.cu:3=none", L1, CA16, CG16, CA4);
  HOLDS("test.ptx:25=ca", "cp.async.ca.shared.global \t[%r6]", CA16, CA4, L1);
}

#define REFUSED(request, part) refuse(request, part)

static void refuse(const char *request, const char *part) {
  char *text = with(request);
  if (!strstr(text, part)) fail_msg("%s: '%s' is not in '%s'", request, part, text);
  free(text);
}

static void test_refused(void **state) {
  (void)state;
  REFUSED("a.cu:1", "is no hint for an access");
  REFUSED("a.cu=cg", "is no hint for an access");
  REFUSED("a.cu:0=cg", "is no hint for an access");
  REFUSED("a.cu:1#0=cg", "is no hint for an access");
  REFUSED("a.cu:1[]=cg", "is no hint for an access");
  REFUSED("a.cu:1=evict_last", "there is no hint 'evict_last'; did you mean 'L1::evict_last'?");
  REFUSED("a.cu:7=cg", "no load or store of global memory is at a.cu:7");
  REFUSED("b.cu:1=cg", "no PTX of the program comes from a file 'b.cu'");
  REFUSED("cu:1=cg", "no PTX of the program comes from a file 'cu'");
  REFUSED("a.cu:1[x]=cg", "has no access to the array 'x', but ld param_0, ld param_1, st param_1");
  REFUSED("a.cu:1[param_2]=cg", "has no access to the array 'param_2'"); // a number in y's address
  REFUSED("a.cu:1#4=cg", "has no access number 4");
  REFUSED("a.cu:2[param_1]=wb", "it is for stores");
  REFUSED("test.ptx:16=cv", "ld.nc has .ca, .cg and .cs alone");
  REFUSED("test.ptx:22=cg", "the access is volatile");
  REFUSED("test.ptx:18=L2::evict_first", "only accesses of 32 bytes");
  REFUSED("a.cu:3#3=cg", "'cg' cannot stand at 'cp' in line 26 of dir/test.ptx: cp.async.cg copies 16 bytes");
  REFUSED("a.cu:3#1=L1::evict_last", "cp.async has .ca and .cg alone");
  REFUSED("a.cu:3#1=none", "cp.async has .ca and .cg alone");
  REFUSED("test.ptx:24=cs", "no access at test.ptx:24 takes the hint 'cs': it has cp param_0");
  REFUSED("test.ptx:28=ca", "no load or store of global memory is at test.ptx:28");
}

// What comes from memory is unknown.
static void test_unknown_array(void **state) {
  (void)state;
  REFUSED("a.cu:2[x]=cg", "but ld param_1, ld an unknown array");
}

// Two pointers in a structure that is a parameter, read one by one and as a vector; 8 bytes of it that are no address of the access
// do not matter, and a sum of both is of several arrays.
static void test_structure(void **state) {
  (void)state;
  static const char text[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n.entry k(.param .align 8 .b8 k_param_0[24])\n{\n"
    ".reg .b32 %r;.reg .b64 %d<6>;\nld.param.u64 %d1, [k_param_0+8];\nld.param.v2.u64 {%d2, %d3}, [k_param_0];\n"
    "ld.global.u32 %r, [%d1];\nld.global.u32 %r, [%d2+4];\nst.global.u32 [%d3], %r;\n" // 9 to 11
    "add.u64 %d4, %d1, %d2;\natom.global.add.u32 %r, [%d4], 1;\nred.global.add.u32 [%d2], 1;\n"
    "cp.async.ca.shared.global [%r], [%d1], 4;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r], [%d2], 64, [%r];\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r], 64;\ncp.async.bulk.prefetch.L2.global [%d2], 64;\n"
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r], 64;\ncp.async.bulk.commit_group;\n"
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r], [%r], 64, [%r];\nret;\n}\n";
  static const char *const arrays[] = {"param_0+8", "param_0+0", "param_0+8", NULL,        "param_0+0", "param_0+8",
                                       "param_0+0", "param_0+8", "param_0+0", "param_0+8", NULL,        NULL};
  enum { ACCESSES = sizeof arrays / sizeof *arrays };
  struct weir_module *m = parse_ok(text);
  const struct weir_function *f = m->functions[0];
  struct weir_arrays *a = weir_arrays_of(f);
  unsigned n = 0;
  for (uint32_t k = 0; k < f->statement_count; k++) {
    const struct weir_statement *s = &f->statements[k];
    if (s->kind != WEIR_STMT_INSTRUCTION || s->instruction->line < 9) continue;
    if (s->instruction->opcode == WEIR_OP_ADD || s->instruction->opcode == WEIR_OP_RET) continue;
    char *name = weir_array_name(f, weir_array_of(a, s->instruction));
    assert_true(n < ACCESSES && !name == !arrays[n]);
    if (name) assert_string_equal(name, arrays[n]);
    weir_free(name);
    n++;
  }
  assert_int_equal(n, ACCESSES);
  weir_arrays_free(a);
  weir_module_free(m);
}

static void test_targets(void **state) {
  (void)state;
  static const char old[] = ".version 7.3\n.target sm_60\n.address_size 64\n.entry k(.param .u64 p)\n{\n.reg .b32 %r;"
                            " .reg .b64 %d;\nld.param.u64 %d, [p];\nld.global.u32 %r, [%d];\nret;\n}\n";
  struct weir_sink sink = {0};
  struct weir_hints *h = weir_hints_read("h.txt:3\ttest.ptx:8=L1::evict_last\n", &sink);
  struct weir_module *m = parse_ok(old);
  assert_false(weir_hints_apply(h, m, &sink));
  assert_int_equal(sink.errors, 1);
  assert_non_null(strstr(sink.diags[0].message, "h.txt:3: error: "));
  assert_non_null(strstr(sink.diags[0].message, "it needs PTX 7.4 and sm_70; the file has 7.3 and sm_60"));
  weir_module_free(m);
  weir_hints_free(h);
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),         cmocka_unit_test(test_numbers_and_arrays),
                                     cmocka_unit_test(test_copies),        cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_unknown_array), cmocka_unit_test(test_structure),
                                     cmocka_unit_test(test_targets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
