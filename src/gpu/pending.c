// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/pending.h"

#include "base/alloc.h"
#include "gpu/copies.h"
#include "gpu/scoreboard.h"

#include <assert.h>

uint32_t weir_take_pending(struct weir_sm *m) {
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

void weir_complete_pending(struct weir_sm *m, uint32_t load, weir_cycle now) {
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
