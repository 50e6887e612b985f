// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Accesses outside all buffers: which a host may have pass, as a real device's pages do, and which are faults whatever it
// says. Pages are 2 MiB.
#include "harness.h"

enum { PAGE = 2 << 20 };

// Loads a word from `at`, adds 5, stores it there and in out[0].
static const char kernel[] =
  PTX_HEADER ".visible .entry k(.param .u64 at, .param .u64 out) { .reg .b32 %r1; .reg .b64 %rd<3>;\n"
             "ld.param.u64 %rd1, [at]; ld.param.u64 %rd2, [out]; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 5;\n"
             "st.global.u32 [%rd1], %r1; st.global.u32 [%rd2], %r1; ret; }\n";

// Loads a word from so many bytes behind the beginning of a constant of 8 bytes, which another one follows, and adds 5.
static const char constants[] =
  PTX_HEADER ".const .align 4 .b32 first[2] = {7, 8};\n.const .align 4 .b32 second[2] = {9, 10};\n"
             ".visible .entry k(.param .u64 at, .param .u64 out) { .reg .b32 %r1; .reg .b64 %rd<4>;\n"
             "ld.param.u64 %rd1, [at]; ld.param.u64 %rd2, [out]; mov.u64 %rd3, first; add.u64 %rd1, %rd1, %rd3;\n"
             "ld.const.u32 %r1, [%rd1]; add.u32 %r1, %r1, 5; st.global.u32 [%rd2], %r1; ret; }\n";

struct told {
  unsigned count;
  uint32_t pcs[8];
  char message[256]; // the last
};

static void strayed(void *context, const struct weir_launch *launch, const struct weir_fault *where) {
  (void)launch;
  struct told *t = context;
  assert_true(t->count < 8);
  t->pcs[t->count++] = where->pc;
  snprintf(t->message, sizeof t->message, "%s", where->message);
}

struct outcome {
  bool went_on;
  uint8_t kind;
  uint32_t out;
};

// `at` is relative to the end of a buffer of 64 bytes, which lies first in the heap, or as the text has it.
static struct outcome run_blocks(const char *text, uint32_t blocks, uint32_t threads, int64_t at, bool forgiving,
                                 struct told *told) {
  struct bench b;
  bench_open(&b, text, 32);
  const uint64_t buffer = weir_memory_alloc(b.memory, "buffer", 64), out = weir_memory_alloc(b.memory, "out", 4);
  const uint64_t params[2] = {text == kernel ? buffer + 64 + (uint64_t)at : (uint64_t)at, out};
  const struct weir_services services = {.context = told, .strayed = forgiving ? strayed : NULL};
  *told = (struct told){0};
  struct weir_launch launch = bench_launch(&b, "k", blocks, threads, params);
  launch.services = &services;
  struct weir_fault fault = {0};
  struct outcome o = {.went_on = weir_run_functional(&launch, &fault), .kind = fault.kind};
  memcpy(&o.out, bench_at(&b, out, 4), 4);
  bench_close(&b);
  return o;
}

static struct outcome run(const char *text, int64_t at, bool forgiving, struct told *told) {
  return run_blocks(text, 1, 1, at, forgiving, told);
}

static struct outcome touch(int64_t past, bool forgiving, struct told *told) {
  return run(kernel, past, forgiving, told);
}

static void near_a_buffer_reads_are_0_and_writes_are_lost(void **state) {
  (void)state;
  static const int64_t near[] = {0, 8, 4000, -68, -64 - PAGE, PAGE - 64 - 4 - 2 * 256};
  for (unsigned i = 0; i < sizeof near / sizeof *near; i++) {
    struct told told;
    struct outcome o = touch(near[i], true, &told);
    assert_true(o.went_on);
    assert_int_equal(o.out, 5); // 0 + 5
    assert_int_equal(told.count, 2);
    assert_int_equal(told.pcs[0], 2); // the load, after two of parameters
    assert_int_equal(told.pcs[1], 4); // the store
    assert_non_null(strstr(told.message, "out-of-bounds store of 4 bytes"));
  }
}

// Two instructions in each of three blocks, whose 80 threads all stray.
static void a_block_tells_once_of_an_instruction(void **state) {
  (void)state;
  struct told told;
  struct outcome o = run_blocks(kernel, 3, 80, 8, true, &told);
  assert_true(o.went_on && o.out == 5);
  assert_int_equal(told.count, 3 * 2);
}

static void inside_a_buffer_nobody_is_told(void **state) {
  (void)state;
  struct told told;
  struct outcome o = touch(-4, true, &told);
  assert_true(o.went_on);
  assert_int_equal(o.out, 5);
  assert_int_equal(told.count, 0);
}

static void other_pages_and_misaligned_accesses_stay_faults(void **state) {
  (void)state;
  struct told told;
  static const struct {
    int64_t past;
    enum weir_fault_kind kind;
  } far[] = {{PAGE, WEIR_FAULT_ACCESS},
             {-68 - (int64_t)PAGE, WEIR_FAULT_ACCESS},
             {-(int64_t)WEIR_HEAP_BASE, WEIR_FAULT_ACCESS}, // near null
             {2, WEIR_FAULT_MISALIGNED},
             {INT64_C(1) << 40, WEIR_FAULT_ACCESS}};
  for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
    struct outcome o = touch(far[i].past, true, &told);
    assert_false(o.went_on);
    assert_int_equal(o.kind, far[i].kind);
    assert_int_equal(told.count, 0);
  }
}

static void without_a_host_that_forgives_all_are_faults(void **state) {
  (void)state;
  struct told told;
  struct outcome o = touch(0, false, &told);
  assert_false(o.went_on);
  assert_int_equal(o.kind, WEIR_FAULT_ACCESS);
}

// The bank begins with the first constant at the latest, and has 64 KiB.
static void behind_a_constant_reads_are_0(void **state) {
  (void)state;
  enum { BANK = 64 << 10 };
  struct told told;
  struct outcome o = run(constants, 4, true, &told);
  assert_true(o.went_on && o.out == 8 + 5 && told.count == 0);
  static const int64_t near[] = {8, 2000, BANK - 4};
  for (unsigned i = 0; i < sizeof near / sizeof *near; i++) {
    o = run(constants, near[i], true, &told);
    assert_true(o.went_on);
    assert_int_equal(o.out, 5);
    assert_int_equal(told.count, 1);
    assert_non_null(strstr(told.message, "out-of-bounds load of 4 bytes"));
  }
  static const int64_t far[] = {-4, 2 * BANK, 4 * BANK, 10};
  for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
    o = run(constants, far[i], true, &told);
    assert_false(o.went_on);
    assert_int_equal(o.kind, far[i] == 10 ? WEIR_FAULT_MISALIGNED : WEIR_FAULT_ACCESS);
  }
  assert_false(run(constants, 8, false, &told).went_on);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(near_a_buffer_reads_are_0_and_writes_are_lost),
    cmocka_unit_test(a_block_tells_once_of_an_instruction),
    cmocka_unit_test(behind_a_constant_reads_are_0),
    cmocka_unit_test(inside_a_buffer_nobody_is_told),
    cmocka_unit_test(other_pages_and_misaligned_accesses_stay_faults),
    cmocka_unit_test(without_a_host_that_forgives_all_are_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
