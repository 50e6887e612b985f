// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Retired stores: written in order, one per cycle, each when its line is in the data cache. Lines that are not are asked for
// as soon as the stores have retired.
#include "cpu/core_private.h"

static struct weir_cpu_store *store_at(const struct weir_cpu_core *c, uint32_t i) {
  return &c->stores[(c->store_head + i) % c->config.store_buffer];
}

// Lines that an access lies in: one or two.
static unsigned lines_of(const struct weir_cpu_core *c, uint64_t address, uint32_t bytes) {
  const uint64_t line = c->config.l1d.line_bytes;
  return 1 + (bytes > line - (address & (line - 1)));
}

bool weir_cpu_store_room(const struct weir_cpu_core *c, const struct weir_trace_static *what) {
  uint32_t stores = 0;
  for (unsigned k = 0; k < what->access_count; k++) stores += what->accesses[k].store ? 2 : 0;
  return !stores || c->store_count + stores <= c->config.store_buffer;
}

static void push(struct weir_cpu_core *c, uint64_t number, uint64_t address, uint64_t pc) {
  *store_at(c, c->store_count++) = (struct weir_cpu_store){.address = address, .number = number, .pc = (uint32_t)pc};
}

void weir_cpu_push_stores(struct weir_cpu_core *c, uint64_t number) {
  const struct weir_cpu_slot *s = weir_cpu_slot(c, number);
  const uint64_t line = c->config.l1d.line_bytes;
  for (unsigned k = 0; k < s->what->access_count; k++) {
    const struct weir_trace_access *a = &s->what->accesses[k];
    if (!a->store) continue;
    c->stats.stores++;
    push(c, number, s->addresses[k], s->what->pc);
    if (lines_of(c, s->addresses[k], a->bytes) == 2) push(c, number, (s->addresses[k] | (line - 1)) + 1, s->what->pc);
  }
}

uint64_t weir_cpu_oldest_store(const struct weir_cpu_core *c) {
  return c->store_count ? store_at(c, 0)->number : c->head;
}

static bool line_held(const struct weir_cpu_core *c, const struct weir_cpu_store *s) {
  return weir_cache_holds(&c->l1d, s->address, s->address);
}

// Asks for the line of the i-th store. False: refused.
static bool ask(struct weir_cpu_core *c, uint32_t i, weir_cycle now) {
  struct weir_cpu_store *s = store_at(c, i);
  struct weir_mreq *r = weir_cpu_request(c, WEIR_MREQ_LOAD, s->address, s->pc);
  r->token = c->config.window + (uint32_t)(s - c->stores);
  enum weir_stall why;
  if (weir_cache_access(&c->l1d, r, now, &why) == WEIR_OUTCOME_REFUSED) {
    c->l1d.stats->stalls[why]++;
    weir_mreq_release(c->pool, r);
    c->loads_blocked = true;
    return false;
  }
  s->fetching = true; // the line is not held, so that it cannot have been a hit
  return true;
}

static void write(struct weir_cpu_core *c, const struct weir_cpu_store *s, weir_cycle now) {
  struct weir_mreq *r = weir_cpu_request(c, WEIR_MREQ_STORE, s->address, s->pc);
  enum weir_stall why;
  weir_cache_access(&c->l1d, r, now, &why); // a hit, of a cache that writes back: the request comes back
  weir_mreq_release(c->pool, r);
  c->store_head = (c->store_head + 1) % c->config.store_buffer;
  c->store_count--;
  c->store_asked--;
}

void weir_cpu_drain_stores(struct weir_cpu_core *c, weir_cycle now) {
  if (c->store_asked < c->store_count && !c->loads_blocked &&
      (line_held(c, store_at(c, c->store_asked)) || ask(c, c->store_asked, now)))
    c->store_asked++;
  if (!c->store_asked || store_at(c, 0)->fetching) return;
  if (line_held(c, store_at(c, 0)))
    write(c, store_at(c, 0), now);
  else if (!c->loads_blocked)
    ask(c, 0, now); // it was, and has been replaced
}

void weir_cpu_store_answer(struct weir_cpu_core *c, struct weir_mreq *r) {
  c->stores[r->token - c->config.window].fetching = false;
}

weir_cycle weir_cpu_stores_wake(const struct weir_cpu_core *c, weir_cycle now) {
  if (!c->store_count) return WEIR_NEVER;
  const bool asks = c->store_asked < c->store_count && !c->loads_blocked;
  const bool writes =
    c->store_asked && !store_at(c, 0)->fetching && (!c->loads_blocked || line_held(c, store_at(c, 0)));
  return asks || writes ? now + 1 : WEIR_NEVER;
}
