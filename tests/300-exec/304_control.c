// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Divergence, tables of branches, calls, barriers and what each counts, on kernels small enough to do by hand.
#include "harness.h"

#define ENTRY(body)                                                                                                    \
  PTX_HEADER                                                                                                           \
  ".visible .entry k(.param .u64 out) { .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"                       \
  " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n" body        \
  " st.global.u32 [%rd3], %r2; ret; }\n"

static uint32_t *run(struct bench *b, const char *ptx, unsigned lanes, unsigned threads, uint64_t *steps) {
  bench_open(b, ptx, lanes);
  const uint64_t out = weir_memory_alloc(b->memory, "out", threads * 4);
  *steps = bench_run(b, "k", 1, threads, &out);
  return bench_at(b, out, threads * 4);
}

// Lane l goes round l times: both sides of an if inside. The trips are 31 for one warp of 32, whatever the lanes do:
// 4 + mov mov + trips + exit. A turn that splits takes 9 instructions, one that does not 7 or 8.
static void test_loop_with_branch(void **state) {
  (void)state;
  struct bench b;
  uint64_t steps;
  const uint32_t *r = run(&b,
                          ENTRY(" mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                                "$L: setp.ge.u32 %p1, %r3, %r1; @%p1 bra $E;\n"
                                " and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra $V;\n"
                                " add.u32 %r2, %r2, 100; bra $J;\n"
                                "$V: add.u32 %r2, %r2, 1;\n"
                                "$J: add.u32 %r3, %r3, 1; bra $L;\n$E:\n"),
                          32, 32, &steps);
  for (unsigned l = 0; l < 32; l++) assert_int_equal(r[l], l * (l & 1 ? 100 : 1));
  // turns 0…29 have odd and even lanes left (lane 30 and 31 in turn 29), turn 30 lane 31 alone, turn 31 none.
  assert_int_equal(steps, 4 + 2 + 30 * (2 + 3 + 2 + 1 + 2) + (2 + 3 + 2 + 2) + 2 + 2);
  bench_close(&b);
}

static void test_early_exit(void **state) {
  (void)state;
  struct bench b;
  uint64_t steps;
  const uint32_t *r = run(
    &b, ENTRY(" mov.u32 %r2, 5; setp.lt.u32 %p1, %r1, 7; @%p1 exit; @!%p1 add.u32 %r2, %r2, %r1;\n"), 64, 96, &steps);
  for (unsigned l = 0; l < 96; l++) assert_int_equal(r[l], l < 7 ? 0 : 5 + l);
  assert_int_equal(steps, 2 * (4 + 4 + 2));
  bench_close(&b);
}

static void test_branch_table(void **state) {
  (void)state;
  struct bench b;
  uint64_t steps;
  const uint32_t *r = run(&b,
                          ENTRY(" and.b32 %r3, %r1, 3; mov.u32 %r2, 0;\n"
                                "$T: .branchtargets $A, $B, $C, $B;\n brx.idx %r3, $T;\n"
                                "$A: add.u32 %r2, %r2, 1;\n$B: add.u32 %r2, %r2, 10;\n$C: add.u32 %r2, %r2, 100;\n"),
                          32, 40, &steps);
  static const uint32_t want[4] = {111, 110, 100, 110};
  for (unsigned l = 0; l < 40; l++) assert_int_equal(r[l], want[l & 3]);
  bench_close(&b);
}

static const char calls[] = PTX_HEADER
  ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r1, %r1, %r1;\n"
  " st.param.b32 [r], %r1; ret; }\n"
  ".func (.param .b32 r) square(.param .b32 x) { .local .align 4 .b8 place[8]; .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
  " ld.param.u32 %r1, [x]; mov.u64 %rd1, place; st.local.u32 [%rd1+4], %r1; ld.local.u32 %r2, [place+4];\n"
  " mul.lo.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }\n"
  ".func (.param .b32 r) factorial(.param .b32 x) { .reg .b32 %r<4>; .reg .pred %p;\n"
  " ld.param.u32 %r1, [x]; mov.u32 %r2, 1; setp.lt.u32 %p, %r1, 2; @%p bra $E; add.u32 %r3, %r1, -1;\n"
  " { .param .b32 a0; .param .b32 v0; st.param.b32 [a0], %r3; call (v0), factorial, (a0); ld.param.u32 %r2, [v0]; }\n"
  " mul.lo.u32 %r2, %r2, %r1;\n$E: st.param.b32 [r], %r2; ret; }\n"
  ".visible .entry k(.param .u64 out) { .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
  " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
  " and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u64 %rd4, twice; mov.u64 %rd5, square;\n"
  " selp.b64 %rd6, %rd4, %rd5, %p1; and.b32 %r3, %r1, 7;\n"
  " { .param .b32 a0; .param .b32 v0; st.param.b32 [a0], %r1;\n"
  "  P: .callprototype (.param .b32 _) _ (.param .b32 _);\n  call (v0), %rd6, (a0), P; ld.param.u32 %r4, [v0]; }\n"
  " { .param .b32 a1; .param .b32 v1; st.param.b32 [a1], %r3; call (v1), factorial, (a1); ld.param.u32 %r5, [v1]; }\n"
  " add.u32 %r4, %r4, %r5; st.global.u32 [%rd3], %r4; ret; }\n";

static void test_calls(void **state) {
  (void)state;
  static const uint32_t factorial[8] = {1, 1, 2, 6, 24, 120, 720, 5040};
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct bench b;
    uint64_t steps;
    const uint32_t *r = run(&b, calls, lanes, 100, &steps);
    for (unsigned l = 0; l < 100; l++) assert_int_equal(r[l], (l & 1 ? l * l : 2 * l) + factorial[l & 7]);
    bench_close(&b);
  }
}

// Warp 0 writes, warp 1 reads; then bar.red over both; then a named barrier by which one warp arrives and goes on.
static void test_barriers(void **state) {
  (void)state;
  struct bench b;
  uint64_t steps;
  const uint32_t *r =
    run(&b,
        ENTRY(" .shared .align 4 .b8 s[256]; xor.b32 %r3, %r1, 63; shl.b32 %r4, %r1, 2; mov.u32 %r5, s;\n"
              " add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], %r1; bar.sync 0; shl.b32 %r7, %r3, 2;\n"
              " add.u32 %r8, %r5, %r7; ld.shared.u32 %r2, [%r8]; setp.lt.u32 %p1, %r1, 37;\n"
              " bar.red.popc.u32 %r9, 1, %p1; mad.lo.u32 %r2, %r9, 1000, %r2;\n"
              " bar.red.or.pred %p2, 0, !%p1; @%p2 add.u32 %r2, %r2, 100000;\n"
              " bar.red.and.pred %p3, 0, %p1; @%p3 add.u32 %r2, %r2, 500000;\n"
              " setp.lt.u32 %p1, %r1, 32; @%p1 bar.arrive 3, 64; @!%p1 bar.sync 3, 64;\n"),
        32, 64, &steps);
  for (unsigned l = 0; l < 64; l++) assert_int_equal(r[l], (63 - l) + 37000 + 100000);
  bench_close(&b);
}

// A warp that has left is not waited for.
static void test_barrier_after_exit(void **state) {
  (void)state;
  struct bench b;
  uint64_t steps;
  const uint32_t *r =
    run(&b, ENTRY(" mov.u32 %r2, 3; setp.lt.u32 %p1, %r1, 32; @%p1 ret; bar.sync 0; add.u32 %r2, %r2, 1;\n"), 32, 96,
        &steps);
  for (unsigned l = 0; l < 96; l++) assert_int_equal(r[l], l < 32 ? 0 : 4);
  bench_close(&b);
}

static void test_exchange(void **state) {
  (void)state;
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct bench b;
    uint64_t steps;
    const uint32_t *r = run(
      &b,
      ENTRY(" shfl.sync.bfly.b32 %r3|%p1, %r1, 5, 31, -1; shfl.sync.up.b32 %r4|%p2, %r1, 3, 0, -1;\n"
            " shfl.sync.down.b32 %r5|%p3, %r1, 2, 0x1807, -1; mov.u32 %r2, %r3; @!%p2 add.u32 %r2, %r2, 1000;\n"
            " @!%p3 add.u32 %r2, %r2, 5000; mad.lo.u32 %r2, %r4, 10000, %r2; mad.lo.u32 %r2, %r5, 1000000, %r2;\n"
            " setp.gt.u32 %p1, %r1, 40; vote.sync.ballot.b32 %r6, %p1, -1; popc.b32 %r6, %r6;\n"
            " redux.sync.max.u32 %r7, %r1, -1; shr.u32 %r8, %r1, 2; match.any.sync.b32 %r9, %r8, -1;\n"
            " popc.b32 %r9, %r9; mad.lo.u32 %r6, %r6, 31, %r7; mad.lo.u32 %r6, %r6, 31, %r9; xor.b32 %r2, %r2, %r6;\n"),
      lanes, 128, &steps);
    for (unsigned t = 0; t < 128; t++) {
      const unsigned l = t & 31, first = t & ~31u;
      uint32_t want = (first | (l ^ 5)) + (l < 3 ? 1000 : 0) + ((l & 7) > 5 ? 5000 : 0);
      want += (l < 3 ? t : t - 3) * 10000 + ((l & 7) > 5 ? t : t + 2) * 1000000;
      const uint32_t yes = first == 32 ? 23 : first > 32 ? 32 : 0;
      assert_int_equal(r[t], want ^ ((yes * 31 + first + 31) * 31 + 4));
    }
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_loop_with_branch), cmocka_unit_test(test_early_exit),
                                     cmocka_unit_test(test_branch_table),     cmocka_unit_test(test_calls),
                                     cmocka_unit_test(test_barriers),         cmocka_unit_test(test_barrier_after_exit),
                                     cmocka_unit_test(test_exchange)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
