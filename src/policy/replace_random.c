// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/table.h"

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  (void)a;
  for (uint64_t skip = weir_rng_below(c->rng, weir_popcount(candidates)); skip; skip--) candidates &= candidates - 1;
  return weir_lowest(candidates);
}

// One linear-feedback shift register for the cache, wide enough to name a way of any set without visible correlation.
static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 16;
}

const struct weir_policy weir_replace_random = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "random",
  .summary = "evicts any line with equal probability",
  .citation = "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966",
  .cost_bits = cost_bits,
  .victim = victim,
};
