// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Blocks of like size come from one free list; new ones are cut from chunks. What is known of a block is kept outside
// device memory, so that no stray store of a kernel can break it.
#include "exec/heap.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/map.h"

#include <string.h>

enum {
  GRAIN = 16,
  SMALL = 1024,
  SMALL_LISTS = SMALL / GRAIN,
  STEPS = 8,
  LISTS = SMALL_LISTS + 1 + STEPS * 48,
  CHUNK = 1 << 20,
  POISON = 0xf0,
  POISON_BYTES = 4096
};
static const uint64_t MAX_BYTES = UINT64_C(1) << 40;

struct list { // of free blocks
  uint64_t *address;
  size_t count, capacity;
};

struct weir_heap {
  struct weir_memory *memory;
  uint64_t next, end, in_use; // of the chunk being cut
  struct list lists[LISTS];
  struct weir_map blocks; // bytes × 2, plus 1 if it is free; by address
};

struct weir_heap *weir_heap_create(struct weir_memory *m) {
  struct weir_heap *h = weir_new(struct weir_heap);
  h->memory = m;
  return h;
}

void weir_heap_destroy(struct weir_heap *h) {
  if (!h) return;
  for (unsigned k = 0; k < LISTS; k++) weir_free(h->lists[k].address);
  weir_map_free(&h->blocks);
  weir_free(h);
}

// Sizes: multiples of 16 up to 1024, then eight to each power of two. Gives the size's list.
static unsigned round_size(uint64_t *bytes) {
  if (*bytes <= SMALL) {
    *bytes = weir_align_up(*bytes ? *bytes : 1, GRAIN);
    return (unsigned)(*bytes / GRAIN);
  }
  const unsigned power = 63 - (unsigned)__builtin_clzll(*bytes - 1); // 2^power < bytes ≤ 2^(power + 1)
  const uint64_t step = UINT64_C(1) << (power - 3);
  *bytes = weir_align_up(*bytes, step);
  return SMALL_LISTS + (power - 10) * STEPS + (unsigned)(*bytes / step) - STEPS;
}

static uint64_t cut(struct weir_heap *h, uint64_t bytes) {
  if (h->end - h->next < bytes) {
    const uint64_t chunk = bytes + GRAIN > CHUNK ? bytes + GRAIN : CHUNK;
    const uint64_t base = weir_memory_alloc(h->memory, "device heap", chunk);
    if (!base) return 0;
    h->next = base + GRAIN; // no block is what the host could take for an allocation of its own
    h->end = base + chunk;
  }
  const uint64_t address = h->next;
  h->next += bytes;
  *weir_map_add(&h->blocks, address, NULL) = bytes << 1;
  return address;
}

uint64_t weir_heap_take(struct weir_heap *h, uint64_t bytes, uint64_t limit) {
  if (bytes > limit || bytes > MAX_BYTES) return 0;
  struct list *l = &h->lists[round_size(&bytes)];
  if (h->in_use > limit || bytes > limit - h->in_use) return 0;
  const uint64_t address = l->count ? l->address[--l->count] : cut(h, bytes);
  if (!address) return 0;
  *weir_map_find(&h->blocks, address) &= ~UINT64_C(1);
  h->in_use += bytes;
  return address;
}

enum weir_heap_answer weir_heap_give(struct weir_heap *h, uint64_t address) {
  uint64_t *block = weir_map_find(&h->blocks, address);
  if (!block) return WEIR_HEAP_NO_BLOCK;
  if (*block & 1) return WEIR_HEAP_FREE_ALREADY;
  uint64_t bytes = *block >> 1;
  struct list *l = &h->lists[round_size(&bytes)];
  *weir_push(l->address, l->count, l->capacity) = address;
  *block |= 1;
  h->in_use -= bytes;
  memset(weir_memory_at(h->memory, address, bytes), POISON, bytes < POISON_BYTES ? bytes : POISON_BYTES);
  return WEIR_HEAP_FREED;
}
