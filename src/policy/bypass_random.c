// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/table.h"

enum { PROBABILITY };

static bool miss(struct weir_cache_view *c, struct weir_access *a) {
  return a->kind == WEIR_ACCESS_LOAD && weir_rng_unit(c->rng) < c->knobs[PROBABILITY];
}

// One linear-feedback shift register to compare with the probability.
static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 16;
}

static const struct weir_knob knobs[] = {
  [PROBABILITY] = {"probability", WEIR_KNOB_REAL, 0.5, 0, 1, NULL, false, "of forwarding a load's miss (inferred)"},
  {0},
};

const struct weir_policy weir_bypass_random = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "random",
  .summary = "forwards a load's miss with a fixed probability: what a predictor must beat",
  .citation = "weir: a control experiment",
  .knobs = knobs,
  .cost_bits = cost_bits,
  .miss = miss,
};
