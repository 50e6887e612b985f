// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/mreq.h"

#include "base/alloc.h"

enum { CHUNK_REQUESTS = 512 };

struct weir_mreq_chunk {
  struct weir_mreq requests[CHUNK_REQUESTS]; // first: aligned as the chunk is
  struct weir_mreq_chunk *older;
};

void weir_mreq_pool_grow(struct weir_mreq_pool *p) {
  struct weir_mreq_chunk *c = weir_alloc_aligned(sizeof(struct weir_mreq), sizeof *c);
  c->older = p->chunks;
  p->chunks = c;
  for (int i = CHUNK_REQUESTS; i-- > 0;) weir_mreq_release(p, &c->requests[i]);
}

void weir_mreq_pool_extend(struct weir_mreq_pool *p) {
  p->capacity = p->capacity ? 2 * p->capacity : CHUNK_REQUESTS;
  p->free = weir_realloc(p->free, p->capacity * sizeof *p->free);
}

void weir_mreq_pool_free(struct weir_mreq_pool *p) {
  while (p->chunks) {
    struct weir_mreq_chunk *older = p->chunks->older;
    weir_free(p->chunks);
    p->chunks = older;
  }
  weir_free(p->free);
  *p = (struct weir_mreq_pool){0};
}

void weir_mreq_pools_balance(struct weir_mreq_pool *const *pools, unsigned count) {
  struct weir_mreq_pool *rich = pools[0], *poor = pools[0];
  for (unsigned k = 1; k < count; k++) {
    if (pools[k]->free_count > rich->free_count) rich = pools[k];
    if (pools[k]->free_count < poor->free_count) poor = pools[k];
  }
  if (rich->free_count - poor->free_count <= 2 * CHUNK_REQUESTS) return;
  for (int i = 0; i < CHUNK_REQUESTS; i++) weir_mreq_release(poor, rich->free[--rich->free_count]);
}
