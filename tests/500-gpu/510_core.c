// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Timing rules of a core, from first principles: what one more instruction costs under different settings.
#include "gpu_test.h"

static const struct weir_core_config *core(const struct rig *rig) {
  return &rig->config->core;
}

// An instruction that needs the one before it waits for operands, latency and writeback.
static void a_chain_costs_its_latency(void **state) {
  (void)state;
  static const struct {
    uint32_t latency, operand, writeback, decode;
  } cases[] = {{4, 5, 1, 2}, {9, 5, 1, 2}, {4, 7, 1, 2}, {4, 5, 3, 1}, {30, 3, 2, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.latency.int_add.latency_cycles=%u", cases[i].latency);
    rig_set(rig, "core.operand_cycles=%u", cases[i].operand);
    rig_set(rig, "core.writeback_cycles=%u", cases[i].writeback);
    rig_set(rig, "core.decode_cycles=%u", cases[i].decode);
    uint64_t each = cases[i].operand + cases[i].latency + cases[i].writeback;
    assert_int_equal(cost_of_twelve(rig, (struct run){0}, "mov.u32 %r1, 1;", "add.u32 %r1, %r1, %r1;"), 12 * each);
    rig_free(rig);
  }
}

// The class decides: each has a latency of its own.
static void each_class_has_its_latency(void **state) {
  (void)state;
  static const struct {
    enum weir_op_class class;
    const char *key, *line;
  } cases[] = {
    {WEIR_CLASS_INT_MUL, "int_mul", "mul.lo.u32 %r1, %r1, %r1;"},
    {WEIR_CLASS_INT_MAX, "int_max", "max.s32 %r1, %r1, %r1;"},
    {WEIR_CLASS_INT_MAD, "int_mad", "mad.lo.u32 %r1, %r1, %r1, %r1;"},
    {WEIR_CLASS_INT_DIV, "int_div", "div.u32 %r1, %r1, %r1;"},
    {WEIR_CLASS_F32_ADD, "f32_add", "add.f32 %f1, %f1, %f1;"},
    {WEIR_CLASS_F32_FMA, "f32_fma", "fma.rn.f32 %f1, %f1, %f1, %f1;"},
    {WEIR_CLASS_F32_DIV, "f32_div", "div.rn.f32 %f1, %f1, %f1;"},
    {WEIR_CLASS_SFU, "sfu", "sin.approx.f32 %f1, %f1;"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.latency.%s.latency_cycles=%u", cases[i].key, 50 + (unsigned)i);
    uint64_t each = core(rig)->operand_cycles + 50 + i + core(rig)->writeback_cycles;
    assert_int_equal(cost_of_twelve(rig, (struct run){0}, "mov.u32 %r1, 1; mov.f32 %f1, 0f3F800000;", cases[i].line),
                     12 * each);
    rig_free(rig);
  }
}

// Twelve instructions that need nothing of each other, over registers of their own.
static const char *independent(const char *format) {
  static char text[4096];
  *text = 0;
  for (unsigned i = 0; i < 12; i++) sprintf(text + strlen(text), format, 10 + i);
  return text;
}

static uint64_t cost_of_group(struct rig *rig, const char *group) {
  return cycles_of(rig, (struct run){0}, "mov.u32 %r1, 1;", group, 6) -
    cycles_of(rig, (struct run){0}, "mov.u32 %r1, 1;", group, 4);
}

// One warp alone issues what it has fetched, one per cycle, and fetches again when that has gone: f instructions take
// f − 1 cycles and a fetch.
static void one_warp_is_bound_by_fetch(void **state) {
  (void)state;
  static const struct { uint32_t fetch, decode; } cases[] = {{2, 2}, {1, 2}, {4, 2}, {2, 3}, {4, 5}, {1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.fetch_instructions=%u", cases[i].fetch);
    rig_set(rig, "core.decode_cycles=%u", cases[i].decode);
    rig_set(rig, "core.latency.int_add.latency_cycles=1"); // registers are free again in time
    uint64_t per_fetch = cases[i].fetch - 1 + cases[i].decode;
    assert_int_equal(cost_of_group(rig, independent("add.u32 %%r%u, %%r1, 7;")), 24 / cases[i].fetch * per_fetch);
    rig_free(rig);
  }
}

// A unit takes an instruction every interval; with two units, two.
static void a_unit_is_bound_by_its_interval(void **state) {
  (void)state;
  static const struct {
    uint32_t interval, units, lanes_per_cycle;
  } cases[] = {{16, 1, 32}, {16, 2, 32}, {40, 1, 32}, {8, 1, 8}, {16, 2, 16}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.latency.f32_add.interval_cycles=%u", cases[i].interval);
    rig_set(rig, "core.main_units=%u", cases[i].units);
    rig_set(rig, "core.lanes_per_cycle=%u", cases[i].lanes_per_cycle);
    rig_set(rig, "core.latency.f32_add.latency_cycles=4");
    rig_set(rig, "core.latency.f64_div.interval_cycles=8"); // a core looks only so far ahead
    uint64_t each = cases[i].interval * (32 / cases[i].lanes_per_cycle);
    assert_int_equal(cost_of_group(rig, independent("add.f32 %%f%u, %%f1, %%f2;")), 24 * each / cases[i].units);
    rig_free(rig);
  }
}

// Partitioned, a scheduler's warps have its share of the units to themselves: of four units two schedulers have two each. One warp is
// bound by those two; two warps, of which each scheduler has one, by all four, whether or not they are shared out.
static void a_scheduler_s_units_are_its_own(void **state) {
  (void)state;
  for (unsigned partitioned = 0; partitioned < 2; partitioned++)
    for (unsigned warps = 1; warps <= 2; warps++) {
      struct rig *rig = lone_rig();
      rig_set(rig, "core.partitioned=%s", partitioned ? "true" : "false");
      rig_set(rig, "core.schedulers=2");
      rig_set(rig, "core.main_units=4");
      rig_set(rig, "core.special_units=2");
      rig_set(rig, "core.unit_backlog=0");
      rig_set(rig, "core.latency.f32_add.interval_cycles=12");
      rig_set(rig, "core.latency.f32_add.latency_cycles=4");
      const unsigned units = partitioned && warps == 1 ? 2 : 4;
      const char *group = independent("add.f32 %%f%u, %%f1, %%f2;");
      const struct run run = {.threads = 32 * warps};
      assert_int_equal(cycles_of(rig, run, "mov.u32 %r1, 1;", group, 6) -
                         cycles_of(rig, run, "mov.u32 %r1, 1;", group, 4),
                       24 * warps * 12 / units);
      rig_free(rig);
    }
}

// The special units are others: a stream of divisions is bound by their interval alone.
static void special_units_are_others(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "core.latency.f32_div.interval_cycles=24");
  rig_set(rig, "core.latency.f32_div.latency_cycles=30");
  rig_set(rig, "core.special_units=1");
  assert_int_equal(cost_of_group(rig, independent("div.rn.f32 %%f%u, %%f1, %%f2;")), 24 * 24);
  rig_set(rig, "core.special_units=3");
  assert_int_equal(cost_of_group(rig, independent("div.rn.f32 %%f%u, %%f1, %%f2;")), 24 * 8);
  rig_free(rig);
}

// ---- memory -----------------------------------------------------------------------------------------------------------

// A load from shared memory whose address is the load before: operands, latency, writeback.
static void shared_latency(void **state) {
  (void)state;
  for (uint32_t latency = 10; latency <= 40; latency += 15) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.shared_latency_cycles=%u", latency);
    uint64_t each = core(rig)->operand_cycles + latency + core(rig)->writeback_cycles;
    assert_int_equal(
      cost_of_twelve(rig, (struct run){0}, "mov.u32 %r1, s; st.shared.u32 [%r1], %r1;", "ld.shared.u32 %r1, [%r1];"),
      12 * each);
    rig_free(rig);
  }
}

// k words of one bank: k − 1 cycles more.
static void bank_conflicts(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  uint64_t none = 0;
  for (unsigned stride = 1; stride <= 32; stride *= 2) {
    char before[256];
    snprintf(before, sizeof before,
             "mov.u32 %%r2, %%tid.x; mov.u32 %%r4, s; mad.lo.u32 %%r1, %%r2, %u, %%r4; st.shared.u32 [%%r1], %%r1;",
             4 * stride);
    // Each lane finds its own address where it looks.
    struct run run = {.shared_bytes = 4096};
    uint64_t twelve = cost_of_twelve(rig, run, before, "ld.shared.u32 %r1, [%r1];");
    if (stride == 1) none = twelve;
    assert_int_equal(twelve - none, 12 * (stride - 1));
  }
  rig_free(rig);
}

// A load that hits the first level and gives the next its address: operands and the cache's own latency.
static void load_to_use(void **state) {
  (void)state;
  static const uint32_t latencies[][2] = {{0, 35}, {10, 1}, {3, 20}};
  for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
    struct rig *rig = rig_new();
    rig_set(rig, "l1.input_delay_cycles=%u", latencies[i][0]);
    rig_set(rig, "l1.hit_latency_cycles=%u", latencies[i][1]);
    uint64_t each = core(rig)->operand_cycles + latencies[i][0] + latencies[i][1];
    struct run run = {0};
    assert_int_equal(cost_of_twelve(rig, run, "ld.param.u64 %d1, [a];", "ld.global.u64 %d1, [%d1];"), 12 * each);
    rig_free(rig);
  }
}

// A load of n neighbouring lines holds the load/store unit n cycles; with b banks, n / b, and never less than one.
static void one_access_per_bank_and_cycle(void **state) {
  (void)state;
  for (unsigned banks = 1; banks <= 4; banks *= 2) {
    struct rig *rig = rig_new();
    rig_set(rig, "l1.banks=%u", banks);
    uint64_t one = 0;
    for (unsigned lines = 1; lines <= 32; lines *= 2) {
      char before[256];
      snprintf(before, sizeof before,
               "ld.param.u64 %%d2, [a]; mov.u32 %%r2, %%tid.x; and.b32 %%r3, %%r2, %u; mul.wide.u32 %%d3, %%r3, 128;"
               "add.u64 %%d1, %%d2, %%d3; ld.global.u64 %%d1, [%%d1];",
               lines - 1);
      struct run run = {0};
      uint64_t twelve = cost_of_twelve(rig, run, before, "ld.global.u64 %d1, [%d1];");
      if (lines == 1) one = twelve;
      uint64_t turns = lines > banks ? lines / banks : 1;
      assert_int_equal(twelve - one, 12 * (turns - 1));
    }
    rig_free(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_chain_costs_its_latency),
    cmocka_unit_test(each_class_has_its_latency),
    cmocka_unit_test(one_warp_is_bound_by_fetch),
    cmocka_unit_test(a_unit_is_bound_by_its_interval),
    cmocka_unit_test(a_scheduler_s_units_are_its_own),
    cmocka_unit_test(special_units_are_others),
    cmocka_unit_test(shared_latency),
    cmocka_unit_test(bank_conflicts),
    cmocka_unit_test(load_to_use),
    cmocka_unit_test(one_access_per_bank_and_cycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
