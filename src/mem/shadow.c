// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/shadow.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <string.h>

struct weir_shadow {
  uint32_t sets, ways, usable; // as the cache's
  uint32_t data, room, turn;   // likewise, of a data pool
  uint64_t *tags;              // line address + 1, 0 = invalid
  bool *bypassed;              // the cache itself bypassed this line when it was last asked for
  bool *reused;                // hit since it came
  struct weir_policy_instance replace;
};

struct weir_shadow *weir_shadow_create(const struct weir_cache_params *p) {
  struct weir_shadow *s = weir_new(struct weir_shadow);
  s->sets = p->sets;
  s->ways = s->usable = p->ways;
  s->data = s->room = p->sets * p->ways;
  s->tags = weir_new_array(uint64_t, p->sets * p->ways);
  s->bypassed = weir_new_array(bool, p->sets * p->ways);
  s->reused = weir_new_array(bool, p->sets * p->ways);
  struct weir_geometry g = weir_cache_geometry(p, p->replace.knobs);
  weir_policy_start(&s->replace, p->first ? &p->first->shadow->replace : NULL, &p->replace, &g, p->seed,
                    p->user * 16 + 15);
  return s;
}

void weir_shadow_free(struct weir_shadow *s) {
  if (!s) return;
  weir_policy_stop(&s->replace);
  weir_free(s->tags);
  weir_free(s->bypassed);
  weir_free(s->reused);
  weir_free(s);
}

// The way that holds `key`, or the first that does if key is 0 (invalid); usable if none.
static uint32_t find(const struct weir_shadow *s, uint32_t set, uint64_t key) {
  const uint64_t *tags = s->tags + (size_t)set * s->ways;
  uint32_t w = 0;
  while (w < s->usable && tags[w] != key) w++;
  return w;
}

static void drop(struct weir_shadow *s, uint32_t set, uint32_t way) {
  s->tags[(size_t)set * s->ways + way] = 0;
  s->room++;
  weir_hook(&s->replace, invalidate, set, way);
}

// The ways of a set that hold a line.
static uint64_t held(const struct weir_shadow *s, uint32_t set) {
  uint64_t held = 0;
  for (uint32_t w = 0; w < s->usable; w++) held |= (uint64_t)(s->tags[(size_t)set * s->ways + w] != 0) << w;
  return held;
}

// Of these, where any is, those that were not used again.
static uint64_t unused(const struct weir_shadow *s, uint32_t set, uint64_t ways) {
  uint64_t unused = 0;
  for (uint32_t w = 0; w < s->usable; w++)
    unused |= (ways >> w & 1 && !s->reused[(size_t)set * s->ways + w] ? UINT64_C(1) : 0) << w;
  return unused ? unused : ways;
}

static void take_from_another(struct weir_shadow *s, const struct weir_access *a) {
  struct weir_access other = *a;
  do s->turn = (s->turn + 1) & (s->sets - 1);
  while (!held(s, s->turn));
  other.set = s->turn;
  drop(s, s->turn, s->replace.policy->victim(&s->replace.view, &other, held(s, s->turn)));
}

// As weir_cache_choose, where nothing is in flight.
static uint32_t allocate(struct weir_shadow *s, struct weir_access *a) {
  uint32_t w = find(s, a->set, 0);
  uint64_t candidates = w < s->usable && s->room ? 0 : held(s, a->set);
  if (w < s->usable && candidates) candidates = unused(s, a->set, candidates);
  if (candidates) {
    w = s->replace.policy->victim(&s->replace.view, a, candidates);
    weir_hook(&s->replace, evict, a, w, false);
  } else {
    if (!s->room) take_from_another(s, a);
    s->room--;
  }
  s->tags[(size_t)a->set * s->ways + w] = a->line + 1;
  s->reused[(size_t)a->set * s->ways + w] = false;
  weir_hook(&s->replace, insert, a, w);
  return w;
}

static void use(struct weir_shadow *s, struct weir_access *a, uint32_t w) {
  s->reused[(size_t)a->set * s->ways + w] = true;
  weir_hook(&s->replace, hit, a, w, false);
}

void weir_shadow_read(struct weir_shadow *s, struct weir_access a, bool bypassed, struct weir_level_stats *stats) {
  uint32_t w = find(s, a.set, a.line + 1);
  bool hit = w < s->usable;
  weir_hook(&s->replace, look, &a, hit ? w : WEIR_NO_WAY);
  if (hit)
    use(s, &a, w);
  else
    w = allocate(s, &a);
  bool *mark = &s->bypassed[(size_t)a.set * s->ways + w];
  if (hit && bypassed) stats->shadow_bypass_hits++;
  if (hit && *mark) stats->bypassed_rereferences++;
  *mark = bypassed;
}

void weir_shadow_write(struct weir_shadow *s, struct weir_access a, bool evicts, bool allocates) {
  uint32_t w = find(s, a.set, a.line + 1);
  weir_hook(&s->replace, look, &a, w < s->usable ? w : WEIR_NO_WAY);
  if (w == s->usable) {
    if (!allocates) return;
    w = allocate(s, &a);
    s->bypassed[(size_t)a.set * s->ways + w] = false;
  } else if (evicts) {
    drop(s, a.set, w);
  } else {
    use(s, &a, w);
  }
}

void weir_shadow_drop_ways(struct weir_shadow *s, uint32_t from) {
  for (uint32_t set = 0; set < s->sets; set++)
    for (uint32_t w = from; w < s->ways; w++)
      if (s->tags[(size_t)set * s->ways + w]) drop(s, set, w);
}

void weir_shadow_use_ways(struct weir_shadow *s, uint32_t ways) {
  s->usable = ways;
}

static uint32_t lines_here(const struct weir_shadow *s) {
  return s->data - s->room;
}

void weir_shadow_use_data(struct weir_shadow *s, uint32_t lines) {
  for (uint32_t set = s->sets; lines_here(s) > lines && set-- > 0;)
    for (uint32_t w = s->ways; lines_here(s) > lines && w-- > 0;)
      if (s->tags[(size_t)set * s->ways + w]) drop(s, set, w);
  s->room = lines - lines_here(s);
  s->data = lines;
}
