// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tree pseudo-LRU: ways-1 bits per set in heap order, node i over nodes 2i+1 and 2i+2, way w below node w+ways-1. A bit
// tells on which side the next victim is: 0 left, 1 right. The path of a way to the root is the same in every set, so a
// touch is two operations on the set's word with masks that are prepared once.
#include "policy/table.h"

struct path {
  uint64_t nodes; // on the way from the leaf to the root
  uint64_t away;  // the value of those nodes that points away from the leaf
};

static size_t cache_bytes(const struct weir_geometry *g) {
  return g->ways * sizeof(struct path);
}

static void init(struct weir_cache_view *c) {
  struct path *paths = c->state;
  for (uint32_t way = 0; way < c->ways; way++)
    for (uint32_t node = way + c->ways - 1; node; node = (node - 1) / 2) {
      uint64_t parent = UINT64_C(1) << ((node - 1) / 2);
      bool is_left = node & 1;
      paths[way].nodes |= parent;
      paths[way].away |= is_left ? parent : 0;
    }
}

static void point_away(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  const struct path *path = (const struct path *)c->state + way;
  uint64_t *bits = weir_set_state(c, set);
  *bits = (*bits & ~path->nodes) | path->away;
}

static void touch(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  point_away(c, a->set, way);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  point_away(c, a->set, way);
}

static void invalidate(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  const struct path *path = (const struct path *)c->state + way;
  uint64_t *bits = weir_set_state(c, set);
  *bits = (*bits & ~path->nodes) | (path->nodes & ~path->away);
}

// From the root, follow the bits, but never into a subtree without a candidate.
static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  uint64_t bits = *(uint64_t *)weir_set_state(c, a->set);
  uint32_t node = 0, first = 0;
  for (uint32_t half = c->ways / 2; half; half /= 2) {
    uint64_t left = candidates & (weir_mask(half) << first), right = candidates & (weir_mask(half) << (first + half));
    bool go_right = right && (!left || (bits >> node & 1));
    node = 2 * node + (go_right ? 2 : 1);
    first += go_right ? half : 0;
  }
  return first;
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return (uint64_t)g->sets * (g->ways - 1);
}

static const char *reject(const struct weir_geometry *g) {
  return weir_is_pow2(g->ways) ? NULL : "the number of ways must be a power of two";
}

const struct weir_policy weir_replace_plru = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "plru",
  .summary = "tree pseudo-LRU: one bit per inner node points at the side to evict from",
  .citation = "So and Rechtschaffen, Cache operations by MRU change, IEEE Transactions on Computers 1988",
  .cache_bytes = cache_bytes,
  .set_bytes = sizeof(uint64_t),
  .cost_bits = cost_bits,
  .reject = reject,
  .init = init,
  .hit = touch,
  .insert = insert,
  .invalidate = invalidate,
  .victim = victim,
};
