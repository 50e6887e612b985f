// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/wheel.h"

#include "base/alloc.h"
#include "base/bits.h"

void weir_wheel_grow(struct weir_wheel *w) {
  const uint32_t n = w->capacity ? w->capacity : 1;
  w->capacity = w->capacity ? 2 * n : 256;
  w->events = weir_realloc(w->events, w->capacity * sizeof *w->events);
  for (uint32_t i = n; i < w->capacity; i++) w->events[i].next = i + 1 < w->capacity ? i + 1 : WEIR_NO_EVENT;
  w->free = n;
}

weir_cycle weir_wheel_next(const struct weir_wheel *w, weir_cycle now) {
  if (!w->words) return WEIR_NEVER;
  uint32_t from = (now + 1) % WEIR_WHEEL_CYCLES, word = from / 64;
  uint64_t bits = w->used[word] & ~weir_below(from % 64);
  if (!bits) { // the next word with any; the first one again if there is none but what lies before `from`
    uint64_t later = w->words & ~weir_upto(word);
    word = weir_lowest(later ? later : w->words);
    bits = w->used[word];
  }
  uint32_t slot = word * 64 + weir_lowest(bits);
  return now + 1 + (slot + WEIR_WHEEL_CYCLES - from) % WEIR_WHEEL_CYCLES;
}
