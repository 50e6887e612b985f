// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/residency.h"

#include "base/alloc.h"

void weir_cache_watch(struct weir_cache *c, struct weir_residency *t, weir_cycle now) {
  weir_free(c->residents);
  c->residency = t;
  c->residents = NULL;
  if (!t) return;
  const size_t n = (size_t)c->params.sets * c->params.ways;
  c->residents = weir_new_array(struct weir_residency_line, n);
  for (size_t i = 0; i < n; i++) c->residents[i] = (struct weir_residency_line){.filled = now, .touched = now};
}

static void hold(struct weir_requester_counts *p, const struct weir_residency_line *l, weir_cycle now) {
  p->line_cycles += now - l->filled;
  p->dead_cycles += now - l->touched;
  if (!l->hits) p->never_hit_cycles += now - l->filled;
}

static void count_end(struct weir_requester_counts *p, const struct weir_residency_line *l) {
  p->ended_0 += l->hits == 0;
  p->ended_1 += l->hits == 1;
  p->ended_2 += l->hits == 2;
  p->ended_3 += l->hits == 3;
  p->ended_more += l->hits > 3;
}

void weir_residency_read(const struct weir_cache *c, weir_cycle now, bool ended, struct weir_requester_counts *ports) {
  const size_t n = (size_t)c->params.sets * c->params.ways;
  for (size_t i = 0; i < n; i++) {
    if (!weir_cache_tags(c, (uint32_t)(i / c->params.ways))[i % c->params.ways]) continue;
    struct weir_requester_counts *p = &ports[c->lines[i].port];
    hold(p, &c->residents[i], now);
    if (ended) count_end(p, &c->residents[i]);
  }
}

static size_t index_of(const struct weir_cache *c, uint32_t set, uint32_t way) {
  return (size_t)set * c->params.ways + way;
}

void weir_residency_begin(struct weir_cache *c, uint32_t set, uint32_t way, weir_cycle now) {
  c->residents[index_of(c, set, way)] = (struct weir_residency_line){.filled = now, .touched = now};
}

void weir_residency_hit(struct weir_cache *c, uint32_t set, uint32_t way, uint32_t hits, weir_cycle now) {
  struct weir_residency_line *l = &c->residents[index_of(c, set, way)];
  l->hits += hits;
  l->touched = now;
}

void weir_residency_end(struct weir_cache *c, uint32_t set, uint32_t way, weir_cycle now) {
  const size_t i = index_of(c, set, way);
  struct weir_requester_counts *p = &c->residency->ports[c->lines[i].port];
  hold(p, &c->residents[i], now);
  count_end(p, &c->residents[i]);
}
