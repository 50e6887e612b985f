// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Contract 2: a memory request, the one thing that moves between the parts of src/mem. Invariant: a request is in exactly
// one place (a queue, an MSHR's list, a DRAM bank) at any time, linked through `next`; who takes it owns it; the part
// that ends it gives it back to the pool. A part takes a request or refuses it with a reason (enum weir_stall).
#ifndef WEIR_MEM_MREQ_H
#define WEIR_MEM_MREQ_H

#include "base/time.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

enum weir_mreq_kind {
  WEIR_MREQ_LOAD,
  WEIR_MREQ_STORE,
  WEIR_MREQ_ATOMIC,
  WEIR_MREQ_INSTRUCTION, // a fetch by an instruction cache
  WEIR_MREQ_CONSTANT,    // a fetch by a constant cache
  WEIR_MREQ_TEXTURE,     // a fetch by a texture cache
  WEIR_MREQ_WRITEBACK,   // dirty data on its way down; has no answer
};

#define WEIR_NO_MSHR UINT16_MAX

// One cache line of the host: requests are what a simulation mostly touches, and each is touched long after the last time.
struct weir_mreq {
  struct weir_mreq *next;
  uint64_t address; // of the first byte asked for
  uint64_t place;   // the same as the caches of a memory slice index it (mem/address_map.h); address before that
  weir_cycle ready; // when the queue it waits in may let it go, in that queue's clock
  uint16_t bytes;
  uint8_t l1_hint : 6;     // enum weir_cache_hint
  uint8_t l2_prefetch : 2; // enum weir_prefetch_size, until the L2 has done what it asks for
  uint8_t l2_hint : 5;     // enum weir_cache_hint
  bool is_reply : 1;
  bool far : 1;            // its home is the other partition of the shared cache (mem/slice.h)
  bool bypassed_above : 1; // an upper cache decided to bypass on it
  uint32_t pc;             // address of the instruction (8 bytes each)
  uint32_t token;          // the requester's own mark
  union {
    uint32_t row;  // of its DRAM bank
    uint32_t used; // before that: of a sector of 32 bytes, the bytes that are read or written; 0: that is not known
  };
  uint16_t core, warp;
  uint16_t mshr;          // entry of the waiting cache, or WEIR_NO_MSHR
  uint16_t slice;         // memory slice it goes to
  uint8_t kind : 3;       // enum weir_mreq_kind
  uint8_t mshr_level : 4; // the level that cache belongs to
  uint8_t copied : 1;     // of an answer: a copy of it stands behind it in its queue
  uint8_t lanes;          // lanes served
  uint8_t bank;           // of its DRAM channel
  uint8_t requester;      // 0: the GPU; 1…: CPU programs
  uint8_t transactions;   // accesses that its warp instruction became
  uint8_t ready_warps;    // of its core when it was made
  uint8_t full;           // stores: bit s set if the s-th 32 bytes from `address` are written whole; of a
                          // write-back, that it carries
  bool local : 1;         // thread-local memory: may be dirty in the first-level cache
  bool texture : 1;       // a texture fetch or surface load
  bool guest : 1;         // it has come from the other partition
  bool skips : 1;         // one of the policies of the cache it waits at, asked before the look-up, said to skip it
  bool asked : 1;         // they have been told of it, and asked so
  bool decided : 1;       // they have been asked about this miss
  bool bypass : 1;        // … and one of them said so
  bool reply_mark : 1;    // written by a lower cache's policy for the upper one
};
_Static_assert(sizeof(struct weir_mreq) == 64, "a request is one cache line");
_Static_assert(WEIR_HINT_COUNT <= 32, "l2_hint has five bits");

// Requests come from a pool and go back to it, or to another thread's; the pool grows as needed. Those that are free are listed apart
// from them: most have left the host's caches.
struct weir_mreq_pool {
  struct weir_mreq **free; // [capacity], the last given back on top
  uint64_t free_count, capacity;
  struct weir_mreq_chunk *chunks;
};

void weir_mreq_pool_grow(struct weir_mreq_pool *p);   // some are free then
void weir_mreq_pool_extend(struct weir_mreq_pool *p); // there is room for more in its list
void weir_mreq_pool_free(struct weir_mreq_pool *p);
// Requests that end in another pool than they came from: some of the richest pool's go to the poorest, if that is much poorer.
void weir_mreq_pools_balance(struct weir_mreq_pool *const *pools, unsigned count);

static inline struct weir_mreq *weir_mreq_take(struct weir_mreq_pool *p) { // all of it is the taker's to write
  enum { AHEAD = 4 };
  if (!p->free_count) weir_mreq_pool_grow(p);
  struct weir_mreq *r = p->free[--p->free_count];
  if (p->free_count >= AHEAD) __builtin_prefetch(p->free[p->free_count - AHEAD], 1);
  return r;
}

static inline struct weir_mreq *weir_mreq_new(struct weir_mreq_pool *p) { // zeroed
  struct weir_mreq *r = weir_mreq_take(p);
  *r = (struct weir_mreq){.mshr = WEIR_NO_MSHR};
  return r;
}

static inline void weir_mreq_release(struct weir_mreq_pool *p, struct weir_mreq *r) {
  if (p->free_count == p->capacity) weir_mreq_pool_extend(p);
  p->free[p->free_count++] = r;
}

// A first-in-first-out queue of requests.
struct weir_mreq_queue {
  struct weir_mreq *head, *tail;
  uint32_t count, capacity; // capacity 0: unbounded
};

static inline bool weir_queue_full(const struct weir_mreq_queue *q) {
  return q->capacity && q->count >= q->capacity;
}

// Room for n more?
static inline bool weir_queue_room(const struct weir_mreq_queue *q, uint32_t n) {
  return !q->capacity || q->count + n <= q->capacity;
}

static inline void weir_queue_push(struct weir_mreq_queue *q, struct weir_mreq *r) {
  r->next = NULL;
  if (q->tail)
    q->tail->next = r;
  else
    q->head = r;
  q->tail = r;
  q->count++;
}

// Requests that are linked already, so that none of them is touched but the last.
static inline void weir_queue_append(struct weir_mreq_queue *q, struct weir_mreq *first, struct weir_mreq *last,
                                     uint32_t count) {
  if (q->tail)
    q->tail->next = first;
  else
    q->head = first;
  q->tail = last;
  q->count += count;
}

// The head has been taken elsewhere, which may have changed its link: `next` is what stood behind it.
static inline void weir_queue_advance(struct weir_mreq_queue *q, struct weir_mreq *next) {
  q->head = next;
  if (!next)
    q->tail = NULL;
  else
    __builtin_prefetch(next, 1); // looked at next cycle, and mostly long out of the host's caches
  q->count--;
}

static inline struct weir_mreq *weir_queue_pop(struct weir_mreq_queue *q) {
  struct weir_mreq *r = q->head;
  weir_queue_advance(q, r->next);
  return r;
}

#endif
