// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "policy/rrip.h"
#include "policy/table.h"

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  weir_rrip_insert(c, a->set, way, true);
}

static const struct weir_knob knobs[] = {WEIR_RRIP_KNOB_TABLE, {0}};

const struct weir_policy weir_replace_srrip = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "srrip",
  .summary = "static RRIP: lines enter with a long re-reference interval, so a scan leaves before what is reused",
  .citation = "Jaleel et al., High performance cache replacement using re-reference interval prediction, ISCA 2010",
  .knobs = knobs,
  .line_bytes = 1,
  .cost_bits = weir_rrip_bits,
  .init = weir_rrip_init,
  .hit = weir_rrip_hit,
  .insert = insert,
  .victim = weir_rrip_victim,
};
