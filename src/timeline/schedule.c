// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "timeline/engines.h"

#include "base/alloc.h"

#include <assert.h>

enum { FEW = 64 };

static void follow(struct weir_item *item, struct weir_item *earlier) {
  if (weir_item_ended(earlier)) return;
  *weir_push(earlier->followers, earlier->follower_count, earlier->follower_capacity) = item;
  item->open++;
}

// ---- streams ------------------------------------------------------------------------------------------------------------

// Those that have ended hold back nothing.
static void sweep(struct weir_timeline *t) {
  unsigned kept = 0;
  for (unsigned i = 0; i < t->blocking_count; i++) {
    if (weir_item_ended(t->blocking[i]))
      weir_item_release(t->blocking[i]);
    else
      t->blocking[kept++] = t->blocking[i];
  }
  t->blocking_count = kept;
  t->blocking_most = 2 * kept + FEW;
}

static void replace(struct weir_item **at, struct weir_item *item) {
  weir_item_release(*at);
  *at = weir_item_hold(item);
}

static void follow_legacy_rules(struct weir_timeline *t, enum weir_stream_kind kind, struct weir_item *item) {
  if (kind == WEIR_STREAM_NON_BLOCKING) return;
  follow(item, t->legacy);
  if (kind == WEIR_STREAM_BLOCKING) {
    if (t->blocking_count >= t->blocking_most) sweep(t);
    *weir_push(t->blocking, t->blocking_count, t->blocking_capacity) = weir_item_hold(item);
    return;
  }
  for (unsigned i = 0; i < t->blocking_count; i++) {
    follow(item, t->blocking[i]);
    weir_item_release(t->blocking[i]);
  }
  t->blocking_count = 0;
  replace(&t->legacy, item);
}

static struct weir_item *give(struct weir_timeline *t, struct weir_stream *s, struct weir_item item,
                              struct weir_item *after) {
  struct weir_item *own = weir_new(struct weir_item);
  *own = item;
  own->references = 1; // until it has ended
  own->number = ++t->given;
  follow(own, s->last);
  follow(own, after);
  follow_legacy_rules(t, s->kind, own);
  replace(&s->last, own);
  if (!own->open) weir_engines_take(t, own);
  return s->last;
}

struct weir_item *weir_timeline_move(struct weir_timeline *t, struct weir_stream *s, enum weir_engine engine,
                                     weir_time duration, uint64_t dram_bytes) {
  const struct weir_item item = {
    .engine = engine, .duration = duration, .grid = {.blocks = 1, .resident = 1}, .dram_bytes = dram_bytes};
  return give(t, s, item, NULL);
}

struct weir_item *weir_timeline_place(struct weir_timeline *t, struct weir_stream *s, enum weir_engine engine,
                                      weir_time duration) {
  return weir_timeline_move(t, s, engine, duration, 0);
}

struct weir_item *weir_timeline_run_moving(struct weir_timeline *t, struct weir_stream *s,
                                           const struct weir_grid_use *g, weir_time duration, uint64_t dram_bytes) {
  const struct weir_item item = {
    .engine = WEIR_ENGINE_DEVICE, .duration = duration, .grid = *g, .dram_bytes = dram_bytes, .priority = s->priority};
  return give(t, s, item, NULL);
}

struct weir_item *weir_timeline_run(struct weir_timeline *t, struct weir_stream *s, const struct weir_grid_use *g,
                                    weir_time duration) {
  return weir_timeline_run_moving(t, s, g, duration, 0);
}

void weir_timeline_wait(struct weir_timeline *t, struct weir_stream *s, struct weir_item *item) {
  if (!weir_item_ended(item)) give(t, s, (struct weir_item){.engine = WEIR_ENGINE_NONE}, item);
}

struct weir_item *weir_timeline_open(struct weir_timeline *t, const struct weir_stream *s) {
  if (!weir_item_ended(s->last)) return s->last;
  if (s->kind != WEIR_STREAM_LEGACY) return NULL;
  sweep(t);
  return t->blocking_count ? t->blocking[0] : NULL;
}

void weir_stream_close(struct weir_stream *s) {
  replace(&s->last, NULL);
}

// ---- the host -------------------------------------------------------------------------------------------------------------

void weir_timeline_host_waits(struct weir_timeline *t, weir_time until) {
  if (until <= t->host) return;
  while (weir_engines_step(t, until)) continue;
  weir_engines_pass(t, until);
}

void weir_timeline_host_waits_for(struct weir_timeline *t, const struct weir_item *item) {
  while (!weir_item_ended(item)) {
    const bool stepped = weir_engines_step(t, WEIR_NEVER);
    assert(stepped); // it follows what was given before it, and nothing else
  }
}

bool weir_timeline_host_waits_a_little(struct weir_timeline *t) {
  const uint64_t finished = t->finished;
  while (t->finished == finished)
    if (!weir_engines_step(t, WEIR_NEVER)) return false;
  return true;
}

void weir_timeline_host_waits_for_all(struct weir_timeline *t) {
  while (weir_engines_step(t, WEIR_NEVER)) continue;
}

void weir_timeline_drain(struct weir_timeline *t) {
  weir_timeline_host_waits_for_all(t);
  sweep(t);
  replace(&t->legacy, NULL);
  for (unsigned e = 0; e <= WEIR_ENGINE_COUNT; e++) {
    weir_free(t->waiting[e].items);
    t->waiting[e] = (struct weir_line_up){0};
  }
  weir_free(t->blocking);
  weir_free(t->groups);
  weir_free(t->over);
  t->blocking = t->over = NULL;
  t->groups = NULL;
  t->blocking_capacity = t->group_capacity = t->over_capacity = 0;
}
