// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A texture cache with a latency FIFO (Igehy et al., Prefetching in a texture cache architecture, 1998), as GPGPU-Sim models
// it (gpu-cache.cc, tex_cache): the tags are looked up when an access comes, and a line that misses takes its way at once,
// so that the next access to it hits; the data array is read in the order of the accesses, and an access waits there until
// its line has come. Like a cache it knows no clock and no neighbour. Replacement is LRU; nothing is ever written or flushed.
//
// Invariant: an access taken is in exactly one of the two queues, `fragments` and then `results`; of those in `fragments`,
// each that missed holds a place of the reorder buffer, in the same order.
#ifndef WEIR_MEM_TEXTURE_CACHE_H
#define WEIR_MEM_TEXTURE_CACHE_H

#include "mem/mreq.h"

struct weir_texture_params {
  uint32_t sets, ways, line_bytes; // sets, bytes: powers of two; 0 sets: there is no such cache
  uint32_t fragment_fifo, request_fifo, reorder_buffer, result_fifo;
  uint32_t fetch_pieces; // answers that a line comes back in
};

struct weir_texture_line {
  uint64_t tag;  // number of the line + 1; 0: invalid
  uint64_t used; // number of the access that used it last
};

struct weir_texture_cache {
  struct weir_texture_params params;
  struct weir_texture_line *lines;                     // [set × ways + way]
  uint64_t accesses;                                   // taken so far
  uint32_t *pieces;                                    // of the reorder buffer's places: answers still to come
  uint32_t first, used;                                // place: the oldest fetch's, how many
  struct weir_mreq_queue fragments, requests, results; // requests: fetches, towards the next level
  struct weir_mreq_pool *pool;
};

void weir_texture_cache_init(struct weir_texture_cache *c, const struct weir_texture_params *params,
                             struct weir_mreq_pool *pool);
void weir_texture_cache_free(struct weir_texture_cache *c);

// Nothing is on its way.
void weir_texture_cache_empty(struct weir_texture_cache *c);

// Offers an access. False: a queue or the reorder buffer is full, and it stays the caller's. *hit: whether its line is here or
// on its way.
bool weir_texture_cache_access(struct weir_texture_cache *c, struct weir_mreq *r, bool *hit);

// One answer to one of its fetches. Consumes it.
void weir_texture_cache_fill(struct weir_texture_cache *c, struct weir_mreq *answer);

// One cycle of the data array: the oldest access goes on to the results, if its line has come and there is room.
void weir_texture_cache_read(struct weir_texture_cache *c);

// Would weir_texture_cache_read do anything?
static inline bool weir_texture_cache_can_read(const struct weir_texture_cache *c) {
  const struct weir_mreq *r = c->fragments.head;
  return r && !weir_queue_full(&c->results) && (r->mshr == WEIR_NO_MSHR || !c->pieces[r->mshr]);
}

#endif
