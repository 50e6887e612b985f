// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What happens at a known later cycle: a wheel of lists of events, one slot per cycle. Invariant: no event lies
// WEIR_WHEEL_CYCLES or more ahead; the bits of used slots, and of words with any, are exact.
#ifndef WEIR_GPU_WHEEL_H
#define WEIR_GPU_WHEEL_H

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_WHEEL_CYCLES = 4096 };

enum weir_event_kind { WEIR_EVENT_WRITEBACK, WEIR_EVENT_LOADED /* from shared memory */, WEIR_EVENT_FETCHED };

struct weir_event {
  uint32_t next; // in its wheel slot, or free
  uint32_t pc;   // WRITEBACK, LOADED: of the instruction whose results are there
  uint16_t warp;
  uint8_t kind, count; // FETCHED: instructions
};

#define WEIR_NO_EVENT UINT32_MAX

struct weir_wheel {
  struct weir_event *events;
  uint32_t free, capacity; // free: list; WEIR_NO_EVENT: empty
  uint64_t words;          // which of `used` are not 0
  uint64_t used[WEIR_WHEEL_CYCLES / 64];
  uint32_t slots[WEIR_WHEEL_CYCLES];
};

// An event at `when` > now, at most WEIR_WHEEL_CYCLES − 1 ahead.
void weir_wheel_add(struct weir_wheel *w, weir_cycle now, weir_cycle when, struct weir_event e);

// The first cycle after `now` that has an event; WEIR_NEVER: there is none.
weir_cycle weir_wheel_next(const struct weir_wheel *w, weir_cycle now);

// Empties the slot of cycle `now`: its first event, whose `next` is the one after it, or WEIR_NO_EVENT.
uint32_t weir_wheel_take(struct weir_wheel *w, weir_cycle now);

// The event of that number, which then may be used again; answers the next one's number in e.next.
static inline struct weir_event weir_wheel_pop(struct weir_wheel *w, uint32_t i) {
  const struct weir_event e = w->events[i];
  w->events[i].next = w->free;
  w->free = i;
  return e;
}

#endif
