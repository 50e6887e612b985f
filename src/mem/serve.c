// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/serve.h"

#include "mem/cache_lines.h"
#include "mem/pieces.h"

#include <assert.h>

struct serving {
  weir_cycle now;
  const struct weir_serve_ends *ends;
};

static void look_up(const struct serving *v, struct weir_slice *s, unsigned i, struct weir_mreq *r);
static void go_up(const struct serving *v, struct weir_slice *s, unsigned i, struct weir_mreq *r);

// An answer from below stage i: what it fills, and those that waited for it, go up.
static void take_answer(const struct serving *v, struct weir_slice *s, unsigned i, struct weir_mreq *r) {
  struct weir_cache *c = &s->stages[i].cache;
  if (!weir_cache_waits_for(c, r)) {
    go_up(v, s, i, r);
    return;
  }
  weir_cache_fill(c, r, v->now);
  while (c->ready.head) go_up(v, s, i, weir_cache_take(c));
}

static void go_up(const struct serving *v, struct weir_slice *s, unsigned i, struct weir_mreq *r) {
  if (r->kind == WEIR_MREQ_WRITEBACK) {
    weir_mreq_release(s->pool, r);
    return;
  }
  if (r->kind == WEIR_MREQ_ATOMIC && !r->is_reply && s->atomics) ++*s->atomics;
  r->is_reply = true;
  if (i) {
    take_answer(v, s, i - 1, r);
  } else if (r->guest) {
    r->guest = 0;
    if (r->mshr != WEIR_NO_MSHR && r->mshr_level == s->stages[0].cache.params.level)
      take_answer(v, s->other, 0, r);
    else
      v->ends->answered(v->ends->context, r);
  } else {
    v->ends->answered(v->ends->context, r);
  }
}

static void cross(const struct serving *v, struct weir_slice *s, struct weir_mreq *r) {
  if (!weir_slice_is_written(r)) s->stages[0].cache.stats->far_reads++;
  r->far = 0;
  r->guest = 1;
  r->slice = s->other->number;
  look_up(v, s->other, 0, r);
}

static void reach_memory(const struct serving *v, struct weir_slice *s, struct weir_mreq *r) {
  v->ends->memory(v->ends->context, r->address, r->bytes, weir_slice_is_written(r));
  if (r->kind == WEIR_MREQ_WRITEBACK)
    weir_mreq_release(s->pool, r);
  else
    take_answer(v, s, s->count - 1, r);
}

// Out of a queue of stage i.
static void go_down(const struct serving *v, struct weir_slice *s, unsigned i, struct weir_mreq *r) {
  if (r->kind == WEIR_MREQ_WRITEBACK) r->slice = (uint16_t)weir_slice_of(s->map, r->address, &r->place);
  if (r->far) {
    cross(v, s, r);
  } else if (i + 1 == s->count) {
    reach_memory(v, s, r);
  } else {
    struct weir_stage *below = &s->stages[i + 1];
    weir_slice_enter(s, below, r, v->now);
    while (below->delay.head) look_up(v, s, i + 1, weir_queue_pop(&below->delay));
  }
}

// What the cache has sent down goes there.
static void drain(const struct serving *v, struct weir_slice *s, unsigned i) {
  struct weir_cache *c = &s->stages[i].cache;
  while (c->miss_queue.head) go_down(v, s, i, weir_queue_pop(&c->miss_queue));
  while (c->skipped.head) go_down(v, s, i, weir_queue_pop(&c->skipped));
}

static void look_up(const struct serving *v, struct weir_slice *s, unsigned i, struct weir_mreq *r) {
  struct weir_cache *c = &s->stages[i].cache;
  enum weir_stall why;
  if (r->far && weir_slice_is_written(r)) {
    cross(v, s, r);
    return;
  }
  const uint64_t address = r->address, place = r->place;
  const bool ends_copy = s->other && weir_slice_is_written(r);
  const enum weir_outcome o = weir_cache_access(c, r, v->now, &why);
  assert(o != WEIR_OUTCOME_REFUSED);
  if (ends_copy) weir_cache_invalidate(&s->other->stages[0].cache, address, place, v->now);
  if (o == WEIR_OUTCOME_HIT || o == WEIR_OUTCOME_WRITTEN) go_up(v, s, i, r);
  drain(v, s, i);
}

// The piece that the request has been narrowed to, in a slice of one cache in one partition. It is `spot`, and has been taken if it is `here`. It
// becomes a request of its own where it must be one, unless it is the last.
static __attribute__((noinline)) void serve_piece(const struct serving *v, struct weir_slice *s, struct weir_mreq *r,
                                                  const struct weir_spot *spot, bool here, bool last) {
  struct weir_cache *c = &s->stages[0].cache;
  enum weir_stall why;
  enum weir_outcome o = WEIR_OUTCOME_HIT;
  struct weir_mreq *piece = r;
  if (!here && weir_cache_reads_at_once(c, r, spot, v->now)) {
    v->ends->memory(v->ends->context, spot->sector << c->sector_shift, c->params.sector_bytes, false);
    here = true;
    if (!last && v->ends->part(v->ends->context, r)) piece = NULL;
  }
  if (piece && !last) {
    piece = weir_mreq_take(s->pool);
    *piece = *r;
  }
  if (!here) o = weir_cache_access_at(c, piece, spot, v->now, &why);
  assert(o != WEIR_OUTCOME_REFUSED);
  if (piece && (o == WEIR_OUTCOME_HIT || o == WEIR_OUTCOME_WRITTEN)) go_up(v, s, 0, piece);
  drain(v, s, 0);
}

static void look_up_pieces(const struct serving *v, struct weir_slice *s, struct weir_mreq *r) {
  struct weir_cache *c = &s->stages[0].cache;
  struct weir_pieces p = weir_pieces_of(c, r);
  struct weir_spot spot;
  enum weir_outcome o;
  const bool asked = r->asked, mark = r->reply_mark;
  weir_cache_expect_set(c, r->place);
  for (; weir_pieces_more(&p); weir_pieces_advance(&p)) {
    if (weir_piece_is_gap(&p, r)) continue;
    weir_narrow(r, p.at, p.next, weir_piece_full(&p));
    const bool hit = weir_cache_takes_hit(c, r, &spot, &o);
    if (!hit || !v->ends->part(v->ends->context, r)) serve_piece(v, s, r, &spot, hit, false);
    r->asked = asked;
    r->reply_mark = mark;
  }
  weir_narrow(r, p.at, p.end, p.full);
  if (weir_cache_takes_hit(c, r, &spot, &o))
    go_up(v, s, 0, r);
  else
    serve_piece(v, s, r, &spot, false, true);
}

void weir_slice_serve(struct weir_slice *s, struct weir_mreq *r, weir_cycle now, const struct weir_serve_ends *ends) {
  const struct serving v = {now, ends};
  struct weir_stage *first = &s->stages[0];
  if (s->count == 1 && !s->other) {
    look_up_pieces(&v, s, r);
    return;
  }
  weir_slice_enter(s, first, r, now);
  while (first->delay.head) look_up(&v, s, 0, weir_queue_pop(&first->delay));
}
