// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Utility monitors (Qureshi and Patt, Utility-based cache partitioning, MICRO 2006; its full text is not public, the rules
// are those of public code and of descriptions): for every requester, an auxiliary tag directory of a few sampled sets, with
// the cache's ways and true LRU, as if the requester had the cache to itself, and a counter of hits for each place of the LRU
// stack. The hits that the requester would have with w ways are the sum of the first w counters.
//
// Invariant: a directory's tags stand in the order of their use, most recent first; 0 is an empty place. They are whole line
// addresses here; hardware would keep part of a tag.
#ifndef WEIR_POLICY_UMON_H
#define WEIR_POLICY_UMON_H

#include "policy/policy.h"

#include <string.h>

enum { WEIR_UMON_TAG_BITS = 24, WEIR_UMON_COUNTER_BITS = 32 };

struct weir_umon {
  uint32_t sampled, stride, ways, requesters; // sampled sets: every stride-th
  uint64_t *hits;                             // [requester × ways + place]
  uint64_t *tags;                             // [(requester × sampled + set) × ways + place]
};

static inline uint32_t weir_umon_sampled(uint32_t sets, double wanted) {
  return wanted < sets ? (uint32_t)wanted : sets;
}

// Words of memory for the counters and the directories.
static inline size_t weir_umon_words(uint32_t sampled, uint32_t ways, uint32_t requesters) {
  return (size_t)requesters * ways * (1 + sampled);
}

static inline void weir_umon_start(struct weir_umon *u, const struct weir_cache_view *c, uint32_t sampled,
                                   uint64_t *words) {
  *u = (struct weir_umon){.sampled = sampled,
                          .stride = c->sets / sampled,
                          .ways = c->ways,
                          .requesters = c->requesters,
                          .hits = words,
                          .tags = words + (size_t)c->requesters * c->ways};
}

// A demand access: the requester's directory moves its line to the front. Returns whether the set is sampled.
static inline bool weir_umon_look(struct weir_umon *u, const struct weir_access *a) {
  uint32_t set = a->set / u->stride, place = 0;
  if (a->set % u->stride || set >= u->sampled) return false;
  uint64_t *stack = u->tags + ((size_t)a->requester * u->sampled + set) * u->ways;
  while (place < u->ways && stack[place] != a->line + 1) place++;
  if (place < u->ways)
    u->hits[a->requester * u->ways + place]++;
  else
    place--;
  memmove(stack + 1, stack, place * sizeof *stack);
  stack[0] = a->line + 1;
  return true;
}

// Per requester: its directory (tag, valid bit, place in the stack) and its counters.
static inline uint64_t weir_umon_bits(uint32_t sampled, uint32_t ways, uint32_t requesters) {
  uint64_t place_bits = ways > 1 ? weir_log2(ways - 1) + 1 : 0;
  return (uint64_t)requesters * ways * (sampled * (WEIR_UMON_TAG_BITS + 1 + place_bits) + WEIR_UMON_COUNTER_BITS);
}

#endif
