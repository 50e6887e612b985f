// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Not recently used (NRU): one bit per line tells that it was used since the set's bits were last cleared.
#include "policy/policy.h"

enum { FILL_IS_USE }; // knobs
enum { ROUNDS };      // counters

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  *(uint8_t *)weir_line_state(c, a->set, way) = 1;
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  *(uint8_t *)weir_line_state(c, a->set, way) = c->knobs[FILL_IS_USE] != 0;
}

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  uint8_t *used = weir_line_state(c, a->set, 0);
  for (uint64_t rest = candidates; rest; rest &= rest - 1)
    if (!used[weir_lowest(rest)]) return weir_lowest(rest);
  for (uint32_t way = 0; way < c->ways; way++) used[way] = 0;
  c->counters[ROUNDS]++;
  return weir_lowest(candidates);
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return (uint64_t)g->sets * g->ways;
}

static const struct weir_knob knobs[] = {
  [FILL_IS_USE] = {"fill_is_use", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "a fill sets the bit (RRIP section 4.1)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  [ROUNDS] = {"rounds", "clears", "times that all bits of a set were cleared", false},
  {0},
};

static const struct weir_policy nru = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "nru",
  .summary = "evicts the first line that was not used recently",
  .citation = "Jaleel et al., High performance cache replacement using re-reference interval prediction, ISCA 2010",
  .knobs = knobs,
  .counters = counters,
  .line_bytes = 1,
  .cost_bits = cost_bits,
  .hit = hit,
  .insert = insert,
  .victim = victim,
};

const struct weir_policy *const weir_plugin[] = {&nru, NULL};
