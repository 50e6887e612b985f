// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Lines of one cache: look-up, allocation, eviction, and telling the policies. Private to src/mem.
#ifndef WEIR_MEM_CACHE_LINES_H
#define WEIR_MEM_CACHE_LINES_H

#include "mem/cache.h"

#define WEIR_NO_WAY UINT32_MAX

// Where a request falls in a cache.
struct weir_spot {
  uint64_t line, sector; // line number (address / line bytes), sector number (address / sector bytes)
  uint32_t set, way;     // way WEIR_NO_WAY if the line is in none
  uint8_t mask;          // the sector within its line
};

static inline struct weir_cache_line *weir_line(const struct weir_cache *c, uint32_t set, uint32_t way) {
  return &c->lines[(size_t)set * c->params.ways + way];
}

// `place` is the address as the index function sees it (mreq.h).
struct weir_spot weir_cache_spot(const struct weir_cache *c, uint64_t address, uint64_t place);

// What the policies see of a request.
struct weir_access weir_cache_view_of(const struct weir_spot *spot, const struct weir_cache *c,
                                      const struct weir_mreq *r, weir_cycle now);

// An invalid way, or the replace policy's victim, evicted (a dirty one's write-back joins the miss queue); the line is
// in it afterwards with no sector valid, and the policies are told. WEIR_NO_WAY if every way is reserved.
uint32_t weir_cache_allocate(struct weir_cache *c, struct weir_spot *spot, struct weir_access *a, uint32_t pc);

// Is there a way that is not reserved?
bool weir_cache_has_way(const struct weir_cache *c, uint32_t set);

void weir_cache_tell_hit(struct weir_cache *c, struct weir_access *a, uint32_t way, bool pending);

// Drops the spot's sector, and the line with its last one.
void weir_cache_drop(struct weir_cache *c, const struct weir_spot *spot);

#endif
