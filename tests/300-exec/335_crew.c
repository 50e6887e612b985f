// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launches without time that several threads share: in which order blocks see each other's stores, whoever runs them.
#include "base/crew.h"
#include "harness.h"

#define HEAD(parameters)                                                                                               \
  PTX_HEADER ".visible .entry k(" parameters ") { .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<9>;\n"             \
             " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x;\n"            \
             " mad.lo.u32 %r5, %r2, %r3, %r1;\n"

static const unsigned CREWS[] = {0, 1, 2, 3, 7};
enum { CREW_COUNT = sizeof CREWS / sizeof *CREWS };

struct outcome {
  bool went_on;
  uint64_t steps;
  struct weir_fault fault;
};

static struct outcome run_shared(struct weir_launch launch, unsigned members) {
  struct outcome o = {0};
  launch.steps = &o.steps;
  launch.crew = members ? weir_crew_create(members) : NULL;
  o.went_on = weir_run_functional(&launch, &o.fault);
  weir_crew_free(launch.crew);
  return o;
}

// ---- what blocks see ----------------------------------------------------------------------------------------------------

enum { BLOCKS = 40, THREADS = 64, WORDS = BLOCKS * THREADS };

// Each thread leaves what it finds in the word of the thread as far on as it is behind the end, and marks its own before or after that.
#define NEIGHBOUR                                                                                                      \
  " sub.u32 %r6, %r4, 1; sub.u32 %r6, %r6, %r2; mad.lo.u32 %r6, %r6, %r3, %r1; mad.wide.u32 %rd5, %r6, 4, %rd1;\n"
#define MARK " st.global.u32 [%rd3], 1;\n"
#define LOOK " ld.global.u32 %r7, [%rd5];\n"
#define PAIR(first, second)                                                                                            \
  HEAD(".param .u64 marks, .param .u64 out")                                                                           \
  " ld.param.u64 %rd1, [marks]; ld.param.u64 %rd2, [out]; mad.wide.u32 %rd3, %r5, 4, %rd1;\n"                          \
  " mad.wide.u32 %rd4, %r5, 4, %rd2;\n" NEIGHBOUR first second " st.global.u32 [%rd4], %r7; ret; }\n"

// Of blocks that are all there: stores that stand first are seen by all loads behind them, stores behind a load by none of them.
static void expect_found(const char *ptx, uint32_t found) {
  for (unsigned c = 0; c < CREW_COUNT; c++) {
    struct bench b;
    bench_open(&b, ptx, 32);
    const uint64_t params[2] = {weir_memory_alloc(b.memory, "marks", WORDS * 4),
                                weir_memory_alloc(b.memory, "out", WORDS * 4)};
    const struct outcome o = run_shared(bench_launch(&b, "k", BLOCKS, THREADS, params), CREWS[c]);
    assert_true(o.went_on);
    const uint32_t *out = bench_at(&b, params[1], WORDS * 4);
    for (unsigned i = 0; i < WORDS; i++)
      if (out[i] != found) fail_msg("thread %u finds %u with a crew of %u", i, out[i], CREWS[c]);
    bench_close(&b);
  }
}

static void stores_come_before_the_loads_of_a_round(void **state) {
  (void)state;
  expect_found(PAIR(MARK, LOOK), 1);
  expect_found(PAIR(LOOK, MARK), 0);
}

// Each thread, 20 times, adds to its own word a third of another's, which others change meanwhile: what comes out tells the order of all
// accesses. Blocks of several sizes, and more of them than are there at a time; atomics beside.
static const char racy[] = HEAD(
  ".param .u64 words, .param .u64 sum") " .shared .align 4 .u32 own[256]; ld.param.u64 %rd1, [words]; ld.param.u64 %rd2, [sum]; mad.wide.u32 %rd3, %r5, 4, %rd1;\n"
                                        " mul.lo.u32 %r6, %r3, %r4; mov.u32 %r7, 0; mov.u32 %r8, %r5; mul.wide.u32 %rd6, %r1, 4; mov.u64 %rd7, own; add.u64 %rd6, %rd6, %rd7;\n"
                                        "$L: mad.lo.u32 %r8, %r8, 1664525, 1013904223; rem.u32 %r9, %r8, %r6; mad.wide.u32 %rd4, %r9, 4, %rd1;\n"
                                        " ld.global.u32 %r10, [%rd4]; shr.u32 %r10, %r10, 1; ld.global.u32 %r11, [%rd3]; add.u32 %r10, %r10, %r11; add.u32 %r10, %r10, %r9;\n"
                                        " st.shared.u32 [%rd6], %r10; bar.sync 0; and.b32 %r9, %r8, 3; setp.ne.u32 %p1, %r9, 0; @%p1 bra $S;\n"
                                        " ld.shared.u32 %r10, [own]; st.global.u32 [%rd3], %r10; bra $E;\n"
                                        "$S: st.global.u32 [%rd3], %r10; atom.global.exch.b32 %r10, [%rd2], %r10;\n"
                                        "$E: bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 20; @%p2 bra $L; ret; }\n";

static void every_crew_comes_to_the_same(void **state) {
  (void)state;
  static const struct { uint32_t blocks, threads; } shapes[] = {{1, 32}, {300, 32}, {61, 96}, {37, 256}};
  for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    const uint32_t words = shapes[s].blocks * shapes[s].threads;
    uint32_t *first = weir_new_array(uint32_t, words + 1);
    uint64_t steps = 0;
    for (unsigned c = 0; c < CREW_COUNT; c++) {
      struct bench b;
      bench_open(&b, racy, 32);
      const uint64_t at = weir_memory_alloc(b.memory, "words", (words + 1) * 4), params[2] = {at, at + words * 4};
      const struct outcome o = run_shared(bench_launch(&b, "k", shapes[s].blocks, shapes[s].threads, params), CREWS[c]);
      assert_true(o.went_on);
      const uint32_t *got = bench_at(&b, at, (words + 1) * 4);
      if (!c) {
        memcpy(first, got, (words + 1) * 4);
        steps = o.steps;
      }
      assert_memory_equal(got, first, (words + 1) * 4);
      assert_int_equal(o.steps, steps);
      bench_close(&b);
    }
    weir_free(first);
  }
}

// ---- faults and strays --------------------------------------------------------------------------------------------------

// Blocks 3 and 4 come to a wrong address first, both in the same round: after 1000 loads. Those behind do after 2000, those before after 3000.
static const char late[] = HEAD(
  ".param .u64 word, .param .u64 far") " ld.param.u64 %rd1, [word]; ld.param.u64 %rd2, [far]; setp.lt.u32 %p1, %r2, 5; selp.b32 %r6, 1000, 2000, %p1;\n"
                                       " setp.lt.u32 %p2, %r2, 3; selp.b32 %r6, 3000, %r6, %p2; mov.u32 %r7, 0;\n"
                                       "$L: ld.volatile.global.u32 %r8, [%rd1]; add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, %r6; @%p3 bra $L; ld.global.u32 %r9, [%rd2]; ret; }\n";

static void the_first_block_of_a_round_that_faults_is_told(void **state) {
  (void)state;
  uint64_t steps = 0;
  for (unsigned c = 0; c < CREW_COUNT; c++) {
    struct bench b;
    bench_open(&b, late, 32);
    const uint64_t params[2] = {weir_memory_alloc(b.memory, "word", 4), 64}; // near null
    const struct outcome o = run_shared(bench_launch(&b, "k", 10, 32, params), CREWS[c]);
    assert_false(o.went_on);
    assert_int_equal(o.fault.kind, WEIR_FAULT_ACCESS);
    assert_int_equal(o.fault.block[0], 3);
    if (!c) steps = o.steps;
    assert_int_equal(o.steps, steps);
    bench_close(&b);
  }
}

struct told {
  uint32_t count, blocks[64];
};

static void strayed(void *context, const struct weir_launch *launch, const struct weir_fault *where) {
  (void)launch;
  struct told *t = context;
  assert_true(t->count < 64);
  t->blocks[t->count++] = where->block[0];
}

static const char straying[] =
  HEAD(".param .u64 past") " ld.param.u64 %rd1, [past]; ld.global.u32 %r6, [%rd1]; ret; }\n";

static void strays_are_told_in_the_order_of_blocks(void **state) {
  (void)state;
  for (unsigned c = 0; c < CREW_COUNT; c++) {
    struct bench b;
    struct told told = {0};
    bench_open(&b, straying, 32);
    const uint64_t past = weir_memory_alloc(b.memory, "buffer", 64) + 64;
    const struct weir_services services = {.context = &told, .strayed = strayed};
    struct weir_launch launch = bench_launch(&b, "k", 60, 1, &past);
    launch.services = &services;
    assert_true(run_shared(launch, CREWS[c]).went_on);
    assert_int_equal(told.count, 60);
    for (uint32_t k = 0; k < 60; k++) assert_int_equal(told.blocks[k], k);
    bench_close(&b);
  }
}

// ---- what one thread has ------------------------------------------------------------------------------------------------

static const char *alone(const char *body, uint64_t step_limit) {
  char text[1024];
  struct bench b;
  snprintf(text, sizeof text, "%s%s", PTX_HEADER, body);
  bench_open(&b, text, 32);
  struct weir_launch launch = bench_launch(&b, "k", 1, 32, NULL);
  launch.step_limit = step_limit;
  const char *why = weir_functional_alone(&launch);
  bench_close(&b);
  return why;
}

#define KERNEL(body) ".visible .entry k() { .reg .b32 %r<4>; .reg .b64 %rd<4>; " body " ret; }\n"

static void what_counts_all_instructions_has_one_thread(void **state) {
  (void)state;
  assert_null(alone(KERNEL("mov.u32 %r1, %tid.x;"), 0));
  assert_non_null(strstr(alone(KERNEL("mov.u32 %r1, %clock;"), 0), "clocks"));
  assert_non_null(strstr(alone(KERNEL("mov.u64 %rd1, %globaltimer;"), 0), "clocks"));
  assert_non_null(
    strstr(alone(".func f() { .reg .b64 %rd1; mov.u64 %rd1, %clock64; ret; }\n" KERNEL("call.uni f;"), 0), "clocks"));
  assert_non_null(strstr(alone(KERNEL("mov.u32 %r1, %tid.x;"), 100), "--step-limit"));
  assert_non_null(strstr(alone(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n" KERNEL(
                                 "{ .param .b64 a; .param .b64 b; .param .b32 r; call.uni (r), vprintf, (a, b); }"),
                               0),
                         "printf"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stores_come_before_the_loads_of_a_round),
                                     cmocka_unit_test(every_crew_comes_to_the_same),
                                     cmocka_unit_test(the_first_block_of_a_round_that_faults_is_told),
                                     cmocka_unit_test(strays_are_told_in_the_order_of_blocks),
                                     cmocka_unit_test(what_counts_all_instructions_has_one_thread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
