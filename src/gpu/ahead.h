// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a core's cycle will want of the host's memory. On a chip of many cores it has left the host's caches since the core's last cycle, and
// is fetched while the cores before it have theirs: in four steps, each of which reads what the one before has fetched. None of them
// changes anything, and a guess that is wrong costs time alone.
#ifndef WEIR_GPU_AHEAD_H
#define WEIR_GPU_AHEAD_H

#include "gpu/sm.h"

enum { WEIR_AHEAD_STEPS = 4 };

// The warp that each scheduler is likely to choose: the last one, or else one at the end where it looks first.
static inline uint64_t weir_ahead_warps(const struct weir_sm *m) {
  const struct weir_core_config *k = m->shared->config;
  uint64_t warps = 0;
  if (!m->ready) return 0;
  for (uint32_t s = 0; s < k->schedulers; s++) {
    const uint64_t ready = m->ready & m->schedulers[s].warps, from = ready & ~weir_below(m->oldest_warp);
    const uint32_t last = m->schedulers[s].last_issued;
    if (!ready) continue;
    const uint32_t warp = last < WEIR_MAX_WARPS && ready >> last & 1 ? last
      : k->scheduler == WEIR_SCHEDULE_GTY                            ? weir_log2(ready)
                                                                     : weir_lowest(from ? from : ready);
    warps |= UINT64_C(1) << warp;
  }
  return warps;
}

static inline bool weir_ahead_sends(const struct weir_sm *m) {
  return m->ready & m->memory_next && m->queue_count < m->queue_room;
}

// First the core itself.
static inline void weir_ahead_core(const struct weir_sm *m, weir_cycle now) {
  enum { SCHEDULERS = 4 }; // how many it has is not to be asked of it yet
  const char *from = (const char *)m, *to = (const char *)&m->schedulers[SCHEDULERS];
  for (; from < to; from += 64) __builtin_prefetch(from, 1);
  __builtin_prefetch(&m->wheel.slots[now % WEIR_WHEEL_CYCLES], 1);
  __builtin_prefetch(m->units, 1);
  __builtin_prefetch(&m->l1, 1);
  __builtin_prefetch((const char *)&m->l1 + 64, 1);
  __builtin_prefetch((const char *)&m->l1 + 128, 1);
  __builtin_prefetch(&m->l1.mshrs);
  __builtin_prefetch(&m->l1.served);
  __builtin_prefetch(&m->l1.params);
}

// Of a chip of few cores, which are mostly in the host's second cache, this is all that pays: the core, and then what comes next.
static inline void weir_ahead_next(const struct weir_sm *m, const struct weir_mreq *answer) {
  if (m->pipe.count) __builtin_prefetch(weir_pipe_head(&m->pipe)->request);
  if (m->queue_count) __builtin_prefetch(&m->queue[m->queue_head], 1);
  if (answer && weir_cache_waits_for(&m->l1, answer)) __builtin_prefetch(&m->l1.mshrs[answer->mshr], 1);
}

// Of many: then the heads of its queues, and the answer that comes next, or NULL.
static inline void weir_ahead_heads(struct weir_sm *m, const struct weir_mreq *answer, weir_cycle now) {
  if (m->pipe.count) {
    __builtin_prefetch(weir_pipe_head(&m->pipe));
    __builtin_prefetch(weir_pipe_head(&m->pipe) + 3); // those of one cycle lie in two lines
  }
  if (m->queue_count) __builtin_prefetch(&m->queue[m->queue_head], 1);
  if (answer) __builtin_prefetch(answer, 1);
  if (weir_ahead_sends(m)) __builtin_prefetch(weir_sm_memory_op(m, m->queue_count), 1);
  const uint32_t event = m->wheel.slots[now % WEIR_WHEEL_CYCLES];
  if (event != WEIR_NO_EVENT) __builtin_prefetch(&m->wheel.events[event], 1);
  for (uint64_t left = weir_ahead_warps(m); left; left &= left - 1) __builtin_prefetch(&m->warps[weir_lowest(left)], 1);
}

// The look-ups of the cycle to come, as far as they go: NULL behind the last.
static inline const struct weir_pipe_place *weir_ahead_look_up(const struct weir_sm *m, uint32_t i, weir_cycle now) {
  enum { LOOK_UPS = 4 };
  if (i >= LOOK_UPS || i >= m->pipe.count) return NULL;
  const struct weir_pipe_place *p = weir_pipe_place(&m->pipe, i);
  return p->due <= now ? p : NULL;
}

// Then what these point to.
static inline void weir_ahead_work(struct weir_sm *m, const struct weir_mreq *answer, weir_cycle now) {
  const struct weir_pipe_place *p;
  for (uint32_t i = 0; (p = weir_ahead_look_up(m, i, now)); i++) {
    __builtin_prefetch(p->request, 1);
    weir_cache_expect(&m->l1, p->place, p->place);
  }
  if (answer) weir_cache_expect(&m->l1, answer->address, answer->address);
  if (m->queue_count) {
    const struct weir_memory_op *op = &m->queue[m->queue_head];
    __builtin_prefetch(&op->transactions[op->next]);
  }
  if (weir_ahead_sends(m)) {
    const struct weir_memory_op *op = weir_sm_memory_op(m, m->queue_count);
    __builtin_prefetch(op->transactions, 1);
    __builtin_prefetch(&op->transactions[4], 1);
    if (m->pending_free < m->pending_capacity) __builtin_prefetch(&m->pending[m->pending_free], 1);
  }
  for (uint32_t i = 0; i < m->finishing; i++) __builtin_prefetch(&m->pending[m->finishes[i]], 1);
  if (m->l1.ready.head) {
    __builtin_prefetch(m->l1.ready.head, 1);
    __builtin_prefetch(&m->l1.served[m->l1.served_head], 1);
  }
  if (answer && weir_cache_waits_for(&m->l1, answer)) __builtin_prefetch(&m->l1.mshrs[answer->mshr], 1);
  for (uint64_t left = weir_ahead_warps(m); left; left &= left - 1)
    weir_warp_prefetch(m->warps[weir_lowest(left)].warp);
}

// And at last what waits for the answer, and what the warps' instructions read and write.
static inline void weir_ahead_data(const struct weir_sm *m, const struct weir_mreq *answer, weir_cycle now) {
  const struct weir_pipe_place *p;
  for (uint32_t i = 0; (p = weir_ahead_look_up(m, i, now)); i++) weir_cache_expect_fetch(&m->l1, p->place);
  if (answer && weir_cache_waits_for(&m->l1, answer)) __builtin_prefetch(m->l1.mshrs[answer->mshr].head);
  for (uint64_t left = weir_ahead_warps(m); left; left &= left - 1)
    weir_warp_prefetch_operands(m->warps[weir_lowest(left)].warp);
}

#endif
