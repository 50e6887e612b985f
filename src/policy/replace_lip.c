// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// LRU insertion policy (DIP, section 4): a line enters at the LRU position and reaches MRU by its first hit.
#include "policy/recency.h"
#include "policy/table.h"

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  weir_recency_demote(c, a->set, way);
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return g->sets * weir_recency_bits(g->ways);
}

const struct weir_policy weir_replace_lip = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "lip",
  .summary = "LRU insertion policy: lines enter at the LRU position",
  .citation = "Qureshi et al., Adaptive insertion policies for high performance caching, ISCA 2007",
  .set_bytes = WEIR_RECENCY_SET_BYTES,
  .line_bytes = WEIR_RECENCY_LINE_BYTES,
  .cost_bits = cost_bits,
  .init = weir_recency_init,
  .hit = weir_recency_hit,
  .insert = insert,
  .victim = weir_recency_victim,
};
