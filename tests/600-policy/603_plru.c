// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tree pseudo-LRU: victims derived by hand. Node 0 is the root, 1 and 2 its children; 0 points left, 1 right.
#include "rig.h"

static uint32_t victim(struct rig *rig, uint64_t candidates) {
  struct weir_access a = rig_request(rig, 99 * rig->g.sets, 8, WEIR_ACCESS_LOAD);
  return rig->replace.policy->victim(&rig->replace.view, &a, candidates);
}

// Four ways. Filling a b c d in ways 0..3 leaves every node pointing left (each last pushed away from its right child):
// victim way 0. Touch a (way 0): root right, node 1 right; node 2 still left: victim way 2 = c, though b is the oldest by
// LRU. e fills way 2: root left, node 2 right: victim: node 1 right: way 1 = b. f fills way 1: root right, node 1 left;
// node 2 right: way 3 = d. g fills way 3: root left, node 1 left: way 0 = a.
static void four_ways_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 4, "plru", NULL);
  rig_trace(rig, "abcd a e f g h", "mmmm h C B D A");
  rig_free(rig);
}

// Eight ways filled in order: all nodes left. Without hits the victims are the bit-reversed order 0 4 2 6 1 5 3 7: every
// fill turns each node on its path, so the root alternates halves, the next level quarters, and so on.
static void eight_ways_go_in_bit_reversed_order(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 8, "plru", NULL);
  rig_trace(rig, "abcdefgh ijklmnop q", "mmmmmmmm AECGBFDH I");
  rig_free(rig);
}

// Eight ways, full, all left. Hits on ways 0, 4, 2: way 0 turns the root, its left child and node (0,1) right; way 4
// turns the root left, node (4..7) right, node (4,5) right; way 2 turns the root right, node (0..3) left, node (2,3)
// right. Victim: right half, node (4..7) right, node (6,7) left: way 6.
static void eight_ways_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 8, "plru", NULL);
  rig_trace(rig, "abcdefgh a e c", "mmmmmmmm h h h");
  assert_int_equal(victim(rig, 0xFF), 6);
  // Without the pair 6, 7: the right half's only candidates are 4 and 5, whose node points right.
  assert_int_equal(victim(rig, 0x3F), 5);
  // Without the right half: node (0..3) points left, node (0,1) right.
  assert_int_equal(victim(rig, 0x0F), 1);
  assert_int_equal(victim(rig, 0x01), 0);
  rig_free(rig);
}

// An invalidated way becomes the next victim: all nodes of its path point to it.
static void invalidation_points_to_the_way(void **state) {
  (void)state;
  for (uint32_t way = 0; way < 8; way++) {
    struct rig *rig = rig_new(1, 8, "plru", NULL);
    rig_trace(rig, "abcdefgh", "mmmmmmmm");
    rig_invalidate(rig, 0, way);
    assert_int_equal(victim(rig, 0xFF), way);
    rig_free(rig);
  }
}

// With two ways the tree is LRU, and with any number a way just touched is never the victim while there is another.
static void never_the_latest(void **state) {
  (void)state;
  for (uint32_t ways = 2; ways <= 64; ways *= 2) {
    struct rig *rig = rig_new(2, ways, "plru", NULL);
    struct weir_rng rng = weir_rng_seed(1, ways);
    for (unsigned n = 0; n < 2000; n++) {
      uint64_t block = 2 * weir_rng_below(&rng, 2 * ways);
      rig_load(rig, block, 8);
      struct weir_access a = rig_request(rig, block, 8, WEIR_ACCESS_LOAD);
      assert_int_not_equal(victim(rig, weir_mask(ways)), rig_find(rig, &a));
    }
    rig_free(rig);
  }
}

static void rejects_six_ways(void **state) {
  (void)state;
  const struct weir_policy *p = weir_policy_find(WEIR_POLICY_REPLACE, "plru");
  struct weir_geometry six = {.sets = 4, .ways = 6, .line_bytes = 64}, eight = {.sets = 4, .ways = 8, .line_bytes = 64};
  assert_non_null(p->reject(&six));
  assert_null(p->reject(&eight));
  assert_int_equal(weir_policy_cost_bits(p, &eight), 4 * 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(four_ways_by_hand),  cmocka_unit_test(eight_ways_go_in_bit_reversed_order),
    cmocka_unit_test(eight_ways_by_hand), cmocka_unit_test(invalidation_points_to_the_way),
    cmocka_unit_test(never_the_latest),   cmocka_unit_test(rejects_six_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
