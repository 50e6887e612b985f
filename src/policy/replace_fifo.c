// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The recency stack without promotion on a hit is the order of insertion.
#include "policy/recency.h"
#include "policy/table.h"

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  weir_recency_promote(c, a->set, way);
}

// The whole order, not a round-robin pointer: lines are also invalidated and reserved out of turn.
static uint64_t cost_bits(const struct weir_geometry *g) {
  return g->sets * weir_recency_bits(g->ways);
}

const struct weir_policy weir_replace_fifo = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "fifo",
  .summary = "evicts the line that was filled first",
  .citation = "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966",
  .set_bytes = WEIR_RECENCY_SET_BYTES,
  .line_bytes = WEIR_RECENCY_LINE_BYTES,
  .cost_bits = cost_bits,
  .init = weir_recency_init,
  .insert = insert,
  .victim = weir_recency_victim,
};
