// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "look/record.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <string.h>

enum { CURVE_TIMES = 16 }; // the curve goes up to so many times the cache's lines, exactly

void weir_look_record_start(struct weir_look_record *r, uint32_t sets, uint32_t ways, uint32_t sectors) {
  const size_t n = (size_t)sets * ways;
  r->sets = sets;
  r->ways = ways;
  r->sectors = sectors;
  r->now = weir_new_array(struct weir_look_way, n);
  r->before = weir_new_array(struct weir_look_way, n);
  r->by_set = weir_new_array(struct weir_look_counts, sets);
  r->depth_count = n * CURVE_TIMES;
  r->depths = weir_new_array(uint64_t, r->depth_count);
  weir_classes_start(&r->classes, n, sectors);
}

void weir_look_record_free(struct weir_look_record *r) {
  weir_free(r->now);
  weir_free(r->before);
  weir_free(r->by_set);
  weir_free(r->depths);
  weir_free(r->events);
  weir_free(r->loads);
  weir_classes_free(&r->classes);
}

void weir_look_record_begin(struct weir_look_record *r) {
  r->on = r->copies = true;
  memcpy(r->before, r->now, sizeof *r->now * r->sets * r->ways);
}

void weir_look_record_end(struct weir_look_record *r) {
  r->on = false;
}

uint64_t weir_look_misses(const struct weir_look_counts *n) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < WEIR_MISS_CLASSES; i++) sum += n->misses[i];
  return sum;
}

uint64_t weir_look_misses_of(const struct weir_look_record *r, uint64_t lines) {
  uint64_t hits = 0;
  for (uint64_t d = 0; d < lines && d < r->depth_count; d++) hits += r->depths[d];
  return r->uses - hits;
}

// ---- what is counted ------------------------------------------------------------------------------------------------------

// Of the access's instruction; its lines are widened by this one.
static struct weir_look_load *load_of(struct weir_look_record *r, uint32_t pc, uint8_t request, uint64_t line) {
  for (uint32_t i = 0; i < r->load_count; i++)
    if (r->loads[i].pc == pc && r->loads[i].request == request) {
      struct weir_look_load *l = &r->loads[i];
      if (line < l->low) l->low = line;
      if (line > l->high) l->high = line;
      return l;
    }
  struct weir_look_load *l = weir_push(r->loads, r->load_count, r->load_capacity);
  *l = (struct weir_look_load){.pc = pc, .request = request, .low = line, .high = line};
  return l;
}

static uint32_t pc_of(const struct weir_watched *w) {
  return w->has_pc ? w->pc >> 3 : UINT32_MAX;
}

static void count_access(struct weir_look_counts *n, const struct weir_watched *w, enum weir_miss_class class) {
  n->accesses++;
  if (w->result == WEIR_ACCESS_BYPASS)
    n->bypasses++;
  else if (!w->places)
    n->passed++;
  else if (w->result == WEIR_ACCESS_MISS)
    n->misses[class]++;
  else if (w->result == WEIR_ACCESS_HIT)
    n->hits++;
  else
    n->hits_on_miss++;
}

static void count_distance(struct weir_look_record *r, uint64_t distance) {
  r->uses++;
  if (distance == WEIR_STACK_NEVER) {
    r->never++;
    return;
  }
  r->distances[distance ? weir_log2(distance) + 1 : 0]++;
  if (distance < r->depth_count) r->depths[distance]++;
}

static void log_event(struct weir_look_record *r, const struct weir_look_event *e) {
  if (r->event_count == r->most_events)
    r->left_out++;
  else
    *weir_push(r->events, r->event_count, r->event_capacity) = *e;
}

// ---- what the cache tells -------------------------------------------------------------------------------------------------

static struct weir_look_way *way_of(struct weir_look_record *r, const struct weir_watched *w) {
  return &r->now[(size_t)w->set * r->ways + w->way];
}

static void see_access(struct weir_look_record *r, struct weir_look_event *e, bool counts) {
  const struct weir_watched *w = &e->what;
  const bool uses = weir_look_uses(w);
  if (uses) e->use = weir_classes_use(&r->classes, w->line, weir_lowest(w->sectors));
  if (uses && w->result != WEIR_ACCESS_MISS && w->way != UINT32_MAX) {
    way_of(r, w)->last_use = w->now;
    way_of(r, w)->uses++;
  }
  if (!counts) return;
  count_access(&r->total, w, e->use.if_miss);
  count_access(&r->by_set[w->set], w, e->use.if_miss);
  count_access(&load_of(r, pc_of(w), w->request, w->line)->n, w, e->use.if_miss);
  if (uses) count_distance(r, e->use.distance);
}

static void see_fill(struct weir_look_record *r, struct weir_look_event *e, bool counts) {
  const struct weir_watched *w = &e->what;
  *way_of(r, w) = (struct weir_look_way){
    .line = w->line, .filled = w->now, .last_use = w->now, .load = w->has_pc ? (w->pc >> 3) + 1 : 0, .held = true};
  e->load = way_of(r, w)->load;
  if (!counts) return;
  r->total.fills++;
  r->by_set[w->set].fills++;
}

static void count_end(struct weir_look_counts *n, bool unused) {
  n->ends++;
  n->unused += unused;
}

static void see_end(struct weir_look_record *r, struct weir_look_event *e, bool counts) {
  struct weir_look_way *way = way_of(r, &e->what);
  e->last_use = way->last_use;
  e->filled = way->filled;
  e->uses = way->uses;
  e->load = way->load;
  way->held = false;
  if (!counts) return;
  r->ends[e->what.end]++;
  count_end(&r->total, !e->uses);
  count_end(&r->by_set[e->what.set], !e->uses);
}

// A chip is built when its first launch begins, and has the host's copies by then: their lines were there before.
static void see_copies(struct weir_look_record *r, const struct weir_watched *w) {
  const bool fill = w->kind == WEIR_WATCH_FILL && !w->has_pc, end = w->kind == WEIR_WATCH_END;
  if (w->kind == WEIR_WATCH_COPY || fill || end) return;
  r->copies = false;
  memcpy(r->before, r->now, sizeof *r->now * r->sets * r->ways);
}

void weir_look_record_saw(void *record, const struct weir_watched *what) {
  struct weir_look_record *r = record;
  struct weir_look_event e = {.what = *what};
  e.what.asked = NULL;                            // it ends before the record
  if (e.what.now < r->last) e.what.now = r->last; // a flush knows no time
  r->last = e.what.now;
  if (r->copies) see_copies(r, what);
  const bool counts =
    r->on && !r->copies && (r->only_set == WEIR_LOOK_ANY || r->only_set == what->set || what->kind == WEIR_WATCH_FLUSH);
  switch ((enum weir_watch_kind)what->kind) {
  case WEIR_WATCH_ACCESS: see_access(r, &e, counts); break;
  case WEIR_WATCH_FILL: see_fill(r, &e, counts); break;
  case WEIR_WATCH_END: see_end(r, &e, counts); break;
  case WEIR_WATCH_KILL: weir_classes_drop(&r->classes, what->line, what->sectors); return;
  case WEIR_WATCH_FLUSH: weir_classes_flush(&r->classes); return;
  case WEIR_WATCH_COPY: weir_classes_use(&r->classes, what->line, weir_lowest(what->sectors)); return;
  case WEIR_WATCH_ARRIVE:
  case WEIR_WATCH_PAST: return;
  }
  if (counts) log_event(r, &e);
}
