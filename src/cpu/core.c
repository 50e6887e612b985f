// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cpu/core.h"

#include "base/alloc.h"
#include "cpu/core_private.h"

void weir_cpu_init(struct weir_cpu_core *c, const struct weir_cpu_config *config, const struct weir_cpu_feed *feed,
                   uint8_t requester, uint16_t port, struct weir_mreq_pool *pool, struct weir_level_stats levels[3]) {
  *c = (struct weir_cpu_core){.config = *config, .feed = *feed, .requester = requester, .port = port, .pool = pool};
  c->slots = weir_new_array(struct weir_cpu_slot, config->window);
  c->stores = weir_new_array(struct weir_cpu_store, config->store_buffer);
  weir_predictor_init(&c->predictor, config);
  weir_pages_init(&c->pages, requester);
  weir_cpu_memory_init(c, levels);
}

void weir_cpu_free(struct weir_cpu_core *c) {
  weir_predictor_free(&c->predictor);
  weir_pages_free(&c->pages);
  weir_cache_free(&c->l1i);
  weir_cache_free(&c->l1d);
  weir_cache_free(&c->l2);
  weir_free(c->slots);
  weir_free(c->stores);
  weir_free(c->loads);
}

// Cycles in which nothing enters, and why.
static void count_stalls(struct weir_cpu_core *c, weir_cycle cycles, weir_cycle now) {
  if (c->tail - c->head == c->config.window)
    c->stats.window_full_cycles += cycles;
  else if (!c->ended)
    c->stats.fetch_stall_cycles += cycles;
  if (c->head == c->tail) return;
  const struct weir_cpu_slot *s = weir_cpu_slot(c, c->head);
  if (s->done <= now && !weir_cpu_store_room(c, s->what)) c->stats.store_stall_cycles += cycles;
}

static weir_cycle next_wake(struct weir_cpu_core *c, weir_cycle now) {
  weir_cycle next = weir_sooner(weir_cpu_memory_wake(c, now), weir_cpu_stores_wake(c, now));
  if (c->load_count && !c->loads_blocked) next = weir_sooner(next, weir_later(c->loads[0].when, now + 1));
  if (c->head < c->tail) {
    const weir_cycle done = weir_cpu_slot(c, c->head)->done;
    const bool waits = done != WEIR_NEVER && done <= now && !weir_cpu_store_room(c, weir_cpu_slot(c, c->head)->what);
    if (done != WEIR_NEVER && !waits) next = weir_sooner(next, weir_later(done, now + 1));
  }
  if (c->fetch_at != WEIR_NEVER && weir_cpu_may_fetch(c)) next = weir_sooner(next, weir_later(c->fetch_at, now + 1));
  return next;
}

weir_cycle weir_cpu_tick(struct weir_cpu_core *c, weir_cycle now) {
  if (!c->started)
    c->began = now;
  else if (now > c->last_tick + 1)
    count_stalls(c, now - c->last_tick - 1, c->last_tick);
  c->started = true;
  c->last_tick = now;
  weir_cpu_memory_up(c, now);
  weir_cpu_retire(c, now);
  weir_cpu_drain_stores(c, now);
  weir_cpu_issue_loads(c, now);
  if (!weir_cpu_fetch(c, now)) count_stalls(c, 1, now);
  weir_cpu_memory_down(c, now);
  return next_wake(c, now);
}

bool weir_cpu_done(const struct weir_cpu_core *c) {
  return c->ended && c->head == c->tail && !c->store_count;
}
