// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bimodal insertion policy (DIP, section 4): LIP, but one of every 1/epsilon lines enters at MRU.
#include "policy/bimodal.h"
#include "policy/recency.h"
#include "policy/table.h"

enum { PERIOD };

static size_t cache_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(uint32_t);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  if (weir_bimodal_rare(c->state, (uint32_t)c->knobs[PERIOD]))
    weir_recency_promote(c, a->set, way);
  else
    weir_recency_demote(c, a->set, way);
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return g->sets * weir_recency_bits(g->ways) + weir_bimodal_bits((uint32_t)g->knobs[PERIOD]);
}

static const struct weir_knob knobs[] = {
  [PERIOD] = {"period", WEIR_KNOB_INT, 32, 1, 65536, NULL, false,
              "1/epsilon: one of so many lines enters at MRU (DIP section 4.4)"},
  {0},
};

const struct weir_policy weir_replace_bip = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "bip",
  .summary = "bimodal insertion policy: lines enter at the LRU position, one in 32 at MRU",
  .citation = "Qureshi et al., Adaptive insertion policies for high performance caching, ISCA 2007",
  .knobs = knobs,
  .cache_bytes = cache_bytes,
  .set_bytes = WEIR_RECENCY_SET_BYTES,
  .line_bytes = WEIR_RECENCY_LINE_BYTES,
  .cost_bits = cost_bits,
  .init = weir_recency_init,
  .hit = weir_recency_hit,
  .insert = insert,
  .victim = weir_recency_victim,
};
