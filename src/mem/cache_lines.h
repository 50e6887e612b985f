// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Lines of one cache: look-up, allocation, eviction, and telling the policies. Private to src/mem.
#ifndef WEIR_MEM_CACHE_LINES_H
#define WEIR_MEM_CACHE_LINES_H

#include "base/bits.h"
#include "mem/residency.h"
#include "mem/watch.h"

#include <string.h>

static inline struct weir_cache_line *weir_line(const struct weir_cache *c, uint32_t set, uint32_t way) {
  return &c->lines[(size_t)set * c->params.ways + way];
}

// What is known of a set, in one piece: a line of the host's cache, if it has four ways. Behind it come the hints, a byte of each
// tag in whole words, and then the tags (weir_cache_tags).
struct weir_cache_set {
  uint64_t reserved; // ways whose lines have a pending sector
  uint64_t held;     // lines in it
  uint64_t hints[];
};

static inline struct weir_cache_set *weir_set(const struct weir_cache *c, uint32_t set) {
  return (struct weir_cache_set *)(c->sets + (size_t)set * c->set_words);
}

// Empty sets, as the parameters say, and their lines.
void weir_cache_make_sets(struct weir_cache *c);
void weir_cache_free_sets(struct weir_cache *c);

// ---- look-up: a byte of every tag of the set is compared, eight at a time; then the tags of those that are alike ----------

static inline uint8_t weir_cache_hint(uint64_t tag) {
  return (uint8_t)(tag * UINT64_C(0x9E3779B97F4A7C15) >> 56);
}

// Bit i set if byte i of x is 0, or stands above one that is.
static inline uint64_t weir_zero_bytes(uint64_t x) {
  const uint64_t ones = UINT64_C(0x0101010101010101), zero = (x - ones) & ~x & ones << 7;
  return (zero >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

// Ways whose tags may be this one; some beyond the last, too.
static inline uint64_t weir_cache_alike(const struct weir_cache *c, uint32_t set, uint64_t tag) {
  const uint64_t *hints = weir_set(c, set)->hints;
  const uint64_t hint = weir_cache_hint(tag) * UINT64_C(0x0101010101010101);
  uint64_t alike = 0; // no branch per way: no host can foresee them
  for (uint32_t w = 0; w < c->params.ways; w += 8) alike |= weir_zero_bytes(hints[w / 8] ^ hint) << w;
  return alike;
}

static inline uint32_t weir_cache_find(const struct weir_cache *c, uint32_t set, uint64_t tag) {
  const uint64_t *tags = weir_cache_tags(c, set);
  for (uint64_t alike = weir_cache_alike(c, set, tag); alike; alike &= alike - 1) {
    const uint32_t way = weir_lowest(alike);
    if (way < c->params.ways && tags[way] == tag) return way;
  }
  return WEIR_NO_WAY;
}

// The way is given to the line of this tag.
static inline void weir_cache_enlist(struct weir_cache *c, uint32_t set, uint32_t way, uint64_t tag) {
  uint64_t *hints = &weir_set(c, set)->hints[way / 8];
  const unsigned shift = way % 8 * 8;
  weir_cache_tags(c, set)[way] = tag;
  *hints = (*hints & ~(UINT64_C(0xff) << shift)) | (uint64_t)weir_cache_hint(tag) << shift;
}

// `place` is the address as the index function sees it (mreq.h).
static inline struct weir_spot weir_cache_spot(const struct weir_cache *c, uint64_t address, uint64_t place) {
  struct weir_spot s = {.line = address >> c->line_shift, .sector = address >> c->sector_shift};
  s.set = weir_index(c->params.index, place >> c->line_shift, c->set_bits);
  s.mask = (uint8_t)(1u << (s.sector & (c->sectors - 1)));
  s.way = weir_cache_find(c, s.set, s.line + 1);
  return s;
}

// ---- what a look-up to come will want of the host's memory: first the set, then the line ------------------------------------

static inline uint32_t weir_cache_expect_set(const struct weir_cache *c, uint64_t place) {
  const uint32_t set = weir_index(c->params.index, place >> c->line_shift, c->set_bits);
  __builtin_prefetch(weir_set(c, set));
  return set;
}

enum { WEIR_FEW_WAYS = 8 };

// Sets of few ways lie in few lines of the host; of others, the hints tell where the line may be.
static inline void weir_cache_expect_line(const struct weir_cache *c, uint32_t set, uint64_t address) {
  const struct weir_cache_line *lines = c->lines + (size_t)set * c->params.ways;
  if (c->params.ways <= WEIR_FEW_WAYS && !c->residents) {
    __builtin_prefetch(weir_cache_tags(c, set) + c->params.ways - 1);
    __builtin_prefetch(lines, 1);
    __builtin_prefetch(lines + c->params.ways - 1, 1);
    return;
  }
  const uint64_t alike = weir_cache_alike(c, set, (address >> c->line_shift) + 1);
  if (!alike) return;
  const uint32_t way = weir_lowest(alike);
  __builtin_prefetch(weir_cache_tags(c, set) + way);
  __builtin_prefetch(lines + way, 1);
  if (c->residents) __builtin_prefetch(c->residents + (size_t)set * c->params.ways + way, 1);
}

static inline uint8_t weir_access_kind_of(uint8_t kind) {
  if (kind == WEIR_MREQ_ATOMIC) return WEIR_ACCESS_ATOMIC;
  if (kind == WEIR_MREQ_WRITEBACK) return WEIR_ACCESS_WRITEBACK;
  return kind == WEIR_MREQ_STORE ? WEIR_ACCESS_STORE : WEIR_ACCESS_LOAD;
}

// What is counted of a port, or NULL: nothing is.
static inline struct weir_requester_counts *weir_cache_port(const struct weir_cache *c, uint32_t port) {
  return c->residency ? &c->residency->ports[port] : NULL;
}

// What the policies see of a request. In place: a copy of what was just written field by field is slow on the host.
static inline void weir_cache_view_of(struct weir_access *a, const struct weir_spot *spot, const struct weir_cache *c,
                                      const struct weir_mreq *r, weir_cycle now) {
  a->line = spot->line << c->line_shift;
  a->set = spot->set;
  a->pc = r->pc;
  a->core = r->core;
  a->warp = r->warp;
  a->slice = r->slice;
  a->requester = r->requester;
  a->kind = weir_access_kind_of(r->kind);
  a->l1_hint = r->l1_hint;
  a->l2_hint = r->l2_hint;
  a->transactions = r->transactions;
  a->ready_warps = r->ready_warps;
  a->lanes = r->lanes;
  a->room = weir_set(c, spot->set)->held < c->usable && c->room;
  a->bypassed_above = r->bypassed_above;
  a->reply_mark = a->shared_reply = false;
  a->now = now;
  a->next_use = a->position = 0;
}

// A way for a line that is in none.
struct weir_way_choice {
  uint32_t way; // WEIR_NO_WAY: there is none, as every way is reserved, or some policy keeps the victim
  bool taken;   // it holds a line, which must go
  bool kept;
};

// An invalid way, or the replace policy's victim; may_keep: a bypass policy may say that the victim stays instead.
struct weir_way_choice weir_cache_choose(struct weir_cache *c, struct weir_access *a, bool may_keep);

// The line that was in the place is evicted (a dirty one's write-back joins the miss queue); the spot's is in it afterwards
// with no sector valid, and the policies are told.
void weir_cache_occupy(struct weir_cache *c, struct weir_spot *spot, struct weir_access *a, uint32_t pc,
                       struct weir_way_choice place);

// Is there a way that is not reserved?
bool weir_cache_has_way(const struct weir_cache *c, uint32_t set);

void weir_cache_tell_hit(struct weir_cache *c, struct weir_access *a, uint32_t way, bool pending);

// A sector of the line in the way is missing: the replacement policy alone is told, as of a hit on one in flight.
void weir_cache_tell_use(struct weir_cache *c, struct weir_access *a, uint32_t way);

// Drops the spot's sectors, and the line with its last one; not what it had to write back.
void weir_cache_drop(struct weir_cache *c, const struct weir_spot *spot, enum weir_line_end why, weir_cycle now);

// What is seen of the spot.
static inline struct weir_watched weir_watched_at(enum weir_watch_kind kind, const struct weir_spot *spot,
                                                  weir_cycle now) {
  return (struct weir_watched){
    .kind = (uint8_t)kind, .line = spot->line, .set = spot->set, .way = spot->way, .sectors = spot->mask, .now = now};
}

static inline struct weir_watched weir_watched_kill(const struct weir_spot *spot, enum weir_line_end why,
                                                    weir_cycle now) {
  struct weir_watched w = weir_watched_at(WEIR_WATCH_KILL, spot, now);
  w.end = (uint8_t)why;
  return w;
}

// Whoever watches is told; where somebody does.
static inline void weir_cache_watched(const struct weir_cache *c, struct weir_watched what) {
  if (c->watch) c->watch->saw(c->watch->context, &what);
}

#endif
