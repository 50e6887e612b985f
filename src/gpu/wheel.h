// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What happens at a known later cycle: a wheel of lists of events, one slot per cycle. Invariant: no event lies
// WEIR_WHEEL_CYCLES or more ahead; the bits of used slots, and of words with any, are exact.
#ifndef WEIR_GPU_WHEEL_H
#define WEIR_GPU_WHEEL_H

#include "base/time.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { WEIR_WHEEL_CYCLES = 4096 };

// Those that write registers come first.
enum weir_event_kind {
  WEIR_EVENT_WRITEBACK,
  WEIR_EVENT_LOADED, // from shared memory
  WEIR_EVENT_FETCHED,
  WEIR_EVENT_MULTIPLIED,
  WEIR_EVENT_MET // the barrier of its block or cluster lets the warp go on
};

struct weir_event {
  uint32_t next; // in its wheel slot, or free
  uint32_t
    pc; // WRITEBACK, LOADED: of the instruction whose results are there; MULTIPLIED: the group of the product (copies.h)
  uint16_t warp;
  uint8_t kind, count; // FETCHED: instructions
};

#define WEIR_NO_EVENT 0 // events count from 1

struct weir_wheel {
  struct weir_event *events; // [capacity]; the first is none
  uint32_t free, capacity;   // free: list
  uint64_t words;            // which of `used` are not 0
  uint64_t used[WEIR_WHEEL_CYCLES / 64];
  uint32_t slots[WEIR_WHEEL_CYCLES];
};

void weir_wheel_grow(struct weir_wheel *w); // there is a free event then

// An event of a warp at `when` > now, at most WEIR_WHEEL_CYCLES − 1 ahead; the rest is the caller's to write, in place: a copy of
// what has just been written member by member is slow on the host.
static inline struct weir_event *weir_wheel_add(struct weir_wheel *w, weir_cycle now, weir_cycle when,
                                                enum weir_event_kind kind, uint32_t warp) {
  assert(when - now - 1 < WEIR_WHEEL_CYCLES - 1);
  if (w->free == WEIR_NO_EVENT) weir_wheel_grow(w);
  const uint32_t slot = when % WEIR_WHEEL_CYCLES, i = w->free;
  struct weir_event *e = &w->events[i];
  w->free = e->next;
  e->next = w->slots[slot];
  e->kind = (uint8_t)kind;
  e->warp = (uint16_t)warp;
  w->slots[slot] = i;
  w->used[slot / 64] |= UINT64_C(1) << (slot % 64);
  w->words |= UINT64_C(1) << (slot / 64);
  return e;
}
_Static_assert(WEIR_WHEEL_CYCLES == 64 * 64, "a bit per word of `used` fits a word");

// The first cycle after `now` that has an event; WEIR_NEVER: there is none.
weir_cycle weir_wheel_next(const struct weir_wheel *w, weir_cycle now);

// Is there an event in cycle `now`?
static inline bool weir_wheel_due(const struct weir_wheel *w, weir_cycle now) {
  return w->slots[now % WEIR_WHEEL_CYCLES] != WEIR_NO_EVENT;
}

// Empties the slot of cycle `now`: its first event, whose `next` is the one after it, or WEIR_NO_EVENT.
static inline uint32_t weir_wheel_take(struct weir_wheel *w, weir_cycle now) {
  const uint32_t slot = now % WEIR_WHEEL_CYCLES, first = w->slots[slot];
  w->slots[slot] = WEIR_NO_EVENT;
  w->used[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
  if (!w->used[slot / 64]) w->words &= ~(UINT64_C(1) << (slot / 64));
  return first;
}

// The events of that slot, from the first to the last, may be used again.
static inline void weir_wheel_give_back(struct weir_wheel *w, uint32_t first, struct weir_event *last) {
  last->next = w->free;
  w->free = first;
}

#endif
