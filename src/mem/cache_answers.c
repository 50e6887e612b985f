// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a cache's fetches bring: lines, and those that waited for them.
#include "mem/cache_hits.h"
#include "mem/mshr.h"
#include "mem/oracle.h"

// Does one that waits want the line here, though the hint of the first keeps it out?
static bool is_wanted(const struct weir_cache *c, const struct weir_mshr_entry *e) {
  const struct weir_mreq *r = e->head;
  while (r && weir_cache_keeps_no_line(c, r)) r = r->next;
  return r;
}

// Does the line whose fetch has ended come into the cache although it was to bypass?
static bool corrected(struct weir_cache *c, struct weir_mshr_entry *e, struct weir_access *a) {
  if (weir_cache_keeps_no_line(c, e->head)) return is_wanted(c, e);
  a->reply_mark = e->reply_mark;
  for (const struct weir_mreq *r = e->head; r; r = r->next) a->shared_reply |= r->requester != a->requester;
  return weir_ask(&c->hooks, reply, a, e->merged > 1);
}

// Where the line of a fetch falls that has ended. A reserved way still holds it.
static struct weir_spot spot_of(const struct weir_cache *c, const struct weir_mshr_entry *e) {
  const struct weir_mreq *r = e->head;
  if (!e->holds_line) return weir_cache_spot(c, r->address, r->place);
  return (struct weir_spot){.line = r->address >> c->line_shift,
                            .sector = e->sector,
                            .set = e->set,
                            .way = e->way,
                            .mask = (uint8_t)(1u << (e->sector & (c->sectors - 1)))};
}

static void install(struct weir_cache *c, struct weir_mshr_entry *e, weir_cycle now) {
  struct weir_spot spot = spot_of(c, e);
  struct weir_access a; // where somebody is asked
  bool local_fill = e->holds_line;
  if (c->oracle || e->bypass || !local_fill) weir_cache_view_of(&a, &spot, c, e->head, now);
  if (c->oracle) weir_oracle_show(c->oracle, spot.line, true, &a);
  if (e->stale) return;
  if (e->bypass && !corrected(c, e, &a)) return;
  if (!local_fill && spot.way == WEIR_NO_WAY) {
    struct weir_way_choice place = weir_cache_choose(c, &a, weir_cache_may_keep(e->head) && !e->bypass);
    if (place.way == WEIR_NO_WAY) return;
    weir_cache_occupy(c, &spot, &a, e->head->pc >> 3, place);
  }
  struct weir_cache_line *line = weir_line(c, spot.set, spot.way);
  if (line->pending) {
    line->pending &= (uint8_t)~spot.mask;
    if (!line->pending) weir_set(c, spot.set)->reserved &= ~(UINT64_C(1) << spot.way);
    c->reserved -= !line->pending;
  }
  line->valid |= spot.mask;
  line->unreadable &= (uint8_t)~spot.mask;
  if (e->dirty) line->dirty |= spot.mask;
  if (!local_fill && e->merged > 1) {
    line->reused = true;
    if (c->residency) weir_residency_hit(c, spot.set, spot.way, e->merged - 1, now);
  }
  c->stats->bypass_corrections += e->bypass;
  weir_cache_count_fill(c, e->head->core);
  if (weir_cache_is_load(e->head) && weir_cache_has_pc(c, e->head))
    weir_pc_group(&c->pcs[e->head->pc >> 3], e->head->transactions)->fills++;
}

// Those that wait: all but the cache's own.
static void end_unasked(struct weir_cache *c, struct weir_mshr_entry *e) {
  struct weir_mreq *own = e->head;
  if (!e->unasked) return;
  e->head = own->next;
  e->merged--;
  weir_mreq_release(c->pool, own);
}

bool weir_cache_fill(struct weir_cache *c, struct weir_mreq *answer, weir_cycle now) {
  struct weir_mshr_entry *e = &c->mshrs[answer->mshr];
  e->reply_mark |= answer->reply_mark;
  weir_mreq_release(c->pool, answer);
  if (--e->pieces) return false;
  if (c->watch)
    weir_cache_watched(
      c, (struct weir_watched){.kind = WEIR_WATCH_ARRIVE, .now = now, .way = WEIR_NO_WAY, .asked = e->head});
  install(c, e, now);
  end_unasked(c, e);
  weir_mshr_close(c, e);
  if (!e->merged) {
    weir_mshr_release(c, weir_mshr_number(c, e));
    return true;
  }
  uint32_t at = (c->served_head + c->served_count++) % weir_mshr_count(c);
  c->served[at] = (struct weir_served){weir_mshr_number(c, e), e->merged};
  weir_queue_append(&c->ready, e->head, e->tail, e->merged);
  return true;
}

struct weir_mreq *weir_cache_take(struct weir_cache *c) {
  struct weir_served *s = &c->served[c->served_head];
  if (!--s->left) {
    weir_mshr_release(c, s->mshr);
    c->served_head = (c->served_head + 1) % weir_mshr_count(c);
    c->served_count--;
  }
  return weir_queue_pop(&c->ready);
}
