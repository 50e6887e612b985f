// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Dead-block replacement by the sampling predictor: the lowest way whose line is predicted dead leaves, else the least
// recent (policy/sdbp.h). Bypassing is the other half, bypass_sdbp.c.
#include "policy/recency.h"
#include "policy/sdbp.h"
#include "policy/table.h"

enum { SAMPLED_ACCESSES, PREDICTIONS, DEAD_VICTIMS, LRU_VICTIMS };

// A bit per way of each set, then the predictor.
static size_t masks_bytes(uint32_t sets) {
  return (size_t)sets * sizeof(uint64_t);
}

static size_t cache_bytes(const struct weir_geometry *g) {
  return masks_bytes(g->sets) + weir_sdbp_bytes(g);
}

static struct weir_sdbp *predictor(const struct weir_cache_view *c) {
  return (struct weir_sdbp *)(void *)((char *)c->state + masks_bytes(c->sets));
}

static void init(struct weir_cache_view *c) {
  weir_recency_init(c);
  weir_sdbp_start(c, predictor(c));
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)way;
  c->counters[SAMPLED_ACCESSES] += weir_sdbp_look(c, predictor(c), a);
}

// A write-back leaves the prediction of a line as it was, and a line that it brings is not dead (inferred).
static void touch(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  weir_recency_promote(c, a->set, way);
  if (a->kind == WEIR_ACCESS_WRITEBACK) return;
  uint64_t *dead = (uint64_t *)c->state + a->set, bit = UINT64_C(1) << way;
  *dead = weir_sdbp_predicts(c, weir_sdbp_pc(a)) ? *dead | bit : *dead & ~bit;
  c->counters[PREDICTIONS]++;
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  touch(c, a, way);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  *((uint64_t *)c->state + a->set) &= ~(UINT64_C(1) << way);
  touch(c, a, way);
}

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  uint64_t dead = candidates & *((const uint64_t *)c->state + a->set);
  c->counters[dead ? DEAD_VICTIMS : LRU_VICTIMS]++;
  return dead ? weir_lowest(dead) : weir_recency_last(c, a->set, candidates);
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return weir_sdbp_bits(g) + g->sets * weir_recency_bits(g->ways);
}

static const struct weir_knob knobs[] = {WEIR_SDBP_KNOB_TABLE, {0}};

static const struct weir_policy_counter counters[] = {
  [SAMPLED_ACCESSES] = {"sampled_accesses", "accesses", "accesses that went through the sampler", true},
  [PREDICTIONS] = {"predictions", "accesses", "hits and fills that asked the predictor", true},
  [DEAD_VICTIMS] = {"dead_victims", "evictions", "victims that were predicted dead", false},
  [LRU_VICTIMS] = {"lru_victims", "evictions", "victims sought while no line was predicted dead", false},
  {0},
};

const struct weir_policy weir_replace_sdbp = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "sdbp",
  .summary = "LRU that first evicts lines which a PC-indexed sampling predictor believes dead",
  .citation = "Khan et al., Sampling dead block prediction for last-level caches, MICRO 2010",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .scope_bytes = weir_sdbp_scope_bytes,
  .set_bytes = WEIR_RECENCY_SET_BYTES,
  .line_bytes = WEIR_RECENCY_LINE_BYTES,
  .cost_bits = cost_bits,
  .scope_bits = weir_sdbp_scope_bits,
  .init = init,
  .look = look,
  .hit = hit,
  .insert = insert,
  .victim = victim,
};
