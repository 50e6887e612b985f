// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/host.h"

#include "chip/machine.h"

static weir_cycle slice_cycle(const struct weir_chip *c) {
  return c->now / c->clocks.slices.period;
}

static void wake(struct weir_chip *c, uint32_t slice) {
  weir_clock_wake(&c->clocks.slices, slice, weir_clock_after(&c->clocks.slices, c->now));
}

static void answer(void *context, struct weir_mreq *r) {
  struct weir_chip *c = context;
  const uint32_t slice = r->slice;
  weir_slice_answer_host(&c->slices[slice], r, slice_cycle(c));
  wake(c, slice);
}

static void let_in(void *context, struct weir_mreq *r) {
  struct weir_chip *c = context;
  struct weir_slice *s = &c->slices[r->slice];
  wake(c, r->slice);
  weir_slice_enter(s, &s->stages[0], r, slice_cycle(c));
}

// What the shared caches have of what leaves goes with it.
static void evicted(void *context, uint64_t address, uint64_t bytes) {
  struct weir_chip *c = context;
  if (!c->built) return;
  const uint64_t step = c->config->caches[1].sector_bytes;
  for (uint64_t at = address & ~(step - 1); at < address + bytes; at += step) {
    uint64_t place;
    const uint32_t slice = weir_slice_of(&c->fabric.map, at, &place);
    weir_slice_drop(&c->slices[slice], at, place, slice_cycle(c));
    if (c->slices[slice].other) weir_slice_drop(c->slices[slice].other, at, place, slice_cycle(c));
  }
}

void weir_chip_use_host_memory(struct weir_chip *c, struct weir_host_memory *m) {
  const struct weir_link *link = &c->config->link;
  if (!link->raw_mb_per_s || !link->kernels.reads || c->config->caches_count < 2) return;
  c->host_memory = m;
  m->evicted = evicted;
  m->context = c;
  weir_host_link_init(&c->host, link, m, &c->stats);
  c->host_wake = WEIR_NEVER;
}

void weir_chip_begin_host(struct weir_chip *c) {
  const struct weir_host_memory *m = c->host_memory && c->host_memory->count ? c->host_memory : NULL;
  for (uint32_t i = 0; i < weir_chip_slice_count(c); i++) c->slices[i].host = m;
}

// False: they have nothing, or the link takes no more.
static bool take(struct weir_chip *c) {
  bool some = false;
  if (!c->slices[0].host) return false; // the launch cannot reach it
  for (uint32_t i = 0; i < weir_chip_slice_count(c); i++) {
    struct weir_mreq_queue *q = &c->slices[i].to_host;
    for (; q->head && weir_host_link_accepts(&c->host); some = true)
      weir_host_link_send(&c->host, weir_queue_pop(q), c->now);
  }
  return some;
}

void weir_chip_serve_host(struct weir_chip *c) {
  const struct weir_host_ends ends = {answer, let_in, c};
  const bool took = take(c);
  if (!took && c->host_wake > c->now) return;
  c->host_wake = weir_host_link_serve(&c->host, c->now, &ends);
  if (take(c)) c->host_wake = weir_host_link_serve(&c->host, c->now, &ends);
}

bool weir_chip_host_busy(const struct weir_chip *c) {
  if (!c->host_memory) return false;
  bool busy = weir_host_link_busy(&c->host) || c->fabric.requests.waiting;
  for (uint32_t i = 0; i < weir_chip_slice_count(c) && !busy; i++)
    busy = c->slices[i].to_host.head || c->fabric.requests.out[i].queue.head;
  return busy;
}
