// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random replacement, random bypassing and no caching at all: closed forms of what chance and the bound must give.
#include "rig.h"

#include <math.h>

// Each of n candidates is chosen with probability 1/n: counts within five standard deviations of the binomial's mean.
static void victims_are_uniform(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 16, "random", NULL);
  struct weir_access a = rig_request(rig, 0, 8, WEIR_ACCESS_LOAD);
  static const uint64_t masks[] = {0xFFFF, 0x8001, 0x0FF0, 0x0010};
  for (unsigned m = 0; m < 4; m++) {
    double n = weir_popcount(masks[m]), draws = 20000, mean = draws / n, deviation = sqrt(draws / n * (1 - 1 / n));
    unsigned count[16] = {0};
    for (unsigned i = 0; i < draws; i++) count[rig->replace.policy->victim(&rig->replace.view, &a, masks[m])]++;
    for (unsigned way = 0; way < 16; way++)
      assert_true(masks[m] >> way & 1 ? fabs(count[way] - mean) <= 5 * deviation : !count[way]);
  }
  rig_free(rig);
}

// Sixteen lines, way 0 used longest ago. Of sixteen candidates the two that were are chosen with equal probability, of fewer the first
// alone.
static void victims_are_of_the_oldest_eighth(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 16, "lru-random", NULL);
  for (uint64_t block = 0; block < 16; block++) rig_load(rig, block, 8);
  struct weir_access a = rig_request(rig, 0, 8, WEIR_ACCESS_LOAD);
  static const struct {
    uint64_t candidates, oldest;
  } cases[] = {{0xFFFF, 0x0003}, {0xFF00, 0x0100}, {0x0FFE, 0x0002}, {0x8421, 0x0001}, {0x0010, 0x0010}};
  for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
    double n = weir_popcount(cases[c].oldest), draws = 20000, mean = draws / n,
           deviation = sqrt(draws / n * (1 - 1 / n));
    unsigned count[16] = {0};
    for (unsigned i = 0; i < draws; i++)
      count[rig->replace.policy->victim(&rig->replace.view, &a, cases[c].candidates)]++;
    for (unsigned way = 0; way < 16; way++)
      assert_true(cases[c].oldest >> way & 1 ? fabs(count[way] - mean) <= 5 * deviation : !count[way]);
  }
  rig_free(rig);
}

// Among one line it is LRU: twenty blocks of which some come back, in sets of eight.
static void among_one_it_is_lru(void **state) {
  (void)state;
  struct rig *lru = rig_new(4, 8, "lru", NULL), *one = rig_new(4, 8, "lru-random", "among_percent=1");
  struct weir_rng rng = weir_rng_seed(1, 8);
  for (unsigned i = 0; i < 4000; i++) {
    const uint64_t block = weir_rng_below(&rng, 4) ? weir_rng_below(&rng, 30) : weir_rng_below(&rng, 400);
    assert_int_equal(rig_load(lru, block, 8), rig_load(one, block, 8));
  }
  rig_free(lru);
  rig_free(one);
}

// A working set of T blocks cyclically in K ways: with random replacement the miss ratio m satisfies the balance that a
// block survives until its next turn with probability (1 - 1/K)^(m T), so 1 - m is that.
static void assert_cyclic_miss_ratio(const char *policy, const char *knobs) {
  enum { K = 64, T = 80, ROUNDS = 600, WARM = 100 };
  struct rig *rig = rig_new(1, K, policy, knobs);
  double misses = 0, expected = 0.5;
  for (unsigned round = 0; round < ROUNDS; round++)
    for (uint64_t block = 0; block < T; block++) misses += rig_load(rig, block, 8) == 'm' && round >= WARM;
  for (unsigned i = 0; i < 200; i++) expected = 0.5 * (expected + 1 - pow(1 - 1.0 / K, expected * T));
  assert_true(fabs(misses / T / (ROUNDS - WARM) - expected) < 0.02);
  rig_free(rig);
}

static void cyclic_miss_ratio(void **state) {
  (void)state;
  assert_cyclic_miss_ratio("random", NULL);
  assert_cyclic_miss_ratio("lru-random", "among_percent=100");
}

static unsigned bypassed_of(const char *knobs, unsigned loads) {
  struct rig *rig = rig_new(4, 4, "lru", NULL);
  rig_add_bypass(rig, "random", knobs);
  unsigned bypassed = 0;
  for (unsigned i = 0; i < loads; i++) bypassed += rig_load(rig, i, 8) == 'b';
  struct weir_access a = rig_request(rig, loads, 8, WEIR_ACCESS_STORE);
  assert_int_equal(rig_do(rig, &a), 'm');
  rig_free(rig);
  return bypassed;
}

static void bypass_probability(void **state) {
  (void)state;
  assert_int_equal(bypassed_of("probability=0", 1000), 0);
  assert_int_equal(bypassed_of("probability=1", 1000), 1000);
  double draws = 20000, mean = 0.3 * draws, deviation = sqrt(draws * 0.3 * 0.7);
  assert_true(fabs(bypassed_of("probability=0.3", 20000) - mean) <= 5 * deviation);
}

static void always_caches_no_load(void **state) {
  (void)state;
  struct rig *lookup = rig_new(1, 4, "lru", NULL), *miss = rig_new(1, 4, "lru", NULL);
  rig_add_bypass(lookup, "always", NULL);
  rig_add_bypass(miss, "always", "when=miss");
  for (unsigned i = 0; i < 20; i++) {
    assert_int_equal(rig_load(lookup, i % 2, 8), 's');
    assert_int_equal(rig_load(miss, i % 2, 8), 'b');
  }
  struct weir_access a = rig_request(lookup, 1, 8, WEIR_ACCESS_ATOMIC);
  assert_int_equal(rig_do(lookup, &a), 'm');
  rig_free(lookup);
  rig_free(miss);
}

// Two caches of one run draw from streams of their own; the same seed and user give the same stream.
static void streams_are_apart(void **state) {
  (void)state;
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_REPLACE, "random", NULL);
  struct weir_geometry g = {.sets = 1, .ways = 64, .line_bytes = 64};
  struct weir_policy_instance i[3];
  for (unsigned n = 0; n < 3; n++) weir_policy_start(&i[n], NULL, &choice, &g, 42, n / 2); // users 0, 0, 1
  unsigned same = 0;
  for (unsigned n = 0; n < 1000; n++) {
    struct weir_access a = {0};
    uint32_t one = choice.policy->victim(&i[0].view, &a, UINT64_MAX),
             two = choice.policy->victim(&i[1].view, &a, UINT64_MAX);
    assert_int_equal(one, two);
    same += one == choice.policy->victim(&i[2].view, &a, UINT64_MAX);
  }
  assert_in_range(same, 0, 40); // 1000/64 is 16, with a deviation of 4
  for (unsigned n = 0; n < 3; n++) weir_policy_stop(&i[n]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(victims_are_uniform), cmocka_unit_test(victims_are_of_the_oldest_eighth),
    cmocka_unit_test(among_one_it_is_lru), cmocka_unit_test(cyclic_miss_ratio),
    cmocka_unit_test(bypass_probability),  cmocka_unit_test(always_caches_no_load),
    cmocka_unit_test(streams_are_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
