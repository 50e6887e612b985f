// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Set dueling: the DIP paper's own leader sets, PSEL's moves, and what DIP and DRRIP make of them.
#include "policy/dueling.h"
#include "rig.h"

static void check_leaders(uint32_t sets, uint32_t leaders, const uint32_t *a, const uint32_t *b) {
  struct weir_dueling d = weir_dueling_start(sets, 1, leaders, 10);
  for (uint32_t set = 0, next_a = 0, next_b = 0; set < sets; set++) {
    enum weir_dueling_role expected = WEIR_DUELING_FOLLOWER;
    if (next_a < leaders && a[next_a] == set) {
      expected = WEIR_DUELING_A;
      next_a++;
    } else if (next_b < leaders && b[next_b] == set) {
      expected = WEIR_DUELING_B;
      next_b++;
    }
    assert_int_equal(weir_dueling_role(&d, set), expected);
  }
}

// DIP, Figure 10: sets 0, 5, 10, 15 lead for LRU, sets 3, 6, 9, 12 for BIP.
static void figure_10(void **state) {
  (void)state;
  check_leaders(16, 4, (const uint32_t[]){0, 5, 10, 15}, (const uint32_t[]){3, 6, 9, 12});
}

// DIP, section 5.3: of 1024 sets, set 0 and every 33rd lead for LRU, set 31 and every 31st for BIP.
static void section_5_3(void **state) {
  (void)state;
  uint32_t a[32], b[32];
  for (uint32_t i = 0; i < 32; i++) {
    a[i] = 33 * i;
    b[i] = 31 * (i + 1);
  }
  check_leaders(1024, 32, a, b);
}

// Whatever the geometry: as many leaders for each, all different.
static void leaders_are_disjoint_and_as_many(void **state) {
  (void)state;
  for (uint32_t sets = 2; sets <= 700; sets++)
    for (uint32_t leaders = 0; leaders <= 64; leaders = leaders * 2 + 1) {
      struct weir_dueling d = weir_dueling_start(sets, 1, leaders, 10);
      uint32_t count[3] = {0};
      for (uint32_t set = 0; set < sets; set++) count[weir_dueling_role(&d, set)]++;
      assert_int_equal(count[WEIR_DUELING_A], count[WEIR_DUELING_B]);
      assert_true(count[WEIR_DUELING_A] >= 1 && count[WEIR_DUELING_A] <= sets / 2);
      if (leaders && leaders <= sets / 2) assert_int_equal(count[WEIR_DUELING_A], leaders);
    }
}

// The default for a 16 KiB L1 of 32 sets is 4 leaders each, for 1024 sets the paper's 32.
static void default_leaders(void **state) {
  (void)state;
  assert_int_equal(weir_dueling_start(32, 1, 0, 10).constituencies, 4);
  assert_int_equal(weir_dueling_start(1024, 1, 0, 10).constituencies, 32);
}

static void psel_saturates_and_decides(void **state) {
  (void)state;
  struct weir_dueling d = weir_dueling_start(1024, 1, 32, 10);
  assert_int_equal(d.psel, 511);
  assert_false(weir_dueling_uses_b(&d, WEIR_DUELING_FOLLOWER));
  weir_dueling_miss(&d, WEIR_DUELING_FOLLOWER);
  assert_int_equal(d.psel, 511);
  weir_dueling_miss(&d, WEIR_DUELING_A);
  assert_int_equal(d.psel, 512); // section 5.5: 512 or more, BIP
  assert_true(weir_dueling_uses_b(&d, WEIR_DUELING_FOLLOWER));
  assert_false(weir_dueling_uses_b(&d, WEIR_DUELING_A));
  for (unsigned i = 0; i < 2000; i++) weir_dueling_miss(&d, WEIR_DUELING_A);
  assert_int_equal(d.psel, 1023);
  for (unsigned i = 0; i < 2000; i++) weir_dueling_miss(&d, WEIR_DUELING_B);
  assert_int_equal(d.psel, 0);
  assert_true(weir_dueling_uses_b(&d, WEIR_DUELING_B));
  assert_false(weir_dueling_uses_b(&d, WEIR_DUELING_FOLLOWER));
}

// Sixteen sets, four leaders each; a miss in each of some sets, and where the line entered, by the policy's counters.
static void followers_change_sides(const char *policy, const char *a_counter, const char *b_counter) {
  struct rig *rig = rig_new(16, 4, policy, "leaders=4");
  static const struct {
    uint64_t set;
    bool enters_as_b;
  } steps[] = {
    {1, false},              // a follower, PSEL 511
    {0, false},              // A's leader: 512
    {2, true},               // a follower of B now
    {3, true},               // B's leader: 511
    {4, false},              // a follower of A again
    {5, false}, {10, false}, // 513
    {6, true},               // 512
    {7, true},
  };
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
    uint64_t before = rig_counter(&rig->replace, b_counter);
    assert_int_equal(rig_load(rig, steps[i].set, 8), 'm');
    assert_int_equal(rig_counter(&rig->replace, b_counter) - before, steps[i].enters_as_b);
    assert_int_equal(rig_counter(&rig->replace, a_counter) + rig_counter(&rig->replace, b_counter), i + 1);
  }
  rig_free(rig);
}

static void dip_followers_change_sides(void **state) {
  (void)state;
  followers_change_sides("dip", "mru_insertions", "lru_insertions");
}

static void drrip_followers_change_sides(void **state) {
  (void)state;
  followers_change_sides("drrip", "long_insertions", "distant_insertions");
}

// Blocks of round-robin sets, `per_set` blocks in each, `rounds` times over; hits in the last round.
static unsigned hits_of_last_round(const char *policy, uint64_t per_set, unsigned rounds) {
  struct rig *rig = rig_new(64, 8, policy, NULL);
  unsigned hits = 0;
  for (unsigned round = 0; round < rounds; round++)
    for (uint64_t block = 0; block < 64 * per_set; block++)
      hits += rig_load(rig, block, 8) == 'h' && round == rounds - 1;
  rig_free(rig);
  return hits;
}

// Thrashing: LRU and SRRIP never hit; the duel finds the bimodal side for all sets but its eight leaders of the other.
// What fits: all hit under either.
static void the_duel_is_won_by_the_better(void **state) {
  (void)state;
  assert_int_equal(hits_of_last_round("lru", 12, 60), 0);
  assert_true(hits_of_last_round("dip", 12, 60) > 56 * 4);
  assert_true(hits_of_last_round("drrip", 12, 60) > 56 * 4);
  assert_int_equal(hits_of_last_round("dip", 8, 4), 64 * 8);
  assert_int_equal(hits_of_last_round("drrip", 8, 4), 64 * 8);
}

static void dip_costs_fifteen_bits_above_lru(void **state) {
  (void)state;
  struct weir_policy_choice dip = rig_choose(WEIR_POLICY_REPLACE, "dip", NULL);
  struct weir_geometry g = {.sets = 1024, .ways = 16, .line_bytes = 64, .knobs = dip.knobs};
  const struct weir_policy *lru = weir_policy_find(WEIR_POLICY_REPLACE, "lru");
  assert_int_equal(weir_policy_cost_bits(lru, &g), 1024 * 16 * 4);
  assert_int_equal(weir_policy_cost_bits(dip.policy, &g) - weir_policy_cost_bits(lru, &g), 15); // section 6.4
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(figure_10),
    cmocka_unit_test(section_5_3),
    cmocka_unit_test(leaders_are_disjoint_and_as_many),
    cmocka_unit_test(default_leaders),
    cmocka_unit_test(psel_saturates_and_decides),
    cmocka_unit_test(dip_followers_change_sides),
    cmocka_unit_test(drrip_followers_change_sides),
    cmocka_unit_test(the_duel_is_won_by_the_better),
    cmocka_unit_test(dip_costs_fifteen_bits_above_lru),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
