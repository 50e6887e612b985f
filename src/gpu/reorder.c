// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The reorder stage: queues between the coalescer and the first-level cache's pipe, in which global loads may overtake one
// another as a bypass policy says (Jia et al., MRPB, HPCA 2014). It adds one cycle to a load that finds nothing in its
// way: what enters in one cycle leaves in the next. Invariants: within a queue loads keep their order, and a store or atomic
// goes behind those of its own queue; loads in it count as in flight, so that fences and ends of blocks wait for them.
#include "gpu/sm.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <assert.h>

static struct weir_reorder asked_for(const struct weir_cache *c, unsigned i) {
  struct weir_geometry g = weir_cache_geometry(&c->params, c->companions[i].knobs);
  const struct weir_policy *policy = c->companions[i].policy;
  return policy->reorder ? policy->reorder(&g) : (struct weir_reorder){0};
}

void weir_reorder_init(struct weir_sm *m) {
  struct weir_reorder_stage *s = &m->reorder;
  s->turn = WEIR_NO_TURN;
  for (unsigned i = 0; i < m->l1.params.companion_count; i++) {
    struct weir_reorder r = asked_for(&m->l1, i);
    if (!r.queues) continue;
    assert(!s->by && r.queues <= WEIR_MAX_REORDER_QUEUES && r.depth);
    s->by = &m->l1.companions[i];
    s->count = r.queues;
    s->lengths = weir_new_array(uint16_t, r.queues);
    s->queues = weir_new_array(struct weir_mreq_queue, r.queues);
    for (uint32_t q = 0; q < r.queues; q++) s->queues[q].capacity = r.depth;
  }
}

void weir_reorder_ask(struct weir_sm *m, const struct weir_mreq *r, weir_cycle now) {
  struct weir_reorder_stage *s = &m->reorder;
  if (s->turn != WEIR_NO_TURN) return;
  struct weir_access a;
  weir_cache_show(&m->l1, r, now, &a);
  s->turn = s->by->policy->enqueue(&s->by->view, &a);
  assert(s->turn < s->count);
}

bool weir_reorder_push(struct weir_sm *m, struct weir_mreq *r, weir_cycle now) {
  struct weir_reorder_stage *s = &m->reorder;
  weir_reorder_ask(m, r, now);
  uint32_t q = s->turn;
  uint64_t bit = UINT64_C(1) << q;
  if (weir_queue_full(&s->queues[q])) return false;
  r->ready = now + 1;
  s->entered |= bit & ~s->waiting;
  s->waiting |= bit;
  s->lengths[q]++;
  weir_queue_push(&s->queues[q], r);
  s->turn = WEIR_NO_TURN;
  return true;
}

bool weir_reorder_holds(struct weir_sm *m) {
  struct weir_reorder_stage *s = &m->reorder;
  s->first = s->waiting >> s->turn & 1;
  return s->first;
}

// The queues whose oldest load can enter the pipe in this cycle.
static uint64_t can_go(const struct weir_sm *m, const struct weir_bank_claims *claims) {
  const struct weir_reorder_stage *s = &m->reorder;
  uint64_t queues = s->waiting & ~s->entered, found = 0;
  uint32_t banks = m->l1.params.banks ? m->l1.params.banks : 1;
  if (weir_pipe_full(&m->pipe) || claims->made == banks) return 0;
  if (!claims->made) return queues;
  for (; queues; queues &= queues - 1) {
    struct weir_bank_claims tried = *claims;
    uint32_t q = weir_lowest(queues);
    found |= (uint64_t)weir_cache_claim_bank(&m->l1, s->queues[q].head->place, &tried) << q;
  }
  return found;
}

static uint32_t choose(struct weir_reorder_stage *s, uint64_t queues) {
  if (s->first && queues >> s->turn & 1) return s->turn;
  uint32_t q = s->by->policy->drain(&s->by->view, queues, s->lengths);
  assert(q < s->count && queues >> q & 1);
  return q;
}

static void leave(struct weir_sm *m, uint32_t q, weir_cycle now) {
  struct weir_reorder_stage *s = &m->reorder;
  uint64_t bit = UINT64_C(1) << q;
  struct weir_mreq *r = weir_queue_pop(&s->queues[q]), *next = s->queues[q].head;
  s->lengths[q]--;
  if (!next)
    s->waiting &= ~bit;
  else if (next->ready > now)
    s->entered |= bit;
  weir_pipe_push(&m->pipe, r, now + m->shared->l1_latency_cycles);
}

void weir_reorder_move(struct weir_sm *m, weir_cycle now) {
  struct weir_reorder_stage *s = &m->reorder;
  struct weir_bank_claims claims = {0};
  for (uint64_t queues; (queues = can_go(m, &claims));) {
    uint32_t q = choose(s, queues);
    weir_cache_claim_bank(&m->l1, s->queues[q].head->place, &claims);
    leave(m, q, now);
  }
  s->entered = 0;
}
