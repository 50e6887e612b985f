// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The half of PC-based bypassing that stands below the bypassing cache (Tian et al., GPGPU 2015, section 3.2): one
// bypassBit per line says that the cache above bypassed on it, so a second request shows that this was wrong. The bit is
// sent back with the answer and consumed. Shared by all cores, as in the paper; lost with the line. Inferred: only load
// requests read or write it, and a request that is answered with the bit set does not set it again.
#include "policy/table.h"

enum { MARKED, RETURNED };

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  if (a->kind != WEIR_ACCESS_LOAD) return;
  uint8_t *bypass_bit = weir_line_state(c, a->set, way);
  bool returned = *bypass_bit;
  a->reply_mark = returned;
  *bypass_bit = a->bypassed_above && !returned;
  c->counters[RETURNED] += returned;
  c->counters[MARKED] += *bypass_bit;
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  uint8_t *bypass_bit = weir_line_state(c, a->set, way);
  *bypass_bit = a->kind == WEIR_ACCESS_LOAD && a->bypassed_above;
  c->counters[MARKED] += *bypass_bit;
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return (uint64_t)g->sets * g->ways;
}

static const struct weir_policy_counter counters[] = {
  [MARKED] = {"marked", "lines", "bits set by a load that bypassed the cache above", false},
  [RETURNED] = {"returned", "loads", "loads answered with the bit set", false},
  {0},
};

const struct weir_policy weir_bypass_pcbp_verify = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "pcbp-verify",
  .summary = "the bypassBits of the cache below pcbp's: tells it which bypassed lines were asked for again",
  .citation = "Tian et al., Adaptive GPU cache bypassing, GPGPU 2015",
  .counters = counters,
  .line_bytes = 1,
  .cost_bits = cost_bits,
  .hit = hit,
  .insert = insert,
};
