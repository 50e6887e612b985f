// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/copies.h"

#include "base/alloc.h"

#define NONE UINT32_MAX

// Groups count from 1, so that 0 is none. Threads have groups of their own, and here the lanes that run together count for their warp.
struct weir_warp_copies {
  uint32_t open, awaited; // awaited: all groups up to this
  bool full;              // the place of the open group is still one's that is not finished
  uint16_t unfinished[WEIR_COPY_GROUPS];
};

struct weir_copy_barrier {
  uint32_t block, at; // its place in the core, and where in its shared memory
  uint32_t arriving;  // copies; 0: nobody waits here
};

// A test whose answer is put off.
struct weir_copy_test {
  uint32_t barrier, warp, pc;
};

// ---- groups -------------------------------------------------------------------------------------------------------------

static struct weir_warp_copies *copies_of(struct weir_sm *m, uint32_t warp) {
  if (!m->copies.warps) {
    const uint32_t count = m->shared->config->max_warps;
    m->copies.warps = weir_new_array(struct weir_warp_copies, count);
    for (uint32_t w = 0; w < count; w++) m->copies.warps[w].open = 1;
  }
  return &m->copies.warps[warp];
}

static uint16_t *unfinished(struct weir_warp_copies *c, uint32_t group) {
  return &c->unfinished[group % WEIR_COPY_GROUPS];
}

void weir_copies_begin(struct weir_sm *m, struct weir_pending_load *load) {
  struct weir_warp_copies *c = copies_of(m, load->warp);
  load->copy_group = c->open;
  load->barrier = NONE;
  ++*unfinished(c, c->open);
}

bool weir_copies_hold(const struct weir_sm *m, uint32_t warp) {
  struct weir_warp_copies *c = &m->copies.warps[warp];
  if (c->full) return *unfinished(c, c->open);
  const uint32_t oldest = c->open < WEIR_COPY_GROUPS ? 1 : c->open - WEIR_COPY_GROUPS + 1;
  for (uint32_t g = oldest; g <= c->awaited; g++)
    if (*unfinished(c, g)) return true;
  return false;
}

bool weir_copies_follow(struct weir_sm *m, uint32_t warp, const struct weir_static *s) {
  struct weir_warp_copies *c = copies_of(m, warp);
  const uint32_t closed = c->open - 1;
  c->full = false;
  switch (s->copy_role) {
  case WEIR_COPY_COMMIT:
    c->open++;
    c->awaited = 0;
    c->full = *unfinished(c, c->open);
    break;
  case WEIR_COPY_WAIT: c->awaited = closed > s->copy_groups ? closed - s->copy_groups : 0; break;
  case WEIR_COPY_DRAIN: c->awaited = c->open; break;
  default: return false;
  }
  if (!weir_copies_hold(m, warp)) return false;
  m->copies.awaited |= UINT64_C(1) << warp;
  return true;
}

// ---- barriers in memory -------------------------------------------------------------------------------------------------

// The number of the block's barrier at `at` that copies are to arrive at, or NONE.
static uint32_t find(const struct weir_copies *c, uint32_t block, uint32_t at) {
  for (uint32_t b = 0; b < c->barrier_count; b++)
    if (c->barriers[b].arriving && c->barriers[b].block == block && c->barriers[b].at == at) return b;
  return NONE;
}

static uint32_t find_or_add(struct weir_copies *c, uint32_t block, uint32_t at) {
  uint32_t b = find(c, block, at);
  if (b != NONE) return b;
  for (b = 0; b < c->barrier_count && c->barriers[b].arriving; b++)
    ;
  if (b == c->barrier_count) weir_push(c->barriers, c->barrier_count, c->barrier_capacity);
  c->barriers[b] = (struct weir_copy_barrier){.block = block, .at = at};
  return b;
}

void weir_copies_arrive(struct weir_sm *m, uint32_t warp, uint32_t barrier) {
  struct weir_copies *c = &m->copies;
  for (uint32_t i = 0; i < m->pending_capacity; i++) {
    struct weir_pending_load *p = &m->pending[i];
    if (!p->copy_group || p->warp != warp || p->barrier != NONE) continue;
    p->barrier = find_or_add(c, m->warps[warp].block, barrier);
    c->barriers[p->barrier].arriving++;
  }
}

bool weir_copies_put_off(struct weir_sm *m, uint32_t warp, uint32_t barrier, uint32_t pc) {
  struct weir_copies *c = &m->copies;
  const uint32_t b = find(c, m->warps[warp].block, barrier);
  if (b == NONE) return false;
  *weir_push(c->tests, c->test_count, c->test_capacity) = (struct weir_copy_test){b, warp, pc};
  return true;
}

// The last copy has arrived: who tests the barrier finds out, as if the test were served now.
static void answer(struct weir_sm *m, uint32_t barrier, weir_cycle now) {
  struct weir_copies *c = &m->copies;
  const weir_cycle done = now + m->shared->config->shared_latency_cycles + m->shared->config->writeback_cycles;
  uint32_t left = 0;
  for (uint32_t t = 0; t < c->test_count; t++) {
    const struct weir_copy_test test = c->tests[t];
    if (test.barrier == barrier)
      weir_wheel_add(&m->wheel, now, done, WEIR_EVENT_LOADED, test.warp)->pc = test.pc;
    else
      c->tests[left++] = test;
  }
  c->test_count = left;
}

void weir_copies_end(struct weir_sm *m, struct weir_pending_load *load, weir_cycle now) {
  --*unfinished(copies_of(m, load->warp), load->copy_group);
  load->copy_group = 0;
  if (load->barrier != NONE && !--m->copies.barriers[load->barrier].arriving) answer(m, load->barrier, now);
}

void weir_copies_free(struct weir_sm *m) {
  weir_free(m->copies.warps);
  weir_free(m->copies.barriers);
  weir_free(m->copies.tests);
}
