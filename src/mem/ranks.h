// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What hints do to the order in which lines go, whatever the replacement policy. Lines have a rank each: those that are the
// first to go, of which the youngest goes before the others, as if each had been put at the end of the order; behind them those
// of which the oldest goes first; those that go after all others; and the rest. The policy chooses among the candidates that the ranks leave, and does not know of them.
// Invariant: a line that no hint has marked has the rank of the rest, and while none is marked there is no memory for ranks.
#ifndef WEIR_MEM_RANKS_H
#define WEIR_MEM_RANKS_H

#include "mem/cache.h"

// What this cache does about the hint of the access.
static inline enum weir_hint_effect weir_cache_effect(const struct weir_cache *c, const struct weir_access *a) {
  return (enum weir_hint_effect)c->params.effects[c->params.level ? a->l2_hint : a->l1_hint];
}

// Does a hit with this effect leave the replacement policy's order as it is?
static inline bool weir_leaves_order(enum weir_hint_effect effect) {
  return effect == WEIR_EFFECT_OF_HINT_UNCHANGED || effect == WEIR_EFFECT_OF_HINT_OLDEST;
}

// Of the functions below, for a cache with marks or an access that makes one.
void weir_ranks_mark_inserted(struct weir_cache *c, uint32_t set, uint32_t way, enum weir_hint_effect effect);
void weir_ranks_mark_hit(struct weir_cache *c, uint32_t set, uint32_t way, enum weir_hint_effect effect);
uint64_t weir_ranks_left(const struct weir_cache *c, uint32_t set, uint64_t candidates);

// The way is given to the line of an access with this effect.
static inline void weir_ranks_insert(struct weir_cache *c, uint32_t set, uint32_t way, enum weir_hint_effect effect) {
  if (c->ranks || effect != WEIR_EFFECT_OF_HINT_NORMAL) weir_ranks_mark_inserted(c, set, way, effect);
}

// The line in it is hit by one.
static inline void weir_ranks_hit(struct weir_cache *c, uint32_t set, uint32_t way, enum weir_hint_effect effect) {
  if (c->ranks || effect != WEIR_EFFECT_OF_HINT_NORMAL) weir_ranks_mark_hit(c, set, way, effect);
}

// Lines that were to go last are as any others.
void weir_ranks_demote(struct weir_cache *c);

// Which of the candidates (never 0) may go; never 0.
static inline uint64_t weir_ranks_restrict(const struct weir_cache *c, uint32_t set, uint64_t candidates) {
  return c->ranks ? weir_ranks_left(c, set, candidates) : candidates;
}

#endif
