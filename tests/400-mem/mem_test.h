// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the tests of this folder share: one cache with its pool and counters, driven by hand. Invariant: every request
// made is given back to the pool by the time the bench is freed, which bench_free checks.
#ifndef WEIR_TESTS_MEM_TEST_H
#define WEIR_TESTS_MEM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/rng.h"
#include "mem/cache.h"

// Just before the 32 low bits of a cycle count run over.
#define START UINT64_C(0xFFFFFFF0)

enum { BENCH_INSTRUCTIONS = 64 };

struct bench {
  struct weir_mreq_pool pool;
  struct weir_level_stats stats;
  struct weir_pc_stats pcs[BENCH_INSTRUCTIONS];
  struct weir_cache cache;
  weir_cycle now;
  uint32_t made, given_back; // requests the test made, and those that came back to it
  enum weir_outcome outcome;
  enum weir_stall stall;
};

// 4 sets × 2 ways of 128-byte lines, LRU, allocated on a miss, stores as on Fermi's first level.
static inline struct weir_cache_params small_cache(void) {
  struct weir_cache_params p = {.sets = 4,
                                .ways = 2,
                                .line_bytes = 128,
                                .sector_bytes = 128,
                                .mshrs = 4,
                                .mshr_merges = 3,
                                .miss_queue = 8,
                                .fetch_pieces = 1,
                                .seed = 1};
  weir_policy_defaults(&p.replace, weir_policy_find(WEIR_POLICY_REPLACE, "lru"));
  return p;
}

static inline struct bench *bench_new(const struct weir_cache_params *p) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->now = START;
  weir_cache_init(&b->cache, p, &b->pool, &b->stats, b->pcs);
  return b;
}

static inline struct weir_mreq *make(struct bench *b, enum weir_mreq_kind kind, uint64_t address, uint32_t bytes,
                                     uint32_t token) {
  struct weir_mreq *r = weir_mreq_new(&b->pool);
  r->kind = kind & 7;
  r->address = r->place = address;
  r->bytes = (uint16_t)bytes;
  r->full = UINT8_MAX;
  r->token = token;
  b->made++;
  return r;
}

static inline void give_back(struct bench *b, struct weir_mreq *r) {
  b->given_back++;
  weir_mreq_release(&b->pool, r);
}

// One letter per outcome: h hit, p pending, m miss, d passed down, w written; refused for want of: W a way, E an MSHR
// entry, G room to merge, Q the miss queue.
static inline char offer(struct bench *b, struct weir_mreq *r) {
  b->outcome = weir_cache_access(&b->cache, r, b->now++, &b->stall);
  switch (b->outcome) {
  case WEIR_OUTCOME_HIT: return 'h';
  case WEIR_OUTCOME_PENDING: return 'p';
  case WEIR_OUTCOME_MISS: return 'm';
  case WEIR_OUTCOME_PASSED: return 'd';
  case WEIR_OUTCOME_WRITTEN: return 'w';
  case WEIR_OUTCOME_REFUSED: break;
  }
  switch (b->stall) {
  case WEIR_STALL_NO_WAY: return 'W';
  case WEIR_STALL_MSHR_FULL: return 'E';
  case WEIR_STALL_MERGE_FULL: return 'G';
  case WEIR_STALL_MISS_QUEUE: return 'Q';
  default: return '?';
  }
}

static inline char send(struct bench *b, struct weir_mreq *r) {
  char c = offer(b, r);
  if (strchr("hwWEGQ", c)) give_back(b, r);
  return c;
}

// A load of 4 bytes by instruction `pc` (an index), one of the `transactions` accesses that its warp's became.
static inline char load_of_transactions(struct bench *b, uint64_t address, uint32_t pc, uint8_t transactions) {
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, address, 4, pc);
  r->pc = pc * 8;
  r->transactions = transactions;
  return send(b, r);
}

static inline char load_by(struct bench *b, uint64_t address, uint32_t pc) {
  return load_of_transactions(b, address, pc, 1);
}

// What instruction `pc` has been counted for.
static inline struct weir_pc_counts counts_by(const struct bench *b, uint32_t pc) {
  return weir_pc_total(&b->pcs[pc]);
}

static inline char load(struct bench *b, uint64_t address) {
  return load_by(b, address, 0);
}

static inline char store(struct bench *b, uint64_t address, uint32_t bytes) {
  return send(b, make(b, WEIR_MREQ_STORE, address, bytes, 0));
}

static inline char atomic(struct bench *b, uint64_t address) {
  return send(b, make(b, WEIR_MREQ_ATOMIC, address, 4, 0));
}

// The oldest request on its way down; NULL if there is none.
static inline struct weir_mreq *go_down(struct bench *b) {
  if (b->cache.skipped.head) return weir_queue_pop(&b->cache.skipped);
  return b->cache.miss_queue.head ? weir_queue_pop(&b->cache.miss_queue) : NULL;
}

// Answers the oldest fetch, whose sector must begin at `address`.
static inline void fetched(struct bench *b, uint64_t address) {
  struct weir_mreq *r = go_down(b);
  assert_non_null(r);
  assert_true(weir_cache_waits_for(&b->cache, r));
  assert_int_equal(r->address, address);
  r->is_reply = true;
  weir_cache_fill(&b->cache, r, b->now++);
}

// Takes the oldest served request; its token, or -1.
static inline int take_ready(struct bench *b) {
  if (!b->cache.ready.head) return -1;
  struct weir_mreq *r = weir_cache_take(&b->cache);
  int token = (int)r->token;
  give_back(b, r);
  return token;
}

static inline void take_all_ready(struct bench *b) {
  while (take_ready(b) >= 0) continue;
}

// A load that misses, is fetched and served; or hits.
static inline char load_through(struct bench *b, uint64_t address) {
  char c = load(b, address);
  if (c == 'm') {
    fetched(b, address & ~(uint64_t)(b->cache.params.sector_bytes - 1));
    take_all_ready(b);
  }
  return c;
}

// Drops the oldest request on its way down, which must be of this kind, for this address.
static inline void went_down(struct bench *b, enum weir_mreq_kind kind, uint64_t address, uint32_t bytes) {
  struct weir_mreq *r = go_down(b);
  assert_non_null(r);
  assert_int_equal(r->kind, kind);
  assert_int_equal(r->address, address);
  assert_int_equal(r->bytes, bytes);
  if (kind == WEIR_MREQ_WRITEBACK)
    weir_mreq_release(&b->pool, r);
  else
    give_back(b, r);
}

// Every access is a hit, a hit-on-miss or a miss.
static inline void assert_conserved(const struct weir_access_counts *n) {
  assert_int_equal(n->accesses, n->hits + n->hits_on_miss + n->misses);
}

static inline void bench_free(struct bench *b) {
  assert_conserved(&b->stats.loads);
  assert_conserved(&b->stats.stores);
  assert_null(b->cache.miss_queue.head);
  assert_null(b->cache.ready.head);
  assert_int_equal(b->cache.mshrs_used, 0);
  assert_int_equal(b->made, b->given_back);
  weir_cache_free(&b->cache);
  weir_mreq_pool_free(&b->pool);
  free(b);
}

#endif
