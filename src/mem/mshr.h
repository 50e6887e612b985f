// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Miss-status holding registers of one cache: a hash table over a fixed array. Private to src/mem.
#ifndef WEIR_MEM_MSHR_H
#define WEIR_MEM_MSHR_H

#include "mem/cache.h"

#define WEIR_MSHR_NONE UINT32_MAX // no entry

void weir_mshr_init(struct weir_cache *c);
void weir_mshr_free(struct weir_cache *c);

// All of them, and those for the other partition's sectors.
static inline uint32_t weir_mshr_count(const struct weir_cache *c) {
  return c->params.mshrs + c->params.far_mshrs;
}

static inline uint32_t *weir_mshr_bucket(const struct weir_cache *c, uint64_t sector) {
  return &c->buckets[(sector ^ (sector >> 9)) & c->bucket_mask];
}

static inline uint32_t weir_mshr_number(const struct weir_cache *c, const struct weir_mshr_entry *e) {
  return (uint32_t)(e - c->mshrs);
}

// The entry that fetches this sector, or NULL.
static inline struct weir_mshr_entry *weir_mshr_find(const struct weir_cache *c, uint64_t sector) {
  for (uint32_t i = *weir_mshr_bucket(c, sector); i != WEIR_MSHR_NONE; i = c->mshrs[i].chain)
    if (c->mshrs[i].sector == sector) return &c->mshrs[i];
  return NULL;
}

// A new entry (there must be a free one: c->mshrs_used < weir_mshr_count(c)).
static inline struct weir_mshr_entry *weir_mshr_take(struct weir_cache *c, uint64_t sector) {
  const uint32_t i = c->mshr_order[c->mshrs_used++];
  uint32_t *b = weir_mshr_bucket(c, sector);
  struct weir_mshr_entry *e = &c->mshrs[i];
  *e = (struct weir_mshr_entry){.sector = sector, .chain = *b};
  *b = i;
  return e;
}

// Adds a request to those that wait.
static inline void weir_mshr_merge(struct weir_mshr_entry *e, struct weir_mreq *r) {
  r->next = NULL;
  if (e->tail)
    e->tail->next = r;
  else
    e->head = r;
  e->tail = r;
  e->merged++;
}

// The fetch has ended: the entry is no longer found, but is not free before those that waited have been served.
static inline void weir_mshr_close(struct weir_cache *c, struct weir_mshr_entry *e) {
  const uint32_t i = weir_mshr_number(c, e);
  uint32_t *link = weir_mshr_bucket(c, e->sector);
  while (*link != i) link = &c->mshrs[*link].chain;
  *link = e->chain;
}

static inline void weir_mshr_release(struct weir_cache *c, uint32_t number) {
  c->far_fetches -= c->mshrs[number].far;
  c->mshr_order[--c->mshrs_used] = number;
}

#endif
