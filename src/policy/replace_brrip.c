// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/bimodal.h"
#include "policy/rrip.h"
#include "policy/table.h"

enum { PERIOD = WEIR_RRIP_KNOBS };

static size_t cache_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(uint32_t);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  weir_rrip_insert(c, a->set, way, weir_bimodal_rare(c->state, (uint32_t)c->knobs[PERIOD]));
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return weir_rrip_bits(g) + weir_bimodal_bits((uint32_t)g->knobs[PERIOD]);
}

static const struct weir_knob knobs[] = {
  WEIR_RRIP_KNOB_TABLE,
  [PERIOD] = {"period", WEIR_KNOB_INT, 32, 1, 65536, NULL, false,
              "1/epsilon: one of so many lines enters with a long interval (inferred: as BIP)"},
  {0},
};

const struct weir_policy weir_replace_brrip = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "brrip",
  .summary = "bimodal RRIP: lines enter with a distant re-reference interval, one in 32 with a long one",
  .citation = "Jaleel et al., High performance cache replacement using re-reference interval prediction, ISCA 2010",
  .knobs = knobs,
  .cache_bytes = cache_bytes,
  .line_bytes = 1,
  .cost_bits = cost_bits,
  .init = weir_rrip_init,
  .hit = weir_rrip_hit,
  .insert = insert,
  .victim = weir_rrip_victim,
};
