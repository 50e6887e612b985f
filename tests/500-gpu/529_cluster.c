// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Clusters of thread blocks in time: what shared memory of another block takes, when a cluster's barrier lets its threads go on, where and when
// a cluster's blocks start, and what a chip refuses.
#include "gpu_test.h"

#include "chip/gpcs.h"

static const struct weir_core_config *core(const struct rig *rig) {
  return &rig->config->core;
}

// Cores of their own for as many blocks as a core holds one.
static struct rig *cluster_rig(unsigned cores, unsigned gpcs) {
  struct rig *rig = rig_new();
  rig_set(rig, "core.count=%u", cores);
  rig_set(rig, "core.gpcs=%u", gpcs);
  rig_set(rig, "core.cluster_latency_cycles=1");
  rig_set(rig, "core.max_blocks=1");
  return rig;
}

#define SYNC "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
// Every STRIDE bytes of both blocks' memory holds its own address in the cluster's window. %r1: a lane's in the other block, %r7: in its own.
#define CHASE                                                                                                          \
  "mov.u32 %r2, %tid.x; mov.u32 %r3, %cluster_ctarank; xor.b32 %r4, %r3, 1; mov.u32 %r5, s;"                           \
  "mul.lo.u32 %r6, %r2, STRIDE; add.u32 %r6, %r6, %r5; mapa.shared::cluster.u32 %r7, %r6, %r3;"                        \
  "mapa.shared::cluster.u32 %r1, %r6, %r4; st.shared.u32 [%r6], %r7;" SYNC

static uint64_t cycles_with(struct rig *rig, unsigned stride, const char *more, const char *line, unsigned n) {
  static char body[RIG_TEXT / 2];
  const struct run run = {.body = body, .directives = ".reqnctapercluster 2", .blocks = 2, .shared_bytes = 4096};
  sprintf(body, ".reg .b32 STRIDE; mov.u32 STRIDE, %u; %s %s", stride, CHASE, more);
  for (unsigned k = 0; k < n; k++) strcat(body, line);
  strcat(body, SYNC); // neither block's memory goes before the other has done with it
  return measure_run(rig, &run);
}

// As cost_of_twelve.
static uint64_t cost_of(struct rig *rig, unsigned stride, const char *more, const char *line) {
  return cycles_with(rig, stride, more, line, 48) - cycles_with(rig, stride, more, line, 36);
}

// A load of one word whose address is the load before: operands, its segment, latency, writeback.
static void another_block_s_memory_is_far(void **state) {
  static const uint32_t cases[][2] = {{180, 1}, {177, 2}, {30, 5}, {1, 1}};
  (void)state;
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct rig *rig = cluster_rig(2, 1);
    rig_set(rig, "core.cluster_latency_cycles=%u", cases[k][0]);
    rig_set(rig, "core.cluster_segment_cycles=%u", cases[k][1]);
    const uint64_t each = core(rig)->operand_cycles + cases[k][1] - 1 + cases[k][0] + core(rig)->writeback_cycles;
    assert_int_equal(cost_of(rig, 0, "", "ld.shared::cluster.u32 %r1, [%r1];"), 12 * each);
    rig_free(rig);
  }
}

// Lanes `stride` bytes apart touch a segment of 32 bytes for every 32 / stride of them. Stores, and loads that nobody waits for, hold the unit
// up for as long.
static void each_segment_takes_its_cycles(void **state) {
  (void)state;
  for (unsigned cycles = 1; cycles <= 3; cycles += 2)
    for (unsigned stride = 4; stride <= 64; stride *= 2) {
      struct rig *rig = cluster_rig(2, 1);
      rig_set(rig, "core.cluster_segment_cycles=%u", cycles);
      rig_set(rig, "core.cluster_latency_cycles=100");
      const unsigned segments = stride < 32 ? 32 * stride / 32 : 32;
      assert_int_equal(cost_of(rig, stride, "", "st.shared::cluster.u32 [%r1], %r2;"), 12 * segments * cycles);
      rig_free(rig);
    }
}

// Lanes 0 to 15 of a block in its own memory, by an address that mapa gives, 8 words of one bank; the others in the other's, 16 words of two
// segments: what the banks take, and what the segments take.
static void lanes_take_turns(void **state) {
  struct rig *rig = cluster_rig(2, 1);
  (void)state;
  rig_set(rig, "core.cluster_segment_cycles=3");
  assert_int_equal(cost_of(rig, 4,
                           "and.b32 %r8, %r2, 7; mad.lo.u32 %r8, %r8, 128, %r5; mapa.shared::cluster.u32 %r8, %r8, %r3;"
                           "setp.lt.u32 %p1, %r2, 16; selp.u32 %r1, %r8, %r1, %p1;",
                           "st.shared::cluster.u32 [%r1], %r2;"),
                   12 * (8 + 2 * 3));
  rig_free(rig);
}

// The block's own memory takes what it takes, by whichever name, and nothing goes to the caches.
static void own_memory_is_near(void **state) {
  struct rig *rig = cluster_rig(2, 1);
  (void)state;
  rig_set(rig, "core.cluster_latency_cycles=180");
  const uint64_t each = core(rig)->operand_cycles + core(rig)->shared_latency_cycles + core(rig)->writeback_cycles;
  assert_int_equal(cost_of(rig, 4, "mov.u32 %r1, %r7;", "ld.shared::cluster.u32 %r1, [%r1];"), 12 * each);
  struct run counted = {.directives = ".reqnctapercluster 2", .blocks = 2, .shared_bytes = 4096};
  counted.body =
    ".reg .b32 STRIDE; mov.u32 STRIDE, 4;" CHASE
    "ld.shared::cluster.u32 %r9, [%r1]; red.shared::cluster.add.u32 [%r1], 1; ld.shared::cluster.u32 %r9, [%r6];" SYNC;
  const struct weir_run_stats n = measure_from(rig, &counted, 0);
  assert_int_equal(n.cluster_accesses, 4);
  assert_int_equal(n.shared_accesses, 4);
  assert_int_equal(n.levels[0].loads.accesses + n.levels[0].stores.accesses + n.atomics, 0);
  rig_free(rig);
}

// ---- the barrier --------------------------------------------------------------------------------------------------------

// Of barriers one after the other each takes from arrival to arrival what core.cluster_barrier_cycles says, while what follows is fetched.
static void a_barrier_takes_its_cycles(void **state) {
  static const uint32_t cycles[] = {60, 101, 500};
  (void)state;
  for (unsigned cores = 1; cores <= 4; cores *= 2)
    for (unsigned k = 0; k < sizeof cycles / sizeof *cycles; k++) {
      struct rig *rig = cluster_rig(cores, 1);
      rig_set(rig, "core.cluster_barrier_cycles=%u", cycles[k]);
      char directives[40];
      snprintf(directives, sizeof directives, ".reqnctapercluster %u", cores);
      const struct run run = {.directives = directives, .blocks = cores};
      assert_int_equal(cost_of_twelve(rig, run, "", SYNC), 12 * cycles[k]);
      rig_free(rig);
    }
}

// Rank 0 arrives, works for longer than the barrier takes, and finds it met: waiting costs nothing. Or it works for less, and waits for the rest:
// of a barrier that was met at t it goes on at t + core.cluster_barrier_cycles, not a cycle earlier.
static void who_comes_later_waits_for_the_rest(void **state) {
  enum { BARRIER = 200, EARLY = 150, LATE = 300 };
  uint64_t took[3];
  static const unsigned work[] = {0, EARLY, LATE};
  (void)state;
  for (unsigned k = 0; k < 3; k++) {
    struct rig *rig = lone_rig();
    rig_set(rig, "core.count=2");
    rig_set(rig, "core.gpcs=1");
    rig_set(rig, "core.cluster_latency_cycles=1");
    rig_set(rig, "core.cluster_barrier_cycles=%u", BARRIER);
    char body[2048];
    snprintf(body, sizeof body, "%s mov.u64 %%d2, %u; %s", RECORD_PLACE, work[k],
             SYNC READ(0) "barrier.cluster.arrive.aligned; $L: mov.u64 %d3, %clock64; sub.u64 %d3, %d3, %d0;"
                          "setp.lt.u64 %p1, %d3, %d2; @%p1 bra $L; barrier.cluster.wait.aligned;" READ(1));
    record(body, 2);
    const struct run run = {.body = body, .directives = ".reqnctapercluster 2", .blocks = 2};
    struct sight s;
    observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
    assert_int_equal(s.words[0][0], s.words[4][0]); // both leave the first barrier in one cycle
    assert_int_equal(s.words[0][1], s.words[4][1]);
    took[k] = s.words[0][1] - s.words[0][0];
    rig_free(rig);
  }
  assert_int_equal(
    took[0], took[1]); // from the first clock to the arrival and on to the barrier's end, whatever was done meanwhile
  assert_in_range(took[0], BARRIER + 1, BARRIER + 8);
  assert_in_range(took[2], LATE, LATE + 80);
}

// ---- where blocks start -------------------------------------------------------------------------------------------------

// Of six blocks in clusters of two on four cores in two GPCs, one block to a core: the first two clusters start at once. Rank 1 of the first
// ends early, but its core waits for its neighbour's: the third cluster takes the second one's GPC, whose blocks end at 3000 and 4000,
// and both its blocks start in one cycle.
static void a_cluster_starts_as_a_whole(void **state) {
  static const uint32_t core_of[6] = {0, 1, 2, 3, 2, 3};
  struct rig *rig = cluster_rig(4, 2);
  const struct run run = {
    .directives = ".reqnctapercluster 2",
    .blocks = 6,
    .body = "mov.u64 %d0, %clock64; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %smid; cvt.u64.u32 %d1, %r2;"
            "ld.param.u64 %d5, [a]; mul.wide.u32 %d6, %r1, 256; add.u64 %d5, %d5, %d6; st.global.u64 [%d5], %d0;"
            "st.global.u64 [%d5+8], %d1; mov.u64 %d2, 1000; setp.eq.u32 %p1, %r1, 0; @%p1 mov.u64 %d2, 9000;"
            "setp.eq.u32 %p1, %r1, 2; @%p1 mov.u64 %d2, 3000; setp.eq.u32 %p1, %r1, 3; @%p1 mov.u64 %d2, 4000;"
            "$L: mov.u64 %d3, %clock64; sub.u64 %d3, %d3, %d0; setp.lt.u64 %p1, %d3, %d2; @%p1 bra $L;"};
  struct sight s;
  (void)state;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  for (unsigned k = 0; k < 6; k++) assert_int_equal(s.words[k][1], core_of[k]);
  for (unsigned k = 1; k < 4; k++) assert_int_equal(s.words[k][0], s.words[0][0]);
  assert_int_equal(s.words[4][0], s.words[5][0]);
  assert_in_range(s.words[4][0] - s.words[0][0], 4000, 4100);
  rig_free(rig);
}

// Where a core has room for two blocks of a cluster, it may take both: eight blocks in clusters of four on two cores of one GPC are there at once,
// a block to each core and then a second one.
static void blocks_of_a_cluster_may_share_a_core(void **state) {
  struct rig *rig = cluster_rig(2, 1);
  const struct run run = {.directives = ".reqnctapercluster 4",
                          .blocks = 8,
                          .body =
                            "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %smid; cvt.u64.u32 %d1, %r2; ld.param.u64 %d5, [a];"
                            "mul.wide.u32 %d6, %r1, 256; add.u64 %d5, %d5, %d6; st.global.u64 [%d5], %d1;" SYNC};
  struct sight s;
  (void)state;
  rig_set(rig, "core.max_blocks=4");
  observe(rig, &run, 0, &s);
  for (unsigned k = 0; k < 8; k++) assert_int_equal(s.words[k][0], k % 2);
  rig_free(rig);
}

// TPCs of two cores, dealt to the GPCs.
static void cores_are_dealt_to_gpcs(void **state) {
  static const struct {
    uint32_t count, gpcs, first[10];
  } cases[] = {{132, 8, {0, 18, 36, 52, 68, 84, 100, 116, 132}}, // 66 TPCs: nine twice, eight six times
               {114, 8, {0, 16, 30, 44, 58, 72, 86, 100, 114}},  // 57
               {4, 2, {0, 2, 4}},
               {5, 1, {0, 5}},
               {7, 2, {0, 4, 7}},
               {1, 8, {0, 0, 0, 0, 0, 0, 0, 0, 1}}, // of a chip that was made smaller
               {1, 1, {0, 1}}};
  (void)state;
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    const struct weir_core_config c = {.count = cases[k].count, .gpcs = cases[k].gpcs};
    for (uint32_t g = 0; g <= c.gpcs; g++) assert_int_equal(weir_gpc_first(&c, g), cases[k].first[g]);
  }
  struct weir_chip_config chip = {.core = {.count = 132, .gpcs = 8, .cluster_latency_cycles = 1}};
  assert_int_equal(weir_chip_clusters(&chip, 1, 2), 66);
  assert_int_equal(weir_chip_clusters(&chip, 1, 4), 4 * 8);
  assert_int_equal(weir_chip_clusters(&chip, 1, 16), 8);
  assert_int_equal(weir_chip_clusters(&chip, 2, 16), 8 * 2);
  chip.core.cluster_latency_cycles = 0; // it has GPCs and no clusters
  assert_int_equal(weir_chip_clusters(&chip, 8, 1), 0);
}

// Blocks of a launch by group, of 132 cores in ten groups, six of which have 14 cores and four 12. By number the first 14 blocks would be the
// first group's. In turn, the larger ones have two each before the others' first, and then all have one after the other.
static void groups_take_blocks_in_turn(void **state) {
  enum { CORES = 132, GROUPS = 10 };
  static const uint32_t blocks[][GROUPS] = {[6] = {1, 1, 1, 1, 1, 1},
                                            [12] = {2, 2, 2, 2, 2, 2},
                                            [13] = {2, 2, 2, 2, 2, 2, 1},
                                            [16] = {2, 2, 2, 2, 2, 2, 1, 1, 1, 1},
                                            [19] = {3, 3, 3, 2, 2, 2, 1, 1, 1, 1},
                                            [132] = {14, 14, 14, 14, 14, 14, 12, 12, 12, 12}};
  struct weir_core_config k = {.count = CORES, .groups = GROUPS};
  uint32_t cores[CORES], has[GROUPS] = {0};
  uint8_t groups[CORES];
  bool taken[CORES] = {false};
  (void)state;
  weir_block_turns(&k, cores);
  weir_groups_of_cores(&k, groups);
  for (uint32_t i = 0; i < CORES; i++) {
    assert_false(taken[cores[i]]);
    taken[cores[i]] = true;
    has[groups[cores[i]]]++;
    if (!blocks[i + 1][0]) continue;
    for (uint32_t g = 0; g < GROUPS; g++) assert_int_equal(has[g], blocks[i + 1][g]);
  }
  k.groups = 0;
  weir_block_turns(&k, cores);
  for (uint32_t i = 0; i < CORES; i++) assert_int_equal(cores[i], i);
}

// ---- what is refused ----------------------------------------------------------------------------------------------------

static void expect_refusal(struct rig *rig, const char *directives, const char *body, const char *says) {
  const struct run run = {.directives = directives, .body = body};
  char *text = program_of(&run);
  struct weir_memory *memory = weir_memory_create();
  struct weir_module *module;
  struct weir_program *program = program_for(rig, text, memory, &module);
  struct weir_host *host = weir_host_create(program, memory, &rig->sink);
  struct weir_chip *chip = weir_chip_create(rig->config, rig->scheme, 1, &rig->sink);
  uint64_t argument = 0;
  weir_host_attach(host, weir_chip_backend(chip));
  const struct weir_dim grid = {.x = 8}, block = {.x = 64};
  assert_false(weir_launch_args(host, "k", grid, block, WEIR_ARG(argument)));
  assert_int_equal(rig->sink.count, 1);
  if (!strstr(rig->sink.diags[0].message, says)) fail_msg("%s", rig->sink.diags[0].message);
  weir_host_free(host);
  weir_chip_free(chip);
  weir_program_free(program);
  weir_memory_free(memory);
  weir_module_free(module);
  free(text);
  rig_free(rig);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  expect_refusal(rig_new(), ".reqnctapercluster 2", "",
                 "a block is one of a cluster of 2, and fermi-gtx480 has no clusters (core.cluster_latency_cycles)");
  expect_refusal(
    cluster_rig(4, 2), ".reqnctapercluster 4", "",
    "a block is one of a cluster of 4, for which no GPC of fermi-gtx480 has room: a core holds 1 of them, and "
    "the largest GPC has 2 cores");
  expect_refusal(cluster_rig(4, 1), ".reqnctapercluster 3", "",
                 "a grid of 8 × 1 × 1 blocks cannot be divided into clusters of 3 × 1 × 1");
  // The second warp of rank 0 waits for the first, which waits for the cluster.
  expect_refusal(cluster_rig(4, 1), ".reqnctapercluster 4",
                 "mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p1, %r2, 0;"
                 "setp.ge.and.u32 %p1, %r1, 32, %p1; @%p1 bar.sync 0;" SYNC,
                 "barrier.cluster cannot be met: 224 of 256 threads of the cluster arrived");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(another_block_s_memory_is_far),
    cmocka_unit_test(each_segment_takes_its_cycles),
    cmocka_unit_test(lanes_take_turns),
    cmocka_unit_test(own_memory_is_near),
    cmocka_unit_test(a_barrier_takes_its_cycles),
    cmocka_unit_test(who_comes_later_waits_for_the_rest),
    cmocka_unit_test(a_cluster_starts_as_a_whole),
    cmocka_unit_test(blocks_of_a_cluster_may_share_a_core),
    cmocka_unit_test(cores_are_dealt_to_gpcs),
    cmocka_unit_test(groups_take_blocks_in_turn),
    cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
