// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Miss-status holding registers of one cache: a hash table over a fixed array. Private to src/mem.
#ifndef WEIR_MEM_MSHR_H
#define WEIR_MEM_MSHR_H

#include "mem/cache.h"

void weir_mshr_init(struct weir_cache *c);
void weir_mshr_free(struct weir_cache *c);

static inline uint32_t *weir_mshr_bucket(const struct weir_cache *c, uint64_t sector) {
  return &c->buckets[(sector ^ (sector >> 9)) & c->bucket_mask];
}

// The entry that fetches this sector, or NULL.
struct weir_mshr_entry *weir_mshr_find(const struct weir_cache *c, uint64_t sector);

// A new entry (there must be a free one: c->mshrs_used < params.mshrs).
struct weir_mshr_entry *weir_mshr_take(struct weir_cache *c, uint64_t sector);

// Adds a request to those that wait.
void weir_mshr_merge(struct weir_mshr_entry *e, struct weir_mreq *r);

// The fetch has ended: the entry is no longer found, but is not free before those that waited have been served.
void weir_mshr_close(struct weir_cache *c, struct weir_mshr_entry *e);
void weir_mshr_release(struct weir_cache *c, uint32_t number);

static inline uint32_t weir_mshr_number(const struct weir_cache *c, const struct weir_mshr_entry *e) {
  return (uint32_t)(e - c->mshrs);
}

#endif
