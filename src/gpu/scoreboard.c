// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which registers of which warp are still to be written, and which warps that holds back.
#include "gpu/sm.h"

#include "base/bits.h"

static uint64_t *row(struct weir_sm *m, uint32_t warp) {
  return m->scoreboard + (size_t)warp * m->scoreboard_words;
}

void weir_sm_reserve(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d) {
  uint64_t *r = row(m, warp);
  for (unsigned i = 0; i < d->writes; i++) r[d->registers[i] >> 6] |= UINT64_C(1) << (d->registers[i] & 63);
}

static inline uint64_t set_to(uint64_t set, uint64_t bit, bool member) {
  return member ? set | bit : set & ~bit;
}

// Which of the sets the warp is in, by the registers of its next instruction.
static inline void look(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d) {
  const uint64_t bit = UINT64_C(1) << warp, *r = row(m, warp);
  uint64_t pending = 0;
  for (unsigned i = 0; i < d->count; i++) pending |= r[d->registers[i] >> 6] >> (d->registers[i] & 63);
  m->held = set_to(m->held, bit, pending & 1);
  m->ready = set_to(m->ready, bit, !(pending & 1) && !(m->view.waiting & bit));
  weir_warp_prefetch(m->warps[warp].warp);
}

void weir_sm_look_ahead(struct weir_sm *m, uint32_t warp) {
  struct weir_warp_slot *w = &m->warps[warp];
  const uint64_t bit = UINT64_C(1) << warp;
  if (!w->buffered) { // looks again when it has been fetched
    m->ready &= ~bit;
    m->held &= ~bit;
    return;
  }
  const struct weir_decoded *d = w->next = &m->shared->decoded[w->pc];
  m->memory_next = set_to(m->memory_next, bit, d->unit == WEIR_UNIT_MEMORY);
  m->special_next = set_to(m->special_next, bit, d->unit == WEIR_UNIT_SPECIAL);
  m->load_next = set_to(m->load_next, bit, d->loads_data);
  look(m, warp, d);
}

void weir_sm_release(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d) {
  if (!d->writes) return;
  uint64_t *r = row(m, warp);
  for (unsigned i = 0; i < d->writes; i++) r[d->registers[i] >> 6] &= ~(UINT64_C(1) << (d->registers[i] & 63));
  if (m->held >> warp & 1) look(m, warp, m->warps[warp].next);
}
