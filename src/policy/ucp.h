// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What UCP and TAP-UCP share: utility monitors, quotas of ways, and who leaves. At a miss by a requester that holds fewer lines of
// the set than its quota, the least recent line of a requester beyond its quota goes (else of any other requester); at a miss by
// any other requester, its own least recent line. The caches of a scope decide as one, from the sums of their monitors.
//
// Invariants: quotas add up to the ways; every line has the requester whose access brought it; struct weir_ucp comes first in the
// policy's memory of a cache, and struct weir_ucp_quotas in that of a scope, so that hooks of both are here.
#ifndef WEIR_POLICY_UCP_H
#define WEIR_POLICY_UCP_H

#include "policy/lookahead.h"
#include "policy/recency.h"
#include "policy/umon.h"

enum { WEIR_UCP_PERIOD, WEIR_UCP_SAMPLED, WEIR_UCP_AFTER, WEIR_UCP_LEAST, WEIR_UCP_SCOPE, WEIR_UCP_KNOBS };
enum { WEIR_UCP_HALVE, WEIR_UCP_RESET };

static const char *const weir_ucp_after[] = {"halve", "reset", NULL};

#define WEIR_UCP_KNOB_TABLE                                                                                            \
  [WEIR_UCP_PERIOD] = {"period", WEIR_KNOB_INT, 5e6,   1000,                                                           \
                       1e9,      NULL,          false, "core cycles between partitionings (5M: public code)"},         \
  [WEIR_UCP_SAMPLED] =                                                                                                 \
    {"sampled_sets", WEIR_KNOB_INT, 32,    1,                                                                          \
     65536,          NULL,          false, "sets that the monitors of each cache sample (inferred: UCP's 32)"},        \
  [WEIR_UCP_AFTER] = {"after",                                                                                         \
                      WEIR_KNOB_CHOICE,                                                                                \
                      WEIR_UCP_HALVE,                                                                                  \
                      0,                                                                                               \
                      1,                                                                                               \
                      weir_ucp_after,                                                                                  \
                      false,                                                                                           \
                      "what becomes of the monitors' counters at a partitioning (inferred; public code: reset)"},      \
  [WEIR_UCP_LEAST] = {"least_ways", WEIR_KNOB_INT, 1, 1, 8, NULL, false, "that every requester has (1: public code)"}, \
  [WEIR_UCP_SCOPE] = WEIR_SCOPE_KNOB(WEIR_SCOPE_LEVEL, "whose monitors decide on quotas (inferred: the level's)")

struct weir_ucp_quotas {
  uint8_t ways[WEIR_MAX_REQUESTERS];
};

struct weir_ucp {
  struct weir_umon umon;
  uint8_t *line_requester; // [set × ways + way]; WEIR_MAX_REQUESTERS: nobody's
};

static inline size_t weir_ucp_bytes(const struct weir_geometry *g) {
  uint32_t sampled = weir_umon_sampled(g->sets, g->knobs[WEIR_UCP_SAMPLED]);
  return weir_umon_words(sampled, g->ways, weir_requester_count(g)) * 8 + (size_t)g->sets * g->ways;
}

// `memory`: weir_ucp_bytes of it, aligned to 8. Until an epoch has ended the ways are shared evenly (inferred).
static inline void weir_ucp_start(struct weir_cache_view *c, struct weir_ucp *u, void *memory) {
  uint32_t sampled = weir_umon_sampled(c->sets, c->knobs[WEIR_UCP_SAMPLED]);
  weir_umon_start(&u->umon, c, sampled, memory);
  u->line_requester = (uint8_t *)memory + weir_umon_words(sampled, c->ways, c->requesters) * 8;
  memset(u->line_requester, WEIR_MAX_REQUESTERS, (size_t)c->sets * c->ways);
  struct weir_ucp_quotas *quota = c->scope->state;
  for (uint32_t i = 0; i < WEIR_MAX_REQUESTERS; i++)
    quota->ways[i] = i < c->requesters ? (uint8_t)(c->ways / c->requesters + (i < c->ways % c->requesters)) : 0;
  weir_recency_init(c);
}

static inline uint8_t *weir_ucp_requester(const struct weir_cache_view *c, const struct weir_ucp *u, uint32_t set) {
  return u->line_requester + (size_t)set * c->ways;
}

static inline void weir_ucp_invalidate(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  weir_ucp_requester(c, c->state, set)[way] = WEIR_MAX_REQUESTERS;
}

static inline uint32_t weir_ucp_victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  const struct weir_ucp *u = c->state;
  const struct weir_ucp_quotas *quota = c->scope->state;
  const uint8_t *requester = weir_ucp_requester(c, u, a->set);
  uint32_t held[WEIR_MAX_REQUESTERS + 1] = {0};
  uint64_t own = 0, beyond = 0;
  for (uint32_t way = 0; way < c->ways; way++) held[requester[way]]++;
  for (uint32_t way = 0; way < c->ways; way++) {
    own |= (uint64_t)(requester[way] == a->requester) << way;
    beyond |= (uint64_t)(requester[way] < c->requesters && held[requester[way]] > quota->ways[requester[way]]) << way;
  }
  bool grows = held[a->requester] < quota->ways[a->requester];
  uint64_t first = candidates & (grows ? beyond & ~own : own), second = candidates & ~own;
  return weir_recency_last(c, a->set, first ? first : grows && second ? second : candidates);
}

static inline void weir_ucp_sum(const struct weir_policy_scope *scope, uint64_t *hits) {
  for (uint32_t k = 0; k < scope->count; k++) {
    const struct weir_umon *m = &((const struct weir_ucp *)scope->caches[k]->state)->umon;
    for (uint32_t i = 0; i < m->requesters * m->ways; i++) hits[i] += m->hits[i];
  }
}

static inline void weir_ucp_age(const struct weir_cache_view *c) {
  struct weir_umon *m = &((struct weir_ucp *)c->state)->umon;
  for (uint32_t i = 0; i < m->requesters * m->ways; i++)
    m->hits[i] = c->knobs[WEIR_UCP_AFTER] == WEIR_UCP_HALVE ? m->hits[i] / 2 : 0;
}

// An epoch has ended for the scope. The GPU's hits count for so much less, and it may be excluded. partitionings: which counter
// of each cache counts that.
static inline void weir_ucp_partition(const struct weir_cache_view *c, uint32_t gpu_divisor, bool gpu_excluded,
                                      unsigned partitionings) {
  struct weir_ucp_quotas *quota = c->scope->state;
  uint64_t hits[WEIR_MAX_REQUESTERS * WEIR_MAX_WAYS] = {0};
  weir_ucp_sum(c->scope, hits);
  struct weir_lookahead l = {
    .requesters = c->requesters, .ways = c->ways, .least = (uint32_t)c->knobs[WEIR_UCP_LEAST], .hits = hits};
  for (uint32_t i = 0; i < c->requesters; i++) l.divisor[i] = i ? 1 : gpu_divisor;
  l.excluded[0] = gpu_excluded;
  weir_lookahead(&l, quota->ways);
  for (uint32_t k = 0; k < c->scope->count; k++) {
    weir_ucp_age(c->scope->caches[k]);
    c->scope->caches[k]->counters[partitionings]++;
  }
}

// LRU, the lines' requesters, quotas, and the monitors.
static inline uint64_t weir_ucp_bits(const struct weir_geometry *g) {
  uint32_t requesters = weir_requester_count(g), requester_bits = requesters > 1 ? weir_log2(requesters - 1) + 1 : 0;
  uint64_t quota_bits = weir_log2(g->ways) + 1;
  return g->sets * weir_recency_bits(g->ways) + (uint64_t)g->sets * g->ways * requester_bits + requesters * quota_bits +
    weir_umon_bits(weir_umon_sampled(g->sets, g->knobs[WEIR_UCP_SAMPLED]), g->ways, requesters);
}

static inline const char *weir_ucp_reject(const struct weir_geometry *g) {
  return g->ways >= weir_requester_count(g) * g->knobs[WEIR_UCP_LEAST]
    ? NULL
    : "there must be least_ways ways for every requester";
}

static inline uint32_t weir_ucp_epoch_cycles(const struct weir_geometry *g) {
  return (uint32_t)g->knobs[WEIR_UCP_PERIOD];
}

#endif
