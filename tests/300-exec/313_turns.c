// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Warps and blocks that wait for each other by spinning: within a block, over a cooperative grid, and over a grid whose
// blocks do not say that they will wait. Races that do no harm where warps and blocks advance side by side.
#include "harness.h"

#define HEAD_OF(name, registers)                                                                                       \
  ".visible .entry " name "(.param .u64 out) { .reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %rd<8>;\n" registers      \
  " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"                     \
  " mov.u32 %r4, %nctaid.x; mad.lo.u32 %r5, %r2, %r3, %r1; mad.wide.u32 %rd2, %r5, 4, %rd1;\n"

// The last warp of a block releases the others, which spin on a word of shared memory before that.
static const char within[] = PTX_HEADER HEAD_OF(
  "k",
  " .shared .align 4 .u32 flag;\n") " add.u32 %r6, %r3, -32; setp.lt.u32 %p1, %r1, %r6; mov.u32 %r7, 0; @%p1 bra $W;\n"
                                    " mov.u32 %r8, 0;\n$B: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 20000; @%p2 bra $B; st.volatile.shared.u32 [flag], %r8;\n"
                                    " bra $E;\n$W: ld.volatile.shared.u32 %r7, [flag]; setp.eq.u32 %p2, %r7, 0; @%p2 bra $W;\n"
                                    "$E: st.global.u32 [%rd2], %r7; ret; }\n";

static void test_within_a_block(void **state) {
  (void)state;
  struct bench b;
  bench_open(&b, within, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", 128 * 4);
  bench_run(&b, "k", 1, 128, &out);
  const uint32_t *r = bench_at(&b, out, 128 * 4);
  for (unsigned k = 0; k < 128; k++) assert_int_equal(r[k], k < 96 ? 20000 : 0);
  bench_close(&b);
}

// A reduction in two phases: each block adds up the numbers of its threads and stores the sum at out[total + block]; behind
// the grid's barrier every thread adds up all of these. The barrier is that of cooperative_groups: thread 0 of each block
// adds to the workspace's second word, block 0 as much as makes bit 31 flip when all have arrived, and waits for the flip.
#define BARRIER(workspace)                                                                                             \
  " barrier.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra $J;\n"                                                           \
  " setp.eq.u32 %p2, %r2, 0; mov.u32 %r10, 0x80000001; sub.u32 %r10, %r10, %r4; selp.b32 %r11, %r10, 1, %p2;\n"        \
  " membar.gl; atom.add.release.gpu.u32 %r12, [" workspace "], %r11;\n"                                                \
  "$S: ld.acquire.gpu.u32 %r13, [" workspace "]; xor.b32 %r14, %r13, %r12; setp.ge.s32 %p3, %r14, 0; @%p3 bra $S;\n"   \
  "$J: barrier.sync 0;\n"
#define FIRST_PHASE                                                                                                    \
  " mul.lo.u32 %r6, %r3, %r4; mad.wide.u32 %rd3, %r6, 4, %rd1; mad.wide.u32 %rd4, %r2, 4, %rd3;\n"                     \
  " atom.global.add.u32 %r7, [%rd4], %r5;\n"
#define SECOND_PHASE                                                                                                   \
  " mov.u32 %r8, 0; mov.u32 %r9, 0;\n"                                                                                 \
  "$A: mad.wide.u32 %rd5, %r8, 4, %rd3; ld.volatile.global.u32 %r15, [%rd5]; add.u32 %r9, %r9, %r15;\n"                \
  " add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, %r4; @%p1 bra $A; st.global.u32 [%rd2], %r9; ret; }\n"

static const char grid[] =
  PTX_HEADER HEAD_OF("k", "") " mov.u32 %r20, %envreg2; mov.u32 %r21, %envreg1; mov.b64 %rd6, {%r20, %r21};\n"
                              " setp.eq.u64 %p1, %rd6, 0; @%p1 trap;\n" FIRST_PHASE BARRIER("%rd6+4") SECOND_PHASE;

static void run_cooperative(uint32_t blocks, uint32_t threads) {
  struct bench b;
  const uint32_t total = blocks * threads;
  bench_open(&b, grid, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", (total + blocks) * 4);
  const uint64_t workspace = weir_memory_alloc(b.memory, "workspace", WEIR_GRID_WORKSPACE_BYTES);
  for (unsigned turn = 0; turn < 2; turn++) { // the barrier goes on as the first launch left it
    memset(bench_at(&b, out, (total + blocks) * 4), 0, (total + blocks) * 4);
    struct weir_launch launch = bench_launch(&b, "k", blocks, threads, &out);
    struct weir_fault fault;
    launch.step_limit = 10000000;
    launch.cooperative = true;
    launch.grid_workspace = workspace;
    if (!weir_run_functional(&launch, &fault)) fail_msg("%s", fault.message);
    const uint32_t *r = bench_at(&b, out, total * 4);
    for (unsigned k = 0; k < total; k++) assert_int_equal(r[k], total * (total - 1) / 2);
  }
  bench_close(&b);
}

// 300 blocks are more than would be there together if they did not have to be.
static void test_cooperative(void **state) {
  (void)state;
  run_cooperative(13, 96);
  run_cooperative(300, 32);
}

// Without a cooperative launch the registers are 0 and the code, as CUDA's does, stops.
static void test_not_cooperative(void **state) {
  (void)state;
  struct bench b;
  struct weir_fault fault;
  bench_open(&b, grid, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", 4096);
  struct weir_launch launch = bench_launch(&b, "k", 2, 32, &out);
  launch.grid_workspace = out;
  assert_false(weir_run_functional(&launch, &fault));
  assert_int_equal(fault.kind, WEIR_FAULT_TRAP);
  bench_close(&b);
}

// The same barrier on a word of the program's own, in an ordinary launch: block 0 waits for the last.
static const char unannounced[] =
  PTX_HEADER ".global .align 4 .u32 word;\n" HEAD_OF("k", "") FIRST_PHASE BARRIER("word") SECOND_PHASE;

static void test_unannounced(void **state) {
  (void)state;
  struct bench b;
  enum { BLOCKS = 40, THREADS = 64, TOTAL = BLOCKS * THREADS };
  bench_open(&b, unannounced, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", (TOTAL + BLOCKS) * 4);
  bench_run(&b, "k", BLOCKS, THREADS, &out);
  const uint32_t *r = bench_at(&b, out, TOTAL * 4);
  for (unsigned k = 0; k < TOTAL; k++) assert_int_equal(r[k], TOTAL * (TOTAL - 1) / 2);
  bench_close(&b);
}

// A sum of a block in one shared word, again and again: thread 0 resets it, all add to it, all read it. There is no barrier
// between the reading and the next reset, and on a device none is needed: all warps read right behind the barrier.
#define SUMS(after_reading)                                                                                                                          \
  PTX_HEADER HEAD_OF(                                                                                                                                \
    "k",                                                                                                                                             \
    " .shared .align 4 .u32 sum;\n") " mov.u32 %r6, 0; mov.u32 %r9, 0;\n"                                                                            \
                                     "$L: setp.ne.u32 %p1, %r1, 0; @%p1 bra $A; mov.u32 %r7, 0; st.shared.u32 [sum], %r7;\n"                         \
                                     "$A: bar.sync 0; add.u32 %r7, %r5, %r6; red.shared.add.u32 [sum], %r7; bar.sync 0; ld.shared.u32 %r8, [sum];\n" \
                                     " add.u32 %r9, %r9, %r8;" after_reading                                                                         \
                                     " add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 8; @%p2 bra $L; st.global.u32 [%rd2], %r9; ret; }\n"

// In round r thread t adds t + r: each of the 8 rounds sums up to T (T − 1) / 2 + T r over the T threads of a block, and the first
// thread of block b is T b.
static void expect_sums(const char *ptx) {
  enum { BLOCKS = 3, THREADS = 256 };
  struct bench b;
  bench_open(&b, ptx, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", BLOCKS * THREADS * 4);
  bench_run(&b, "k", BLOCKS, THREADS, &out);
  const uint32_t *got = bench_at(&b, out, BLOCKS * THREADS * 4);
  for (uint32_t k = 0; k < BLOCKS * THREADS; k++) {
    uint32_t want = 0;
    for (uint32_t r = 0; r < 8; r++)
      want += THREADS * (THREADS - 1) / 2 + THREADS * THREADS * (k / THREADS) + THREADS * r;
    assert_int_equal(got[k], want);
  }
  bench_close(&b);
}

static void test_a_shared_word_used_again(void **state) {
  (void)state;
  expect_sums(SUMS(""));
  expect_sums(SUMS(" st.global.u32 [%rd2], %r9;"));
}

// Breadth-first search in one launch: each thread has a node, and 64 times relaxes the four that it leads to, without atomics and
// without a barrier over the grid. Side by side, blocks see each other's progress; one after the other, most would end before
// they are reached.
enum { NODES = 4096, DEGREE = 4 };
static const char search[] = PTX_HEADER
  ".visible .entry k(.param .u64 to, .param .u64 distance) { .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<9>;\n"
  " ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [distance]; mov.u32 %r6, %tid.x; mov.u32 %r7, %ctaid.x;\n"
  " mov.u32 %r8, %ntid.x; mad.lo.u32 %r9, %r7, %r8, %r6; mad.wide.u32 %rd3, %r9, 4, %rd2;\n"
  " mad.wide.u32 %rd4, %r9, 16, %rd1; mov.u32 %r10, 0;\n"
  "$R: ld.global.u32 %r1, [%rd3]; setp.eq.u32 %p1, %r1, -1; @%p1 bra $N; add.u32 %r2, %r1, 1; mov.u32 %r3, 0;\n"
  "$E: mad.wide.u32 %rd6, %r3, 4, %rd4; ld.global.u32 %r4, [%rd6]; mad.wide.u32 %rd8, %r4, 4, %rd2;\n"
  " ld.global.u32 %r5, [%rd8]; setp.le.u32 %p2, %r5, %r2; @%p2 bra $S; st.global.u32 [%rd8], %r2;\n"
  "$S: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 4; @%p3 bra $E;\n"
  "$N: add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 64; @%p1 bra $R; ret; }\n";

static void distances_from_the_first(const uint32_t *to, uint32_t *distance) {
  uint32_t queue[NODES], head = 0, tail = 0;
  memset(distance, 0xFF, NODES * 4);
  distance[0] = 0;
  queue[tail++] = 0;
  for (; head < tail; head++)
    for (unsigned e = 0; e < DEGREE; e++) {
      const uint32_t next = to[queue[head] * DEGREE + e];
      if (distance[next] != UINT32_MAX) continue;
      distance[next] = distance[queue[head]] + 1;
      queue[tail++] = next;
    }
}

static void test_blocks_that_relax_each_other(void **state) {
  (void)state;
  static const uint32_t threads[] = {32, 128, 256, 1024};
  struct bench b;
  bench_open(&b, search, 32);
  const uint64_t params[2] = {weir_memory_alloc(b.memory, "to", NODES * DEGREE * 4),
                              weir_memory_alloc(b.memory, "distance", NODES * 4)};
  uint32_t *to = bench_at(&b, params[0], NODES * DEGREE * 4), *got = bench_at(&b, params[1], NODES * 4), want[NODES];
  for (uint32_t i = 0, s = 1; i < NODES * DEGREE; i++) {
    s = s * 1664525 + 1013904223;
    to[i] = s >> 20; // 12 bits
  }
  distances_from_the_first(to, want);
  for (unsigned i = 0; i < sizeof threads / sizeof *threads; i++) {
    memset(got, 0xFF, NODES * 4);
    got[0] = 0;
    bench_run(&b, "k", NODES / threads[i], threads[i], params);
    unsigned wrong = 0;
    for (uint32_t n = 0; n < NODES; n++) wrong += got[n] != want[n];
    if (wrong) fail_msg("%u of %u distances are wrong with blocks of %u", wrong, NODES, threads[i]);
  }
  bench_close(&b);
}

// Every block of a grid in three dimensions runs once, whatever the order.
static void test_every_block(void **state) {
  (void)state;
  static const char ptx[] = PTX_HEADER HEAD_OF(
    "k",
    "") " mov.u32 %r6, %ctaid.y; mov.u32 %r7, %ctaid.z; mov.u32 %r8, %nctaid.y; mad.lo.u32 %r9, %r7, %r8, %r6;\n"
        " mad.lo.u32 %r9, %r9, %r4, %r2; mad.wide.u32 %rd2, %r9, 4, %rd1; atom.global.add.u32 %r10, [%rd2], 1; ret; }\n";
  struct bench b;
  struct weir_fault fault;
  bench_open(&b, ptx, 32);
  for (unsigned cooperative = 0; cooperative < 2; cooperative++) {
    const uint64_t out = weir_memory_alloc(b.memory, "out", 60 * 4);
    struct weir_launch launch = bench_launch(&b, "k", 3, 2, &out);
    launch.grid[1] = 4;
    launch.grid[2] = 5;
    launch.cooperative = cooperative;
    assert_true(weir_run_functional(&launch, &fault));
    const uint32_t *r = bench_at(&b, out, 60 * 4);
    for (unsigned k = 0; k < 60; k++) assert_int_equal(r[k], 2);
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_within_a_block),
                                     cmocka_unit_test(test_cooperative),
                                     cmocka_unit_test(test_not_cooperative),
                                     cmocka_unit_test(test_unannounced),
                                     cmocka_unit_test(test_every_block),
                                     cmocka_unit_test(test_a_shared_word_used_again),
                                     cmocka_unit_test(test_blocks_that_relax_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
