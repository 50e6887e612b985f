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

void weir_mreq_pool_free(struct weir_mreq_pool *p) {
  while (p->chunks) {
    struct weir_mreq_chunk *older = p->chunks->older;
    weir_free(p->chunks);
    p->chunks = older;
  }
  p->free = NULL;
}
