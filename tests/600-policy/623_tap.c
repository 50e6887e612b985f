// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// TAP over UCP and over RRIP: the verdict on the GPU, the ratio of accesses, and what either changes.
#include "policy/tap.h"
#include "shared_rig.h"

// ---- verdict and ratio -------------------------------------------------------------------------------------------------------

// alpha 5 %, beta 10 %, cores 0 and 1, ratio above 10, at least 1000 instructions.
static const double defaults[WEIR_TAP_KNOBS] = {0.05, 0.1, 0, 1, 10, 1000};

static unsigned judge(const double *knobs, uint64_t one, uint64_t two, uint32_t cores) {
  const struct weir_core_sensors core[4] = {{.instructions = one}, {.instructions = two}};
  const struct weir_sensors s = {.epoch_cycles = 100000, .cores = cores, .core = core};
  return weir_tap_judge(knobs, &s);
}

// Of cores with the same cycles, 19 instructions to 20 are cycles per instruction of 20 to 19: 5 % less than the larger.
static void verdicts(void **state) {
  (void)state;
  assert_int_equal(judge(defaults, 19001, 20000, 4), WEIR_TAP_INSENSITIVE);
  assert_int_equal(judge(defaults, 20000, 19001, 4), WEIR_TAP_INSENSITIVE);
  assert_int_equal(judge(defaults, 18999, 20000, 4), WEIR_TAP_MILD);
  assert_int_equal(judge(defaults, 20000, 18001, 4), WEIR_TAP_MILD);
  assert_int_equal(judge(defaults, 17999, 20000, 4), WEIR_TAP_STRONG);
  assert_int_equal(judge(defaults, 999, 20000, 4), WEIR_TAP_UNKNOWN);
  assert_int_equal(judge(defaults, 1000, 1000, 4), WEIR_TAP_INSENSITIVE);
  assert_int_equal(judge(defaults, 20000, 20000, 1), WEIR_TAP_UNKNOWN); // there is no core 1
  const double same_core[WEIR_TAP_KNOBS] = {0.05, 0.1, 0, 0, 10, 0}, idle[WEIR_TAP_KNOBS] = {0.05, 0.1, 0, 1, 10, 0};
  assert_int_equal(judge(same_core, 20000, 20000, 4), WEIR_TAP_UNKNOWN);
  assert_int_equal(judge(idle, 0, 0, 4), WEIR_TAP_UNKNOWN);
}

static void ratios(void **state) {
  (void)state;
  static const struct {
    uint64_t accesses[4];
    uint32_t requesters, ratio;
  } cases[] = {
    {{1000, 100, 0}, 3, 1},    {{1001, 100, 0}, 3, 10},   {{1100, 100, 99}, 3, 11}, {{1100, 99, 100}, 3, 11},
    {{99999, 10, 9}, 3, 1023}, {{500, 0, 0}, 3, 1023},    {{0, 0, 0}, 3, 1},        {{100000}, 1, 1},
    {{100, 1000, 0}, 3, 1},    {{2999, 100, 200}, 3, 14},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(weir_tap_ratio(cases[i].accesses, cases[i].requesters, 10), cases[i].ratio);
}

// ---- over RRIP -----------------------------------------------------------------------------------------------------------------

// Ends a period in which the sampled cores issued so many instructions.
static void end_period(struct rig *rig, uint64_t one, uint64_t two) {
  const struct weir_core_sensors core[SHARED_CORES] = {{.instructions = one}, {.instructions = two}};
  shared_epoch(rig, &rig->replace, core, SHARED_CORES, 100000);
}

// 48 sets, requesters GPU and program 1, leaders far from set 47, which follows SRRIP (PSEL starts there). Four ways, M = 2.
enum { SETS = 48, SET = 47 };

static struct rig *rrip(const char *knobs) {
  char all[256];
  snprintf(all, sizeof all, "rrpv_bits=2,leaders=2,period=65536%s%s", knobs ? "," : "", knobs ? knobs : "");
  return rig_new_shared(2, SETS, 4, "tap-rrip", all);
}

// So many accesses of either that the GPU comes n times as often, in a set that is not looked at. Its blocks hit.
static void come(struct rig *rig, unsigned gpu, unsigned program) {
  for (unsigned i = 0; i < gpu; i++) shared_load(rig, 0, 40);
  for (unsigned i = 0; i < program; i++) shared_load(rig, 1, 40 + 1000 * SETS);
}

// Sensitive and no more frequent: as thread-aware DRRIP. A promoted: 0; e: B, c, d age to 3, B leaves.
static void sensitive_and_rare(void **state) {
  (void)state;
  struct rig *rig = rrip(NULL);
  come(rig, 10, 10);
  end_period(rig, 15000, 20000);
  shared_trace(rig, SET, "ABcd A e", "mmmm h B");
  assert_int_equal(rig_counter(&rig->replace, "strong_periods"), 1);
  rig_free(rig);
}

// Sensitive, but more than ten times as frequent: the GPU's lines enter as before, but its hits do not promote: A ages with all
// others and leaves, e (2) is in its place. Program 1's promote: c is at 0. Of B and d, at 3, f takes the lower way's, and g the
// other's: the GPU's do not leave first. Then Z: e, f and g age to 3, and e leaves.
static void sensitive_and_frequent(void **state) {
  (void)state;
  struct rig *rig = rrip(NULL);
  come(rig, 2200, 20);
  end_period(rig, 15000, 20000);
  shared_trace(rig, SET, "ABcd A e", "mmmm h A");
  assert_int_equal(rig_counter(&rig->replace, "unpromoted_hits"), 1);
  shared_trace(rig, SET, "c f g Z", "h B d e");
  // No more than ten times: the GPU promotes again.
  come(rig, 100, 10);
  end_period(rig, 15000, 20000);
  shared_trace(rig, SET, "Z", "h");
  uint64_t unpromoted = rig_counter(&rig->replace, "unpromoted_hits");
  shared_trace(rig, SET, "Z", "h");
  assert_int_equal(rig_counter(&rig->replace, "unpromoted_hits"), unpromoted);
  rig_free(rig);
}

// Insensitive: the GPU's lines enter distant, and leave first; its hits do not promote. c and d are at 2, A and B at 3. e: A, the
// lower way of the GPU's. F: B, and enters at 3. g: F.
static void insensitive(void **state) {
  (void)state;
  struct rig *rig = rrip(NULL);
  come(rig, 10, 10);
  end_period(rig, 19900, 20000);
  shared_trace(rig, SET, "cABd B e F g", "mmmm h A B F");
  assert_int_equal(rig_counter(&rig->replace, "insensitive_periods"), 1);
  // Lines of before the verdict, i, J, k, L at 2, age together: the GPU's leave first.
  struct rig *before = rrip(NULL);
  shared_trace(before, SET, "iJkL", "mmmm");
  end_period(before, 19900, 20000);
  shared_trace(before, SET, "a b c", "J L i");
  rig_free(before);
  // A period that says nothing leaves the verdict; the next that does changes it.
  come(rig, 10, 10);
  end_period(rig, 10, 20000);
  uint64_t distant = rig_counter(&rig->replace, "distant_insertions");
  shared_load(rig, 0, UINT64_C(5000) * SETS + 30);
  assert_int_equal(rig_counter(&rig->replace, "distant_insertions"), distant + 1);
  assert_int_equal(rig_counter(&rig->replace, "unknown_periods"), 1);
  come(rig, 10, 10);
  end_period(rig, 15000, 20000);
  shared_load(rig, 0, UINT64_C(5001) * SETS + 30);
  assert_int_equal(rig_counter(&rig->replace, "distant_insertions"), distant + 1);
  rig_free(rig);
}

// Core 0's lines enter distant, core 1's long, or near if so set; whatever the verdict.
static void sampled_cores(void **state) {
  (void)state;
  for (unsigned near = 0; near < 2; near++)
    for (unsigned is_insensitive = 0; is_insensitive < 2; is_insensitive++) {
      struct rig *rig = rrip(near ? "long_insertion=near" : NULL);
      come(rig, 10, 10);
      end_period(rig, is_insensitive ? 19900 : 15000, 20000);
      for (uint16_t core = 0; core < 2; core++)
        shared_do(rig, (struct shared_access){.block = (UINT64_C(1) + core) * SETS + SET, .core = core});
      const uint8_t *rrpv = weir_line_state(&rig->replace.view, SET, 0);
      assert_int_equal(rrpv[0], 3);
      assert_int_equal(rrpv[1], near ? 0 : 2);
      // Nor do their misses move PSEL: in the GPU's SRRIP leader set (2 of every 24) they would.
      for (unsigned i = 0; i < 20; i++)
        shared_do(rig, (struct shared_access){.block = (UINT64_C(10) + i) * SETS + 2, .core = (uint16_t)(i % 2)});
      uint64_t distant = rig_counter(&rig->replace, "distant_insertions");
      shared_load(rig, 0, UINT64_C(100) * SETS + 30);
      assert_int_equal(rig_counter(&rig->replace, "distant_insertions") - distant, is_insensitive);
      rig_free(rig);
    }
}

// With nothing known of the GPU, it is thread-aware DRRIP; with always_demote, that of Holey section 4.2. One requester or three.
static void neutral_it_is_ta_drrip(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 4; variant++) {
    uint32_t requesters = variant & 2 ? 3 : 1;
    const char *demote = variant & 1 ? "always_demote=on,least_ratio=1023" : "least_ratio=1023";
    struct rig *tap = rig_new_shared(requesters, SETS, 4, "tap-rrip", demote);
    struct rig *ta = rig_new_shared(requesters, SETS, 4, "ta-drrip",
                                    variant & 1 ? "rrpv_bits=3,gpu_promoted=off,gpu_first=on" : "rrpv_bits=3");
    struct weir_rng rng = weir_rng_seed(623, variant);
    for (unsigned step = 0; step < 6000; step++) {
      struct shared_access s = shared_random(&rng, requesters, SETS, 4, false);
      s.core = (uint16_t)(2 + s.core % 2); // nobody samples these
      assert_int_equal(shared_do(tap, s), shared_do(ta, s));
      if (step % 500 == 499) end_period(tap, 0, 0);
    }
    rig_free(tap);
    rig_free(ta);
  }
}

// ---- over UCP ------------------------------------------------------------------------------------------------------------------

// Four ways. Each requester goes round three blocks of its own: hits with three ways or more. The GPU does so 20 times as often.
static struct rig *ucp_after(uint64_t one, uint64_t two, const char *knobs) {
  struct rig *rig = rig_new_shared(2, 1, 4, "tap-ucp", knobs);
  for (unsigned round = 0; round < 200; round++)
    for (unsigned b = 0; b < 3; b++) {
      shared_load(rig, 0, b);
      if (round % 20 == 0) shared_load(rig, 1, 100 + b);
    }
  end_period(rig, one, two);
  return rig;
}

// Who holds how many ways in the end, if both bring in new lines without end and in turn.
static unsigned gpu_ways(struct rig *rig) {
  for (unsigned i = 0; i < 20; i++) {
    shared_load(rig, 0, 1000 + i);
    shared_load(rig, 1, 2000 + i);
  }
  unsigned held = 0;
  for (unsigned way = 0; way < 4; way++) held += rig_set(rig, 0)[way].line < 2000 * RIG_LINE_BYTES;
  return held;
}

// Hits at the third place: 199 × 3 = 597 of the GPU, 9 × 3 = 27 of program 1. For two further ways the GPU's win, and still do,
// 29.85 to 27, divided by the ratio 600 / 30 = 20. Where it also streams, its 117 hits come to 5.85, and it loses.
static void the_ratio_divides_hits(void **state) {
  (void)state;
  struct rig *rig = ucp_after(15000, 20000, "sampled_sets=1,least_ratio=100"); // the ratio, 20, counts as 1
  assert_int_equal(rig_counter(&rig->replace, "normalised_periods"), 0);
  assert_int_equal(gpu_ways(rig), 3);
  rig_free(rig);
  rig = ucp_after(15000, 20000, "sampled_sets=1");
  assert_int_equal(rig_counter(&rig->replace, "normalised_periods"), 1);
  assert_int_equal(gpu_ways(rig), 3); // 29.85 to 27
  rig_free(rig);
  rig = rig_new_shared(2, 1, 4, "tap-ucp", "sampled_sets=1");
  for (unsigned i = 0; i < 480; i++) shared_load(rig, 0, 5000 + i);
  for (unsigned round = 0; round < 40; round++)
    for (unsigned b = 0; b < 3; b++) {
      shared_load(rig, 0, b);
      if (round % 4 == 0) shared_load(rig, 1, 100 + b);
    }
  end_period(rig, 15000, 20000);
  assert_int_equal(gpu_ways(rig), 1);
  rig_free(rig);
}

// Insensitive: one way, whatever its hits.
static void an_insensitive_gpu_has_least_ways(void **state) {
  (void)state;
  struct rig *rig = ucp_after(19900, 20000, "sampled_sets=1");
  assert_int_equal(gpu_ways(rig), 1);
  rig_free(rig);
  // Its lines enter at the LRU position: of the two that it holds the later one leaves first.
  rig = ucp_after(19900, 20000, "sampled_sets=1,least_ways=2");
  uint64_t lru = rig_counter(&rig->replace, "lru_insertions");
  gpu_ways(rig);
  assert_int_equal(rig_counter(&rig->replace, "lru_insertions") - lru, 20);
  rig_free(rig);
}

// With nothing known, it is UCP.
static void neutral_it_is_ucp(void **state) {
  (void)state;
  for (uint32_t requesters = 1; requesters <= 3; requesters++) {
    struct rig *tap = rig_new_shared(requesters, 12, 6, "tap-ucp", "sampled_sets=4,least_ratio=1023");
    struct rig *ucp = rig_new_shared(requesters, 12, 6, "ucp", "sampled_sets=4");
    struct weir_rng rng = weir_rng_seed(6230, requesters);
    for (unsigned step = 0; step < 6000; step++) {
      struct shared_access s = shared_random(&rng, requesters, 12, 6, false);
      s.core = 2;
      assert_int_equal(shared_do(tap, s), shared_do(ucp, s));
      if (step % 500 != 499) continue;
      end_period(tap, 0, 0);
      shared_epoch(ucp, &ucp->replace, NULL, 0, 500);
    }
    rig_free(tap);
    rig_free(ucp);
  }
}

// Alone, an insensitive GPU still has all ways.
static void alone_it_has_all_ways(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 4, "tap-ucp", NULL);
  end_period(rig, 20000, 20000);
  for (uint64_t b = 0; b < 4; b++) assert_int_equal(shared_load(rig, 0, b), 'm');
  for (uint64_t b = 0; b < 4; b++) assert_int_equal(shared_load(rig, 0, b), 'h');
  rig_free(rig);
}

// Holey Table V: 120 bits of counters and numbers in all; a tile of four is charged 30. And 11 of ratio and verdict.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice ucp = rig_choose(WEIR_POLICY_REPLACE, "ucp", NULL);
  struct weir_policy_choice tap_ucp = rig_choose(WEIR_POLICY_REPLACE, "tap-ucp", NULL);
  struct weir_policy_choice tap_rrip = rig_choose(WEIR_POLICY_REPLACE, "tap-rrip", NULL);
  struct weir_geometry g = {.sets = 1024, .ways = 32, .line_bytes = 64, .requesters = 2, .knobs = ucp.knobs};
  uint64_t bits = weir_policy_cost_bits(ucp.policy, &g);
  g.knobs = tap_ucp.knobs;
  assert_int_equal(weir_policy_cost_bits(tap_ucp.policy, &g) - bits, 120 + 11);
  g.instances = 4;
  assert_int_equal(weir_policy_cost_bits(tap_ucp.policy, &g) - bits, 30 + 11);
  g.knobs = tap_rrip.knobs;
  assert_int_equal(weir_policy_cost_bits(tap_rrip.policy, &g), 32768 * (3 + 1) + 2 * 15 + 30 + 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(verdicts),
    cmocka_unit_test(ratios),
    cmocka_unit_test(sensitive_and_rare),
    cmocka_unit_test(sensitive_and_frequent),
    cmocka_unit_test(insensitive),
    cmocka_unit_test(sampled_cores),
    cmocka_unit_test(neutral_it_is_ta_drrip),
    cmocka_unit_test(the_ratio_divides_hits),
    cmocka_unit_test(an_insensitive_gpu_has_least_ways),
    cmocka_unit_test(neutral_it_is_ucp),
    cmocka_unit_test(alone_it_has_all_ways),
    cmocka_unit_test(costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
