// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What real programs use rarely: a borrow that an addition reads, packed differences, break points, special registers
// without a meaning here.
#include "harness.h"

#define ENTRY(body)                                                                                                    \
  PTX_HEADER ".visible .entry k(.param .u64 out) { .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<12>;\n"           \
             " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;\n" body                 \
             " st.global.u32 [%rd2], %r2; ret; }\n"

enum { THREADS = 64 };

static bool run(struct bench *b, const char *ptx, uint32_t *r, struct weir_fault *fault) {
  bench_open(b, ptx, 32);
  const uint64_t out = weir_memory_alloc(b->memory, "out", THREADS * 4);
  struct weir_launch launch = bench_launch(b, "k", 1, THREADS, &out);
  const bool good = weir_run_functional(&launch, fault);
  memcpy(r, bench_at(b, out, THREADS * 4), THREADS * 4);
  bench_close(b);
  return good;
}

static void run_good(const char *ptx, uint32_t *r) {
  struct bench b;
  struct weir_fault fault;
  if (!run(&b, ptx, r, &fault)) fail_msg("%s", fault.message);
}

// A subtraction adds the complement and 1: its carry, which addc reads, is 1 where nothing is borrowed; subc takes it as no
// borrow. 128-bit division as CUDA's compiler writes it depends on both.
static void test_borrow(void **state) {
  (void)state;
  uint32_t r[THREADS];
  run_good(ENTRY(" sub.cc.u32 %r3, %r1, 40; addc.u32 %r2, 0, 0;\n"), r);
  for (uint32_t k = 0; k < THREADS; k++) assert_int_equal(r[k], k >= 40);
  run_good(ENTRY(" sub.cc.u32 %r3, %r1, 40; subc.u32 %r2, 10, 3;\n"), r);
  for (uint32_t k = 0; k < THREADS; k++) assert_int_equal(r[k], k >= 40 ? 7 : 6);
  run_good(ENTRY(" cvt.u64.u32 %rd3, %r1; sub.cc.u64 %rd4, %rd3, 7; subc.cc.u64 %rd5, 1, 1; addc.u32 %r2, 5, 0;\n"), r);
  for (uint32_t k = 0; k < THREADS; k++) assert_int_equal(r[k], k >= 7 ? 6 : 5); // 1 − 1 borrows if the low half did
  run_good(ENTRY(" add.cc.u32 %r3, %r1, 0xffffffff; subc.u32 %r2, 10, 3;\n"), r);
  for (uint32_t k = 0; k < THREADS; k++) assert_int_equal(r[k], k >= 1 ? 7 : 6); // a carry is no borrow
}

// Differences of bytes and halves: (200 − 100, 3 − 250, 7 − 7, 128 − 127) apart, and added to 1000; as signed bytes 200 and
// 250 and 128 are −56, −6 and −128.
static void test_packed_differences(void **state) {
  (void)state;
  uint32_t r[THREADS];
  static const struct {
    const char *op;
    uint32_t result;
  } cases[] = {
    {"vabsdiff4.u32.u32.u32", 100 | 247 << 8 | 0 << 16 | 1 << 24},
    {"vabsdiff4.u32.u32.u32.add", 1000 + 100 + 247 + 0 + 1},
    {"vabsdiff4.u32.s32.s32", 156 | 9 << 8 | 0 << 16 | 255u << 24},
    {"vabsdiff4.s32.s32.s32.add", 1000 + 156 + 9 + 0 + 255},
    {"vabsdiff2.u32.u32.u32", (64100 - (3 * 256 + 200)) | (32775 - 32519) << 16},
    {"vabsdiff2.u32.u32.u32.add", 1000 + (64100 - (3 * 256 + 200)) + (32775 - 32519)},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char ptx[1000];
    snprintf(ptx, sizeof ptx, "%s %s %%r2, %%r3, %%r4, 1000; st.global.u32 [%%rd2], %%r2; ret; }\n",
             PTX_HEADER ".visible .entry k(.param .u64 out) { .reg .b32 %r<16>; .reg .b64 %rd<12>;\n"
                        " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
                        " mov.u32 %r3, 0x800703c8; mov.u32 %r4, 0x7f07fa64;\n",
             cases[k].op);
    run_good(ptx, r);
    for (uint32_t l = 0; l < THREADS; l++) assert_int_equal(r[l], cases[k].result);
  }
}

static void test_break_point(void **state) {
  (void)state;
  uint32_t r[THREADS];
  struct bench b;
  struct weir_fault fault;
  assert_true(run(&b, ENTRY(" setp.gt.u32 %p1, %r1, 100; @%p1 brkpt; pmevent 7; mov.u32 %r2, 3;\n"), r, &fault));
  for (uint32_t k = 0; k < THREADS; k++) assert_int_equal(r[k], 3);
  assert_false(run(&b, ENTRY(" setp.eq.u32 %p1, %r1, 33; @%p1 brkpt;\n"), r, &fault));
  assert_int_equal(fault.kind, WEIR_FAULT_TRAP);
  assert_int_equal(fault.thread[0], 33);
}

// %envreg1 and 2 are set by cooperative launches only; counters that nothing counts are 0.
static void test_special_registers(void **state) {
  (void)state;
#define ZERO(name)                                                                                                     \
  ENTRY(" mov.u32 %r2, " name "; mov.u64 %rd3, " name "; cvt.u32.u64 %r3, %rd3; or.b32 %r2, %r2, %r3;\n")
  static const char *const texts[] = {ZERO("%envreg0"), ZERO("%envreg1"), ZERO("%envreg2"), ZERO("%envreg31"),
                                      ZERO("%pm0"),     ZERO("%pm7"),     ZERO("%gridid")};
  uint32_t r[THREADS];
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    run_good(texts[k], r);
    for (uint32_t l = 0; l < THREADS; l++) assert_int_equal(r[l], 0);
  }
}

// The system's shared memory: 1024 bytes behind all of the block's own, which it may use as it likes (cooperative_groups does). Word 0
// of the kernel's own and of the system's keep what was written there.
static void test_reserved_shared_memory(void **state) {
  (void)state;
  uint32_t r[THREADS];
  run_good(
    ENTRY(
      " .shared .align 4 .b8 own[512]; mov.u32 %r3, %reserved_smem_offset_1; mov.u32 %r4, own; shl.b32 %r5, %r1, 2;\n"
      " add.u32 %r3, %r3, %r5; add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], %r1; add.u32 %r6, %r1, 1000; st.shared.u32 [%r3], %r6;\n"
      " bar.sync 0; ld.shared.u32 %r2, [%r4]; ld.shared.u32 %r6, [%r3]; sub.u32 %r6, %r6, %r2; sub.u32 %r2, %r6, 1000;\n"
      " mov.u32 %r3, %reserved_smem_offset_begin; mov.u32 %r4, %reserved_smem_offset_end; sub.u32 %r4, %r4, %r3;\n"
      " mov.u32 %r5, %reserved_smem_offset_cap; sub.u32 %r4, %r4, %r5; or.b32 %r2, %r2, %r4;\n"
      " mov.u32 %r5, %aggr_smem_size; mov.u32 %r4, %total_smem_size; sub.u32 %r5, %r5, %r4; sub.u32 %r5, %r5, 1024; or.b32 %r2, %r2, %r5;\n"),
    r);
  for (uint32_t l = 0; l < THREADS; l++) assert_int_equal(r[l], 0);
  struct weir_fault fault;
  struct bench b;
  assert_false(run(&b, ENTRY(" mov.u32 %r3, %reserved_smem_offset_end; st.shared.u32 [%r3], %r1;\n"), r, &fault));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_borrow), cmocka_unit_test(test_reserved_shared_memory),
                                     cmocka_unit_test(test_packed_differences), cmocka_unit_test(test_break_point),
                                     cmocka_unit_test(test_special_registers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
