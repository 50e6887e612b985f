// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Calls as compilers and people write them: tables of functions, arguments and results in registers, constants, aliases,
// functions that are declared and never called, and what is wrong.
#include "harness.h"

#define ENTRY(declarations, body)                                                                                      \
  PTX_HEADER declarations                                                                                              \
    "\n.visible .entry k(.param .u64 out) { .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<16>;\n"                    \
    " .reg .b64 %rd<12>; .reg .f32 %f<4>; .reg .f64 %fd<4>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"          \
    " mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n" body " st.global.u32 [%rd3], %r2; ret; }\n"

enum { THREADS = 70 };

static uint32_t *run(struct bench *b, const char *ptx, unsigned lanes) {
  bench_open(b, ptx, lanes);
  const uint64_t out = weir_memory_alloc(b->memory, "out", THREADS * 4);
  bench_run(b, "k", 1, THREADS, &out);
  return bench_at(b, out, THREADS * 4);
}

#define FUNCTIONS                                                                                                       \
  ".weak .func (.param .b32 r) plus(.param .b32 x) { .reg .b32 %r<2>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, 1000;\n" \
  " st.param.b32 [r], %r1; ret; }\n"                                                                                    \
  ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<2>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, %r1;\n"       \
  " st.param.b32 [r], %r1; ret; }\n"                                                                                    \
  ".extern .func __cxa_pure_virtual;\n"
#define CALL_BY_TABLE(table)                                                                                           \
  " and.b32 %r3, %r1, 1; mul.wide.u32 %rd4, %r3, 8; mov.u64 %rd5, " table "; add.u64 %rd5, %rd5, %rd4;\n"              \
  " ld.u64 %rd6, [%rd5+8];\n"                                                                                          \
  " { .param .b32 a; .param .b32 v; st.param.b32 [a], %r1; P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"     \
  "  call (v), %rd6, (a), P; ld.param.b32 %r2, [v]; }\n"

static void test_tables(void **state) {
  (void)state;
  static const char *const texts[] = {
    ENTRY(FUNCTIONS ".global .align 8 .u64 table[3] = {0, plus, twice};", CALL_BY_TABLE("table")),
    ENTRY(FUNCTIONS ".const .align 8 .u64 table[3] = {__cxa_pure_virtual, plus, twice};", CALL_BY_TABLE("table")),
    // declared, used in an initialiser, defined last
    ENTRY(".func (.param .b32 r) plus(.param .b32 x);\n.func (.param .b32 r) twice(.param .b32 x);\n"
          ".global .align 8 .u64 table[3] = {0, plus, twice};\n" FUNCTIONS,
          CALL_BY_TABLE("table")),
  };
  for (unsigned t = 0; t < 3; t++)
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
      struct bench b;
      const uint32_t *r = run(&b, texts[t], lanes);
      for (unsigned k = 0; k < THREADS; k++) assert_int_equal(r[k], k & 1 ? 2 * k : k + 1000);
      bench_close(&b);
    }
}

// A function that only a table names has its shared variable beside the kernel's own; and the address of a function byte by
// byte, as initialisers of structures have it.
static void test_shared_behind_table(void **state) {
  (void)state;
  struct bench b;
  const uint32_t *r = run(
    &b,
    ENTRY(
      ".func (.param .b32 r) keep(.param .b32 x) { .shared .align 4 .b8 place[4]; .reg .b32 %r<3>; ld.param.u32 %r1, [x];\n"
      " mov.u32 %r2, 77; st.shared.u32 [place], %r2; st.param.b32 [r], %r1; ret; }\n"
      ".global .align 8 .b8 table[10] = {1, 2, 0xFF(keep), 0xFF00(keep), 0xFF0000(keep), 0xFF000000(keep), 0xFF00000000(keep),"
      " 0xFF0000000000(keep), 0xFF000000000000(keep), 0xFF00000000000000(keep)};\n",
      " .shared .align 4 .b8 own[4]; st.shared.u32 [own], 5; mov.u64 %rd4, 0; mov.u32 %r3, 0;\n"
      "$L: mov.u64 %rd5, table; cvt.u64.u32 %rd6, %r3; add.u64 %rd5, %rd5, %rd6; ld.global.u8 %rd7, [%rd5+2];\n"
      " shl.b32 %r4, %r3, 3; shl.b64 %rd7, %rd7, %r4; or.b64 %rd4, %rd4, %rd7; add.u32 %r3, %r3, 1;\n"
      " setp.lt.u32 %p1, %r3, 8; @%p1 bra $L;\n"
      " { .param .b32 a; .param .b32 v; st.param.b32 [a], %r1; P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "  call (v), %rd4, (a), P; ld.param.b32 %r2, [v]; }\n ld.shared.u32 %r5, [own]; mad.lo.u32 %r2, %r5, 1000, %r2;\n"),
    32);
  for (unsigned k = 0; k < THREADS; k++) assert_int_equal(r[k], 5000 + k);
  bench_close(&b);
}

// Two programs in one memory: a pointer to a function of the other is found out.
static void test_other_program(void **state) {
  (void)state;
  struct bench a, b;
  struct weir_fault fault;
  bench_open(&a, ENTRY(".func f() { ret; }\n", " mov.u64 %rd4, f; st.global.u64 [%rd1], %rd4; mov.u32 %r2, 0; ret;\n"),
             32);
  memset(&b, 0, sizeof b);
  static const char text[] = ENTRY(
    ".func g() { ret; }\n",
    " P: .callprototype _ (); mov.u64 %rd5, g; call %rd5, (), P; ld.global.u64 %rd4, [%rd1]; setp.eq.u64 %p1, %rd4, 0;\n"
    " mov.u32 %r2, 9; @%p1 bra $E; call %rd4, (), P;\n$E:\n");
  b.module = weir_ptx_parse("b.ptx", text, strlen(text), &b.sink);
  b.memory = a.memory;
  b.program = weir_program_build(b.module, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), a.memory, &b.sink);
  assert_non_null(b.program);
  const uint64_t out = weir_memory_alloc(a.memory, "out", 4 * THREADS);
  bench_run(&b, "k", 1, 1, &out); // its own function first
  memset(bench_at(&a, out, 8), 0, 8);
  bench_run(&a, "k", 1, 1, &out);
  struct weir_launch launch = bench_launch(&b, "k", 1, 1, &out);
  assert_false(weir_run_functional(&launch, &fault));
  if (!strstr(fault.message, "which is no function of this module")) fail_msg("%s", fault.message);
  weir_program_free(b.program);
  weir_module_free(b.module);
  weir_sink_free(&b.sink);
  bench_close(&a);
}

static void expect_all(const char *ptx, uint32_t base, uint32_t step) {
  struct bench b;
  const uint32_t *r = run(&b, ptx, 32);
  for (unsigned k = 0; k < THREADS; k++) assert_int_equal(r[k], base + step * k);
  bench_close(&b);
}

static void test_registers(void **state) {
  (void)state;
#define LINEAR                                                                                                         \
  ".func (.reg .u32 y) linear(.reg .u32 x, .reg .u32 slope, .reg .u64 base) { .reg .u32 %t; .reg .u64 %w;\n"           \
  " mul.lo.u32 %t, x, slope; cvt.u32.u64 y, base; add.u32 y, y, %t; ret; }\n"
  // 7 + 3 x, with a register, a constant and a 64-bit register; then with all from .param variables
  expect_all(ENTRY(LINEAR, " mov.u64 %rd4, 7; call (%r2), linear, (%r1, 3, %rd4);\n"), 7, 3);
  expect_all(ENTRY(LINEAR,
                   " .param .b32 a; .param .b32 c; .param .b64 d; .param .b32 v; mov.u32 %r3, 4; mov.u64 %rd4, 9;\n"
                   " st.param.b32 [a], %r1; st.param.b32 [c], %r3; st.param.b64 [d], %rd4;\n"
                   " call.uni (v), linear, (a, c, d); ld.param.b32 %r2, [v];\n"),
             9, 4);
  // through a pointer, by registers
  expect_all(ENTRY(LINEAR,
                   " mov.u64 %rd5, linear; mov.u64 %rd4, 7; mov.u32 %r4, 3;\n"
                   " P: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .u32 _, .reg .u64 _);\n"
                   " call (%r2), %rd5, (%r1, %r4, %rd4), P;\n"),
             7, 3);
  // constants of floating point: 2.5 + 0.5 = 3, times the thread
  expect_all(
    ENTRY(
      ".func (.param .f32 r) sum(.param .f32 a, .param .f64 b) { .reg .f32 %f<3>; .reg .f64 %d; ld.param.f32 %f1, [a];\n"
      " ld.param.f64 %d, [b]; cvt.rn.f32.f64 %f2, %d; add.f32 %f1, %f1, %f2; st.param.f32 [r], %f1; ret; }\n",
      " call (%f1), sum, (0f40200000, 0d3FE0000000000000); cvt.rzi.u32.f32 %r3, %f1; mul.lo.u32 %r2, %r3, %r1;\n"),
    0, 3);
  // a result that no path writes is 0, as every register is, whatever another function's frame had there
  expect_all(ENTRY(LINEAR ".func (.reg .u32 y) nothing() { ret; }\n",
                   " mov.u64 %rd4, 7; call (%r2), linear, (%r1, 3, %rd4); call (%r2), nothing;\n"),
             0, 0);
  // a result is kept while registers that are written after it come and go
  expect_all(
    ENTRY(".func (.reg .u32 y) early(.reg .u32 x) { .reg .u32 %t<3>; .local .align 4 .b8 l[4]; add.u32 y, x, 6;\n"
          " mov.u32 %t0, 77; add.u32 %t1, %t0, 5; mul.lo.u32 %t2, %t1, %t0; st.local.u32 [l], %t2; ret; }\n",
          " call (%r2), early, (%r1);\n"),
    6, 1);
}

// A recursion whose argument and result are registers: 0 + 1 + … + x.
static void test_recursion(void **state) {
  (void)state;
  struct bench b;
  const uint32_t *r = run(&b,
                          ENTRY(".func (.reg .u32 y) sum(.reg .u32 x) { .reg .u32 %t; .reg .pred %p; mov.u32 y, 0;\n"
                                " setp.eq.u32 %p, x, 0; @%p ret; sub.u32 %t, x, 1; call (%t), sum, (%t);\n"
                                " add.u32 y, x, %t; ret; }\n",
                                " call (%r2), sum, (%r1);\n"),
                          32);
  for (unsigned k = 0; k < THREADS; k++) assert_int_equal(r[k], k * (k + 1) / 2);
  bench_close(&b);
}

static void test_declared(void **state) {
  (void)state;
  expect_all(
    ENTRY(
      ".extern .func strange(.param .b64 a) .noreturn;\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n",
      " mov.u32 %r2, %r1;\n"),
    0, 1);
  expect_all(ENTRY(".func (.param .b32 r) name(.param .b32 x);\n" FUNCTIONS ".alias name, plus;\n",
                   " call (%r2), name, (%r1);\n"),
             1000, 1);
}

static void expect_no_program(const char *ptx, const char *message) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("test.ptx", ptx, strlen(ptx), &sink);
  struct weir_memory *memory = weir_memory_create();
  if (m) assert_null(weir_program_build(m, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), memory, &sink));
  assert_true(sink.errors > 0);
  if (!strstr(sink.diags[0].message, message)) fail_msg("'%s' is not in: %s", message, sink.diags[0].message);
  weir_memory_free(memory);
  weir_module_free(m);
  weir_sink_free(&sink);
}

static void test_refused(void **state) {
  (void)state;
  expect_no_program(ENTRY(".extern .func strange();\n", " call strange, ();\n"),
                    "'strange' is declared but has no body here");
  expect_no_program(ENTRY(LINEAR, " call (%r2), linear, (%r1, %rd4, %rd4);\n"), "another size");
  expect_no_program(ENTRY(LINEAR, " .param .b64 a; call (%r2), linear, (a, 3, %rd4);\n"), "another size");
  expect_no_program(ENTRY(LINEAR, " call (%r2), linear, (%r1, 3);\n"), "'linear' has 3 parameters, the call 2");
  expect_no_program(ENTRY(".func f(.reg .pred x) { ret; }\n", ""), "a register is one of at most 64 bits");
  expect_no_program(PTX_HEADER ".entry k(.reg .u32 x) { ret; }\n", "a kernel's parameter is .param");
}

// What goes wrong when it runs: a function without a body, and one that has no such parameters.
static void test_faults(void **state) {
  (void)state;
  static const struct {
    const char *ptx, *message;
  } cases[] = {
    {ENTRY(FUNCTIONS, " mov.u64 %rd4, __cxa_pure_virtual; P: .callprototype _ (); call %rd4, (), P;\n"),
     "call of function '__cxa_pure_virtual', which has no body"},
    {ENTRY(".func small() { ret; }\n",
           " .param .b8 big[65536]; mov.u64 %rd4, small; P: .callprototype _ (.param .b8 _[65536]);\n"
           " call %rd4, (big), P;\n"),
     "call of function 'small' by a prototype that is not its own"},
    {ENTRY(".extern .func free(.param .b64 a);\n", " mov.u64 %rd4, free; P: .callprototype _ (); call %rd4, (), P;\n"),
     "a call with 0 arguments"},
  };
  for (unsigned k = 0; k < 3; k++) {
    struct bench b;
    struct weir_fault fault;
    bench_open(&b, cases[k].ptx, 32);
    const uint64_t out = weir_memory_alloc(b.memory, "out", 4 * THREADS);
    struct weir_launch launch = bench_launch(&b, "k", 1, THREADS, &out);
    assert_false(weir_run_functional(&launch, &fault));
    if (!strstr(fault.message, cases[k].message)) fail_msg("%s", fault.message);
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shared_behind_table),
    cmocka_unit_test(test_other_program),
    cmocka_unit_test(test_tables),
    cmocka_unit_test(test_registers),
    cmocka_unit_test(test_recursion),
    cmocka_unit_test(test_declared),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
