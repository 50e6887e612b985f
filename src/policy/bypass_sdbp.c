// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bypassing by the sampling dead-block predictor: a miss by a PC whose lines are predicted dead is not kept (policy/sdbp.h).
// Holey et al., section 5, let the GPU's accesses alone bypass, and leave the choice of victims to the replacement below; in
// public code lines predicted dead, the CPU's too, leave first (dead_first).
#include "policy/requesters.h"
#include "policy/sdbp.h"
#include "policy/table.h"

enum { DEAD_FIRST = WEIR_SDBP_KNOBS, REQUESTERS, STORES };
enum { SAMPLED_ACCESSES, PREDICTIONS, PREDICTED_BYPASSES, DEAD_VICTIMS };

static size_t cache_bytes(const struct weir_geometry *g) {
  return weir_sdbp_bytes(g);
}

static void init(struct weir_cache_view *c) {
  weir_sdbp_start(c, c->state);
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)way;
  c->counters[SAMPLED_ACCESSES] += weir_sdbp_look(c, c->state, a);
}

static bool predict(struct weir_cache_view *c, const struct weir_access *a) {
  c->counters[PREDICTIONS]++;
  return weir_sdbp_predicts(c, weir_sdbp_pc(a));
}

// A bit per way, in the set's word.
static void note(struct weir_cache_view *c, uint32_t set, uint32_t way, bool dead) {
  uint64_t *mask = weir_set_state(c, set), bit = UINT64_C(1) << way;
  *mask = dead ? *mask | bit : *mask & ~bit;
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  if (a->kind != WEIR_ACCESS_WRITEBACK) note(c, a->set, way, predict(c, a));
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  note(c, a->set, way, a->kind != WEIR_ACCESS_WRITEBACK && predict(c, a));
}

static uint64_t dead(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  uint64_t named = c->knobs[DEAD_FIRST] != 0 ? candidates & *(const uint64_t *)weir_set_state(c, a->set) : 0;
  c->counters[DEAD_VICTIMS] += named != 0;
  return named;
}

static bool bypasses(struct weir_cache_view *c, const struct weir_access *a) {
  bool yes = weir_requester_is_among(c->knobs[REQUESTERS], a) && predict(c, a);
  c->counters[PREDICTED_BYPASSES] += yes;
  return yes;
}

static bool miss(struct weir_cache_view *c, struct weir_access *a) {
  return a->kind == WEIR_ACCESS_LOAD && bypasses(c, a);
}

static bool store_miss(struct weir_cache_view *c, struct weir_access *a) {
  return c->knobs[STORES] != 0 && bypasses(c, a);
}

static const struct weir_knob knobs[] = {
  WEIR_SDBP_KNOB_TABLE,
  [DEAD_FIRST] = {"dead_first", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                  "lines predicted dead leave first, whoever brought them (public code)"},
  [REQUESTERS] = WEIR_REQUESTERS_KNOB(WEIR_REQUESTERS_GPU, "whose accesses may bypass (Holey section 5: the GPU's)"),
  [STORES] = WEIR_REQUESTERS_STORES_KNOB(1, "stores that would be given a line may bypass too (inferred)"),
  {0},
};

static const struct weir_policy_counter counters[] = {
  [SAMPLED_ACCESSES] = {"sampled_accesses", "accesses", "accesses that went through the sampler", true},
  [PREDICTIONS] = {"predictions", "accesses", "hits, misses and fills that asked the predictor", true},
  [PREDICTED_BYPASSES] = {"predicted_bypasses", "misses", "misses bypassed as dead on arrival", false},
  [DEAD_VICTIMS] = {"dead_victims", "evictions", "victims sought while some line was predicted dead", false},
  {0},
};

const struct weir_policy weir_bypass_sdbp = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "sdbp",
  .summary = "does not keep lines that a PC-indexed sampling predictor believes dead",
  .citation = "Khan et al., Sampling dead block prediction for last-level caches, MICRO 2010",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .scope_bytes = weir_sdbp_scope_bytes,
  .set_bytes = sizeof(uint64_t),
  .cost_bits = weir_sdbp_bits,
  .scope_bits = weir_sdbp_scope_bits,
  .init = init,
  .look = look,
  .hit = hit,
  .insert = insert,
  .dead = dead,
  .miss = miss,
  .store_miss = store_miss,
};
