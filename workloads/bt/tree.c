// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "bt/tree.h"

#include "base/alloc.h"

enum { ORDER = WEIR_BT_ORDER };

static struct weir_bt_node *new_node(struct weir_bt_tree *t, bool is_leaf) {
  struct weir_bt_node *n = weir_push(t->node, t->count, t->capacity);
  *n = (struct weir_bt_node){.is_leaf = is_leaf};
  for (unsigned i = 0; i <= ORDER; i++) n->key[i] = INT32_MAX;
  return n;
}

// How many of `left` children the next node takes.
static size_t share(size_t left, struct weir_rng *rng) {
  size_t n = ORDER / 2 + (size_t)weir_rng_below(rng, ORDER / 2);
  return n < left ? n : left;
}

static void build_leaves(struct weir_bt_tree *t, const int32_t *key, uint32_t count, struct weir_rng *rng) {
  for (uint32_t done = 0; done < count;) {
    struct weir_bt_node *n = new_node(t, true);
    size_t end = done + share(count - done, rng);
    for (unsigned i = 0; done < end; i++, done++) {
      n->key[i] = key[done];
      n->child[i] = (int32_t)done;
    }
  }
}

// One level above the nodes [begin, end), the first of which is the leftmost.
static void build_level(struct weir_bt_tree *t, size_t begin, size_t end, struct weir_rng *rng) {
  for (bool leftmost = true; begin < end; leftmost = false) {
    struct weir_bt_node *n = new_node(t, false);
    size_t stop = begin + share(end - begin, rng);
    for (unsigned i = 0; begin < stop; i++, begin++) {
      n->key[i] = t->node[begin].key[0];
      n->child[i] = (int32_t)begin;
    }
    if (leftmost) n->key[0] = INT32_MIN;
  }
}

struct weir_bt_tree weir_bt_build(const int32_t *key, uint32_t count, struct weir_rng *rng) {
  struct weir_bt_tree t = {0};
  size_t begin = 0;
  build_leaves(&t, key, count, rng);
  for (; t.count - begin > 1; t.levels++) {
    size_t end = t.count;
    build_level(&t, begin, end, rng);
    begin = end;
  }
  t.root = (int32_t)begin;
  return t;
}

int32_t weir_bt_search(const int32_t *key, uint32_t count, int32_t wanted) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (key[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && key[low] == wanted ? (int32_t)low : -1;
}
