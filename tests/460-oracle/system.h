// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One CPU core, a last-level cache and a memory that answers every read after so many cycles: what weir is compared as.
// Invariant: what is counted begins when `warmup` instructions have retired and ends when as many as asked for have
// after them, as with ChampSim.
#ifndef WEIR_TESTS_ORACLE_SYSTEM_H
#define WEIR_TESTS_ORACLE_SYSTEM_H

#include "cpu/core.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct system_config {
  struct weir_cpu_config core;
  struct weir_cache_params llc;
  uint32_t llc_cycles;    // from a miss of the L2 to an answer of the last-level cache
  uint32_t memory_cycles; // beyond them, where it is missed
};

struct system_counts {
  uint64_t instructions, cycles, branches, mispredictions;
  uint64_t l1d_misses, l2_misses;      // reads: of loads, instructions, and lines to be written
  uint64_t llc_reads, llc_read_misses; // of these, in the last-level cache
  uint64_t llc_writebacks, llc_writeback_misses;
};

struct system {
  struct weir_cpu_core core;
  struct weir_cache llc;
  struct weir_mreq_pool pool;
  struct weir_level_stats levels[3], llc_stats;
  struct weir_mreq_queue to_llc, to_core, to_memory; // `ready`: when they are there
  struct system_config config;
};

static inline struct system_counts system_now(const struct system *s) {
  const struct weir_cpu_stats *c = &s->core.stats;
  return (struct system_counts){.instructions = c->instructions,
                                .cycles = c->cycles,
                                .branches = c->branches,
                                .mispredictions = c->mispredictions + c->late_targets,
                                .l1d_misses = s->levels[1].loads.misses,
                                .l2_misses = s->levels[2].loads.misses,
                                .llc_reads = s->llc_stats.loads.accesses,
                                .llc_read_misses = s->llc_stats.loads.misses,
                                .llc_writebacks = s->llc_stats.stores.accesses,
                                .llc_writeback_misses = s->llc_stats.stores.misses};
}

static inline void system_subtract(struct system_counts *counts, const struct system_counts *less) {
  uint64_t *to = (uint64_t *)counts;
  const uint64_t *from = (const uint64_t *)less;
  for (size_t i = 0; i < sizeof *counts / sizeof *to; i++) to[i] -= from[i];
}

static void send(struct weir_mreq_queue *q, struct weir_mreq *r, weir_cycle when) {
  r->ready = when;
  weir_queue_push(q, r);
}

static inline void take_from_core(struct system *s, weir_cycle now) {
  while (s->core.out.head) {
    struct weir_mreq *r = weir_queue_pop(&s->core.out);
    r->place = r->address; // write-backs have none yet
    send(&s->to_llc, r, now);
  }
}

static inline void look_up_llc(struct system *s, weir_cycle now) {
  while (s->to_llc.head && s->to_llc.head->ready <= now) {
    struct weir_mreq *r = s->to_llc.head, *next = r->next;
    const bool writeback = r->kind == WEIR_MREQ_WRITEBACK;
    enum weir_stall why;
    const enum weir_outcome o = weir_cache_access(&s->llc, r, now, &why);
    if (o == WEIR_OUTCOME_REFUSED) break;
    weir_queue_advance(&s->to_llc, next);
    if (writeback)
      weir_mreq_release(&s->pool, r);
    else if (o == WEIR_OUTCOME_HIT)
      send(&s->to_core, r, now + s->config.llc_cycles);
  }
  while (s->llc.miss_queue.head) {
    struct weir_mreq *r = weir_queue_pop(&s->llc.miss_queue);
    if (r->kind == WEIR_MREQ_WRITEBACK)
      weir_mreq_release(&s->pool, r);
    else
      send(&s->to_memory, r, now + s->config.llc_cycles + s->config.memory_cycles);
  }
}

static inline void answer_core(struct system *s, weir_cycle now) {
  while (s->to_memory.head && s->to_memory.head->ready <= now)
    weir_cache_fill(&s->llc, weir_queue_pop(&s->to_memory), now);
  while (s->llc.ready.head) weir_cpu_answer(&s->core, weir_cache_take(&s->llc), now);
  while (s->to_core.head && s->to_core.head->ready <= now) weir_cpu_answer(&s->core, weir_queue_pop(&s->to_core), now);
}

static inline weir_cycle first_of(const struct weir_mreq_queue *q, weir_cycle now) {
  return q->head ? weir_later(q->head->ready, now + 1) : WEIR_NEVER;
}

static inline struct system_counts system_run(const struct system_config *config, const struct weir_cpu_feed *feed,
                                              uint64_t warmup, uint64_t instructions) {
  struct system *s = calloc(1, sizeof *s);
  s->config = *config;
  weir_cpu_init(&s->core, &config->core, feed, 1, 0, &s->pool, s->levels);
  weir_cache_init(&s->llc, &config->llc, &s->pool, &s->llc_stats, NULL);
  struct system_counts before = {0};
  for (weir_cycle now = 0; s->core.stats.instructions < warmup + instructions && !weir_cpu_done(&s->core);) {
    answer_core(s, now);
    weir_cycle next = weir_cpu_tick(&s->core, now);
    take_from_core(s, now);
    look_up_llc(s, now);
    if (s->core.stats.instructions < warmup) before = system_now(s);
    next = weir_sooner(weir_sooner(next, first_of(&s->to_llc, now)),
                       weir_sooner(first_of(&s->to_core, now), first_of(&s->to_memory, now)));
    assert_true(next != WEIR_NEVER || weir_cpu_done(&s->core));
    now = next;
  }
  struct system_counts counts = system_now(s);
  system_subtract(&counts, &before);
  weir_cpu_free(&s->core);
  weir_cache_free(&s->llc);
  weir_mreq_pool_free(&s->pool);
  free(s);
  return counts;
}

#endif
