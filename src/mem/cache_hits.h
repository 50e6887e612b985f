// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Hits of which nobody hears but the order of uses, as most are, and what all accesses have in common: whether a PC counts them, what a
// store does to its line, and what a hint or a policy may keep out. Private to src/mem.
#ifndef WEIR_MEM_CACHE_HITS_H
#define WEIR_MEM_CACHE_HITS_H

#include "mem/cache_lines.h"
#include "policy/recency.h"

static inline bool weir_cache_is_load(const struct weir_mreq *r) {
  return r->kind == WEIR_MREQ_LOAD;
}

// Is the request counted by its PC here?
static inline bool weir_cache_has_pc(const struct weir_cache *c, const struct weir_mreq *r) {
  if (!c->pcs) return false;
  return c->params.level ? r->kind == WEIR_MREQ_ATOMIC : weir_cache_is_load(r) || r->kind == WEIR_MREQ_STORE;
}

static inline void weir_cache_count_write(struct weir_cache *c, const struct weir_mreq *r) {
  struct weir_requester_counts *p = weir_cache_port(c, r->core);
  c->stats->data_writes++;
  if (p) p->data_writes++;
}

static inline void weir_cache_count_fill(struct weir_cache *c, uint32_t port) {
  struct weir_requester_counts *p = weir_cache_port(c, port);
  c->stats->fills++;
  if (p) p->fills++;
}

// Does its hint keep the line of this request out of the cache? Thread-local data may be dirty here, and has no other place.
static inline bool weir_cache_keeps_no_line(const struct weir_cache *c, const struct weir_mreq *r) {
  const uint8_t hint = c->params.level ? r->l2_hint : r->l1_hint;
  return !r->local && c->params.effects[hint] == WEIR_EFFECT_OF_HINT_NO_ALLOCATE;
}

// May a policy keep the victim of this access rather than let it in? Of those only that may bypass at all.
static inline bool weir_cache_may_keep(const struct weir_mreq *r) {
  return !r->local && (weir_cache_is_load(r) || r->kind == WEIR_MREQ_STORE);
}

// Does the store write every byte of its sector?
static inline bool weir_cache_writes_whole(const struct weir_cache *c, const struct weir_mreq *r) {
  uint32_t bytes = c->params.sector_bytes;
  if (r->bytes < bytes) return false;
  uint8_t all = (uint8_t)weir_mask(bytes / 32 ? bytes / 32 : 1);
  return (r->full & all) == all;
}

static inline void weir_cache_write_line(struct weir_cache *c, const struct weir_mreq *r,
                                         const struct weir_spot *spot) {
  struct weir_cache_line *line = weir_line(c, spot->set, spot->way);
  bool whole = weir_cache_writes_whole(c, r);
  weir_cache_count_write(c, r);
  line->dirty |= spot->mask;
  if (whole)
    line->unreadable &= (uint8_t)~spot->mask;
  else if (!(line->valid & spot->mask))
    line->unreadable |= spot->mask;
  line->valid |= spot->mask;
}

// Hints that are as none at all: all but those of instructions that ask for no data, and those with an effect.
static inline uint32_t weir_cache_idle_hints(const struct weir_cache *c) {
  uint32_t hints = 0;
  for (unsigned hint = 0; hint < WEIR_HINT_COUNT; hint++)
    if (hint != WEIR_HINT_APPLY_NORMAL && hint != WEIR_HINT_DISCARD &&
        c->params.effects[hint] == WEIR_EFFECT_OF_HINT_NORMAL)
      hints |= UINT32_C(1) << hint;
  return hints;
}

static inline uint32_t weir_cache_plain_hints(const struct weir_cache *c) {
  const struct weir_cache_hooks *h = &c->hooks;
  const bool heard =
    h->count.hit != 1 || h->hit[0].call != weir_recency_hit || h->count.look || h->count.load || h->count.store;
  return heard ? 0 : weir_cache_idle_hints(c);
}

// Those with which a load of a shared cache that misses fetches its own sector and no more, and nobody hears of it but the replacement policy.
static inline uint32_t weir_cache_plain_misses(const struct weir_cache *c) {
  const struct weir_cache_hooks *h = &c->hooks;
  const struct weir_cache_params *p = &c->params;
  const bool heard =
    h->count.look || h->count.load || h->count.miss || h->count.throttled_miss || h->count.reply || h->count.keep;
  const bool more = !p->level || // whose loads are counted by PC
    p->allocate != WEIR_ALLOCATE_ON_MISS || p->fetch_pieces != 1 || p->fetch_bytes || p->read_only || p->combine_cycles;
  return heard || more ? 0 : weir_cache_idle_hints(c);
}

// Does it hit, and is nobody told but the replacement policy, which keeps lines in the order of their uses? So it is with most
// accesses, and of these what read() or write() would do is known without a view of the access.
static inline bool weir_cache_is_plain_hit(const struct weir_cache *c, const struct weir_mreq *r,
                                           const struct weir_spot *spot) {
  const uint8_t hint = c->params.level ? r->l2_hint : r->l1_hint;
  if (spot->way == WEIR_NO_WAY || !(c->plain_hints >> hint & 1)) return false;
  if (r->local || r->texture || r->guest || r->skips) return false; // one look at the four
  if (c->oracle || c->watch || c->census || c->residency || c->shadow || c->ranks) return false;
  const struct weir_cache_line *line = weir_line(c, spot->set, spot->way);
  if (r->kind == WEIR_MREQ_STORE) return c->params.write_hit == WEIR_WRITE_BACK && line->valid & spot->mask;
  return r->kind == WEIR_MREQ_LOAD && line->valid & ~line->unreadable & spot->mask;
}

static inline enum weir_outcome weir_cache_take_plain_hit(struct weir_cache *c, struct weir_mreq *r,
                                                          const struct weir_spot *spot) {
  struct weir_level_stats *s = c->stats;
  const bool load = r->kind == WEIR_MREQ_LOAD;
  s->tag_accesses++;
  weir_count_access(load ? &s->loads : &s->stores, WEIR_ACCESS_HIT);
  if (weir_cache_has_pc(c, r))
    weir_count_access(&weir_pc_group(&c->pcs[r->pc >> 3], r->transactions)->at, WEIR_ACCESS_HIT);
  weir_line(c, spot->set, spot->way)->reused = true;
  weir_recency_promote(&c->replace.view, spot->set, spot->way);
  r->asked = true;
  if (!load) {
    weir_cache_write_line(c, r, spot);
    return WEIR_OUTCOME_WRITTEN;
  }
  s->data_reads++;
  weir_count_access(&c->tally.loads, WEIR_ACCESS_HIT);
  r->reply_mark = false;
  return WEIR_OUTCOME_HIT;
}

#endif
