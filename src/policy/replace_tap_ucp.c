// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// TAP-UCP: UCP in which the GPU's hits count for so much less as it comes more often than the CPU programs, and an
// insensitive GPU has its minimum of ways and enters at the LRU position (policy/tap.h, policy/ucp.h).
//
// Inferred: that the hits are divided before the look-ahead, as the port that was read does it too late to matter; which
// way an excluded GPU keeps; that with no CPU program it has them all.
#include "policy/table.h"
#include "policy/tap.h"
#include "policy/ucp.h"

enum { TAP = WEIR_UCP_KNOBS };
enum { SAMPLED_ACCESSES, PARTITIONINGS, LRU_INSERTIONS, MRU_INSERTIONS, NORMALISED, TAP_COUNTERS };

struct state {
  struct weir_ucp ucp;
  uint64_t memory[];
};

struct shared {
  struct weir_ucp_quotas quotas;
  struct weir_tap tap;
};

static size_t cache_bytes(const struct weir_geometry *g) {
  return sizeof(struct state) + weir_ucp_bytes(g);
}

static size_t scope_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct shared);
}

static void init(struct weir_cache_view *c) {
  struct state *s = c->state;
  struct shared *shared = c->scope->state;
  shared->tap.ratio = 1;
  weir_ucp_start(c, &s->ucp, s->memory);
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)way;
  struct state *s = c->state;
  struct shared *shared = c->scope->state;
  if (a->kind == WEIR_ACCESS_WRITEBACK) return;
  shared->tap.accesses[a->requester]++;
  c->counters[SAMPLED_ACCESSES] += weir_umon_look(&s->ucp.umon, a);
}

static bool enters_last(const struct weir_cache_view *c, const struct weir_access *a) {
  const struct shared *shared = c->scope->state;
  switch (weir_tap_core(c->knobs + TAP, a)) {
  case WEIR_TAP_SHORT: return true;
  case WEIR_TAP_LONG: return false;
  case WEIR_TAP_FOLLOWS: break;
  }
  return a->requester == 0 && shared->tap.insensitive;
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct state *s = c->state;
  weir_ucp_requester(c, &s->ucp, a->set)[way] = a->requester;
  bool last = enters_last(c, a);
  c->counters[last ? LRU_INSERTIONS : MRU_INSERTIONS]++;
  if (last)
    weir_recency_demote(c, a->set, way);
  else
    weir_recency_promote(c, a->set, way);
}

static void warmed_up(struct weir_cache_view *c) {
  struct shared *shared = c->scope->state;
  weir_tap_forget(&shared->tap);
}

static void epoch(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  struct shared *shared = c->scope->state;
  weir_tap_end(c, &shared->tap, sensors, TAP, TAP_COUNTERS);
  weir_ucp_partition(c, shared->tap.ratio, shared->tap.insensitive, PARTITIONINGS);
  for (uint32_t i = 0; i < c->scope->count; i++) c->scope->caches[i]->counters[NORMALISED] += shared->tap.ratio > 1;
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return weir_ucp_bits(g) + weir_tap_bits();
}

static const struct weir_knob knobs[] = {WEIR_UCP_KNOB_TABLE, WEIR_TAP_KNOB_TABLE(TAP), [TAP + WEIR_TAP_KNOBS] = {0}};

static const struct weir_policy_counter counters[] = {
  [SAMPLED_ACCESSES] = {"sampled_accesses", "accesses", "accesses that went through a monitor", true},
  [PARTITIONINGS] = {"partitionings", "epochs", "times that quotas were computed, counted once per cache", false},
  [LRU_INSERTIONS] = {"lru_insertions", "lines", "lines that entered at the LRU position", false},
  [MRU_INSERTIONS] = {"mru_insertions", "lines", "lines that entered at the MRU position", false},
  [NORMALISED] = {"normalised_periods", "epochs", "after which the GPU's hits were divided, per cache", false},
  WEIR_TAP_COUNTER_TABLE(TAP_COUNTERS),
  {0},
};

const struct weir_policy weir_replace_tap_ucp = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "tap-ucp",
  .summary = "UCP that gives a GPU less the more often it comes, and least if caching does not speed it up",
  .citation =
    "Lee and Kim, TAP: A TLP-aware cache management policy for a CPU-GPU heterogeneous architecture, HPCA 2012",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .scope_bytes = scope_bytes,
  .set_bytes = WEIR_RECENCY_SET_BYTES,
  .line_bytes = WEIR_RECENCY_LINE_BYTES,
  .cost_bits = cost_bits,
  .scope_bits = weir_tap_scope_bits,
  .reject = weir_ucp_reject,
  .epoch_cycles = weir_ucp_epoch_cycles,
  .init = init,
  .epoch = epoch,
  .warmed_up = warmed_up,
  .look = look,
  .hit = weir_recency_hit,
  .insert = insert,
  .invalidate = weir_ucp_invalidate,
  .victim = weir_ucp_victim,
};
