// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "timeline/schedule.h"

#include "base/alloc.h"

#include <string.h>

// ---- engines ----------------------------------------------------------------------------------------------------------

// The earliest time from `ready` on at which the engine is free for so long; *at is where the new span goes.
static weir_time find_gap(const struct weir_engine_use *e, weir_time ready, weir_time duration, unsigned *at) {
  weir_time begin = ready;
  unsigned i = e->count;
  while (i && e->busy[i - 1].ended > ready) i--; // the first that ends later
  for (; i < e->count && begin + duration > e->busy[i].began; i++) begin = weir_later(begin, e->busy[i].ended);
  *at = i;
  return begin;
}

static void remove_spans(struct weir_engine_use *e, unsigned at, unsigned count) {
  memmove(e->busy + at, e->busy + at + count, (e->count - at - count) * sizeof *e->busy);
  e->count -= count;
}

static void insert(struct weir_engine_use *e, unsigned at, struct weir_span span) {
  const bool before = at && e->busy[at - 1].ended == span.began,
             behind = at < e->count && e->busy[at].began == span.ended;
  if (before && behind) {
    e->busy[at - 1].ended = e->busy[at].ended;
    remove_spans(e, at, 1);
  } else if (before) {
    e->busy[at - 1].ended = span.ended;
  } else if (behind) {
    e->busy[at].began = span.began;
  } else {
    (void)weir_push(e->busy, e->count, e->capacity);
    memmove(e->busy + at + 1, e->busy + at, (e->count - 1 - at) * sizeof *e->busy);
    e->busy[at] = span;
  }
}

// Is it busy at `now`? *next becomes the time at which that changes, if that is earlier; `now` never goes back, and *at follows it.
static bool busy_at(const struct weir_engine_use *e, unsigned *at, weir_time now, weir_time *next) {
  while (*at < e->count && e->busy[*at].ended <= now) ++*at;
  if (*at == e->count) return false;
  const bool busy = e->busy[*at].began <= now;
  *next = weir_sooner(*next, busy ? e->busy[*at].ended : e->busy[*at].began);
  return busy;
}

// Nothing is placed before `until` any more, so that what the engines did until then is final.
static void settle(struct weir_timeline *t, weir_time until) {
  struct weir_timeline_usage *u = &t->usage;
  unsigned at[WEIR_ENGINE_COUNT] = {0};
  for (weir_time now = t->settled, next; now < until; now = next) {
    next = until;
    const bool kernel = weir_residency_busy(&t->chip, now, &next),
               in = busy_at(&t->engines[WEIR_ENGINE_TO_DEVICE], &at[WEIR_ENGINE_TO_DEVICE], now, &next),
               out = busy_at(&t->engines[WEIR_ENGINE_TO_HOST], &at[WEIR_ENGINE_TO_HOST], now, &next);
    const weir_time span = next - now;
    if (kernel) u->device += span;
    if (in || out) u->copies += span;
    if (kernel && (in || out)) u->overlap += span;
    if (!kernel && !in && !out) u->idle += span;
  }
  t->settled = weir_later(t->settled, until);
}

// Nothing begins before the host's time any more.
static void forget(struct weir_engine_use *e, weir_time host) {
  unsigned past = 0;
  while (past < e->count && e->busy[past].ended <= host) past++;
  if (past) remove_spans(e, 0, past);
}

static struct weir_engine_use *engine_of(struct weir_timeline *t, enum weir_engine engine) {
  if (engine == WEIR_ENGINE_TO_HOST && t->copy_engines == 1) engine = WEIR_ENGINE_TO_DEVICE;
  return &t->engines[engine];
}

// ---- streams ----------------------------------------------------------------------------------------------------------

static weir_time ready_at(const struct weir_timeline *t, const struct weir_stream *s) {
  const weir_time ready = weir_later(t->host, s->end);
  if (s->kind == WEIR_STREAM_NON_BLOCKING) return ready;
  return weir_later(ready, s->kind == WEIR_STREAM_LEGACY ? t->shared : t->legacy);
}

static void extend(struct weir_timeline *t, struct weir_stream *s, weir_time end) {
  s->end = weir_later(s->end, end);
  t->end = weir_later(t->end, end);
  if (s->kind != WEIR_STREAM_NON_BLOCKING) t->shared = weir_later(t->shared, end);
  if (s->kind == WEIR_STREAM_LEGACY) t->legacy = weir_later(t->legacy, end);
}

struct weir_span weir_timeline_run(struct weir_timeline *t, struct weir_stream *s, const struct weir_grid_use *g,
                                   weir_time duration) {
  const struct weir_span span = weir_residency_place(&t->chip, g, duration, ready_at(t, s));
  extend(t, s, span.ended);
  return span;
}

struct weir_span weir_timeline_place(struct weir_timeline *t, struct weir_stream *s, enum weir_engine engine,
                                     weir_time duration) {
  static const struct weir_grid_use all = {.blocks = 1, .resident = 1};
  if (engine == WEIR_ENGINE_DEVICE) return weir_timeline_run(t, s, &all, duration);
  struct weir_span span = {.began = ready_at(t, s)};
  if (engine != WEIR_ENGINE_NONE && duration) {
    struct weir_engine_use *e = engine_of(t, engine);
    unsigned at;
    span.began = find_gap(e, span.began, duration, &at);
    insert(e, at, (struct weir_span){span.began, span.began + duration});
  }
  span.ended = span.began + duration;
  extend(t, s, span.ended);
  return span;
}

void weir_timeline_wait(struct weir_timeline *t, struct weir_stream *s, weir_time until) {
  extend(t, s, until);
}

void weir_timeline_host_waits(struct weir_timeline *t, weir_time until) {
  if (until <= t->host) return;
  settle(t, until);
  t->host = until;
  for (unsigned i = 0; i < WEIR_ENGINE_COUNT; i++) forget(&t->engines[i], until);
  weir_residency_forget(&t->chip, until);
}

struct weir_timeline_usage weir_timeline_used(const struct weir_timeline *t) {
  struct weir_timeline settled = *t; // as if nothing more were given
  settle(&settled, t->end);
  return settled.usage;
}

void weir_timeline_drain(struct weir_timeline *t) {
  settle(t, t->end);
  t->host = weir_later(t->host, t->end);
  for (unsigned i = 0; i < WEIR_ENGINE_COUNT; i++) {
    weir_free(t->engines[i].busy);
    t->engines[i] = (struct weir_engine_use){0};
  }
  weir_free(t->chip.steps);
  t->chip = (struct weir_residency){0};
}
