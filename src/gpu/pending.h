// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads and atomics whose data is on its way, in a table by number. Each piece of data asks, so this is compiled into who does.
#ifndef WEIR_GPU_PENDING_H
#define WEIR_GPU_PENDING_H

#include "base/alloc.h"
#include "gpu/copies.h"
#include "gpu/scoreboard.h"

#include <assert.h>

// A place of m->pending, to be written as a whole.
static inline uint32_t weir_take_pending(struct weir_sm *m) {
  if (m->pending_free == UINT16_MAX) {
    uint32_t n = m->pending_capacity;
    m->pending_capacity = n ? 2 * n : 64;
    assert(m->pending_capacity < UINT16_MAX);
    m->pending = weir_realloc(m->pending, m->pending_capacity * sizeof *m->pending);
    for (uint32_t i = n; i < m->pending_capacity; i++)
      m->pending[i] = (struct weir_pending_load){.next = (uint16_t)(i + 1 < m->pending_capacity ? i + 1 : UINT16_MAX)};
    m->pending_free = n;
  }
  uint32_t i = m->pending_free;
  m->pending_free = m->pending[i].next;
  return i;
}

static inline void weir_finish_instruction(struct weir_sm *m, uint32_t warp) {
  m->warps[warp].loads--;
  weir_sm_settle_fence(m, warp);
  weir_sm_try_retire(m, warp);
}

// One more piece of a load's data is in its registers.
static inline void weir_complete_pending(struct weir_sm *m, uint32_t load, weir_cycle now) {
  struct weir_pending_load *p = &m->pending[load];
  if (--p->remaining) return;
  p->counts->latency_cycles += now - p->issued;
  p->counts->missed_latency_cycles += p->all_hit ? 0 : now - p->issued;
  p->counts->all_hit_executions += p->all_hit;
  weir_scoreboard_release(m, p->warp, &m->shared->decoded[p->pc]);
  if (p->copy) weir_copies_end(m, p, now);
  weir_finish_instruction(m, p->warp);
  p->next = (uint16_t)m->pending_free;
  m->pending_free = load;
}

#endif
