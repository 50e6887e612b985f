// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which registers of which warp are still to be written, and which warps that holds back.
#include "gpu/sm.h"

#include "base/bits.h"

static uint64_t *row(struct weir_sm *m, uint32_t warp) {
  return m->scoreboard + (size_t)warp * m->scoreboard_words;
}

void weir_sm_reserve(struct weir_sm *m, uint32_t warp, const struct weir_static *s) {
  uint64_t *r = row(m, warp);
  for (unsigned i = 0; i < s->dst_count; i++) r[s->dst[i] >> 6] |= UINT64_C(1) << (s->dst[i] & 63);
}

static unsigned count_pending(const uint64_t *r, const uint32_t *registers, unsigned n) {
  unsigned pending = 0;
  for (unsigned i = 0; i < n; i++) pending += (unsigned)(r[registers[i] >> 6] >> (registers[i] & 63)) & 1;
  return pending;
}

void weir_sm_look_ahead(struct weir_sm *m, uint32_t warp) {
  struct weir_warp_slot *w = &m->warps[warp];
  uint64_t bit = UINT64_C(1) << warp;
  m->ready &= ~bit;
  if (!w->buffered) return; // looks again when it has been fetched
  const struct weir_static *s = &m->shared->statics[w->pc];
  const uint64_t *r = row(m, warp);
  w->blockers = count_pending(r, s->dst, s->dst_count) + count_pending(r, s->src, s->src_count);
  enum weir_unit_kind kind = weir_unit_kind(m->shared->config, s);
  m->memory_next = kind == WEIR_UNIT_MEMORY ? m->memory_next | bit : m->memory_next & ~bit;
  if (m->throttling.count) m->load_next = weir_sm_reads_data(m, s, s->space) ? m->load_next | bit : m->load_next & ~bit;
  m->special_next = kind == WEIR_UNIT_SPECIAL ? m->special_next | bit : m->special_next & ~bit;
  if (!w->blockers && !(m->view.waiting & bit)) m->ready |= bit;
}

void weir_sm_release(struct weir_sm *m, uint32_t warp, const struct weir_static *s) {
  if (!s->dst_count) return;
  uint64_t *r = row(m, warp);
  for (unsigned i = 0; i < s->dst_count; i++) r[s->dst[i] >> 6] &= ~(UINT64_C(1) << (s->dst[i] & 63));
  struct weir_warp_slot *w = &m->warps[warp];
  if (w->buffered && w->blockers && !(m->exited >> warp & 1)) weir_sm_look_ahead(m, warp);
}
