// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is used later than the line that would give way to it is not let in: Belady's choice where a cache may also be bypassed.
#include "policy/table.h"

static void keep_use(struct weir_cache_view *c, const struct weir_access *a, uint32_t way) {
  *(uint64_t *)weir_line_state(c, a->set, way) = a->next_use;
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  if (way != WEIR_NO_WAY) keep_use(c, a, way);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  keep_use(c, a, way);
}

static bool keep(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  return a->next_use && a->next_use >= *(const uint64_t *)weir_line_state(c, a->set, way);
}

// No hardware knows the future.
static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

const struct weir_policy weir_bypass_opt = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "opt",
  .summary =
    "bypasses what is used later than the line it would replace, in a run recorded before: a bound, no hardware",
  .citation =
    "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966 (MIN)",
  .line_bytes = sizeof(uint64_t),
  .cost_bits = cost_bits,
  .foresees = true,
  .look = look,
  .insert = insert,
  .keep = keep,
};
