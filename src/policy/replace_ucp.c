// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Utility-based cache partitioning: LRU within quotas of ways that follow what each requester would gain (policy/ucp.h).
#include "policy/table.h"
#include "policy/ucp.h"

enum { SAMPLED_ACCESSES, PARTITIONINGS };

struct state {
  struct weir_ucp ucp;
  uint64_t memory[];
};

static size_t cache_bytes(const struct weir_geometry *g) {
  return sizeof(struct state) + weir_ucp_bytes(g);
}

static size_t scope_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct weir_ucp_quotas);
}

static void init(struct weir_cache_view *c) {
  struct state *s = c->state;
  weir_ucp_start(c, &s->ucp, s->memory);
}

// Write-backs are no demand (inferred).
static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)way;
  struct state *s = c->state;
  if (a->kind != WEIR_ACCESS_WRITEBACK) c->counters[SAMPLED_ACCESSES] += weir_umon_look(&s->ucp.umon, a);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct state *s = c->state;
  weir_ucp_requester(c, &s->ucp, a->set)[way] = a->requester;
  weir_recency_promote(c, a->set, way);
}

static void epoch(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  (void)sensors;
  weir_ucp_partition(c, 1, false, PARTITIONINGS);
}

static const struct weir_knob knobs[] = {WEIR_UCP_KNOB_TABLE, {0}};

static const struct weir_policy_counter counters[] = {
  [SAMPLED_ACCESSES] = {"sampled_accesses", "accesses", "accesses that went through a monitor", true},
  [PARTITIONINGS] = {"partitionings", "epochs", "times that quotas were computed, counted once per cache", false},
  {0},
};

const struct weir_policy weir_replace_ucp = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "ucp",
  .summary = "gives each requester the ways that spare it most misses, by shadow tags and look-ahead; LRU within",
  .citation = "Qureshi and Patt, Utility-based cache partitioning, MICRO 2006",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .scope_bytes = scope_bytes,
  .set_bytes = WEIR_RECENCY_SET_BYTES,
  .line_bytes = WEIR_RECENCY_LINE_BYTES,
  .cost_bits = weir_ucp_bits,
  .reject = weir_ucp_reject,
  .epoch_cycles = weir_ucp_epoch_cycles,
  .init = init,
  .epoch = epoch,
  .look = look,
  .hit = weir_recency_hit,
  .insert = insert,
  .invalidate = weir_ucp_invalidate,
  .victim = weir_ucp_victim,
};
