// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Registers that are computed once for a launch, or read where a special register is: what threads see of them, and which are not
// such. All expectations are what the PTX says, by hand.
#include "exec/machine.h"
#include "harness.h"

#define KERNEL(params, body)                                                                                           \
  PTX_HEADER ".visible .entry k(" params ") {\n"                                                                       \
             ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<4>;\n" body " ret; }\n"

static const struct weir_function_code *code_of(const struct bench *b) {
  return &b->program->functions[weir_program_kernel(b->program, "k")->function];
}

// out[number] = scale * %ntid.x + %nctaid.x + %tid.y, number counting the threads of the grid.
static const char threads[] = KERNEL(
  ".param .u64 out, .param .u32 scale, .param .s16 small",
  " ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1; ld.param.u32 %r1, [scale]; ld.param.s16 %r15, [small];\n"
  " mov.u32 %r2, %ntid.x; mov.u32 %r3, %nctaid.x; mad.lo.u32 %r4, %r1, %r2, %r3;\n"
  " mov.u32 %r5, %tid.x; mov.u32 %r6, %tid.y; mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ntid.y; mul.lo.u32 %r9, %r2, %r8;\n"
  " mad.lo.u32 %r10, %r6, %r2, %r5; mad.lo.u32 %r11, %r7, %r9, %r10; mul.wide.u32 %rd3, %r11, 4; add.u64 %rd4, %rd2, %rd3;\n"
  " add.u32 %r12, %r4, %r6; add.u32 %r12, %r12, %r15; st.global.u32 [%rd4], %r12;");

struct three {
  uint64_t out;
  uint32_t scale;
  int16_t small;
};

static void test_values(void **state) {
  (void)state;
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct bench b;
    struct weir_fault fault;
    uint64_t steps = 0;
    bench_open(&b, threads, lanes);
    const struct three params = {weir_memory_alloc(b.memory, "out", 3 * 40 * 4), 7, -5};
    struct weir_launch launch = bench_launch(&b, "k", 3, 20, &params); // 40 threads: a warp that is not full
    launch.block[1] = 2;
    launch.steps = &steps;
    assert_true(weir_run_functional(&launch, &fault));
    const uint32_t *got = bench_at(&b, params.out, 3 * 40 * 4);
    for (uint32_t k = 0; k < 3 * 40; k++) assert_int_equal(got[k], 7 * 20 + 3 + k % 40 / 20 - 5);
    assert_int_equal(steps, 3 * ((40 + lanes - 1) / lanes) * 20); // passed or not, each of the 20 counts
    // out, scale, small and what mad and mul.lo make: moves, and cvta, are read where they are from
    assert_int_equal(code_of(&b)->uniform_count, 5);
    bench_close(&b);
  }
}

static uint32_t first_word(const char *ptx, uint32_t value, uint32_t uniform) {
  struct bench b;
  bench_open(&b, ptx, 32);
  const struct three params = {weir_memory_alloc(b.memory, "out", 32 * 4), value, 0};
  assert_int_equal(code_of(&b)->uniform_count, uniform);
  bench_run(&b, "k", 1, 32, &params);
  uint32_t first;
  memcpy(&first, bench_at(&b, params.out, 4), 4);
  bench_close(&b);
  return first;
}

// Thread 0 stores %r2 to the first word.
#define OUT_AND_SCALE(body)                                                                                            \
  KERNEL(".param .u64 out, .param .u32 scale",                                                                         \
         " ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [scale];\n" body                                                \
         " mov.u32 %r15, %tid.x; mad.wide.u32 %rd2, %r15, 4, %rd1;\n"                                                  \
         " st.global.u32 [%rd2], %r2;")

static void test_what_varies(void **state) {
  (void)state;
  // Written twice.
  assert_int_equal(first_word(OUT_AND_SCALE(" mov.u32 %r2, %r1; add.u32 %r2, %r2, 1;"), 4, 2), 5);
  // Written under a guard: thread 0 keeps the 9.
  assert_int_equal(first_word(OUT_AND_SCALE(" mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; mov.u32 %r2, 9;\n"
                                            " @%p1 add.u32 %r2, %r1, 1;"),
                              4, 2),
                   9);
  // Read before it is written: zero at first, so twice 4 and not three times.
  assert_int_equal(first_word(OUT_AND_SCALE(" mov.u32 %r2, 0; mov.u32 %r4, 0;\n"
                                            "$L: add.u32 %r2, %r2, %r5; add.u32 %r5, %r1, 0; add.u32 %r4, %r4, 1;\n"
                                            " setp.lt.u32 %p1, %r4, 3; @%p1 bra $L;"),
                              4, 2),
                   8);
  // On one of two paths: what the other leaves is zero.
  assert_int_equal(first_word(OUT_AND_SCALE(" mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 0; @%p1 bra $N;\n"
                                            " add.u32 %r2, %r1, 1;\n$N:"),
                              4, 2),
                   0);
  // What it is made of changes.
  assert_int_equal(first_word(OUT_AND_SCALE(" add.u32 %r3, %r1, 1; add.u32 %r3, %r3, 1; add.u32 %r2, %r3, 1;"), 4, 2),
                   7);
  // The carry flag is a thread's own.
  assert_int_equal(first_word(OUT_AND_SCALE(" add.cc.u32 %r3, %r1, 0xffffffff; addc.u32 %r2, %r1, 0;"), 4, 2), 5);
  // A sum of parameters is none of these: out, scale and the two adds.
  assert_int_equal(first_word(OUT_AND_SCALE(" add.u32 %r3, %r1, 1; add.u32 %r2, %r3, %r1;"), 4, 4), 9);
}

// No more than 4096 of a kernel are, so that a launch's values have a bound; the others vary, and are as right.
static void test_many(void **state) {
  (void)state;
  enum { MANY = 5000 };
  static char text[MANY * 40];
  int n = snprintf(text, sizeof text, "%s",
                   PTX_HEADER
                   ".visible .entry k(.param .u64 out, .param .u32 scale) { .reg .b32 %r<5001>; .reg .b64 %rd<2>;\n"
                   " ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [scale];\n");
  for (unsigned k = 2; k <= MANY; k++)
    n += snprintf(text + n, sizeof text - (size_t)n, " add.u32 %%r%u, %%r%u, %u;\n", k, k - 1, k);
  snprintf(text + n, sizeof text - (size_t)n, " st.global.u32 [%%rd1], %%r5000; ret; }\n");
  assert_int_equal(first_word(text, 1, 4096), MANY * (MANY + 1) / 2);
}

// What a call gives back is a parameter of the kernel in its text alone.
static void test_results_of_calls(void **state) {
  (void)state;
  static const char ptx[] = PTX_HEADER
    ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; mov.u32 %r2, %ntid.x;\n"
    " add.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }\n"
    ".visible .entry k(.param .u64 out, .param .u32 scale) { .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
    " ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [scale];\n"
    " { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), f, (x); ld.param.b32 %r2, [y]; }\n"
    " st.global.u32 [%rd1], %r2; ret; }\n";
  assert_int_equal(first_word(ptx, 4, 2), 36);
}

// A run of uniform instructions of which some are jumped over, and at whose end the paths meet: thread 0 goes the long way.
static void test_branches_into_a_run(void **state) {
  (void)state;
  static const char ptx[] = OUT_AND_SCALE(
    " mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; mov.u32 %r2, 1; @%p1 bra $N;\n"
    " add.u32 %r5, %r1, 1; add.u32 %r6, %r1, 2; add.u32 %r2, %r5, %r6;\n"
    "$N: add.u32 %r7, %r1, 3; add.u32 %r8, %r1, 4; bar.sync 0; add.u32 %r2, %r2, %r7; add.u32 %r2, %r2, %r8;");
  assert_int_equal(first_word(ptx, 10, 6), 11 + 12 + 13 + 14);
}

// The limit of steps holds in the middle of a run, too.
static void test_limit(void **state) {
  (void)state;
  struct bench b;
  bench_open(&b, threads, 32);
  const struct three params = {weir_memory_alloc(b.memory, "out", 3 * 40 * 4), 7, -5};
  for (uint64_t limit = 1; limit < 20; limit++) {
    struct weir_fault fault;
    uint64_t steps = 0;
    struct weir_launch launch = bench_launch(&b, "k", 1, 32, &params);
    launch.steps = &steps;
    launch.step_limit = limit;
    assert_false(weir_run_functional(&launch, &fault));
    assert_int_equal(fault.kind, WEIR_FAULT_RUNAWAY);
    assert_int_equal(steps, limit);
  }
  bench_close(&b);
}

// Cores see each instruction, and of a parameter its address.
static void test_steps(void **state) {
  (void)state;
  struct bench b;
  struct weir_winstr out;
  struct weir_fault fault;
  uint64_t steps = 0;
  bench_open(&b, threads, 32);
  const struct three params = {weir_memory_alloc(b.memory, "out", 3 * 40 * 4), 7, -5};
  struct weir_launch launch = bench_launch(&b, "k", 3, 20, &params);
  launch.steps = &steps;
  struct weir_block_state *block = weir_block_create(&launch);
  weir_block_start(block, 1, 0, 0);
  struct weir_warp *w = weir_block_warp(block, 0);
  static const uint64_t parameters[] = {[0] = WEIR_PARAM_BASE, [2] = WEIR_PARAM_BASE + 8, [3] = WEIR_PARAM_BASE + 12};
  for (unsigned k = 0; k < 20; k++) {
    const enum weir_step step = weir_warp_step(w, &out, &fault);
    assert_int_equal(step, k == 19 ? WEIR_STEP_EXITED : WEIR_STEP_DONE_ONE);
    assert_int_equal(out.active, 0xFFFFF);
    if (k > 3 || k == 1) continue;
    assert_int_equal(out.space, WEIR_MEM_PARAM);
    assert_true(out.low == parameters[k] && out.high == parameters[k]);
    for (unsigned l = 0; l < 32; l++) assert_true(out.address[l] == parameters[k]);
  }
  const uint32_t *got = bench_at(&b, params.out, 3 * 20 * 4);
  for (uint32_t k = 20; k < 40; k++) assert_int_equal(got[k], 7 * 20 + 3 - 5);
  weir_block_free(block);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_values), cmocka_unit_test(test_what_varies),         cmocka_unit_test(test_results_of_calls),
    cmocka_unit_test(test_many),   cmocka_unit_test(test_branches_into_a_run), cmocka_unit_test(test_limit),
    cmocka_unit_test(test_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
