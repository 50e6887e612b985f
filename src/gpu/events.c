// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is due in this cycle: results written back, instructions fetched, products of matrices made.
#include "gpu/copies.h"
#include "gpu/scoreboard.h"

static inline void fetched(struct weir_sm *m, const struct weir_event *e) {
  m->warps[e->warp].buffered = e->count;
  if (e->count)
    weir_sm_look_ahead(m, e->warp);
  else
    m->can_fetch |= UINT64_C(1) << e->warp; // the wrong path: once more
}

// What writes no registers.
static inline void run_other(struct weir_sm *m, const struct weir_event *e) {
  if (e->kind == WEIR_EVENT_FETCHED)
    fetched(m, e);
  else if (e->kind == WEIR_EVENT_MULTIPLIED)
    weir_copies_multiplied(m, e->warp, e->pc);
  else
    weir_sm_leave_barrier(m, e->warp);
}

static inline void run(struct weir_sm *m, const struct weir_event *e) {
  struct weir_warp_slot *w = &m->warps[e->warp];
  if (e->kind >= WEIR_EVENT_FETCHED) {
    run_other(m, e);
    return;
  }
  const bool loaded = e->kind == WEIR_EVENT_LOADED;
  w->events = (uint16_t)(w->events - !loaded);
  w->loads = (uint16_t)(w->loads - loaded);
  weir_scoreboard_release(m, e->warp, &m->shared->decoded[e->pc]);
  if (loaded) weir_sm_settle_fence(m, e->warp);
  weir_sm_try_retire(m, e->warp);
}

void weir_sm_run_events(struct weir_sm *m, weir_cycle now) {
  const uint32_t first = weir_wheel_take(&m->wheel, now);
  struct weir_event *e = &m->wheel.events[first]; // no event makes another
  for (;; e = &m->wheel.events[e->next]) {
    run(m, e);
    if (e->next == WEIR_NO_EVENT) break;
  }
  weir_wheel_give_back(&m->wheel, first, e);
}
