// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Places that are all alike, such as operand collectors, by the cycles from which they are free. Invariant: these are in
// ascending order from `head` on, round the array.
#ifndef WEIR_GPU_PLACES_H
#define WEIR_GPU_PLACES_H

#include "base/time.h"

enum { WEIR_MAX_PLACES = 16 };

struct weir_places {
  weir_cycle free_from[WEIR_MAX_PLACES];
  uint32_t head;
};

// The cycle from which one is free.
static inline weir_cycle weir_places_free(const struct weir_places *p) {
  return p->free_from[p->head];
}

// That one, of `count`, is taken, and will be free from cycle `until` on.
static inline void weir_places_take(struct weir_places *p, uint32_t count, weir_cycle until) {
  uint32_t at = p->head + count;
  p->head = (p->head + 1) % WEIR_MAX_PLACES;
  for (uint32_t left = count; --left && p->free_from[(at - 1) % WEIR_MAX_PLACES] > until; at--)
    p->free_from[at % WEIR_MAX_PLACES] = p->free_from[(at - 1) % WEIR_MAX_PLACES];
  p->free_from[at % WEIR_MAX_PLACES] = until;
}

#endif
