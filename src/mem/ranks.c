// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/ranks.h"

#include "base/alloc.h"
#include "base/bits.h"

// Between REST and LAST: the first to go, the higher the sooner. From MIDDLE upwards are those of which the youngest goes, downwards
// those of which the oldest goes.
enum { REST = 0, MIDDLE = UINT32_C(1) << 31, LAST = UINT32_MAX };

static uint32_t *rank_of(const struct weir_cache *c, uint32_t set, uint32_t way) {
  return &c->ranks[(size_t)set * c->params.ways + way];
}

// A line that is last among as many as may be is one of the rest.
static bool may_be_last(const struct weir_cache *c, uint32_t set, uint32_t way) {
  uint32_t last = 0;
  for (uint32_t w = 0; w < c->usable; w++) {
    const bool held = weir_cache_tags(c, set)[w] != 0;
    last += w != way && held && *rank_of(c, set, w) == LAST;
  }
  return last < c->params.last_ways;
}

// Ranks count marks since the last time that none was left to give: after 2³¹ − 2 marks all are forgotten.
static uint32_t next_mark(struct weir_cache *c) {
  if (++c->rank < MIDDLE - 1) return c->rank;
  for (size_t i = 0; i < (size_t)c->params.sets * c->params.ways; i++)
    if (c->ranks[i] != LAST) c->ranks[i] = REST;
  return c->rank = 1;
}

static void mark(struct weir_cache *c, uint32_t set, uint32_t way, enum weir_hint_effect effect) {
  if (!c->ranks) c->ranks = weir_new_array(uint32_t, (size_t)c->params.sets * c->params.ways);
  uint32_t *rank = rank_of(c, set, way);
  const bool keeps_place = effect == WEIR_EFFECT_OF_HINT_FIRST && *rank > MIDDLE && *rank != LAST;
  if (keeps_place) return;
  if (effect == WEIR_EFFECT_OF_HINT_FIRST)
    *rank = MIDDLE + next_mark(c);
  else if (effect == WEIR_EFFECT_OF_HINT_OLDEST)
    *rank = MIDDLE - next_mark(c);
  else if (effect == WEIR_EFFECT_OF_HINT_LAST)
    *rank = may_be_last(c, set, way) ? LAST : REST;
}

static bool marks(enum weir_hint_effect effect) {
  return effect == WEIR_EFFECT_OF_HINT_FIRST || effect == WEIR_EFFECT_OF_HINT_LAST;
}

void weir_ranks_mark_inserted(struct weir_cache *c, uint32_t set, uint32_t way, enum weir_hint_effect effect) {
  if (c->ranks) *rank_of(c, set, way) = REST;
  if (marks(effect) || effect == WEIR_EFFECT_OF_HINT_OLDEST) mark(c, set, way, effect);
}

// A use without a hint makes a line that was to go first one of the rest, and leaves one that was to go last.
void weir_ranks_mark_hit(struct weir_cache *c, uint32_t set, uint32_t way, enum weir_hint_effect effect) {
  if (marks(effect)) {
    mark(c, set, way, effect);
  } else if (c->ranks && !weir_leaves_order(effect)) {
    uint32_t *rank = rank_of(c, set, way);
    if (*rank != LAST || effect == WEIR_EFFECT_OF_HINT_DEMOTE) *rank = REST;
  }
}

void weir_ranks_demote(struct weir_cache *c) {
  for (size_t i = 0; c->ranks && i < (size_t)c->params.sets * c->params.ways; i++)
    if (c->ranks[i] == LAST) c->ranks[i] = REST;
}

uint64_t weir_ranks_left(const struct weir_cache *c, uint32_t set, uint64_t candidates) {
  uint64_t rest = 0;
  uint32_t first = REST, way = WEIR_NO_WAY;
  for (uint64_t left = candidates; left; left &= left - 1) {
    const uint32_t w = weir_lowest(left), rank = *rank_of(c, set, w);
    rest |= (uint64_t)(rank != LAST) << w;
    if (rank == LAST || rank <= first) continue;
    first = rank;
    way = w;
  }
  if (way != WEIR_NO_WAY) return UINT64_C(1) << way;
  return rest ? rest : candidates;
}
