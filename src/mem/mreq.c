// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/mreq.h"

#include "base/alloc.h"

#include <string.h>

enum { CHUNK_REQUESTS = 512 };

struct weir_mreq_chunk {
  struct weir_mreq_chunk *older;
  struct weir_mreq requests[CHUNK_REQUESTS];
};

static void grow(struct weir_mreq_pool *p) {
  struct weir_mreq_chunk *c = weir_new(struct weir_mreq_chunk);
  c->older = p->chunks;
  p->chunks = c;
  for (int i = CHUNK_REQUESTS; i-- > 0;) weir_mreq_release(p, &c->requests[i]);
}

struct weir_mreq *weir_mreq_new(struct weir_mreq_pool *p) {
  if (!p->free) grow(p);
  struct weir_mreq *r = p->free;
  p->free = r->next;
  memset(r, 0, sizeof *r);
  r->mshr = WEIR_NO_MSHR;
  return r;
}

void weir_mreq_release(struct weir_mreq_pool *p, struct weir_mreq *r) {
  r->next = p->free;
  p->free = r;
}

void weir_mreq_pool_free(struct weir_mreq_pool *p) {
  while (p->chunks) {
    struct weir_mreq_chunk *older = p->chunks->older;
    weir_free(p->chunks);
    p->chunks = older;
  }
  p->free = NULL;
}
