// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads from constant and parameter space: hits, several lines, misses, misses of several warps together.
#include "gpu_test.h"

#define TABLE ".const .align 64 .b64 c[256];" // 32 lines of 64 bytes

// A hit is there when its instruction reaches the load/store unit: operand_cycles behind its issue. (Each load waits for the
// one before, which writes the same register.)
static void a_hit(void **state) {
  (void)state;
  for (uint32_t operand = 3; operand <= 9; operand += 3) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.operand_cycles=%u", operand);
    struct run run = {.globals = TABLE};
    assert_int_equal(cost_of_twelve(rig, run, "", "ld.param.u64 %d1, [a];"), 12 * operand);
    assert_int_equal(cost_of_twelve(rig, run, "", "ld.const.u64 %d1, [c+64];"), 12 * operand);
    rig_free(rig);
  }
}

struct lanes {
  unsigned lanes, bytes_apart, cycles;
};

// Each warp's first `lanes` lanes read words that many bytes apart, the others the same again: so many cycles to serve them.
static void serve(struct rig *rig, const struct lanes *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char before[256];
    snprintf(before, sizeof before,
             "mov.u32 %%r2, %%tid.x; and.b32 %%r3, %%r2, %u; mul.wide.u32 %%d3, %%r3, %u; mov.u64 %%d4, c;"
             "add.u64 %%d5, %%d4, %%d3; ld.const.u64 %%d1, [%%d5];",
             cases[i].lanes - 1, cases[i].bytes_apart);
    assert_int_equal(cost_of_twelve(rig, (struct run){.globals = TABLE}, before, "ld.const.u64 %d1, [%d5];"),
                     12 * (rig->config->core.operand_cycles + cases[i].cycles - 1));
  }
  rig_free(rig);
}

// Lanes that ask for n lines are served a line per cycle: n lanes a line apart, or a warp whose words fill four lines.
static void a_line_per_cycle(void **state) {
  (void)state;
  static const struct lanes cases[] = {{1, 64, 1}, {2, 64, 2}, {8, 64, 8}, {32, 64, 32},
                                       {32, 8, 4}, {16, 8, 2}, {32, 16, 8}};
  serve(rig_new(), cases, sizeof cases / sizeof *cases);
}

// Where lanes are served by address: n lanes of different words take n cycles, also within a line, and lanes of one word one.
static void an_address_per_cycle(void **state) {
  (void)state;
  static const struct lanes cases[] = {{1, 64, 1},  {2, 64, 2},  {8, 64, 8}, {32, 64, 32},
                                       {32, 8, 32}, {16, 8, 16}, {4, 16, 4}};
  struct rig *rig = rig_new();
  rig_set(rig, "core.constant_by_address=true");
  serve(rig, cases, sizeof cases / sizeof *cases);
}

// A constant cache of one line, which two lines in turn drive out of it; no packet longer than a flit.
static struct rig *one_line_rig(void) {
  struct rig *rig = rig_new();
  rig_set(rig, "constant_cache.size_bytes=64");
  rig_set(rig, "constant_cache.ways=1");
  rig_set(rig, "network.flit_bytes=256");
  rig_set(rig, "l2.sector_bytes=64");
  return rig;
}

static uint64_t cost_of_miss(struct rig *rig) {
  uint64_t twice =
    cost_of_twelve(rig, (struct run){.globals = TABLE}, "", "ld.const.u64 %d1, [c]; ld.const.u64 %d1, [c+64];");
  assert_int_equal(twice % 24, 0);
  return twice / 24;
}

// A miss waits a cycle in the cache's miss queue; else it takes the way of a load that skips the first-level cache.
static void a_miss(void **state) {
  (void)state;
  struct rig *rig = one_line_rig();
  const char *before = "ld.param.u64 %d2, [a]; mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 7; mul.wide.u32 %d3, %r3, 8;"
                       "add.u64 %d1, %d2, %d3;"; // 64 bytes
  uint64_t skips = cost_of_twelve(rig, (struct run){0}, before, "ld.global.cg.u64 %d1, [%d1];"),
           miss = cost_of_miss(rig);
  assert_int_equal(12 * miss, skips + 12);
  rig_set(rig, "l2.input_delay_cycles=%u", rig->config->caches[1].input_delay_cycles + 30);
  assert_int_equal(cost_of_miss(rig), miss + 30);
  rig_free(rig);
}

// Four warps go together behind a barrier that warp 0 ends in cycle t, load one line, one warp per cycle from warp 1 on, and
// read the clock when their data is there.
static void four_warps(struct rig *rig, struct sight *s, uint64_t after[4]) {
  rig_set(rig, "core.schedulers=1");
  rig_set(rig, "core.scheduler=lrr");
  rig_set(rig, "core.memory_collectors=0");
  rig_set(rig, "core.memory_queue=8");
  rig_set(rig, "core.fetch_instructions=16");
  rig_set(rig, "core.decode_cycles=1");
  char body[2048] = "bar.sync 0; ld.const.u64 %d0, [c];" READ(0) "bar.sync 0;" RECORD_PLACE;
  record(body, 1);
  struct run run = {.body = body, .threads = 128, .globals = TABLE};
  observe(rig, &run, UINT64_C(0xFFFFFFF0), s);
  weir_cycle t = s->begin + 4 + 1;
  for (unsigned k = 0; k < 4; k++) after[k] = s->words[(k + 1) % 4][0] - (t + 1);
}

// Hits: each operand_cycles behind its issue. Misses of one line: one fetch for all four, whose data goes to one warp per cycle.
// (The parameter, in another line, is missed by all four together as well.)
static void misses_merge(void **state) {
  (void)state;
  struct sight s;
  uint64_t after[4];
  struct rig *rig = rig_new();
  four_warps(rig, &s, after);
  assert_int_equal(s.counts.constant_cache_misses, 0);
  for (unsigned k = 0; k < 4; k++) assert_int_equal(after[k], k + rig->config->core.operand_cycles);
  rig_free(rig);
  rig = one_line_rig();
  uint64_t miss = cost_of_miss(rig);
  four_warps(rig, &s, after);
  assert_int_equal(s.counts.constant_cache_misses, 2);
  for (unsigned k = 0; k < 4; k++) assert_int_equal(after[k], k + miss);
  rig_free(rig);
}

// Parameters that come with the launch are hits from the first one on, whatever the cache of constants has; constants are not.
static void parameters_at_launch(void **state) {
  (void)state;
  for (unsigned k = 0; k < 2; k++) {
    struct rig *rig = one_line_rig();
    struct sight s;
    rig_set(rig, "core.parameters_at_launch=%s", k ? "true" : "false");
    observe(rig,
            &(struct run){
              .body = "ld.param.u64 %d1, [a]; ld.const.u64 %d2, [c]; add.u64 %d1, %d1, %d2; ld.param.u64 %d1, [a];",
              .globals = TABLE},
            UINT64_C(0xFFFFFFF0), &s);
    assert_int_equal(s.cold.constant_cache_misses, k ? 1 : 3);
    assert_int_equal(s.counts.constant_cache_misses, k ? 0 : 2); // the last of the launch before is there
    rig_free(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_hit),  cmocka_unit_test(a_line_per_cycle), cmocka_unit_test(an_address_per_cycle),
    cmocka_unit_test(a_miss), cmocka_unit_test(misses_merge),     cmocka_unit_test(parameters_at_launch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
