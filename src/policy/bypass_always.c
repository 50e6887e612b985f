// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/table.h"

static const char *const when_names[] = {"lookup", "miss", NULL};
enum { WHEN };

static bool load(struct weir_cache_view *c, struct weir_access *a) {
  return c->knobs[WHEN] == 0 && a->kind == WEIR_ACCESS_LOAD;
}

static bool miss(struct weir_cache_view *c, struct weir_access *a) {
  (void)c;
  return a->kind == WEIR_ACCESS_LOAD;
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static const struct weir_knob knobs[] = {
  [WHEN] = {"when", WEIR_KNOB_CHOICE, 0, 0, 1, when_names, false,
            "skip the look-up altogether, or look up and forward every miss"},
  {0},
};

const struct weir_policy weir_bypass_always = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "always",
  .summary = "no load is cached: the bound of any bypass policy",
  .citation = "Jia et al., Characterizing and improving the use of demand-fetched caches in GPUs, ICS 2012",
  .knobs = knobs,
  .cost_bits = cost_bits,
  .load = load,
  .miss = miss,
};
