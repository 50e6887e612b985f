// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A core on a memory that answers every read after so many cycles, fed with instructions made by a function.
#ifndef WEIR_TESTS_CPU_MACHINE_H
#define WEIR_TESTS_CPU_MACHINE_H

#include "cpu/core.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_CYCLES = 100, WAYS_TO_GO = 4096 };

static const struct weir_cpu_config four_wide = {.width = 4,
                                                 .window = 64,
                                                 .load_ports = 2,
                                                 .store_buffer = 32,
                                                 .redirect_cycles = 10,
                                                 .refetch_cycles = 2,
                                                 .latency_cycles = {1, 1, 3, 20, 3, 5, 15, 1, 10},
                                                 .perceptrons = 256,
                                                 .history_bits = 28,
                                                 .targets = 1024,
                                                 .returns = 16,
                                                 .l1i = {32768, 4, 64, 4, 2},
                                                 .l1d = {32768, 4, 64, 16, 2},
                                                 .l2 = {262144, 8, 64, 32, 8}};

// Writes instruction `number` of the program: *s, which is zeroed, and its addresses; returns the next instruction's PC.
typedef uint64_t maker(uint64_t number, struct weir_trace_static *s, uint64_t *addresses);

struct machine {
  struct weir_cpu_core core;
  struct weir_mreq_pool pool;
  struct weir_level_stats levels[3];
  struct weir_mreq_queue memory; // `ready`: when it answers
  maker *make;
  uint64_t next, length;
  struct weir_trace_static statics[WAYS_TO_GO];
  uint64_t addresses[WAYS_TO_GO][WEIR_TRACE_ACCESSES];
  uint64_t reads, written_back;
};

// Statics are compared by their address nowhere, and none is looked at after it has left the window.
static size_t machine_read(void *context, struct weir_trace_inst *out, size_t most) {
  struct machine *m = context;
  size_t n = 0;
  for (; n < most && m->next < m->length; n++, m->next++) {
    struct weir_trace_static *s = &m->statics[m->next % WAYS_TO_GO];
    uint64_t *a = m->addresses[m->next % WAYS_TO_GO];
    *s = (struct weir_trace_static){.kind = WEIR_TRACE_INTEGER, .length = 4};
    out[n] = (struct weir_trace_inst){.what = s, .addresses = a, .next_pc = m->make(m->next, s, a)};
  }
  return n;
}

static void machine_serve(struct machine *m, weir_cycle now) {
  while (m->core.out.head) {
    struct weir_mreq *r = weir_queue_pop(&m->core.out);
    if (r->kind == WEIR_MREQ_WRITEBACK) {
      m->written_back++;
      weir_mreq_release(&m->pool, r);
      continue;
    }
    m->reads++;
    r->ready = now + MEMORY_CYCLES;
    weir_queue_push(&m->memory, r);
  }
}

// Runs `length` instructions to the end, waking the core when it asks for it, or in each cycle; the counters are its own.
static inline struct machine *machine_run(const struct weir_cpu_config *config, maker *make, uint64_t length,
                                          bool every_cycle) {
  struct machine *m = calloc(1, sizeof *m);
  m->make = make;
  m->length = length;
  const struct weir_cpu_feed feed = {machine_read, m};
  weir_cpu_init(&m->core, config, &feed, 1, 0, &m->pool, m->levels);
  weir_cycle now = 0;
  while (!weir_cpu_done(&m->core)) {
    while (m->memory.head && m->memory.head->ready == now) weir_cpu_answer(&m->core, weir_queue_pop(&m->memory), now);
    weir_cycle next = weir_cpu_tick(&m->core, now);
    machine_serve(m, now);
    if (m->memory.head && m->memory.head->ready < next) next = m->memory.head->ready;
    assert_true(next > now);
    if (weir_cpu_done(&m->core)) break;
    assert_true(next != WEIR_NEVER);
    now = every_cycle ? now + 1 : next;
  }
  return m;
}

static inline void machine_free(struct machine *m) {
  weir_cpu_free(&m->core);
  weir_mreq_pool_free(&m->pool);
  free(m);
}

static inline uint64_t cycles_of(const struct weir_cpu_config *config, maker *make, uint64_t length) {
  struct machine *m = machine_run(config, make, length, false);
  assert_int_equal(m->core.stats.instructions, length);
  const uint64_t cycles = m->core.stats.cycles;
  machine_free(m);
  return cycles;
}

// Cycles that `more` further instructions take, after as many have warmed the caches up.
static inline uint64_t cycles_for(const struct weir_cpu_config *config, maker *make, uint64_t more) {
  return cycles_of(config, make, 2 * more) - cycles_of(config, make, more);
}

#endif
