// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which registers of which warp are still to be written, and which warps that holds back: a bit per register, and of an
// instruction the bits of all of its registers together. Each step asks, so all of this is compiled into who does.
#ifndef WEIR_GPU_SCOREBOARD_H
#define WEIR_GPU_SCOREBOARD_H

#include "gpu/sm.h"

// Words of a warp's row. An instruction looks at two, so there is one behind the last.
static inline uint32_t weir_scoreboard_words(uint32_t registers) {
  return (registers + 63) / 64 + 1;
}

static inline uint64_t *weir_scoreboard_row(struct weir_sm *m, uint32_t warp) {
  return m->scoreboard + (size_t)warp * m->scoreboard_words;
}

// The same register by register.
void weir_scoreboard_set_each(uint64_t *row, const struct weir_decoded *d, bool pending);
bool weir_scoreboard_any(const uint64_t *row, const struct weir_decoded *d);

// Results are to come: what it writes.
static inline void weir_scoreboard_reserve(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d) {
  uint64_t *row = weir_scoreboard_row(m, warp);
  if (__builtin_expect(d->scattered, 0)) {
    weir_scoreboard_set_each(row, d, true);
    return;
  }
  row[d->first_word] |= d->written[0];
  row[d->first_word + 1] |= d->written[1];
}

static inline uint64_t weir_set_to(uint64_t set, uint64_t bit, bool member) {
  return member ? set | bit : set & ~bit;
}

// Which of the sets the warp is in, by the registers of its next instruction.
static inline void weir_scoreboard_look(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d) {
  const uint64_t bit = UINT64_C(1) << warp, *row = weir_scoreboard_row(m, warp);
  const bool pending = __builtin_expect(d->scattered, 0)
    ? weir_scoreboard_any(row, d)
    : ((row[d->first_word] & d->touched[0]) | (row[d->first_word + 1] & d->touched[1])) != 0;
  m->held = weir_set_to(m->held, bit, pending);
  m->ready = weir_set_to(m->ready, bit, !pending && !(m->view.waiting & bit));
  weir_warp_prefetch(m->warps[warp].warp);
}

// Finds the blockers of the next instruction.
static inline void weir_sm_look_ahead(struct weir_sm *m, uint32_t warp) {
  struct weir_warp_slot *w = &m->warps[warp];
  const uint64_t bit = UINT64_C(1) << warp;
  if (!w->buffered) { // looks again when it has been fetched
    m->ready &= ~bit;
    m->held &= ~bit;
    return;
  }
  const struct weir_decoded *d = w->next = &m->shared->decoded[w->pc];
  m->memory_next = weir_set_to(m->memory_next, bit, d->unit == WEIR_UNIT_MEMORY);
  m->special_next = weir_set_to(m->special_next, bit, (d->unit ^ d->unit >> 1) & 1);
  m->load_next = weir_set_to(m->load_next, bit, d->loads_data);
  weir_scoreboard_look(m, warp, d);
}

// … and have been written.
static inline void weir_scoreboard_release(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d) {
  uint64_t *row = weir_scoreboard_row(m, warp);
  if (!d->writes) return;
  if (__builtin_expect(d->scattered, 0)) {
    weir_scoreboard_set_each(row, d, false);
  } else {
    row[d->first_word] &= ~d->written[0];
    row[d->first_word + 1] &= ~d->written[1];
  }
  if (m->held >> warp & 1) weir_scoreboard_look(m, warp, m->warps[warp].next);
}

#endif
