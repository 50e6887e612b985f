// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/mshr.h"

#include "base/alloc.h"
#include "base/bits.h"

#define NONE UINT32_MAX

void weir_mshr_init(struct weir_cache *c) {
  uint32_t n = c->params.mshrs, size = 8;
  while (size < 2 * n) size *= 2;
  c->mshrs = weir_alloc_table(n * sizeof *c->mshrs);
  c->served = weir_new_array(struct weir_served, n);
  c->buckets = weir_new_array(uint32_t, size);
  c->bucket_mask = size - 1;
  for (uint32_t i = 0; i < size; i++) c->buckets[i] = NONE;
  c->mshr_order = weir_new_array(uint32_t, n);
  for (uint32_t i = 0; i < n; i++) c->mshr_order[i] = i;
}

void weir_mshr_free(struct weir_cache *c) {
  weir_free_table(c->mshrs, c->params.mshrs * sizeof *c->mshrs);
  weir_free(c->mshr_order);
  weir_free(c->served);
  weir_free(c->buckets);
}

struct weir_mshr_entry *weir_mshr_find(const struct weir_cache *c, uint64_t sector) {
  for (uint32_t i = *weir_mshr_bucket(c, sector); i != NONE; i = c->mshrs[i].chain)
    if (c->mshrs[i].sector == sector) return &c->mshrs[i];
  return NULL;
}

struct weir_mshr_entry *weir_mshr_take(struct weir_cache *c, uint64_t sector) {
  uint32_t i = c->mshr_order[c->mshrs_used++], *b = weir_mshr_bucket(c, sector);
  struct weir_mshr_entry *e = &c->mshrs[i];
  *e = (struct weir_mshr_entry){.sector = sector, .chain = *b};
  *b = i;
  return e;
}

void weir_mshr_merge(struct weir_mshr_entry *e, struct weir_mreq *r) {
  r->next = NULL;
  if (e->tail)
    e->tail->next = r;
  else
    e->head = r;
  e->tail = r;
  e->merged++;
}

void weir_mshr_close(struct weir_cache *c, struct weir_mshr_entry *e) {
  uint32_t i = weir_mshr_number(c, e), *link = weir_mshr_bucket(c, e->sector);
  while (*link != i) link = &c->mshrs[*link].chain;
  *link = e->chain;
}

void weir_mshr_release(struct weir_cache *c, uint32_t number) {
  c->far_fetches -= c->mshrs[number].far;
  c->mshr_order[--c->mshrs_used] = number;
}
