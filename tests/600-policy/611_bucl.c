// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// BUCL (Zhao et al., sections IV and V) by hand: TUCD is read off as the largest transactions per request that is not sent past
// the L1. Rates are ratios of small counts, so that each side of a threshold, and the threshold itself, can be hit exactly.
#include "rig.h"

enum { CORES = 15, SLICES = 12, MAX_CORES = 40 };

struct bench {
  struct weir_policy_instance i;
  struct weir_core_sensors core[MAX_CORES];
  struct weir_slice_sensors slice[SLICES];
  struct weir_sensors s;
};

static struct bench *bench_on(const char *policy, const char *knobs, uint32_t instance, uint32_t instances) {
  struct bench *b = calloc(1, sizeof *b);
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, policy, knobs);
  struct weir_geometry g = {.sets = 32,
                            .ways = 4,
                            .line_bytes = 128,
                            .knobs = choice.knobs,
                            .warps = 48,
                            .instance = instance,
                            .instances = instances};
  assert_true(!choice.policy->reject(&g));
  weir_policy_start(&b->i, NULL, &choice, &g, 1, 0);
  b->s = (struct weir_sensors){
    .epoch_cycles = 1000, .cores = instances, .slices = SLICES, .core = b->core, .slice = b->slice};
  for (uint32_t i = 0; i < instances; i++) b->core[i].occupied = true;
  return b;
}

static struct bench *bench_new(const char *policy, const char *knobs) {
  return bench_on(policy, knobs, 0, CORES);
}

static void bench_free(struct bench *b) {
  weir_policy_stop(&b->i);
  free(b);
}

static bool bypasses_load(struct bench *b, uint8_t transactions) {
  struct weir_access a = {.kind = WEIR_ACCESS_LOAD, .transactions = transactions};
  return weir_hook(&b->i, load, &a);
}

static bool bypasses_cause(struct bench *b, uint16_t slice, enum weir_stall why) {
  struct weir_access a = {.kind = WEIR_ACCESS_LOAD, .transactions = 1, .slice = slice};
  return weir_hook(&b->i, stall, &a, why);
}

// The causes that section II.B names go together.
static bool bypasses_stall(struct bench *b, uint16_t slice) {
  bool no_way = bypasses_cause(b, slice, WEIR_STALL_NO_WAY);
  assert_int_equal(bypasses_cause(b, slice, WEIR_STALL_MSHR_FULL), no_way);
  assert_int_equal(bypasses_cause(b, slice, WEIR_STALL_MISS_QUEUE), no_way);
  assert_false(bypasses_cause(b, slice, WEIR_STALL_MERGE_FULL));
  return no_way;
}

static unsigned tucd(struct bench *b) {
  unsigned transactions = 0;
  while (transactions < 64 && !bypasses_load(b, (uint8_t)(transactions + 1))) transactions++;
  for (unsigned more = transactions + 1; more <= 64; more++) assert_true(bypasses_load(b, (uint8_t)more));
  return transactions;
}

static void end_period(struct bench *b) {
  b->s.now += b->s.epoch_cycles;
  b->s.launch_cycles += b->s.epoch_cycles;
  b->i.policy->epoch(&b->i.view, &b->s);
}

static void begin_launch(struct bench *b, uint64_t number) {
  b->s.launch_cycles = 0;
  weir_hook(&b->i, launch, number);
}

// A core's L1 serves these loads, besides those that go past it.
static void serve_core(struct bench *b, unsigned core, uint64_t hits, uint64_t pending, uint64_t misses) {
  const uint64_t past = b->core[core].stall_bypasses;
  b->core[core].loads = (struct weir_access_counts){.accesses = hits + pending + misses + past,
                                                    .hits = hits,
                                                    .hits_on_miss = pending,
                                                    .misses = misses + past,
                                                    .bypasses = past};
}

// Ends a period in which core 0's L1 served these loads.
static void serve(struct bench *b, uint64_t hits, uint64_t pending, uint64_t misses) {
  serve_core(b, 0, hits, pending, misses);
  end_period(b);
}

// ---- TUCD of BUCL-Dyn -----------------------------------------------------------------------------------------------------

struct step {
  unsigned hits, pending, misses, tucd; // of a period; after it
};

static void follow(struct bench *b, const struct step *steps, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    serve(b, steps[i].hits, steps[i].pending, steps[i].misses);
    assert_int_equal(tucd(b), steps[i].tucd);
  }
}

// Up by one above 0.8, else down by one; no load, no move; a hit on a line in flight counts as an access.
static void tucd_follows_the_hit_rate(void **state) {
  (void)state;
  static const struct step script[] = {
    {9, 0, 1, 6}, {801, 0, 199, 7}, {4, 0, 1, 6},   {8, 0, 2, 5},   {800, 0, 200, 4}, {0, 0, 0, 4}, {1, 0, 0, 5},
    {0, 0, 1, 4}, {0, 1, 0, 3},     {85, 10, 5, 4}, {75, 20, 5, 3}, {0, 0, 0, 3},     {4, 0, 1, 2},
  };
  struct bench *b = bench_new("bucl-dyn", NULL);
  assert_int_equal(tucd(b), 5);
  follow(b, script, sizeof script / sizeof *script);
  assert_int_equal(rig_counter(&b->i, "periods"), 13);
  assert_int_equal(rig_counter(&b->i, "held_periods"), 2);
  assert_int_equal(rig_counter(&b->i, "tucd_raises"), 4);
  assert_int_equal(rig_counter(&b->i, "tucd_falls"), 7);
  assert_int_equal(rig_counter(&b->i, "tucd_sum"), 5 + 6 + 7 + 6 + 5 + 4 + 4 + 5 + 4 + 3 + 4 + 3 + 3);
  bench_free(b);
}

static void tucd_stays_within_its_bounds(void **state) {
  (void)state;
  struct bench *b = bench_new("bucl-dyn", NULL);
  static const struct step down[] = {{0, 0, 9, 4}, {0, 0, 9, 3}, {0, 0, 9, 2},
                                     {0, 0, 9, 2}, {0, 0, 9, 2}, {9, 0, 0, 3}};
  follow(b, down, 6);
  for (unsigned expect = 4; expect <= 25; expect++) {
    serve(b, 9, 0, 0);
    assert_int_equal(tucd(b), expect);
  }
  static const struct step up[] = {{9, 0, 0, 25}, {9, 0, 0, 25}, {0, 0, 9, 24}, {9, 0, 0, 25}};
  follow(b, up, 4);
  assert_int_equal(rig_counter(&b->i, "tucd_raises"), 24);
  assert_int_equal(rig_counter(&b->i, "tucd_falls"), 4);
  bench_free(b);
  b = bench_new("bucl-dyn", "initial_tucd=3,min_tucd=3,max_tucd=4,hit_rate_threshold=0.5");
  static const struct step narrow[] = {{1, 0, 1, 3}, {3, 0, 2, 4}, {9, 0, 0, 4}, {0, 0, 1, 3}, {0, 0, 1, 3}};
  assert_int_equal(tucd(b), 3);
  follow(b, narrow, 5);
  bench_free(b);
}

// What else may count: 7 hits, 2 pending, 1 miss; 9 hits, 1 miss and 2 sent past.
static void what_the_hit_rate_counts(void **state) {
  (void)state;
  struct bench *b = bench_new("bucl-dyn", "pending_is_hit=true");
  follow(b, (const struct step[]){{7, 2, 1, 6}, {7, 1, 2, 5}}, 2);
  bench_free(b);
  b = bench_new("bucl-dyn", NULL);
  b->core[0].stall_bypasses = 2;
  follow(b, (const struct step[]){{9, 0, 1, 6}}, 1);
  bench_free(b);
  b = bench_new("bucl-dyn", "bypass_is_miss=true");
  b->core[0].stall_bypasses = 2;
  follow(b, (const struct step[]){{9, 0, 1, 4}}, 1); // 9 of 12
  b->core[0].stall_bypasses = 1;
  follow(b, (const struct step[]){{9, 0, 1, 5}, {0, 0, 0, 4}}, 2); // 9 of 11; 0 of 1
  bench_free(b);
}

// Cores 0 and 1: 0 of 10, without a block; 2: 9 of 10; 3: 10 of 40.
static unsigned tucd_tracking(const char *knobs, bool occupied) {
  struct bench *b = bench_new("bucl-dyn", knobs);
  for (unsigned i = 0; i < CORES; i++) b->core[i].occupied = occupied && i >= 2;
  serve_core(b, 0, 0, 0, 10);
  serve_core(b, 1, 0, 0, 10);
  serve_core(b, 2, 9, 0, 1);
  serve_core(b, 3, 10, 0, 30);
  end_period(b);
  unsigned after = tucd(b);
  bench_free(b);
  return after;
}

static void which_l1_is_tracked(void **state) {
  (void)state;
  assert_int_equal(tucd_tracking(NULL, true), 6);
  assert_int_equal(tucd_tracking(NULL, false), 5); // none: held
  assert_int_equal(tucd_tracking("tracked=first", true), 4);
  assert_int_equal(tucd_tracking("tracked=first", false), 4);
  assert_int_equal(tucd_tracking("tracked=all", true), 4); // 19 of 70
  assert_int_equal(tucd_tracking("tracked=all,hit_rate_threshold=0.27", true), 6);
  assert_int_equal(tucd_tracking("tracked=all,hit_rate_threshold=0.28", true), 4);
}

static void tucd_lasts_over_launches(void **state) {
  (void)state;
  struct bench *b = bench_new("bucl-dyn", NULL), *anew = bench_new("bucl-dyn", "reset_at_launch=true");
  begin_launch(b, 0);
  begin_launch(anew, 0);
  serve(b, 0, 0, 1);
  serve(anew, 0, 0, 1);
  begin_launch(b, 1);
  begin_launch(anew, 1);
  assert_int_equal(tucd(b), 4);
  assert_true(bypasses_stall(b, 0));
  assert_int_equal(tucd(anew), 5);
  assert_false(bypasses_stall(anew, 0));
  bench_free(b);
  bench_free(anew);
}

// ---- accesses that stall --------------------------------------------------------------------------------------------------

static bool after_rate(struct bench *b, unsigned hits, unsigned misses) {
  serve(b, hits, 0, misses);
  return bypasses_stall(b, 0);
}

// Below 0.8 only; what the last period with a load measured stands; 1 before there was one.
static void a_stall_bypasses_while_hits_are_few(void **state) {
  (void)state;
  static const char *const policies[] = {"bucl-dyn", "bucl-prf"};
  for (unsigned i = 0; i < 2; i++) {
    struct bench *b = bench_new(policies[i], NULL);
    assert_false(bypasses_stall(b, 0));
    assert_false(after_rate(b, 0, 0));
    assert_true(after_rate(b, 79, 21));
    assert_true(after_rate(b, 0, 0));
    assert_false(after_rate(b, 4, 1));
    assert_false(after_rate(b, 0, 0));
    assert_true(after_rate(b, 0, 1));
    assert_false(after_rate(b, 81, 19));
    assert_int_equal(rig_counter(&b->i, "low_hit_rates"), 3);
    bench_free(b);
  }
}

// Each slice by its own buffer: below 0.7 only, of the last period, whether that had loads or not.
static void a_stall_bypasses_to_idle_slices(void **state) {
  (void)state;
  struct bench *b = bench_new("bucl-dyn", NULL);
  b->slice[0].input_utilisation = 0.7;
  b->slice[1].input_utilisation = 0.699;
  b->slice[5].input_utilisation = 1;
  b->slice[11].input_utilisation = 0.71;
  serve(b, 0, 0, 1);
  for (uint16_t i = 0; i < SLICES; i++) assert_int_equal(bypasses_stall(b, i), i != 0 && i != 5 && i != 11);
  b->slice[0].input_utilisation = b->slice[11].input_utilisation = 0;
  b->slice[1].input_utilisation = 0.9;
  serve(b, 0, 0, 0);
  for (uint16_t i = 0; i < SLICES; i++) assert_int_equal(bypasses_stall(b, i), i != 1 && i != 5);
  assert_int_equal(rig_counter(&b->i, "busy_slices"), 3 + 2);
  bench_free(b);
}

static void causes_can_be_chosen(void **state) {
  (void)state;
  static const struct {
    const char *knobs;
    enum weir_stall why;
  } cases[] = {
    {"on_mshr_full=false,on_miss_queue=false", WEIR_STALL_NO_WAY},
    {"on_no_way=false,on_miss_queue=false", WEIR_STALL_MSHR_FULL},
    {"on_no_way=false,on_mshr_full=false", WEIR_STALL_MISS_QUEUE},
    {"on_no_way=false,on_mshr_full=false,on_miss_queue=false,on_merge_full=true", WEIR_STALL_MERGE_FULL},
  };
  for (unsigned i = 0; i < 4; i++) {
    struct bench *b = bench_new("bucl-dyn", cases[i].knobs);
    serve(b, 0, 0, 1);
    for (enum weir_stall why = WEIR_STALL_NONE; why < WEIR_STALL_COUNT; why++)
      assert_int_equal(bypasses_cause(b, 0, why), why == cases[i].why);
    bench_free(b);
  }
}

static void each_granularity_can_be_switched_off(void **state) {
  (void)state;
  struct bench *b = bench_new("bucl-dyn", "instruction_level=false");
  assert_false(bypasses_load(b, 64));
  serve(b, 0, 0, 1);
  assert_false(bypasses_load(b, 64));
  assert_true(bypasses_stall(b, 3));
  assert_int_equal(rig_counter(&b->i, "load_bypasses"), 0);
  assert_int_equal(rig_counter(&b->i, "stall_bypasses"), 3); // one of each cause
  bench_free(b);
  b = bench_new("bucl-dyn", "access_level=false");
  serve(b, 0, 0, 1);
  assert_false(bypasses_stall(b, 3));
  assert_true(bypasses_load(b, 5));
  assert_false(bypasses_load(b, 4));
  assert_int_equal(rig_counter(&b->i, "load_bypasses"), 1);
  assert_int_equal(rig_counter(&b->i, "stall_bypasses"), 0);
  bench_free(b);
}

// ---- the profile of BUCL-Prf ------------------------------------------------------------------------------------------------

static const unsigned table_2[CORES] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22, 25};

static unsigned candidate(uint32_t sm, uint32_t sms) {
  struct bench *b = bench_on("bucl-prf", NULL, sm, sms);
  begin_launch(b, 0);
  unsigned t = tucd(b);
  bench_free(b);
  return t;
}

static void candidates_are_those_of_table_2(void **state) {
  (void)state;
  for (uint32_t i = 0; i < CORES; i++) assert_int_equal(candidate(i, CORES), table_2[i]);
  for (uint32_t i = 0; i < MAX_CORES; i++)
    assert_int_equal(candidate(i, MAX_CORES), table_2[i % CORES]); // more SMs: again from the first
  static const unsigned of_8[] = {2, 4, 6, 8, 12, 16, 20, 25};     // fewer: every second
  for (uint32_t i = 0; i < 8; i++) assert_int_equal(candidate(i, 8), of_8[i]);
  assert_int_equal(candidate(0, 2), 2);
  assert_int_equal(candidate(1, 2), 25);
  assert_int_equal(candidate(0, 1), 5);
}

static void issue(struct bench *b, const unsigned *instructions) {
  for (unsigned i = 0; i < CORES; i++) b->core[i].launch_instructions = instructions[i];
}

// Five periods of 1000 cycles, then SM 9's 14, seen from SM 3. Periods afterwards, and what was issued in them, change nothing.
static void the_best_sm_decides(void **state) {
  (void)state;
  struct bench *b = bench_on("bucl-prf", NULL, 3, CORES);
  begin_launch(b, 0);
  issue(b, (const unsigned[CORES]){[0] = 900, [9] = 901, [14] = 900});
  for (unsigned period = 1; period < 5; period++) {
    end_period(b);
    assert_int_equal(tucd(b), 5);
  }
  end_period(b);
  assert_int_equal(tucd(b), 14);
  issue(b, (const unsigned[CORES]){[0] = 2000, [9] = 1500});
  end_period(b);
  serve(b, 9, 0, 0);
  assert_int_equal(tucd(b), 14);
  bench_free(b);
}

static unsigned chosen(const char *knobs, const unsigned *instructions) {
  struct bench *b = bench_new("bucl-prf", knobs);
  begin_launch(b, 0);
  issue(b, instructions);
  while (rig_counter(&b->i, "profiles") == 0) end_period(b);
  assert_int_equal(rig_counter(&b->i, "chosen_tucd_sum"), tucd(b));
  unsigned t = tucd(b);
  bench_free(b);
  return t;
}

static void of_equals_the_first_decides(void **state) {
  (void)state;
  assert_int_equal(chosen(NULL, (const unsigned[CORES]){[7] = 10, [8] = 10}), 10);
  assert_int_equal(chosen(NULL, (const unsigned[CORES]){[13] = 10, [14] = 11}), 25);
  assert_int_equal(chosen(NULL, (const unsigned[CORES]){0}), 2);
}

static void the_profile_has_the_length_asked_for(void **state) {
  (void)state;
  static const struct {
    const char *knobs;
    unsigned periods;
  } cases[] = {{NULL, 5}, {"profile_cycles=10000", 10}, {"profile_cycles=1000", 1}};
  for (unsigned i = 0; i < 3; i++) {
    struct bench *b = bench_new("bucl-prf", cases[i].knobs);
    begin_launch(b, 0);
    for (unsigned period = 1; period <= cases[i].periods; period++) {
      assert_int_equal(rig_counter(&b->i, "profiles"), 0);
      end_period(b);
    }
    assert_int_equal(rig_counter(&b->i, "profiles"), 1);
    bench_free(b);
  }
}

// Each launch profiles anew; one that ends in its profile decides nothing; accesses that stall bypass all along.
static void each_launch_profiles(void **state) {
  (void)state;
  struct bench *b = bench_on("bucl-prf", NULL, 14, CORES);
  begin_launch(b, 0);
  issue(b, (const unsigned[CORES]){[2] = 7});
  serve(b, 0, 0, 1);
  assert_true(bypasses_stall(b, 0));
  for (unsigned period = 1; period < 5; period++) end_period(b);
  assert_int_equal(tucd(b), 4);
  begin_launch(b, 1);
  assert_int_equal(tucd(b), 25);
  assert_true(bypasses_stall(b, 0));
  for (unsigned period = 0; period < 4; period++) end_period(b);
  begin_launch(b, 2);
  assert_int_equal(tucd(b), 25);
  issue(b, (const unsigned[CORES]){[1] = 7});
  for (unsigned period = 0; period < 4; period++) end_period(b);
  assert_int_equal(tucd(b), 25);
  end_period(b);
  assert_int_equal(tucd(b), 3);
  bench_free(b);
}

// A launch shorter than one period: no epoch between two launches.
static void launches_shorter_than_a_period(void **state) {
  (void)state;
  struct bench *prf = bench_new("bucl-prf", NULL), *dyn = bench_new("bucl-dyn", NULL);
  for (unsigned i = 0; i < 20; i++) {
    begin_launch(prf, i);
    begin_launch(dyn, i);
    assert_int_equal(tucd(prf), 2);
    assert_int_equal(tucd(dyn), 5);
    assert_false(bypasses_stall(prf, 0));
    assert_false(bypasses_stall(dyn, 0));
  }
  assert_int_equal(rig_counter(&prf->i, "profiles"), 0);
  bench_free(prf);
  bench_free(dyn);
}

// ---- descriptors ----------------------------------------------------------------------------------------------------------

static void assert_rejects(const char *policy, const char *knobs, uint32_t warps, const char *why) {
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, policy, knobs);
  struct weir_geometry g = {.sets = 32, .ways = 4, .line_bytes = 128, .knobs = choice.knobs, .warps = warps};
  const char *said = choice.policy->reject(&g);
  if (!why)
    assert_null(said);
  else
    assert_true(said && strstr(said, why));
}

static void what_cannot_work_is_rejected(void **state) {
  (void)state;
  assert_rejects("bucl-dyn", NULL, 48, NULL);
  assert_rejects("bucl-dyn", NULL, 0, "first level");
  assert_rejects("bucl-dyn", "min_tucd=6", 48, "between");
  assert_rejects("bucl-dyn", "max_tucd=4", 48, "between");
  assert_rejects("bucl-prf", NULL, 48, NULL);
  assert_rejects("bucl-prf", NULL, 0, "first level");
  assert_rejects("bucl-prf", "period=3000", 48, "multiple");
}

// Shared by 15 SMs: two counters to 1000 (10 bits each), a bit, and per slice a sum to 8000 (13 bits) and a bit, 189 in all;
// Dyn: TUCD to 25 (5 bits). 194 / 15 and 189 / 15 round up to 13. Prf: 5 bits and a counter to 10000 (14 bits) per SM.
static void cost(void **state) {
  (void)state;
  struct weir_geometry g = {.sets = 32, .ways = 4, .line_bytes = 128, .warps = 48, .instances = CORES};
  struct weir_policy_choice dyn = rig_choose(WEIR_POLICY_BYPASS, "bucl-dyn", NULL);
  struct weir_policy_choice prf = rig_choose(WEIR_POLICY_BYPASS, "bucl-prf", NULL);
  g.knobs = dyn.knobs;
  assert_int_equal(weir_policy_cost_bits(dyn.policy, &g), 13);
  g.knobs = prf.knobs;
  assert_int_equal(weir_policy_cost_bits(prf.policy, &g), 5 + 14 + 13);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(tucd_follows_the_hit_rate),
    cmocka_unit_test(tucd_stays_within_its_bounds),
    cmocka_unit_test(what_the_hit_rate_counts),
    cmocka_unit_test(which_l1_is_tracked),
    cmocka_unit_test(tucd_lasts_over_launches),
    cmocka_unit_test(a_stall_bypasses_while_hits_are_few),
    cmocka_unit_test(a_stall_bypasses_to_idle_slices),
    cmocka_unit_test(causes_can_be_chosen),
    cmocka_unit_test(each_granularity_can_be_switched_off),
    cmocka_unit_test(candidates_are_those_of_table_2),
    cmocka_unit_test(the_best_sm_decides),
    cmocka_unit_test(of_equals_the_first_decides),
    cmocka_unit_test(the_profile_has_the_length_asked_for),
    cmocka_unit_test(each_launch_profiles),
    cmocka_unit_test(launches_shorter_than_a_period),
    cmocka_unit_test(what_cannot_work_is_rejected),
    cmocka_unit_test(cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
