// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The pieces of a request at a cache of a memory slice: one per sector, in address order. Private to src/mem.
#ifndef WEIR_MEM_PIECES_H
#define WEIR_MEM_PIECES_H

#include "base/bits.h"
#include "mem/cache.h"

// Bytes from the first that a request is about to the last: more than it has where a write-back leaves out clean sectors.
static inline uint32_t weir_extent_of(const struct weir_mreq *r) {
  const bool gaps = r->kind == WEIR_MREQ_WRITEBACK && r->full & (r->full + 1);
  return gaps ? 32 * (weir_log2(r->full) + 1) : r->bytes;
}

struct weir_pieces {
  uint64_t at, next, end; // what is left begins at `at`, its first piece ends at `next`
  uint32_t size;
  uint8_t full, all; // of what is left, as in mreq.h; of a whole piece
};

static inline struct weir_pieces weir_pieces_of(const struct weir_cache *c, const struct weir_mreq *r) {
  const uint32_t size = c->params.sector_bytes, chunks = size / 32 ? size / 32 : 1;
  return (struct weir_pieces){.at = r->address,
                              .next = (r->address | (size - 1)) + 1,
                              .end = r->address + weir_extent_of(r),
                              .size = size,
                              .full = r->full,
                              .all = (uint8_t)weir_mask(chunks)};
}

// Are there others behind the first?
static inline bool weir_pieces_more(const struct weir_pieces *p) {
  return p->next < p->end;
}

// What the first piece writes whole.
static inline uint8_t weir_piece_full(const struct weir_pieces *p) {
  return p->full & p->all;
}

// A write-back has nothing for it.
static inline bool weir_piece_is_gap(const struct weir_pieces *p, const struct weir_mreq *r) {
  return r->kind == WEIR_MREQ_WRITEBACK && !weir_piece_full(p);
}

static inline void weir_pieces_advance(struct weir_pieces *p) {
  p->full = (uint8_t)(p->full >> (p->next - p->at) / 32);
  p->at = p->next;
  p->next += p->size;
}

// Leaves of a request, or of a copy of it, the bytes from `at` to `end`.
static inline void weir_narrow(struct weir_mreq *r, uint64_t at, uint64_t end, uint8_t full) {
  r->place += at - r->address;
  r->address = at;
  r->bytes = (uint16_t)(end - at);
  r->full = full;
}

#endif
