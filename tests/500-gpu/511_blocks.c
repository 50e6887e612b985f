// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Blocks and warps: how many blocks a core holds under each limit, what schedulers, barriers and fences do to the time.
#include "gpu_test.h"

enum { CHAIN = 60 };

// A chain of dependent additions: warps side by side hide each other's latency, so that blocks that are resident together
// take hardly longer than one.
static const char *chain(void) {
  static char text[8192];
  *text = 0;
  for (int i = 0; i < CHAIN; i++) strcat(text, "add.u32 %r1, %r1, %r1;");
  return text;
}

// How often the core must be filled to run the blocks.
static uint64_t rounds(struct rig *rig, struct run run) {
  uint64_t many = measure_run(rig, &run);
  run.blocks = 1;
  uint64_t one = measure_run(rig, &run);
  return (many + one / 2) / one;
}

// n blocks of a core that holds `limit` of them run in ⌈n / limit⌉ rounds.
static void assert_limit(struct rig *rig, struct run run, uint32_t limit) {
  rig_set(rig, "core.latency.int_add.latency_cycles=200");
  for (uint32_t n = 1; n <= 3; n++)
    for (int over = 0; over < 2; over++) {
      run.blocks = n * limit + (uint32_t)over;
      assert_int_equal(rounds(rig, run), n + (uint32_t)over);
    }
  rig_free(rig);
}

static void limited_by_blocks(void **state) {
  (void)state;
  for (uint32_t limit = 1; limit <= 8; limit += 7) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.max_blocks=%u", limit);
    assert_limit(rig, (struct run){.body = chain()}, limit);
  }
}

// 9 warps of 48, by 4: two blocks; a block of 65 threads takes three warps.
static void limited_by_warps(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "core.max_warps=9");
  assert_limit(rig, (struct run){.body = chain(), .threads = 128}, 2);
  rig = rig_new();
  rig_set(rig, "core.max_warps=9");
  assert_limit(rig, (struct run){.body = chain(), .threads = 65}, 3);
}

static void limited_by_shared_memory(void **state) {
  (void)state;
  static const struct { uint32_t bytes, limit; } cases[] = {{24576, 2}, {24584, 1}, {16384, 3}, {12000, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[8192];
    snprintf(body, sizeof body, "mov.u32 %%r9, s; %s", chain());
    struct rig *rig = rig_new();
    rig_set(rig, "core.shared_bytes=49152");
    assert_limit(rig, (struct run){.body = body, .shared_bytes = cases[i].bytes}, cases[i].limit);
  }
}

// A core with room for the registers of three warps and a bit. fermi-gtx480 counts a thread's in fours.
static void limited_by_registers(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  struct run run = {.body = chain()};
  char *text = program_of(&run);
  struct weir_module *module = weir_ptx_parse("test.ptx", text, strlen(text), &rig->sink);
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *program =
    weir_program_build(module, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), memory, &rig->sink);
  uint32_t per_warp = (weir_program_kernel(program, "k")->registers + 3) / 4 * 4 * 32;
  assert_true(per_warp > 0);
  weir_program_free(program);
  weir_memory_free(memory);
  weir_module_free(module);
  free(text);
  rig_set(rig, "core.registers=%u", 4 * per_warp - 1);
  assert_limit(rig, run, 3);
}

// One block at a time: each starts so many cycles after there is room for it.
static void a_block_starts_late(void **state) {
  (void)state;
  enum { LATE = 40 };
  struct rig *rig = rig_new(), *late = rig_new();
  rig_set(rig, "core.max_blocks=1");
  rig_set(late, "core.max_blocks=1");
  rig_set(late, "core.block_start_cycles=%d", LATE);
  for (uint32_t blocks = 1; blocks <= 3; blocks++) {
    const struct run run = {.body = chain(), .blocks = blocks};
    assert_int_equal(measure_run(late, &run), measure_run(rig, &run) + blocks * LATE);
  }
  rig_free(rig);
  rig_free(late);
}

// A launch takes so many cycles more, whatever its blocks, and no core has warps in them.
static void a_launch_begins_late(void **state) {
  (void)state;
  enum { LATE = 5000 };
  struct rig *rig = rig_new(), *late = rig_new();
  rig_set(late, "core.launch_cycles=%d", LATE);
  for (uint32_t blocks = 1; blocks <= 20; blocks += 19) {
    const struct run run = {.body = chain(), .blocks = blocks};
    assert_int_equal(measure_run(late, &run), measure_run(rig, &run) + LATE);
    const struct weir_run_stats soon = measure_from(rig, &run, 0), held = measure_from(late, &run, 0);
    assert_true(soon.core_cycles > 0);
    assert_int_equal(held.core_cycles, soon.core_cycles);
    assert_int_equal(held.issue_slots_idle, soon.issue_slots_idle);
    assert_int_equal(held.ready_warp_cycles, soon.ready_warp_cycles);
  }
  rig_free(rig);
  rig_free(late);
}

// One block at a time, a store each: what a further block costs has the way to the L2 and back in it, or has not. A launch ends with its
// last store's answer either way.
static void a_block_ends_before_its_stores(void **state) {
  (void)state;
  enum { FARTHER = 50 };
  uint64_t one[2], further[2][2];
  for (int early = 0; early < 2; early++)
    for (int farther = 0; farther < 2; farther++) {
      struct rig *rig = rig_new();
      struct run run = {.body = "ld.param.u64 %d1, [a]; st.global.u64 [%d1+1024], %d1;", .blocks = 1};
      rig_set(rig, "core.max_blocks=1");
      rig_set(rig, "core.exit_before_stores=%s", early ? "true" : "false");
      rig_set(rig, "l2.input_delay_cycles=%u", rig->config->caches[1].input_delay_cycles + (farther ? FARTHER : 0));
      one[early] = measure_run(rig, &run);
      run.blocks = 4;
      further[early][farther] = (measure_run(rig, &run) - one[early]) / 3;
      rig_free(rig);
    }
  assert_int_equal(one[0], one[1]);
  assert_int_equal(further[0][1], further[0][0] + FARTHER);
  assert_int_equal(further[1][1], further[1][0]);
  const struct rig *rig = rig_new();
  const struct weir_cache_config *l2 = &rig->config->caches[1];
  assert_true(further[0][0] - further[1][0] >=
              2 * rig->config->network.latency_cycles + l2->input_delay_cycles + l2->hit_latency_cycles);
  rig_free((struct rig *)rig);
}

// A block that fits no core cannot run, and is told why.
static void a_block_too_large(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "core.max_warps=4");
  struct run run = {.body = chain(), .threads = 160};
  char *text = program_of(&run);
  struct weir_module *module = weir_ptx_parse("test.ptx", text, strlen(text), &rig->sink);
  struct weir_memory *memory = weir_memory_create();
  struct weir_program *program =
    weir_program_build(module, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), memory, &rig->sink);
  struct weir_host *host = weir_host_create(program, memory, &rig->sink);
  struct weir_chip *chip = weir_chip_create(rig->config, rig->scheme, 1, &rig->sink);
  assert_non_null(chip);
  weir_host_attach(host, weir_chip_backend(chip));
  uint64_t argument = 0;
  struct weir_dim one = {.x = 1}, block = {.x = 160};
  assert_false(weir_launch_args(host, "k", one, block, WEIR_ARG(argument)));
  assert_true(rig->sink.count > 0);
  assert_non_null(strstr(rig->sink.diags[0].message, "does not fit"));
  weir_host_free(host);
  weir_chip_free(chip);
  weir_program_free(program);
  weir_memory_free(memory);
  weir_module_free(module);
  free(text);
  rig_free(rig);
}

// Two schedulers issue two instructions per cycle from two warps; one scheduler one. With the fetch wide enough, w warps of
// independent instructions on one scheduler cost w cycles each, but for which of the last warps ends first.
static void a_scheduler_issues_one_per_cycle(void **state) {
  (void)state;
  for (uint32_t schedulers = 1; schedulers <= 2; schedulers++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.schedulers=%u", schedulers);
    rig_set(rig, "core.fetch_instructions=12");
    rig_set(rig, "core.decode_cycles=1");
    rig_set(rig, "core.main_units=8");
    char group[1024] = "";
    for (unsigned i = 0; i < 12; i++) sprintf(group + strlen(group), "add.u32 %%r%u, %%r1, 7;", 10 + i);
    struct run run = {.threads = 16 * 32};
    uint64_t cost = cycles_of(rig, run, "mov.u32 %r1, 1;", group, 8) - cycles_of(rig, run, "mov.u32 %r1, 1;", group, 4);
    assert_in_range(cost, 4 * 12 * 16 / schedulers - 1, 4 * 12 * 16 / schedulers + 1);
    rig_free(rig);
  }
}

// All warps of a block wait at the barrier for the last: work before it on one warp and behind it on another add up, where
// without the barrier they overlap.
static void a_barrier_waits_for_the_last(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  uint64_t cycles[2];
  for (int barrier = 0; barrier < 2; barrier++) {
    char body[16384];
    snprintf(body, sizeof body,
             "mov.u32 %%r2, %%tid.x; mov.u32 %%r1, 1; setp.ge.u32 %%p1, %%r2, 32; @%%p1 bra second; %s "
             "second: %s setp.lt.u32 %%p2, %%r2, 32; @%%p2 bra last; %s last:",
             chain(), barrier ? "bar.sync 0;" : "", chain());
    struct run run = {.body = body, .threads = 64};
    cycles[barrier] = measure_run(rig, &run);
  }
  uint64_t one_chain = (CHAIN - 1) *
    (rig->config->core.operand_cycles + rig->config->core.writeback_cycles +
     rig->config->core.latency[WEIR_CLASS_INT_ADD].latency_cycles);
  assert_in_range(cycles[0], one_chain, one_chain + one_chain / 4);
  assert_in_range(cycles[1], 2 * one_chain, 2 * one_chain + one_chain / 4);
  rig_free(rig);
}

// Eight stores to shared memory that hold its banks for 32 cycles each, and arithmetic behind them: with room for all to
// wait the arithmetic runs beside them; with room for one it begins when the seventh has left, and each store then takes its
// operands only after the one before.
static void a_full_memory_queue_holds_the_warp(void **state) {
  (void)state;
  char body[8192] = "mov.u32 %r2, %tid.x; mov.u32 %r1, 1; mov.u32 %r4, s; mad.lo.u32 %r3, %r2, 128, %r4;";
  for (int i = 0; i < 8; i++) strcat(body, "st.shared.u32 [%r3], %r2;");
  strcat(body, chain());
  struct run run = {.body = body, .shared_bytes = 4096};
  struct rig *rig = rig_new();
  rig_set(rig, "core.memory_queue=8");
  uint64_t wide = measure_run(rig, &run);
  rig_set(rig, "core.memory_queue=1");
  uint64_t narrow = measure_run(rig, &run);
  assert_in_range(narrow - wide, 7 * 32, 7 * (32 + rig->config->core.operand_cycles));
  rig_free(rig);
}

// An instruction behind a fence waits until the warp's stores have been answered, and no other does.
static void a_fence_waits_for_stores(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  struct run run = {0};
  const char *before = "ld.param.u64 %d1, [a];";
  uint64_t stores = cost_of_twelve(rig, run, before, "st.global.u64 [%d1+1024], %d1;");
  uint64_t fenced = cost_of_twelve(rig, run, before, "st.global.u64 [%d1+1024], %d1; membar.gl;");
  // There and back: the network's latency twice, and the L2's own.
  const struct weir_cache_config *l2 = &rig->config->caches[1];
  uint64_t least = 2 * rig->config->network.latency_cycles + l2->input_delay_cycles + l2->hit_latency_cycles;
  assert_true(stores < 12 * least);
  assert_true(fenced >= 12 * least);
  rig_set(rig, "l2.input_delay_cycles=%u", l2->input_delay_cycles + 50);
  assert_int_equal(cost_of_twelve(rig, run, before, "st.global.u64 [%d1+1024], %d1; membar.gl;"), fenced + 12 * 50);
  rig_free(rig);
}

// An L2 hit costs what its delays say: a cycle more of each is a cycle more of the load.
static void delays_add_up(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  struct run run = {0};
  rig_set(rig, "core.skip_l1_global=true");
  const char *before = "ld.param.u64 %d1, [a];", *line = "ld.global.u64 %d1, [%d1];";
  uint64_t plain = cost_of_twelve(rig, run, before, line);
  rig_set(rig, "l2.input_delay_cycles=%u", rig->config->caches[1].input_delay_cycles + 10);
  assert_int_equal(cost_of_twelve(rig, run, before, line), plain + 12 * 10);
  rig_set(rig, "l2.hit_latency_cycles=%u", rig->config->caches[1].hit_latency_cycles + 5);
  assert_int_equal(cost_of_twelve(rig, run, before, line), plain + 12 * 15);
  rig_set(rig, "network.latency_cycles=%u", rig->config->network.latency_cycles + 4);
  assert_int_equal(cost_of_twelve(rig, run, before, line), plain + 12 * (15 + 2 * 4));
  rig_set(rig, "core.operand_cycles=%u", rig->config->core.operand_cycles + 3);
  assert_int_equal(cost_of_twelve(rig, run, before, line), plain + 12 * (15 + 2 * 4 + 3));
  rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(limited_by_blocks),
    cmocka_unit_test(limited_by_warps),
    cmocka_unit_test(limited_by_shared_memory),
    cmocka_unit_test(limited_by_registers),
    cmocka_unit_test(a_launch_begins_late),
    cmocka_unit_test(a_block_starts_late),
    cmocka_unit_test(a_block_ends_before_its_stores),
    cmocka_unit_test(a_block_too_large),
    cmocka_unit_test(a_scheduler_issues_one_per_cycle),
    cmocka_unit_test(a_barrier_waits_for_the_last),
    cmocka_unit_test(a_full_memory_queue_holds_the_warp),
    cmocka_unit_test(a_fence_waits_for_stores),
    cmocka_unit_test(delays_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
