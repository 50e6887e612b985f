// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random bypassing: Holey et al., Figure 5, sends 25 to 100 % of the GPU's accesses past the last level that way.
#include "policy/requesters.h"
#include "policy/table.h"

enum { PROBABILITY, REQUESTERS, STORES };

static bool forwards(struct weir_cache_view *c, const struct weir_access *a) {
  return weir_requester_is_among(c->knobs[REQUESTERS], a) && weir_rng_unit(c->rng) < c->knobs[PROBABILITY];
}

static bool miss(struct weir_cache_view *c, struct weir_access *a) {
  return a->kind == WEIR_ACCESS_LOAD && forwards(c, a);
}

static bool store_miss(struct weir_cache_view *c, struct weir_access *a) {
  return c->knobs[STORES] != 0 && forwards(c, a);
}

// One linear-feedback shift register to compare with the probability.
static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 16;
}

static const struct weir_knob knobs[] = {
  [PROBABILITY] = {"probability", WEIR_KNOB_REAL, 0.5, 0, 1, NULL, false, "of forwarding a miss (inferred)"},
  [REQUESTERS] = WEIR_REQUESTERS_KNOB(WEIR_REQUESTERS_ALL, "whose misses (inferred: everybody's; Holey Figure 5: gpu)"),
  [STORES] = WEIR_REQUESTERS_STORES_KNOB(0, "stores that would be given a line too (inferred)"),
  {0},
};

const struct weir_policy weir_bypass_random = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "random",
  .summary = "forwards a miss with a fixed probability: what a predictor must beat",
  .citation = "weir: a control experiment",
  .knobs = knobs,
  .cost_bits = cost_bits,
  .miss = miss,
  .store_miss = store_miss,
};
