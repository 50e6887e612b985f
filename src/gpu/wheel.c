// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/wheel.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <assert.h>

static __attribute__((noinline)) void grow(struct weir_wheel *w) {
  uint32_t n = w->capacity;
  w->capacity = n ? 2 * n : 256;
  w->events = weir_realloc(w->events, w->capacity * sizeof *w->events);
  for (uint32_t i = n; i < w->capacity; i++) w->events[i].next = i + 1 < w->capacity ? i + 1 : WEIR_NO_EVENT;
  w->free = n;
}

static inline uint32_t take_event(struct weir_wheel *w) {
  if (w->free == WEIR_NO_EVENT) grow(w);
  uint32_t i = w->free;
  w->free = w->events[i].next;
  return i;
}

void weir_wheel_add(struct weir_wheel *w, weir_cycle now, weir_cycle when, struct weir_event e) {
  assert(when > now && when - now < WEIR_WHEEL_CYCLES);
  const uint32_t slot = when % WEIR_WHEEL_CYCLES, i = take_event(w);
  const bool used = w->used[slot / 64] >> (slot % 64) & 1;
  w->events[i] = e;
  w->events[i].next = used ? w->slots[slot] : WEIR_NO_EVENT;
  w->slots[slot] = i;
  w->used[slot / 64] |= UINT64_C(1) << (slot % 64);
  w->words |= UINT64_C(1) << (slot / 64);
}
_Static_assert(WEIR_WHEEL_CYCLES == 64 * 64, "a bit per word of `used` fits a word");

weir_cycle weir_wheel_next(const struct weir_wheel *w, weir_cycle now) {
  if (!w->words) return WEIR_NEVER;
  uint32_t from = (now + 1) % WEIR_WHEEL_CYCLES, word = from / 64;
  uint64_t bits = w->used[word] & ~weir_mask(from % 64);
  if (!bits) { // the next word with any; the first one again if there is none but what lies before `from`
    uint64_t later = w->words & ~weir_mask(word + 1);
    word = weir_lowest(later ? later : w->words);
    bits = w->used[word];
  }
  uint32_t slot = word * 64 + weir_lowest(bits);
  return now + 1 + (slot + WEIR_WHEEL_CYCLES - from) % WEIR_WHEEL_CYCLES;
}

uint32_t weir_wheel_take(struct weir_wheel *w, weir_cycle now) {
  uint32_t slot = now % WEIR_WHEEL_CYCLES;
  if (!(w->used[slot / 64] >> (slot % 64) & 1)) return WEIR_NO_EVENT;
  w->used[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
  if (!w->used[slot / 64]) w->words &= ~(UINT64_C(1) << (slot / 64));
  return w->slots[slot];
}
