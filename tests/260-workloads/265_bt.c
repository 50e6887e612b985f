// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// bt's tree: every key is found on the way down that the kernels take, and nothing else is.
#include "bt/tree.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Down by the intervals of the keys; the record, or -1.
static int32_t look_up(const struct weir_bt_tree *t, int32_t key) {
  const struct weir_bt_node *n = &t->node[t->root];
  for (int32_t level = 0; level < t->levels; level++) {
    unsigned matches = 0, place = 0;
    assert_false(n->is_leaf);
    for (unsigned i = 0; i < WEIR_BT_ORDER; i++)
      if (n->key[i] <= key && n->key[i + 1] > key) matches++, place = i;
    assert_int_equal(matches, 1);
    n = &t->node[n->child[place]];
  }
  assert_true(n->is_leaf);
  for (unsigned i = 0; i < WEIR_BT_ORDER; i++)
    if (n->key[i] == key) return n->child[i];
  return -1;
}

// Keys 10, 20, …; before the first, between any two and behind the last there is nothing.
static void assert_tree_of(uint32_t count, int32_t levels) {
  struct weir_rng rng = weir_rng_seed(1, count);
  int32_t *key = weir_new_array(int32_t, count);
  for (uint32_t i = 0; i < count; i++) key[i] = (int32_t)(i + 1) * 10;
  struct weir_bt_tree t = weir_bt_build(key, count, &rng);
  assert_int_equal(t.levels, levels);
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(look_up(&t, key[i]), i);
    assert_int_equal(look_up(&t, key[i] + 5), -1);
    assert_int_equal(weir_bt_search(key, count, key[i]), i);
    assert_int_equal(weir_bt_search(key, count, key[i] + 5), -1);
  }
  assert_int_equal(look_up(&t, 5), -1);
  assert_int_equal(weir_bt_search(key, count, 5), -1);
  weir_free(t.node);
  weir_free(key);
}

// A node takes 128 to 255 children: 128 keys always fit one, 256 never do; 255 × 128 = 32640 keys always fit two
// levels, 255 × 255 + 1 = 65026 never do.
static void trees_of_one_two_and_three_levels(void **state) {
  (void)state;
  assert_tree_of(1, 0);
  assert_tree_of(128, 0);
  assert_tree_of(256, 1);
  assert_tree_of(128 * 128, 1);
  assert_tree_of(255 * 255 + 1, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(trees_of_one_two_and_three_levels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
