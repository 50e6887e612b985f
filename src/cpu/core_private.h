// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Private to src/cpu: the parts of a core's cycle.
#ifndef WEIR_CPU_CORE_PRIVATE_H
#define WEIR_CPU_CORE_PRIVATE_H

#include "cpu/core.h"

enum { WEIR_CPU_NOBODY = UINT16_MAX };

static inline struct weir_cpu_slot *weir_cpu_slot(struct weir_cpu_core *c, uint64_t number) {
  return &c->slots[number % c->config.window];
}

// The number of the instruction in a slot.
static inline uint64_t weir_cpu_number(const struct weir_cpu_core *c, uint32_t slot) {
  const uint32_t window = c->config.window, first = (uint32_t)(c->head % window);
  return c->head + (slot >= first ? slot - first : slot + window - first);
}

// window.c: an instruction enters with `what` and `addresses` set; its loads are done.
void weir_cpu_enter(struct weir_cpu_core *c, uint64_t number, weir_cycle now);
void weir_cpu_loaded(struct weir_cpu_core *c, uint64_t number);
void weir_cpu_retire(struct weir_cpu_core *c, weir_cycle now);

// fetch.c
const struct weir_trace_inst *weir_cpu_peek(struct weir_cpu_core *c); // the next instruction; NULL: the feed has ended
bool weir_cpu_fetch(struct weir_cpu_core *c, weir_cycle now);         // did anything enter?
bool weir_cpu_may_fetch(struct weir_cpu_core *c);                     // is there a next instruction, and room for it?

// memory.c: the private caches and what moves between them.
struct weir_mreq *weir_cpu_request(struct weir_cpu_core *c, enum weir_mreq_kind kind, uint64_t address, uint32_t pc);
void weir_cpu_memory_init(struct weir_cpu_core *c, struct weir_level_stats levels[3]);
void weir_cpu_memory_up(struct weir_cpu_core *c, weir_cycle now);   // what has arrived; first in a cycle
void weir_cpu_memory_down(struct weir_cpu_core *c, weir_cycle now); // what was missed; last in it
weir_cycle weir_cpu_memory_wake(const struct weir_cpu_core *c, weir_cycle now);

// loads.c and stores.c
void weir_cpu_push_load(struct weir_cpu_core *c, uint64_t number, weir_cycle when);
void weir_cpu_issue_loads(struct weir_cpu_core *c, weir_cycle now);
void weir_cpu_load_answer(struct weir_cpu_core *c, struct weir_mreq *r, weir_cycle now);
bool weir_cpu_store_room(const struct weir_cpu_core *c, const struct weir_trace_static *what);
void weir_cpu_push_stores(struct weir_cpu_core *c, uint64_t number);
void weir_cpu_drain_stores(struct weir_cpu_core *c, weir_cycle now);
void weir_cpu_store_answer(struct weir_cpu_core *c, struct weir_mreq *r);
weir_cycle weir_cpu_stores_wake(const struct weir_cpu_core *c, weir_cycle now);
// The oldest instruction whose stores are not in the data cache yet.
uint64_t weir_cpu_oldest_store(const struct weir_cpu_core *c);

// What a request of the data cache is for (weir_mreq.token): a load's slot, or, from `window` on, a store's place in the ring.

#endif
