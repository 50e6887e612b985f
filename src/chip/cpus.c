// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/cpus.h"

#include "base/alloc.h"
#include "chip/machine.h"

#include <string.h>

static uint16_t port_of(const struct weir_chip *c, uint32_t core) {
  return (uint16_t)(c->config->core.count + core);
}

// ---- a program's past ---------------------------------------------------------------------------------------------------

// A request passes the caches of its slice from stage i on, taking no cycles; whoever made it has it back.
static void pass(struct weir_slice *s, unsigned i, struct weir_mreq *r) {
  if (i == s->count || i == WEIR_MAX_STAGES) return;
  struct weir_cache *cache = &s->stages[i].cache;
  enum weir_stall why;
  const enum weir_outcome outcome = weir_cache_access(cache, r, 0, &why);
  for (struct weir_mreq *down; (down = cache->miss_queue.head ? cache->miss_queue.head : cache->skipped.head);) {
    weir_queue_pop(down == cache->miss_queue.head ? &cache->miss_queue : &cache->skipped);
    if (down->kind == WEIR_MREQ_WRITEBACK) weir_slice_of(s->map, down->address, &down->place);
    pass(s, i + 1, down);
    if (down == r) continue;
    if (weir_cache_waits_for(cache, down))
      weir_cache_fill(cache, down, 0);
    else
      weir_mreq_release(s->pool, down);
  }
  if (outcome == WEIR_OUTCOME_MISS) weir_cache_take(cache);
  r->is_reply = false;
}

static void below(void *context, struct weir_mreq *r) {
  struct weir_chip *c = context;
  r->slice = (uint16_t)weir_slice_of(&c->fabric.map, r->address, &r->place);
  pass(&c->slices[r->slice], 0, r);
}

static void forget_counters(struct weir_cache *cache, void *context) {
  (void)context;
  memset(&cache->tally, 0, sizeof cache->tally);
  memset(cache->replace.counters, 0, sizeof cache->replace.counters);
  for (unsigned i = 0; i < cache->params.companion_count; i++)
    memset(cache->companions[i].counters, 0, sizeof cache->companions[i].counters);
}

// The programs in turn, a few instructions each, as they will share the caches; nothing of it is counted.
static void warm(struct weir_chip *c) {
  enum { TURN = 256 };
  const struct weir_run_stats before = c->stats;
  bool more = true;
  for (uint64_t done = 0; more; done += TURN) {
    more = false;
    for (uint32_t i = 0; i < c->mix.cpus; i++) {
      const uint64_t all = c->mix.cpu_programs[i].warmup, left = all > done ? all - done : 0;
      weir_cpu_warm(&c->cpus[i].core, left < TURN ? left : TURN, below, c);
      more |= left > TURN;
    }
  }
  c->stats = before;
  for (uint32_t i = 0; i < c->mix.cpus; i++) memset(c->cpus[i].levels, 0, sizeof c->cpus[i].levels);
  for (unsigned l = 1; l < c->config->caches_count; l++) weir_chip_each_cache(c, l, forget_counters, NULL);
  weir_chip_end_warm_up(c);
}

// ---- building -----------------------------------------------------------------------------------------------------------

static void watch(struct weir_cache *cache, void *context) {
  weir_cache_watch(cache, context, 0);
}

static void watch_shared(struct weir_chip *c) {
  const uint32_t ports = weir_chip_port_count(c->config);
  for (unsigned l = 1; l < c->config->caches_count; l++) {
    c->residencies[l] = weir_new(struct weir_residency);
    c->residencies[l]->ports = weir_new_array(struct weir_requester_counts, ports);
    weir_chip_each_cache(c, l, watch, c->residencies[l]);
  }
  c->traffic = weir_new_array(struct weir_traffic_counts, ports);
  c->fabric.requests.ports = c->fabric.replies.ports = c->traffic;
  for (uint32_t i = 0; i < c->config->dram.channels; i++) c->drams[i].ports = c->traffic;
}

static void build_cpu(struct weir_chip *c, const struct weir_cpu_cluster_config *k, uint32_t i) {
  struct weir_chip_cpu *s = &c->cpus[i];
  s->taken = i < c->mix.cpus;
  if (s->taken)
    weir_cpu_init(&s->core, &k->core, &c->mix.cpu_programs[i].feed, (uint8_t)(i + 1), port_of(c, i), &c->fabric.pool,
                  s->levels);
}

void weir_cpus_build(struct weir_chip *c) {
  uint32_t core = 0;
  c->cpus = weir_new_array(struct weir_chip_cpu, weir_chip_cpu_cores(c->config));
  c->clusters = weir_new_array(struct weir_cpu_cluster, c->config->cpus_count);
  for (uint32_t k = 0; k < c->config->cpus_count; k++) {
    const struct weir_cpu_cluster_config *config = &c->config->cpus[k];
    c->clusters[k].first = core;
    weir_clock_init(&c->clusters[k].clock, config->mhz, config->count, NULL, NULL);
    for (uint32_t i = 0; i < config->count; i++) {
      build_cpu(c, config, core);
      if (c->cpus[core++].taken) weir_clock_wake(&c->clusters[k].clock, i, 0);
    }
  }
  warm(c);
  watch_shared(c);
}

void weir_cpus_free(struct weir_chip *c) {
  for (uint32_t i = 0; i < c->mix.cpus; i++) weir_cpu_free(&c->cpus[i].core);
  for (uint32_t k = 0; k < c->config->cpus_count; k++) weir_clock_free(&c->clusters[k].clock);
  for (unsigned l = 0; l < WEIR_MAX_LEVELS; l++) {
    if (c->residencies[l]) weir_free(c->residencies[l]->ports);
    weir_free(c->residencies[l]);
  }
  weir_free(c->traffic);
  weir_free(c->clusters);
  weir_free(c->cpus);
}

// ---- running ------------------------------------------------------------------------------------------------------------

void weir_cpus_wake(struct weir_chip *c, uint32_t core, weir_cycle network) {
  struct weir_cpu_cluster *k = c->clusters;
  while (core >= k->first + k->clock.parts) k++;
  weir_clock_wake(&k->clock, core - k->first, weir_clock_converted(&k->clock, &c->clocks.network, network));
}

weir_time weir_cpus_next(const struct weir_chip *c, weir_time t) {
  for (uint32_t k = 0; k < c->config->cpus_count; k++) t = weir_sooner(t, weir_clock_wake_time(&c->clusters[k].clock));
  return t;
}

// Lets what has left the core's L2 into the network, as far as there is room.
static void send(struct weir_chip *c, struct weir_cpu_core *core) {
  struct weir_network *n = &c->fabric.requests;
  for (struct weir_mreq *r; (r = core->out.head) && weir_network_accepts(n, core->port, r);) {
    weir_queue_pop(&core->out);
    r->slice = (uint16_t)weir_slice_of(&c->fabric.map, r->address, &r->place);
    weir_network_send(n, core->port, r);
  }
}

// One answer per cycle comes out of the network.
static weir_cycle run_core(struct weir_chip *c, struct weir_cpu_core *core, const struct weir_domain *d,
                           weir_cycle now) {
  struct weir_network *n = &c->fabric.replies;
  if (weir_network_peek(n, core->port, weir_clock_meanwhile(&c->clocks.network, d, now)))
    weir_cpu_answer(core, weir_network_receive(n, core->port), now);
  const weir_cycle next = weir_cpu_tick(core, now);
  send(c, core);
  if (core->out.head) return now + 1;
  return weir_sooner(next, weir_clock_arrival(&c->clocks, n, core->port, d, now));
}

static void run_cluster(struct weir_chip *c, struct weir_cpu_cluster *k) {
  struct weir_domain *d = &k->clock;
  const weir_cycle now = d->wake;
  weir_cycle wake_at = WEIR_NEVER;
  for (uint32_t i = 0; i < d->parts; i++) {
    if (d->wakes[i] <= now) d->wakes[i] = run_core(c, &c->cpus[k->first + i].core, d, now);
    wake_at = weir_sooner(wake_at, d->wakes[i]);
  }
  d->wake = wake_at;
  if (c->fabric.requests.waiting) weir_clock_wake(&c->clocks.network, 0, weir_clock_after(&c->clocks.network, c->now));
}

bool weir_cpus_run(struct weir_chip *c, weir_time t) {
  bool any = false;
  for (uint32_t k = 0; k < c->config->cpus_count; k++) {
    if (weir_clock_wake_time(&c->clusters[k].clock) != t) continue;
    run_cluster(c, &c->clusters[k]);
    any = true;
  }
  return any;
}
