// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/mshr.h"

#include "base/alloc.h"
#include "base/bits.h"

void weir_mshr_init(struct weir_cache *c) {
  uint32_t n = weir_mshr_count(c), size = 8;
  while (size < 2 * n) size *= 2;
  c->mshrs = weir_alloc_table(n * sizeof *c->mshrs);
  c->served = weir_new_array(struct weir_served, n);
  c->buckets = weir_new_array(uint32_t, size);
  c->bucket_mask = size - 1;
  for (uint32_t i = 0; i < size; i++) c->buckets[i] = WEIR_MSHR_NONE;
  c->mshr_order = weir_new_array(uint32_t, n);
  for (uint32_t i = 0; i < n; i++) c->mshr_order[i] = i;
}

void weir_mshr_free(struct weir_cache *c) {
  weir_free_table(c->mshrs, weir_mshr_count(c) * sizeof *c->mshrs);
  weir_free(c->mshr_order);
  weir_free(c->served);
  weir_free(c->buckets);
}
