// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Fetch: what a taken branch costs by its place in what was fetched, and the instruction cache.
#include "gpu_test.h"

enum { LINE_INSTRUCTIONS = 128 / 8 };

// Cycles from the reading before a taken branch to the one at its target; n − 1 instructions stand before the reading, so that
// the branch is instruction n of the program.
static uint64_t around_branch(struct rig *rig, unsigned n) {
  char body[8192] = "";
  for (unsigned i = 1; i < n; i++) sprintf(body + strlen(body), "mov.u64 %%d%u, 5;", 10 + i);
  strcat(body, READ(0) "bra there; mov.u64 %d9, 1; mov.u64 %d9, 2; there:" READ(1) RECORD_PLACE);
  record(body, 2);
  struct run run = {.body = body};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  assert_true(s.counts.instruction_cache_misses == 0);
  return s.words[0][1] - s.words[0][0];
}

// Of f instructions that came together the branch is number p from 0 on. It issues one cycle behind the reading, or, as the
// first of its fetch, decode_cycles behind. If it is the last, the fetch that follows in the same cycle is of the path not
// taken and goes for nothing: the target comes after two of them. If others stand behind it, they are dropped, and the
// target is fetched in the next cycle.
static void a_taken_branch(void **state) {
  (void)state;
  for (uint32_t fetch = 1; fetch <= 4; fetch++)
    for (uint32_t decode = 1; decode <= 5; decode++)
      for (unsigned n = 1; n <= 8; n++) {
        struct rig *rig = rig_new();
        rig_set(rig, "core.fetch_instructions=%u", fetch);
        rig_set(rig, "core.decode_cycles=%u", decode);
        uint64_t issue = n % fetch ? 1 : decode, penalty = n % fetch == fetch - 1 ? 2 * decode : 1 + decode;
        assert_int_equal(around_branch(rig, n), issue + penalty);
        rig_free(rig);
      }
}

// On the GTX 480 (pairs, two cycles): three cycles to the target from the first of a pair, four from the second.
static void a_taken_branch_of_a_pair(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  assert_int_equal(rig->config->core.fetch_instructions, 2);
  assert_int_equal(rig->config->core.decode_cycles, 2);
  assert_int_equal(around_branch(rig, 4), 2 + 3);
  assert_int_equal(around_branch(rig, 5), 1 + 4);
  rig_free(rig);
}

// A branch not taken costs its slot, no more: of three instructions one after the other, two are a pair, and the odd one is
// fetched beside.
static void a_branch_not_taken(void **state) {
  (void)state;
  for (unsigned n = 20; n <= 21; n++) {
    struct rig *rig = rig_new();
    char body[2048] = "setp.eq.u32 %p1, 1, 2;";
    for (unsigned i = 1; i < n; i++)
      sprintf(body + strlen(body), "mov.u64 %%d%u, 5;", 10 + i); // the predicate is there
    strcat(body, READ(0) "@%p1 bra there;" READ(1) "mov.u64 %d9, 2; there: " RECORD_PLACE);
    record(body, 2);
    struct run run = {.body = body};
    struct sight s;
    observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
    assert_int_equal(s.words[0][1] - s.words[0][0], 1 + rig->config->core.decode_cycles);
    rig_free(rig);
  }
}

// Behind a branch nothing of its warp issues for core.branch_cycles: where fetching takes longer, that counts. Whether it is taken does not matter.
static void a_branch_holds_its_warp(void **state) {
  (void)state;
  for (uint32_t hold = 0; hold <= 12; hold += 3) {
    struct rig *rig = rig_new();
    rig_set(rig, "core.decode_cycles=4");
    rig_set(rig, "core.branch_cycles=%u", hold);
    assert_int_equal(around_branch(rig, 4), 4 + (hold > 5 ? hold : 5)); // the first of a pair: 1 + decode_cycles
    assert_int_equal(around_branch(rig, 5), 1 + (hold > 8 ? hold : 8)); // the last of one: two fetches
    rig_free(rig);
    rig = lone_rig();
    rig_set(rig, "core.branch_cycles=%u", hold);
    const uint64_t apart = between(rig, READ(0) "@%p2 bra there;" READ(1) "there:"),
                   none = between(rig, READ(0) "mov.u64 %d9, 5;" READ(1));
    assert_int_equal(apart, none - 1 + (hold > 1 ? hold : 1));
    rig_free(rig);
  }
}

// What is fetched can issue in the next cycle at the earliest: a chip that says otherwise is told so.
static void decoding_takes_a_cycle(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  assert_false(weir_chip_set(rig->config, "core.decode_cycles=0", "test", &rig->sink));
  assert_true(weir_chip_set(rig->config, "core.decode_cycles=1", "test", &rig->sink));
  rig_free(rig);
}

// ---- the instruction cache --------------------------------------------------------------------------------------------

// Straight through `lines` lines, ret included.
static void straight(char *body, unsigned lines) {
  *body = 0;
  for (unsigned i = 0; i < lines * LINE_INSTRUCTIONS - 1; i++) strcat(body, "mov.u64 %d9, 5;");
}

// The first launch misses once per line, whatever the number of warps; the second not at all, unless the lines are more than
// the cache holds: then LRU misses all of them again. All of these hit the second level, and each costs what its delay says.
static void misses_by_the_line(void **state) {
  (void)state;
  for (unsigned lines = 1; lines <= 6; lines++)
    for (unsigned warps = 1; warps <= 4; warps += 3) {
      char body[4096];
      straight(body, lines);
      struct run run = {.body = body, .threads = 32 * warps};
      struct rig *rig = rig_new();
      struct sight fits, small, late;
      observe(rig, &run, UINT64_C(0xFFFFFFF0), &fits);
      assert_int_equal(fits.cold.instruction_cache_misses, lines);
      assert_int_equal(fits.counts.instruction_cache_misses, 0);
      rig_set(rig, "instruction_cache.size_bytes=512"); // one set of four
      observe(rig, &run, UINT64_C(0xFFFFFFF0), &small);
      uint64_t again = lines > 4 ? lines : 0;
      assert_int_equal(small.cold.instruction_cache_misses, lines);
      assert_int_equal(small.counts.instruction_cache_misses, again);
      rig_set(rig, "l2.input_delay_cycles=%u", rig->config->caches[1].input_delay_cycles + 100);
      observe(rig, &run, UINT64_C(0xFFFFFFF0), &late);
      assert_int_equal(late.counts.cycles - small.counts.cycles, 100 * again);
      assert_true(lines <= 4 ? small.counts.cycles == fits.counts.cycles : small.counts.cycles > fits.counts.cycles);
      rig_free(rig);
    }
}

// Warps that wait for one line get it one per cycle, in the order in which they asked: from warp 1 on, one behind the other.
static void one_line_for_all(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "core.fetch_instructions=1");
  // The clock as the first launch read it is lost to the second; so let the second miss: five lines, a cache of four.
  rig_set(rig, "instruction_cache.size_bytes=512");
  char body[4096], text[sizeof body + 512];
  straight(body, 5);
  snprintf(text, sizeof text, "%s%s%s", READ(0), body, RECORD_PLACE);
  record(text, 1);
  struct run run = {.body = text, .threads = 128};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  assert_true(s.counts.instruction_cache_misses >= 5);
  for (unsigned w = 1; w <= 4; w++) assert_int_equal(s.words[w % 4][0], s.words[1][0] + w - 1);
  // Asked for a cycle after the block's start, the line comes no sooner than the network and the second level allow.
  const struct weir_cache_config *l2 = &rig->config->caches[1];
  assert_true(s.words[1][0] > s.begin + 2 * rig->config->network.latency_cycles + l2->input_delay_cycles);
  rig_free(rig);
}

// The first launch's misses, its cycles, and what it read from DRAM, through so many lines that are not there.
static struct weir_run_stats cold_launch(unsigned lines, unsigned ahead, unsigned delay) {
  char body[4096];
  struct rig *rig = rig_new();
  struct run run = {.body = body};
  struct sight s;
  straight(body, lines);
  body[strlen(body) - strlen("mov.u64 %d9, 5;")] =
    '\0'; // the program has an instruction more than the body and its ret
  rig_set(rig, "core.prefetch_lines=%u", ahead);
  rig_set(rig, "instruction_cache.mshrs=16");
  rig_set(rig, "l2.input_delay_cycles=%u", rig->config->caches[1].input_delay_cycles + delay);
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  rig_free(rig);
  return s.cold;
}

// A stream buffer of eight lines has asked for all of them once the first has missed: only that one is waited for. One of one line asks for the
// third when the second is wanted, and for the fourth when the third is, which is still on its way: every other line is
// waited for. Nothing behind the program is read.
static void a_stream_buffer(void **state) {
  (void)state;
  enum { DELAY = 1000, ROUNDING = 2 * 6 /* of clocks that are not the core's, of each wait */ };
  for (unsigned lines = 1; lines <= 6; lines++) {
    static const unsigned ahead[] = {0, 1, 8};
    const unsigned waits[] = {lines, (lines + 1) / 2, 1};
    const struct weir_run_stats without = cold_launch(lines, 0, 0);
    for (unsigned i = 0; i < 3; i++) {
      const struct weir_run_stats near = cold_launch(lines, ahead[i], 0), far = cold_launch(lines, ahead[i], DELAY);
      assert_int_equal(near.instruction_cache_misses, lines); // by whomever
      assert_in_range(far.cycles - near.cycles, waits[i] * DELAY - ROUNDING, waits[i] * DELAY + ROUNDING);
      assert_int_equal(near.dram.reads, without.dram.reads);
      assert_true(near.cycles <= without.cycles);
    }
  }
}

// An instruction of 16 bytes takes as much of the caches as two of 8.
static void long_instructions(void **state) {
  (void)state;
  for (unsigned lines = 1; lines <= 4; lines++) {
    char body[4096];
    straight(body, lines);
    struct run run = {.body = body};
    struct rig *rig = rig_new();
    struct sight s;
    rig_set(rig, "core.instruction_bytes=16");
    observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
    assert_int_equal(s.cold.instruction_cache_misses, 2 * lines);
    rig_free(rig);
  }
}

// Two launches of so many lines, the program's last instruction included. `dram`: core cycles more to and from memory; `settings`: of the chip.
static void begin_launches(unsigned lines, unsigned dram, const char *const *settings, struct sight *s) {
  char body[4096];
  struct rig *rig = rig_new();
  struct run run = {.body = body};
  straight(body, lines);
  body[strlen(body) - strlen("mov.u64 %d9, 5;")] = '\0';
  rig_set(rig, "dram.fixed_latency_core_cycles=%u", rig->config->dram.fixed_latency_core_cycles + dram);
  for (; *settings; settings++) rig_set(rig, "%s", *settings);
  observe(rig, &run, UINT64_C(0xFFFFFFF0), s);
  rig_free(rig);
}

// A launch that has its code fetched waits for none of it in memory, if there is time before its first block, and reads it once; each line
// beyond launch_prefetch_bytes is waited for. The next launch finds all in the core's own cache, but asks the shared one again.
static void code_is_fetched_for_a_launch(void **state) {
  (void)state;
  enum { LINES = 4, DRAM = 1000, ROUNDING = 12 };
  static const char *const none[] = {"core.launch_cycles=5000", NULL};
  struct sight plain, near, far;
  begin_launches(LINES, 0, none, &plain);
  assert_int_equal(plain.cold.code_prefetches, 0);
  for (unsigned fetched = 1; fetched <= LINES; fetched++) {
    char bytes[64];
    snprintf(bytes, sizeof bytes, "core.launch_prefetch_bytes=%u", fetched * 128);
    const char *const settings[] = {"core.launch_cycles=5000", bytes, NULL};
    begin_launches(LINES, 0, settings, &near);
    begin_launches(LINES, DRAM, settings, &far);
    assert_int_equal(near.cold.code_prefetches, fetched);
    assert_int_equal(near.cold.instruction_cache_misses, LINES);
    assert_int_equal(near.cold.dram.reads, plain.cold.dram.reads);
    const uint64_t waits = (LINES - fetched) * DRAM, took = far.cold.cycles - near.cold.cycles;
    assert_in_range(took + ROUNDING * LINES, waits, waits + 2 * ROUNDING * LINES);
    assert_true(near.cold.cycles < plain.cold.cycles);
    assert_int_equal(near.counts.instruction_cache_misses, 0);
    assert_int_equal(near.counts.cycles, plain.counts.cycles);
  }
}

// A cold launch begins without its code: it misses all of it, and reads it from memory.
static void a_cold_launch(void **state) {
  (void)state;
  static const char *const warm[] = {NULL}, *const cold[] = {"cold_launches=true", NULL};
  struct sight w, c;
  begin_launches(4, 0, warm, &w);
  begin_launches(4, 0, cold, &c);
  assert_int_equal(w.counts.instruction_cache_misses, 0);
  assert_int_equal(w.counts.dram.reads, 0);
  assert_int_equal(c.counts.instruction_cache_misses, 4);
  assert_int_equal(c.counts.dram.reads, c.cold.dram.reads);
  assert_in_range(c.counts.cycles, c.cold.cycles - 50, c.cold.cycles + 50); // where memory's clock and rows stand
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_taken_branch),     cmocka_unit_test(a_taken_branch_of_a_pair),
    cmocka_unit_test(a_branch_not_taken), cmocka_unit_test(decoding_takes_a_cycle),
    cmocka_unit_test(misses_by_the_line), cmocka_unit_test(one_line_for_all),
    cmocka_unit_test(a_stream_buffer),    cmocka_unit_test(a_branch_holds_its_warp),
    cmocka_unit_test(long_instructions),  cmocka_unit_test(code_is_fetched_for_a_launch),
    cmocka_unit_test(a_cold_launch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
