// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Questions to the parts of a chip, and what they are given to do.
#include "chip/machine.h"

void weir_chip_each_cache(const struct weir_chip *c, unsigned level,
                          void (*visit)(struct weir_cache *cache, void *context), void *context) {
  uint32_t n = c->built ? weir_chip_instances(c->config, level) : 0;
  for (uint32_t i = 0; i < n; i++) visit(level ? &c->slices[i].stages[level - 1].cache : &c->sms[i].l1, context);
}

void weir_chip_watch(struct weir_chip *c, unsigned level, uint32_t instance, const struct weir_cache_watch *watch) {
  c->watch.by = watch;
  c->watch.level = level;
  c->watch.instance = instance;
}

static void watch(struct weir_cache *cache, void *context) {
  struct weir_chip *c = context;
  if (c->watch.instance == WEIR_EVERY_INSTANCE || cache->params.instance == c->watch.instance)
    cache->watch = c->watch.by;
}

void weir_chip_build_watch(struct weir_chip *c) {
  if (c->watch.by) weir_chip_each_cache(c, c->watch.level, watch, c);
}

void weir_chip_start_block(struct weir_chip *c, uint32_t core, struct weir_cluster *cluster, const uint32_t index[3],
                           weir_cycle now) {
  if (weir_sm_idle(&c->sms[core])) c->epochs.busy[core].since = now + 1;
  weir_sm_start_block(&c->sms[core], cluster, index, now);
  weir_clock_wake(&c->clocks.cores, core, now + 1);
}

void weir_chip_count_others(const struct weir_chip *c, struct weir_run_stats *s) {
  s->network_flits = c->fabric.requests.flits_moved + c->fabric.replies.flits_moved;
  s->network_bytes = c->fabric.requests.bytes_moved + c->fabric.replies.bytes_moved;
  s->cpu_instructions = 0;
  for (uint32_t i = 0; c->cpus && i < c->mix.cpus; i++) s->cpu_instructions += c->cpus[i].core.stats.instructions;
}
