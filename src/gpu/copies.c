// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/copies.h"

#include "base/alloc.h"

#define NONE UINT16_MAX

// What is counted by groups: a bulk copy twice, until it has read what it copies and until it is done.
enum list { THREADS, BULK, BULK_READS, PRODUCTS, LISTS };

// Groups count from 1, so that 0 is none. Threads have groups of their own, and here the lanes that run together count for their warp.
struct groups {
  uint32_t open;
  uint16_t unfinished[WEIR_COPY_GROUPS];
};

struct weir_warp_copies {
  struct groups lists[LISTS];
  uint32_t awaited; // all groups up to this, of the list
  uint8_t list;
  bool full; // the place of its open group is still one's that is not finished
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
    for (uint32_t w = 0; w < count * LISTS; w++) m->copies.warps[w / LISTS].lists[w % LISTS].open = 1;
  }
  return &m->copies.warps[warp];
}

static uint16_t *unfinished(struct groups *g, uint32_t group) {
  return &g->unfinished[group % WEIR_COPY_GROUPS];
}

static bool holds(struct weir_warp_copies *c) {
  struct groups *g = &c->lists[c->list];
  if (c->full) return *unfinished(g, g->open);
  const uint32_t oldest = g->open < WEIR_COPY_GROUPS ? 1 : g->open - WEIR_COPY_GROUPS + 1;
  for (uint32_t n = oldest; n <= c->awaited; n++)
    if (*unfinished(g, n)) return true;
  return false;
}

// What a bulk copy has not done it may not have read, so that the place of the latter is free where that of the former is.
static void commit(struct weir_warp_copies *c) {
  struct groups *g = &c->lists[c->list];
  g->open++;
  if (c->list == BULK) c->lists[BULK_READS].open++;
  c->awaited = 0;
  c->full = *unfinished(g, g->open);
}

bool weir_copies_follow(struct weir_sm *m, uint32_t warp, const struct weir_static *s) {
  struct weir_warp_copies *c = copies_of(m, warp);
  c->list = s->of_products ? PRODUCTS : s->reads_bulk ? BULK_READS : s->is_bulk ? BULK : THREADS;
  c->full = false;
  const uint32_t open = c->lists[c->list].open, closed = open - 1;
  switch (s->copy_role) {
  case WEIR_COPY_COMMIT: commit(c); break;
  case WEIR_COPY_WAIT: c->awaited = closed > s->copy_groups ? closed - s->copy_groups : 0; break;
  case WEIR_COPY_DRAIN: c->awaited = open; break;
  default: return false;
  }
  if (!holds(c)) return false;
  m->copies.awaited |= UINT64_C(1) << warp;
  return true;
}

// ---- barriers in memory -------------------------------------------------------------------------------------------------

// The number of the block's barrier at `at` that copies are to arrive at, or NONE.
static uint16_t find(const struct weir_copies *c, uint32_t block, uint32_t at) {
  for (uint16_t b = 0; b < c->barrier_count; b++)
    if (c->barriers[b].arriving && c->barriers[b].block == block && c->barriers[b].at == at) return b;
  return NONE;
}

// One copy more is to arrive there.
static uint16_t expect(struct weir_copies *c, uint32_t block, uint32_t at) {
  uint16_t b = find(c, block, at);
  if (b == NONE) {
    for (b = 0; b < c->barrier_count && c->barriers[b].arriving; b++)
      ;
    if (b == c->barrier_count) weir_push(c->barriers, c->barrier_count, c->barrier_capacity);
    c->barriers[b] = (struct weir_copy_barrier){.block = block, .at = at};
  }
  c->barriers[b].arriving++;
  return b;
}

void weir_copies_arrive(struct weir_sm *m, uint32_t warp, uint32_t barrier) {
  struct weir_copies *c = &m->copies;
  for (uint32_t i = 0; i < m->pending_capacity; i++) {
    struct weir_pending_load *p = &m->pending[i];
    if (p->copy != WEIR_COPIES_OF_THREADS || p->warp != warp || p->barrier != NONE) continue;
    p->barrier = expect(c, m->warps[warp].block, barrier);
  }
}

bool weir_copies_put_off(struct weir_sm *m, uint32_t warp, uint32_t barrier, uint32_t pc) {
  struct weir_copies *c = &m->copies;
  const uint16_t b = find(c, m->warps[warp].block, barrier);
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

// A warp that waited for it may go on.
static void settle(struct weir_sm *m, uint32_t warp) {
  const uint64_t bit = UINT64_C(1) << warp;
  if (!(m->copies.awaited & bit) || holds(copies_of(m, warp))) return;
  m->copies.awaited &= ~bit;
  weir_sm_let_go(m, warp);
}

// ---- a copy -------------------------------------------------------------------------------------------------------------

void weir_copies_begin(struct weir_sm *m, struct weir_pending_load *load, enum weir_copies_kind kind,
                       uint32_t barrier) {
  struct weir_warp_copies *c = copies_of(m, load->warp);
  const bool bulk = kind == WEIR_COPIES_IN_BULK, grouped = barrier == WEIR_ARRIVES_IN_GROUP;
  struct groups *g = &c->lists[bulk ? BULK : THREADS];
  load->copy = (uint8_t)kind & 3u;
  load->grouped = grouped;
  load->group = g->open % WEIR_COPY_GROUPS & 31u;
  load->barrier =
    grouped || barrier == WEIR_ARRIVES_NOWHERE ? NONE : expect(&m->copies, m->warps[load->warp].block, barrier);
  m->warps[load->warp].copies++;
  if (!grouped) return;
  ++*unfinished(g, g->open);
  if (bulk) ++*unfinished(&c->lists[BULK_READS], g->open);
}

void weir_copies_read(struct weir_sm *m, const struct weir_pending_load *load) {
  if (!load->grouped) return;
  --*unfinished(&copies_of(m, load->warp)->lists[BULK_READS], load->group);
  settle(m, load->warp);
}

void weir_copies_end(struct weir_sm *m, struct weir_pending_load *load, weir_cycle now) {
  struct weir_warp_copies *c = copies_of(m, load->warp);
  if (load->grouped) --*unfinished(&c->lists[load->copy == WEIR_COPIES_IN_BULK ? BULK : THREADS], load->group);
  load->copy = WEIR_COPIES_NONE;
  m->warps[load->warp].copies--;
  settle(m, load->warp);
  if (load->barrier != NONE && !--m->copies.barriers[load->barrier].arriving) answer(m, load->barrier, now);
}

// ---- a product ----------------------------------------------------------------------------------------------------------

void weir_copies_multiply(struct weir_sm *m, uint32_t warp, weir_cycle now, weir_cycle done) {
  struct groups *g = &copies_of(m, warp)->lists[PRODUCTS];
  ++*unfinished(g, g->open);
  m->warps[warp].events++;
  weir_wheel_add(&m->wheel, now, done, WEIR_EVENT_MULTIPLIED, warp)->pc = g->open;
}

void weir_copies_multiplied(struct weir_sm *m, uint32_t warp, uint32_t group) {
  --*unfinished(&copies_of(m, warp)->lists[PRODUCTS], group);
  m->warps[warp].events--;
  settle(m, warp);
  weir_sm_try_retire(m, warp);
}

void weir_copies_free(struct weir_sm *m) {
  weir_free(m->copies.warps);
  weir_free(m->copies.barriers);
  weir_free(m->copies.tests);
}
