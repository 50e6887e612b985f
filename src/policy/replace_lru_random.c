// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A random one of the least recently used lines. No chip is known to have this; it is the simplest rule that has the soft knees measured
// on chips of today (docs/VALIDATION.md, "Against silicon"), where LRU has sharp ones and random replacement none.
#include "policy/recency.h"
#include "policy/table.h"

enum { AMONG_PERCENT }; // knobs

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  weir_recency_promote(c, a->set, way);
}

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  const uint32_t among = weir_popcount(candidates) * (uint32_t)c->knobs[AMONG_PERCENT] / 100;
  return weir_recency_nearest(c, a->set, candidates, among > 1 ? (uint32_t)weir_rng_below(c->rng, among) : 0);
}

// The order, and a register for the cache as random replacement has.
static uint64_t cost_bits(const struct weir_geometry *g) {
  return g->sets * weir_recency_bits(g->ways) + 16;
}

static const struct weir_knob knobs[] = {
  [AMONG_PERCENT] = {"among_percent", WEIR_KNOB_INT, 13, 1, 100, NULL, false,
                     "of the lines that may leave, the least recently used, one at least"},
  {0},
};

const struct weir_policy weir_replace_lru_random = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "lru-random",
  .summary = "evicts any of the least recently used eighth of the lines with equal probability",
  .citation = "weir: the knees of latency curves measured on GPUs",
  .knobs = knobs,
  .set_bytes = WEIR_RECENCY_SET_BYTES,
  .line_bytes = WEIR_RECENCY_LINE_BYTES,
  .cost_bits = cost_bits,
  .init = weir_recency_init,
  .hit = weir_recency_hit,
  .insert = insert,
  .victim = victim,
};
