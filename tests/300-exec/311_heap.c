// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Device-side malloc and free: lists built by one launch and walked and freed by another, the limit, what is freed wrongly.
#include "harness.h"

#include "exec/heap.h"

static const char kernels[] = PTX_HEADER
  ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n"
  // Each thread puts `count` nodes {next, value} in front of its list; a NULL ends it early.
  ".visible .entry build(.param .u64 heads, .param .u32 count, .param .u64 bytes) { .reg .pred %p; .reg .b32 %r<8>;\n"
  " .reg .b64 %rd<8>; ld.param.u64 %rd1, [heads]; ld.param.u32 %r1, [count]; ld.param.u64 %rd2, [bytes];\n"
  " mov.u32 %r2, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.u32 %r2, %r4, %r5, %r2;\n"
  " mad.wide.u32 %rd1, %r2, 8, %rd1; mov.u32 %r3, 0;\n"
  "$L: { .param .b64 p0; .param .b64 q0; st.param.b64 [p0], %rd2; call.uni (q0), malloc, (p0); ld.param.b64 %rd3, [q0]; }\n"
  " setp.eq.u64 %p, %rd3, 0; @%p ret; ld.global.u64 %rd4, [%rd1]; st.u64 [%rd3], %rd4; st.u32 [%rd3+8], %r3;\n"
  " st.global.u64 [%rd1], %rd3; add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, %r1; @%p bra $L; ret; }\n"
  // Adds up the values and frees the nodes.
  ".visible .entry drop(.param .u64 heads, .param .u64 sums) { .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
  " ld.param.u64 %rd1, [heads]; ld.param.u64 %rd2, [sums]; mov.u32 %r2, %tid.x; mov.u32 %r4, %ctaid.x;\n"
  " mov.u32 %r5, %ntid.x; mad.lo.u32 %r2, %r4, %r5, %r2; mad.wide.u32 %rd1, %r2, 8, %rd1;\n"
  " mad.wide.u32 %rd2, %r2, 4, %rd2; ld.global.u64 %rd3, [%rd1]; mov.u32 %r3, 0;\n"
  "$L: setp.eq.u64 %p, %rd3, 0; @%p bra $E; ld.u64 %rd4, [%rd3]; ld.u32 %r6, [%rd3+8]; add.u32 %r3, %r3, %r6;\n"
  " { .param .b64 p0; st.param.b64 [p0], %rd3; call.uni free, (p0); } mov.u64 %rd3, %rd4; bra $L;\n"
  "$E: st.global.u32 [%rd2], %r3; ret; }\n"
  // Frees a pointer, twice if asked; or reads what it has freed.
  ".visible .entry wrong(.param .u64 pointer, .param .u32 how) { .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
  " ld.param.u64 %rd1, [pointer]; ld.param.u32 %r1, [how]; setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 2;\n"
  " { .param .b64 p0; st.param.b64 [p0], %rd1; call.uni free, (p0); }\n"
  " { .param .b64 p1; st.param.b64 [p1], %rd1; @%p1 call free, (p1); }\n"
  " @%p2 ld.u64 %rd2, [%rd1]; @%p2 ld.u32 %r2, [%rd2]; ret; }\n";

struct test {
  struct bench b;
  struct weir_services services;
  uint64_t heads, sums;
};

enum { BLOCKS = 20, THREADS = 96, ALL = BLOCKS * THREADS };

static void open_test(struct test *t, uint64_t heap_bytes) {
  memset(t, 0, sizeof *t);
  bench_open(&t->b, kernels, 32);
  t->services.heap_bytes = heap_bytes;
  t->heads = weir_memory_alloc(t->b.memory, "heads", ALL * 8);
  t->sums = weir_memory_alloc(t->b.memory, "sums", ALL * 4);
}

static bool launch(struct test *t, const char *kernel, uint32_t grid, uint32_t block, const void *params,
                   struct weir_fault *fault) {
  struct weir_launch l = bench_launch(&t->b, kernel, grid, block, params);
  l.services = &t->services;
  return weir_run_functional(&l, fault);
}

static void build(struct test *t, uint32_t blocks, uint32_t threads, uint32_t count, uint64_t bytes) {
  struct {
    uint64_t heads;
    uint32_t count;
    uint64_t bytes;
  } p = {t->heads, count, bytes};
  struct weir_fault fault;
  if (!launch(t, "build", blocks, threads, &p, &fault)) fail_msg("%s", fault.message);
}

static void drop(struct test *t, uint32_t blocks, uint32_t threads) {
  const uint64_t p[] = {t->heads, t->sums};
  struct weir_fault fault;
  if (!launch(t, "drop", blocks, threads, p, &fault)) fail_msg("%s", fault.message);
  memset(bench_at(&t->b, t->heads, ALL * 8), 0, ALL * 8);
}

// 20 values a list: 0 + 1 + … + 19 = 190. Twice, so that the second time takes what the first has freed.
static void test_lists(void **state) {
  (void)state;
  struct test t;
  open_test(&t, 0);
  uint64_t used = 0;
  for (unsigned turn = 0; turn < 2; turn++) {
    build(&t, BLOCKS, THREADS, 20, 12);
    const uint64_t *heads = bench_at(&t.b, t.heads, ALL * 8);
    for (unsigned k = 0; k < ALL; k++) assert_true(heads[k] && heads[k] % 16 == 0);
    if (!turn) used = weir_memory_bytes(t.b.memory);
    assert_int_equal(weir_memory_bytes(t.b.memory), used);
    drop(&t, BLOCKS, THREADS);
    const uint32_t *sums = bench_at(&t.b, t.sums, ALL * 4);
    for (unsigned k = 0; k < ALL; k++) assert_int_equal(sums[k], 190);
  }
  bench_close(&t.b);
}

// 4096 bytes are 32 nodes of 128: of 96 threads the first 32 get one.
static void test_limit(void **state) {
  (void)state;
  struct test t;
  open_test(&t, 4096);
  build(&t, 1, THREADS, 1, 128);
  const uint64_t *heads = bench_at(&t.b, t.heads, ALL * 8);
  for (unsigned k = 0; k < THREADS; k++) assert_int_equal(heads[k] != 0, k < 32);
  drop(&t, 1, THREADS);
  build(&t, 1, THREADS, 1, 256); // free again: now 16
  for (unsigned k = 0; k < THREADS; k++) assert_int_equal(heads[k] != 0, k < 16);
  drop(&t, 1, THREADS);
  build(&t, 1, 1, 1, 4097);
  assert_int_equal(heads[0], 0);
  build(&t, 1, 1, 1, UINT64_MAX);
  assert_int_equal(heads[0], 0);
  t.services.heap_bytes = 0; // CUDA's 8 MiB
  build(&t, 1, THREADS, 1, 1 << 20);
  for (unsigned k = 0; k < THREADS; k++) assert_int_equal(heads[k] != 0, k < 8);
  bench_close(&t.b);
}

static void expect_wrong(struct test *t, uint64_t pointer, uint32_t how, const char *message) {
  struct {
    uint64_t pointer;
    uint32_t how;
  } p = {pointer, how};
  struct weir_fault fault;
  const bool good = launch(t, "wrong", 1, 1, &p, &fault);
  assert_int_equal(good, message == NULL);
  if (!message) return;
  assert_int_equal(fault.kind, WEIR_FAULT_ACCESS);
  if (!strstr(fault.message, message)) fail_msg("%s", fault.message);
}

static void test_wrong(void **state) {
  (void)state;
  struct test t;
  open_test(&t, 0);
  expect_wrong(&t, 0, 1, NULL); // free(NULL) does nothing
  expect_wrong(&t, t.heads, 0, "which malloc has not returned");
  build(&t, 1, 3, 1, 40);
  uint64_t heads[3];
  memcpy(heads, bench_at(&t.b, t.heads, 24), 24);
  expect_wrong(&t, heads[0] + 16, 0, "which malloc has not returned");
  expect_wrong(&t, heads[0], 1, "which is free already");
  expect_wrong(&t, heads[0], 0, "which is free already");                               // also in the next launch
  expect_wrong(&t, heads[1], 2, "out-of-bounds load of 4 bytes at 0xf0f0f0f0f0f0f0f0"); // a pointer in what is freed
  assert_false(weir_memory_release(t.b.memory, heads[0])); // not the host's to release, though it is the first
  bench_close(&t.b);
}

// Every size gets its bytes: no two blocks overlap, and what was freed comes back for the same size only.
static void test_sizes(void **state) {
  (void)state;
  struct weir_memory *m = weir_memory_create();
  struct weir_heap *h = weir_memory_heap(m);
  uint64_t last = 0, last_bytes = 0;
  for (uint64_t bytes = 0; bytes < UINT64_C(1) << 33; bytes = bytes * 9 / 8 + 1) {
    if (bytes > 1 << 22) { // too large to have: the limit says no before any memory is taken
      assert_int_equal(weir_heap_take(h, bytes, bytes - 1), 0);
      continue;
    }
    const uint64_t at = weir_heap_take(h, bytes, UINT64_C(1) << 40);
    assert_true(at && at % 16 == 0 && at >= last + last_bytes);
    memset(weir_memory_at(m, at, bytes), 1, bytes);
    assert_int_equal(weir_heap_give(h, at), WEIR_HEAP_FREED);
    assert_int_equal(weir_heap_take(h, bytes, UINT64_C(1) << 40), at);
    last = at;
    last_bytes = bytes;
  }
  weir_memory_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_limit),
                                     cmocka_unit_test(test_wrong), cmocka_unit_test(test_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
