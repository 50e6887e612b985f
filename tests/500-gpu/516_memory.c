// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What goes past the first-level cache, how thread-local memory lies, and what fences and ends of blocks wait for.
#include "gpu_test.h"

static struct weir_run_stats counts_of(struct rig *rig, const char *body, uint32_t threads) {
  struct run run = {.body = body, .threads = threads};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  return s.counts;
}

// ---- cache operators --------------------------------------------------------------------------------------------------

// Three loads of one word one after the other. Through the first level: a miss and two hits; past it: three bypasses, each a
// load of the second level.
static void assert_skips(struct rig *rig, const char *load, bool skips) {
  char body[512] = "ld.param.u64 %d1, [a];";
  for (int i = 0; i < 3; i++) sprintf(body + strlen(body), "ld%s.u64 %%d1, [%%d1];", load);
  struct weir_run_stats n = counts_of(rig, body, 0);
  const struct weir_access_counts *l1 = &n.levels[0].loads, *l2 = &n.levels[1].loads;
  assert_int_equal(l1->accesses, 3);
  assert_int_equal(l1->misses, skips ? 3 : 1);
  assert_int_equal(l1->hits, skips ? 0 : 2);
  assert_int_equal(l1->bypasses, skips ? 3 : 0);
  assert_int_equal(n.levels[0].fills, skips ? 0 : 1);
  assert_int_equal(l2->hits, skips ? 3 : 4); // a line is four sectors
}

static void what_skips_the_first_level(void **state) {
  (void)state;
  static const struct {
    const char *load;
    bool skips, skips_by_default; // if the chip's global loads go through the first level, and if they do not
  } cases[] = {
    {".global", false, true},
    {".global.ca", false, false},
    {".global.cg", true, true},
    {".global.cv", true, true},
    {".volatile.global", true, true},
    {".global.cs", false, true},
    {".global.nc", false, true},
    {".global.L1::no_allocate", true, true},
    {".global.L1::evict_last", false, true},
    {"", false, true}, // generic
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = rig_new();
    assert_skips(rig, cases[i].load, cases[i].skips);
    rig_set(rig, "core.skip_l1_global=true");
    assert_skips(rig, cases[i].load, cases[i].skips_by_default);
    rig_free(rig);
  }
}

// Atomics are done at the second level, where they count as stores: a transaction per 32 bytes, and lanes that meet in one
// word one after the other.
static void atomics_at_the_shared_cache(void **state) {
  (void)state;
  static const struct { unsigned bytes_apart, transactions; } cases[] = {{4, 4}, {8, 8}, {32, 32}, {0, 32}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int returns = 0; returns < 2; returns++) {
      struct rig *rig = rig_new();
      char body[512];
      snprintf(body, sizeof body,
               "ld.param.u64 %%d1, [a]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, %u; add.u64 %%d3, %%d1, %%d2;"
               "%s [%%d3], 1;",
               cases[i].bytes_apart, returns ? "atom.global.add.u32 %r2," : "red.global.add.u32");
      struct weir_run_stats n = counts_of(rig, body, 0);
      assert_int_equal(n.atomics, cases[i].transactions);
      assert_int_equal(n.levels[0].loads.accesses + n.levels[0].stores.accesses, 0);
      assert_int_equal(n.levels[1].stores.accesses, cases[i].transactions);
      rig_free(rig);
    }
}

// An atomic of one lane that hits takes as long as a load that skips the first level and hits.
static void an_atomic_takes_a_load_s_time(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "network.flit_bytes=256"); // the operand makes no second flit
  const char *before = "ld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;";
  uint64_t load = cost_of_twelve(rig, (struct run){0}, before, "@%p1 ld.global.cg.u64 %d2, [%d1];");
  assert_int_equal(cost_of_twelve(rig, (struct run){0}, before, "@%p1 atom.global.add.u64 %d2, [%d1], 0;"), load);
  rig_free(rig);
}

// ---- how long a memory instruction holds the load/store unit --------------------------------------------------------------

// What 24 loads more of each of four warps cost, of registers of their own; the first level has their lines.
static uint64_t cost_of_loads(struct rig *rig, unsigned words_apart) {
  uint64_t cycles[2];
  for (unsigned i = 0; i < 2; i++) {
    char body[8192];
    sprintf(body,
            "ld.param.u64 %%d1, [a]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, %u; add.u64 %%d3, %%d1, %%d2;"
            "ld.global.u32 %%r2, [%%d3]; add.u32 %%r3, %%r2, %%r2; bar.sync 0;",
            4 * words_apart);
    for (unsigned k = 0; k < 48 + 24 * i; k++) sprintf(body + strlen(body), "ld.global.u32 %%r%u, [%%d3];", 10 + k);
    struct run run = {.body = body, .threads = 128};
    struct sight s;
    observe(rig, &run, UINT64_C(0x1000000), &s);
    cycles[i] = s.counts.cycles;
  }
  return cycles[1] - cycles[0];
}

// Loads of a line that the first level has. The longest of: the least interval, a cycle per line, and, where its data lies in
// shared memory's banks, the words that one bank is asked for. 32 neighbouring words of 16 banks are two of each; two words apart
// they are two of each of 32, and two lines.
static void loads_hold_the_unit(void **state) {
  (void)state;
  static const struct {
    bool conflicts;
    unsigned banks, stride, interval, cycles;
  } cases[] = {{false, 32, 1, 1, 1}, {false, 32, 1, 3, 3}, {true, 32, 1, 1, 1}, {true, 16, 1, 1, 2},
               {false, 16, 1, 1, 1}, {true, 32, 2, 1, 2},  {true, 16, 2, 1, 4}, {true, 16, 2, 3, 4},
               {true, 16, 2, 5, 5},  {true, 32, 4, 1, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.memory_collectors=0");
    rig_set(rig, "core.fetch_instructions=16");
    rig_set(rig, "core.l1_bank_conflicts=%s", cases[i].conflicts ? "true" : "false");
    rig_set(rig, "core.shared_banks=%u", cases[i].banks);
    rig_set(rig, "core.memory_interval_cycles=%u", cases[i].interval);
    assert_int_equal(cost_of_loads(rig, cases[i].stride), 4 * 24 * cases[i].cycles);
    rig_free(rig);
  }
}

// ---- local memory -----------------------------------------------------------------------------------------------------

// Word k of all threads lies side by side: a warp's access is one segment per word, however far its threads' stacks are
// apart; narrow elements have narrower segments (32 bytes for 1, 64 for 2) where the chip says so. Lanes that ask for
// different words meet in no segment.
static void local_memory_is_interleaved(void **state) {
  (void)state;
  static const struct {
    const char *type, *address;
    unsigned by_element, plain; // accesses
  } cases[] = {
    {".u32 %r1", "%d1", 1, 1},   {".u32 %r1", "%d1+100", 1, 1},
    {".u64 %d9", "%d1+8", 2, 2}, {".v4.u32 {%r1, %r2, %r3, %r4}", "%d1+16", 4, 4},
    {".u16 %r1", "%d1", 2, 1},   {".u8 %r1", "%d1+3", 4, 1},
    {".u32 %r1", "%d2", 32, 32},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int by_element = 0; by_element < 2; by_element++) {
      struct rig *rig = rig_new();
      rig_set(rig, "core.coalesce_by_element=%s", by_element ? "true" : "false");
      char body[512];
      snprintf(body, sizeof body,
               ".local .align 16 .b8 l[512]; mov.u32 %%r5, %%tid.x; mul.wide.u32 %%d3, %%r5, 4; mov.u64 %%d1, l;"
               "add.u64 %%d2, %%d1, %%d3; ld.local%s, [%s];",
               cases[i].type, cases[i].address);
      struct weir_run_stats n = counts_of(rig, body, 0);
      assert_int_equal(n.levels[0].loads.accesses, by_element ? cases[i].by_element : cases[i].plain);
      rig_free(rig);
    }
}

// Each warp has lines of its own, and finds them again.
static void local_lines_are_the_warps_own(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  const char *body = ".local .align 4 .b8 l[64]; mov.u64 %d1, l; ld.local.u32 %r1, [%d1]; ld.local.u32 %r1, [%d1];"
                     "ld.local.u32 %r1, [%d1+4];";
  struct weir_run_stats n = counts_of(rig, body, 96);
  assert_int_equal(n.levels[0].loads.accesses, 3 * 3);
  assert_int_equal(n.levels[0].loads.misses, 3 * 2);
  assert_int_equal(n.levels[0].loads.hits, 3);
  rig_free(rig);
}

// ---- fences and ends --------------------------------------------------------------------------------------------------

// Behind a fence the warp goes on in the cycle in which a load's data is there: just when an instruction could that writes the
// load's register. Without the fence it goes on at once, and a fence with nothing to wait for costs its slot.
static void a_fence_waits_for_loads(void **state) {
  (void)state;
  struct rig *rig = lone_rig();
  static const char *loads[] = {"ld.global.u64", "ld.global.cg.u64", "ld.shared.u64"};
  for (int i = 0; i < 3; i++) {
    const char *from = i < 2 ? "%d20" : "s";
    char plain[256], fenced[256], needed[256];
    snprintf(plain, sizeof plain, "%s %s %%d9, [%s]; %s", READ(0), loads[i], from, READ(1));
    snprintf(fenced, sizeof fenced, "%s %s %%d9, [%s]; membar.gl; %s", READ(0), loads[i], from, READ(1));
    snprintf(needed, sizeof needed, "%s %s %%d1, [%s]; %s", READ(0), loads[i], from, READ(1));
    assert_int_equal(between(rig, plain), 2);
    assert_true(between(rig, needed) > 20);
    assert_int_equal(between(rig, fenced), between(rig, needed));
  }
  assert_int_equal(between(rig, READ(0) "membar.gl;" READ(1)), 2);
  assert_true(between(rig, READ(0) "red.shared.add.u32 [s], 1; membar.gl;" READ(1)) > 20); // it waits for no register
  rig_free(rig);
}

// What a call is handed over is no access to memory: it takes no other instruction's data for its own.
static void arguments_of_calls_wait_for_nothing(void **state) {
  (void)state;
  struct rig *rig = lone_rig();
  const char *callee = ".func f(.param .b64 x) {\nret;\n}\n";
  const char *call = "{ .param .b64 x; st.param.b64 [x], %d9; st.param.b64 [x], %d9; call.uni f, (x); }";
  char body[512];
  snprintf(body, sizeof body, "%s ld.global.cg.u64 %%d1, [%%d20]; %s %s", READ(0), call, READ(1));
  const uint64_t alone = between_with(rig, callee, READ(0) "ld.global.cg.u64 %d1, [%d20];" READ(1));
  assert_true(between_with(rig, callee, body) >= alone);
  rig_free(rig);
}

// A hit of the first level: operands, then the cache's latency.
static void a_load_s_data_to_the_cycle(void **state) {
  (void)state;
  struct rig *rig = lone_rig();
  const struct weir_cache_config *l1 = &rig->config->caches[0];
  assert_int_equal(between(rig, READ(0) "ld.global.u64 %d1, [%d20];" READ(1)),
                   1 + rig->config->core.operand_cycles + l1->input_delay_cycles + l1->hit_latency_cycles);
  rig_free(rig);
}

// A core with room for one block runs the next when the last store of the one before has been answered (loads: when their data is
// there): the cycle in which a fence would let its warp go on. The new block is fetched in the cycle after.
static void a_block_ends_with_its_last_answer(void **state) {
  (void)state;
  static const char *last[] = {"st.global.u64 [%d90], %d0;",
                               "st.global.u64 [%d90], %d0; ld.global.cg.u64 %d9, [%d91+32768];",
                               "st.global.u64 [%d90], %d0; red.global.add.u64 [%d91+32768], 1;"};
  for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
    struct rig *rig = lone_rig();
    struct sight fenced, ends;
    char body[1024];
    snprintf(body, sizeof body, "%s%s%s membar.gl; %s st.global.u64 [%%d90+8], %%d1;", READ(0), RECORD_PLACE, last[i],
             READ(1));
    struct run run = {.body = body};
    observe(rig, &run, UINT64_C(0xFFFFFFF0), &fenced);
    snprintf(body, sizeof body, "%s%s%s", READ(0), RECORD_PLACE, last[i]);
    run.blocks = 2;
    observe(rig, &run, UINT64_C(0xFFFFFFF0), &ends);
    uint64_t answered = fenced.words[0][1] - fenced.words[0][0];
    assert_int_equal(ends.words[4][0] - ends.words[0][0], answered + 1 + rig->config->core.decode_cycles);
    rig_free(rig);
  }
}

// ---- launches ---------------------------------------------------------------------------------------------------------

// A launch's time is the same at once behind another and long after it. Here the last instruction before the end keeps one of
// its units for 100 cycles more, warps are many, and the next launch's first instruction wants a unit of that kind.
static void a_launch_depends_on_caches_alone(void **state) {
  (void)state;
  static const struct {
    const char *class, *body;
  } kinds[] = {{"f32_div", "div.rn.f32 %f1, %f2, %f3;"}, {"f32_add", "add.f32 %f1, %f2, %f3;"}};
  for (uint32_t warps = 1; warps <= 4; warps++)
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      struct rig *rig = rig_new();
      rig_set(rig, "core.main_units=2");
      rig_set(rig, "core.latency.%s.latency_cycles=1", kinds[i].class);
      rig_set(rig, "core.latency.%s.interval_cycles=100", kinds[i].class);
      struct run run = {.body = kinds[i].body, .threads = 32 * warps};
      struct sight at_once, later;
      observe(rig, &run, 0, &at_once);
      observe(rig, &run, (UINT64_C(1) << 32) - 1 + at_once.begin % 2, &later); // the same scheduler goes first
      assert_int_equal(at_once.begin % 2, later.begin % 2);
      assert_int_equal(at_once.counts.cycles, later.counts.cycles);
      assert_int_equal(at_once.counts.issue_slots_idle, later.counts.issue_slots_idle);
      rig_free(rig);
    }
}

// ---- what goes nowhere, and what goes elsewhere than it seems ----------------------------------------------------------

// No lane is active: an instruction takes its issue slot, one per cycle, reaches no memory, and nobody waits for it.
static void without_an_active_lane_it_is_an_issue_slot(void **state) {
  (void)state;
  static const char *const nothing[] = {"@%p1 ld.global.u64 %d21, [%d21];", "@%p1 st.global.u64 [%d20], %d21;",
                                        "@%p1 atom.global.add.u64 %d21, [%d20], 1;", "@%p1 ld.shared.u64 %d21, [s];"};
  for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
    struct rig *rig = lone_rig();
    char text[512] = "setp.ne.u32 %p1, %r1, %r1; selp.u32 %r2, 1, 2, %p1;" READ(0);
    for (int k = 0; k < 4; k++) strcat(text, nothing[i]);
    strcat(text, READ(1));
    assert_int_equal(between(rig, text), 5);
    struct weir_run_stats n = counts_of(rig, text, 0);
    assert_int_equal(n.levels[0].loads.accesses + n.levels[0].stores.accesses + n.atomics + n.shared_accesses, 0);
    rig_free(rig);
  }
}

// A generic access whose lanes all lie in shared memory is one of shared memory.
static void a_generic_access_of_shared_memory_costs_as_one(void **state) {
  (void)state;
  static const char *const ways[][2] = {{"ld.shared.u64 %d1, [%d1];", "ld.u64 %d2, [%d2];"}, // each waits for the last
                                        {"ld.shared.u64 %d3, [%d1];", "ld.u64 %d3, [%d2];"},
                                        {"st.shared.u64 [%d1], %d1;", "st.u64 [%d2], %d2;"}};
  const char *before = "mov.u64 %d1, s; cvta.shared.u64 %d2, %d1; st.shared.u64 [%d1], %d1;";
  const char *generic = "mov.u64 %d1, s; cvta.shared.u64 %d2, %d1; st.shared.u64 [%d1], %d2;";
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct rig *rig = rig_new();
    uint64_t cost = cost_of_twelve(rig, (struct run){0}, before, ways[i][0]);
    assert_int_equal(cost_of_twelve(rig, (struct run){0}, generic, ways[i][1]), cost);
    char body[256];
    snprintf(body, sizeof body, "%s%s", generic, ways[i][1]);
    struct weir_run_stats n = counts_of(rig, body, 0);
    assert_int_equal(n.shared_accesses, 2);
    assert_int_equal(n.levels[0].loads.accesses + n.levels[0].stores.accesses, 0);
    rig_free(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_an_active_lane_it_is_an_issue_slot),
    cmocka_unit_test(a_generic_access_of_shared_memory_costs_as_one),
    cmocka_unit_test(what_skips_the_first_level),
    cmocka_unit_test(atomics_at_the_shared_cache),
    cmocka_unit_test(an_atomic_takes_a_load_s_time),
    cmocka_unit_test(loads_hold_the_unit),
    cmocka_unit_test(local_memory_is_interleaved),
    cmocka_unit_test(local_lines_are_the_warps_own),
    cmocka_unit_test(a_fence_waits_for_loads),
    cmocka_unit_test(arguments_of_calls_wait_for_nothing),
    cmocka_unit_test(a_load_s_data_to_the_cycle),
    cmocka_unit_test(a_block_ends_with_its_last_answer),
    cmocka_unit_test(a_launch_depends_on_caches_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
