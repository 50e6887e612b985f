// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The B+ tree of bt. Invariant of a node: key[0] … key[n - 1] ascend, key[n] … are INT32_MAX, and child i holds the
// keys from key[i] to below key[i + 1]; the leftmost node of every level but the leaves' begins with INT32_MIN, so
// that a key below all of them has a way down too.
#ifndef WEIR_WORKLOADS_BT_TREE_H
#define WEIR_WORKLOADS_BT_TREE_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR_BT_ORDER = 256 };

struct weir_bt_node { // as the kernels declare it
  int32_t is_leaf;
  int32_t child[WEIR_BT_ORDER + 1]; // nodes; of a leaf: records
  int32_t key[WEIR_BT_ORDER + 1];
};

struct weir_bt_tree {
  struct weir_bt_node *node;
  size_t count, capacity;
  int32_t root, levels; // levels above the leaves
};

// Of `count` ascending keys, whose records are numbered in the same order. Nodes are half to wholly full, as insertions
// would leave them.
struct weir_bt_tree weir_bt_build(const int32_t *key, uint32_t count, struct weir_rng *rng);

// The place of a key among `count` ascending ones; -1 if it is not there.
int32_t weir_bt_search(const int32_t *key, uint32_t count, int32_t wanted);

#endif
