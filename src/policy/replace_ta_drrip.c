// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Thread-aware DRRIP. With gpu_promoted off and gpu_first on it is the policy that Holey et al. put HeLM over (section
// 4.2: "we do not promote GPU blocks on LLC hits. Also, when both CPU and GPU blocks are available for replacement, we
// replace the GPU block first").
#include "policy/ta_rrip.h"
#include "policy/table.h"

enum { GPU_PROMOTED = WEIR_TA_KNOBS, GPU_FIRST, SCOPE };
enum { LONG_INSERTIONS, DISTANT_INSERTIONS, UNPROMOTED_HITS };

static size_t scope_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct weir_ta);
}

static void init(struct weir_cache_view *c) {
  weir_ta_start(c, c->scope->state);
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  if (way == WEIR_NO_WAY && a->kind != WEIR_ACCESS_WRITEBACK) weir_ta_miss(c, c->scope->state, a);
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  if (a->requester == 0 && c->knobs[GPU_PROMOTED] == 0)
    c->counters[UNPROMOTED_HITS]++;
  else
    weir_rrip_hit(c, a, way, pending);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  bool is_long = weir_ta_is_long(c, c->scope->state, a);
  c->counters[is_long ? LONG_INSERTIONS : DISTANT_INSERTIONS]++;
  weir_rrip_insert(c, a->set, way, is_long);
  weir_ta_note_requester(c, a, way);
}

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  return weir_ta_victim(c, a, candidates, c->knobs[GPU_FIRST] != 0);
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return weir_ta_line_bits(g, g->knobs[GPU_FIRST] != 0);
}

static const struct weir_knob knobs[] = {
  WEIR_TA_KNOB_TABLE(2, "M, width of the RRPV (RRIP section 6: 2)"),
  [GPU_PROMOTED] = {"gpu_promoted", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                    "hits of the GPU's accesses promote too (RRIP: all do; Holey section 4.2: off)"},
  [GPU_FIRST] = {"gpu_first", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                 "of lines in the distant future, the GPU's leave first (RRIP: no; Holey section 4.2: on)"},
  [SCOPE] = WEIR_DUELING_SCOPE_KNOB,
  {0},
};

static const struct weir_policy_counter counters[] = {
  [LONG_INSERTIONS] = {"long_insertions", "lines", "lines that entered with a long re-reference interval", false},
  [DISTANT_INSERTIONS] = {"distant_insertions", "lines", "lines that entered with a distant re-reference interval",
                          false},
  [UNPROMOTED_HITS] = {"unpromoted_hits", "hits", "hits of the GPU that left the interval as it was", false},
  {0},
};

const struct weir_policy weir_replace_ta_drrip = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "ta-drrip",
  .summary = "thread-aware DRRIP: SRRIP or BRRIP for each requester, whichever misses less in its leader sets",
  .citation = "Jaleel et al., High performance cache replacement using re-reference interval prediction, ISCA 2010",
  .knobs = knobs,
  .counters = counters,
  .scope_bytes = scope_bytes,
  .set_bytes = WEIR_TA_SET_BYTES,
  .line_bytes = 1,
  .cost_bits = cost_bits,
  .scope_bits = weir_ta_duel_bits,
  .reject = weir_ta_reject,
  .init = init,
  .look = look,
  .hit = hit,
  .insert = insert,
  .victim = victim,
};
