// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What happens at a known later cycle: results written back, instructions fetched.
#include "gpu/sm.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <assert.h>

#define NONE UINT32_MAX

static uint32_t take_event(struct weir_sm *m) {
  if (m->event_free == NONE) {
    uint32_t n = m->event_capacity;
    m->event_capacity = n ? 2 * n : 256;
    m->events = weir_realloc(m->events, m->event_capacity * sizeof *m->events);
    for (uint32_t i = n; i < m->event_capacity; i++) m->events[i].next = i + 1 < m->event_capacity ? i + 1 : NONE;
    m->event_free = n;
  }
  uint32_t i = m->event_free;
  m->event_free = m->events[i].next;
  return i;
}

void weir_sm_schedule(struct weir_sm *m, weir_cycle now, weir_cycle when, struct weir_event e) {
  assert(when > now && when - now < WEIR_WHEEL_CYCLES);
  uint32_t slot = when % WEIR_WHEEL_CYCLES, i = take_event(m);
  bool used = m->wheel_used[slot / 64] >> (slot % 64) & 1;
  e.next = used ? m->wheel[slot] : NONE;
  m->events[i] = e;
  m->wheel[slot] = i;
  m->wheel_used[slot / 64] |= UINT64_C(1) << (slot % 64);
  m->wheel_words |= UINT64_C(1) << (slot / 64);
}
_Static_assert(WEIR_WHEEL_CYCLES == 64 * 64, "a bit per word of wheel_used fits a word");

weir_cycle weir_sm_next_event(const struct weir_sm *m, weir_cycle now) {
  if (!m->wheel_words) return WEIR_NEVER;
  uint32_t from = (now + 1) % WEIR_WHEEL_CYCLES, word = from / 64;
  uint64_t bits = m->wheel_used[word] & ~weir_mask(from % 64);
  if (!bits) { // the next word with any; the first one again if there is none but what lies before `from`
    uint64_t later = m->wheel_words & ~weir_mask(word + 1);
    word = weir_lowest(later ? later : m->wheel_words);
    bits = m->wheel_used[word];
  }
  uint32_t slot = word * 64 + weir_lowest(bits);
  return now + 1 + (slot + WEIR_WHEEL_CYCLES - from) % WEIR_WHEEL_CYCLES;
}

static void run(struct weir_sm *m, const struct weir_event *e) {
  struct weir_warp_slot *w = &m->warps[e->warp];
  if (e->kind == WEIR_EVENT_FETCHED) {
    w->buffered = e->count;
    if (e->count)
      weir_sm_look_ahead(m, e->warp);
    else
      m->can_fetch |= UINT64_C(1) << e->warp; // the wrong path: once more
    return;
  }
  const bool loaded = e->kind == WEIR_EVENT_LOADED;
  w->events = (uint16_t)(w->events - !loaded);
  w->loads = (uint16_t)(w->loads - loaded);
  weir_sm_release(m, e->warp, &m->shared->statics[e->pc]);
  if (loaded) weir_sm_settle_fence(m, e->warp);
  weir_sm_try_retire(m, e->warp);
}

void weir_sm_run_events(struct weir_sm *m, weir_cycle now) {
  uint32_t slot = now % WEIR_WHEEL_CYCLES;
  if (!(m->wheel_used[slot / 64] >> (slot % 64) & 1)) return;
  m->wheel_used[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
  if (!m->wheel_used[slot / 64]) m->wheel_words &= ~(UINT64_C(1) << (slot / 64));
  for (uint32_t i = m->wheel[slot]; i != NONE;) {
    struct weir_event e = m->events[i];
    m->events[i].next = m->event_free;
    m->event_free = i;
    run(m, &e);
    i = e.next;
  }
}
