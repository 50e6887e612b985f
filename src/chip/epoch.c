// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Epochs: what policies with an `epoch` hook are shown of the last one. Invariant: totals only grow, so that what an epoch
// measured is the difference of two readings; nothing here changes what the parts do.
#include "chip/machine.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <string.h>

// ---- readings -----------------------------------------------------------------------------------------------------------

static void read_core(struct weir_chip *c, uint32_t i, weir_cycle now, struct weir_core_sensors *out) {
  struct weir_sm *m = &c->sms[i];
  const struct weir_core_busy *b = &c->epochs.busy[i];
  weir_lsu_settle(m, now);
  const struct weir_cache_tally *n = &m->l1.tally;
  *out = (struct weir_core_sensors){.instructions = m->instructions,
                                    .launch_instructions = m->instructions - m->launch_before,
                                    .loads = n->loads,
                                    .stall_bypasses = n->stall_bypasses,
                                    .busy_cycles = b->cycles + (weir_sm_idle(m) || b->since > now ? 0 : now - b->since),
                                    .ready_warps = weir_sm_ready_warps(m),
                                    .occupied = !weir_sm_idle(m)};
  memcpy(out->stall_cycles, n->stall_cycles, sizeof out->stall_cycles);
}

static void subtract(struct weir_core_sensors *now, const struct weir_core_sensors *before) {
  now->instructions -= before->instructions;
  now->loads = weir_access_difference(now->loads, &before->loads);
  now->stall_bypasses -= before->stall_bypasses;
  now->busy_cycles -= before->busy_cycles;
  for (int i = 0; i < WEIR_STALL_COUNT; i++) now->stall_cycles[i] -= before->stall_cycles[i];
}

static void measure(struct weir_chip *c, const struct weir_epoch_clock *e, weir_cycle now) {
  for (uint32_t i = 0; i < c->config->core.count; i++) {
    read_core(c, i, now, &c->epochs.core_sensors[i]);
    subtract(&c->epochs.core_sensors[i], &e->cores_before[i]);
  }
  for (uint32_t i = 0; i < weir_chip_slice_count(c); i++) {
    struct weir_slice_occupancy o = weir_chip_read_slice(c, i, now);
    c->epochs.slice_sensors[i].input_utilisation = weir_chip_utilisation(c, &e->slices_before[i], &o);
  }
}

static void begin(struct weir_chip *c, struct weir_epoch_clock *e, weir_cycle now) {
  e->began = now;
  e->next = now + e->epoch_cycles;
  for (uint32_t i = 0; i < c->config->core.count; i++) read_core(c, i, now, &e->cores_before[i]);
  for (uint32_t i = 0; i < weir_chip_slice_count(c); i++) e->slices_before[i] = weir_chip_read_slice(c, i, now);
}

// ---- who asked ----------------------------------------------------------------------------------------------------------

static struct weir_epoch_clock *clock_of(struct weir_chip *c, weir_cycle epoch_cycles, bool restarts) {
  for (uint32_t i = 0; i < c->epochs.count; i++)
    if (c->epochs.clocks[i].epoch_cycles == epoch_cycles && c->epochs.clocks[i].restarts == restarts)
      return &c->epochs.clocks[i];
  struct weir_epoch_clock *e = weir_push(c->epochs.clocks, c->epochs.count, c->epochs.capacity);
  *e = (struct weir_epoch_clock){.epoch_cycles = epoch_cycles, .restarts = restarts, .next = epoch_cycles};
  e->cores_before = weir_new_array(struct weir_core_sensors, c->config->core.count);
  e->slices_before = weir_new_array(struct weir_slice_occupancy, weir_chip_slice_count(c));
  return e;
}

static void enlist(struct weir_chip *c, const struct weir_cache *cache, struct weir_policy_instance *i) {
  if (!weir_policy_leads_scope(i)) return;
  struct weir_geometry g = weir_cache_geometry(&cache->params, i->knobs);
  uint32_t epoch_cycles = weir_policy_epoch_cycles(i->policy, &g);
  if (!epoch_cycles) return;
  struct weir_epoch_clock *e = clock_of(c, epoch_cycles, i->policy->epochs_restart);
  *weir_push(e->users, e->user_count, e->user_capacity) = i;
}

static void enlist_all(struct weir_cache *cache, void *context) {
  enlist(context, cache, &cache->replace);
  for (unsigned i = 0; i < cache->params.companion_count; i++) enlist(context, cache, &cache->companions[i]);
}

static void note_next(struct weir_chip *c) {
  c->epochs.next = c->recorder.next;
  for (uint32_t i = 0; i < c->epochs.count; i++)
    if (c->epochs.clocks[i].next < c->epochs.next) c->epochs.next = c->epochs.clocks[i].next;
}

void weir_chip_build_epochs(struct weir_chip *c) {
  c->epochs.busy = weir_new_array(struct weir_core_busy, c->config->core.count);
  for (unsigned l = 0; l < c->config->caches_count; l++) weir_chip_each_cache(c, l, enlist_all, c);
  c->epochs.core_sensors = weir_new_array(struct weir_core_sensors, c->config->core.count);
  c->epochs.slice_sensors = weir_new_array(struct weir_slice_sensors, weir_chip_slice_count(c));
  weir_chip_build_recorder(c);
  note_next(c);
}

void weir_chip_free_epochs(struct weir_chip *c) {
  for (uint32_t i = 0; i < c->epochs.count; i++) {
    weir_free(c->epochs.clocks[i].users);
    weir_free(c->epochs.clocks[i].cores_before);
    weir_free(c->epochs.clocks[i].slices_before);
  }
  weir_free(c->epochs.clocks);
  weir_free(c->epochs.busy);
  weir_free(c->epochs.core_sensors);
  weir_free(c->epochs.slice_sensors);
  weir_chip_free_recorder(c);
}

// ---- launches and ends ----------------------------------------------------------------------------------------------------

static void tell_launch(struct weir_cache *cache, void *context) {
  const uint64_t *number = context;
  weir_tell(&cache->hooks, launch, *number);
}

void weir_chip_start_epochs(struct weir_chip *c, weir_cycle start) {
  for (uint32_t i = 0; i < c->config->core.count; i++) c->sms[i].launch_before = c->sms[i].instructions;
  weir_cycle gap = c->epochs.launches ? start - c->core_cycle : start; // in which no launch ran
  c->epochs.slices_paused += weir_chip_slice_cycle(c, start) - weir_chip_slice_cycle(c, start - gap);
  for (uint32_t i = 0; i < c->epochs.count; i++) {
    struct weir_epoch_clock *e = &c->epochs.clocks[i];
    e->began += gap;
    e->next += gap;
    if (e->restarts || !c->epochs.launches) begin(c, e, start);
  }
  weir_chip_start_recorder(c, start, gap);
  note_next(c);
  c->epochs.launch_start = start;
  for (unsigned l = 0; l < c->config->caches_count; l++) weir_chip_each_cache(c, l, tell_launch, &c->epochs.launches);
  c->epochs.launches++;
}

static void tell_warmed_up(struct weir_cache *cache, void *context) {
  (void)context;
  weir_tell(&cache->hooks, warmed_up);
}

void weir_chip_end_warm_up(struct weir_chip *c) {
  for (unsigned l = 0; l < c->config->caches_count; l++) weir_chip_each_cache(c, l, tell_warmed_up, NULL);
}

static void end(struct weir_chip *c, struct weir_epoch_clock *e, weir_cycle now) {
  measure(c, e, now);
  const struct weir_sensors s = {.now = now,
                                 .epoch_cycles = now - e->began,
                                 .launch_cycles = now - c->epochs.launch_start,
                                 .cores = c->config->core.count,
                                 .slices = weir_chip_slice_count(c),
                                 .core = c->epochs.core_sensors,
                                 .slice = c->epochs.slice_sensors};
  for (uint32_t i = 0; i < e->user_count; i++) weir_hook(e->users[i], epoch, &s);
  begin(c, e, now);
}

bool weir_chip_end_epochs(struct weir_chip *c, weir_cycle now) {
  bool told = false;
  weir_members_gather(c);
  if (c->recorder.next == now) weir_chip_record(c, now);
  for (uint32_t i = 0; i < c->epochs.count; i++) {
    if (c->epochs.clocks[i].next != now) continue;
    end(c, &c->epochs.clocks[i], now);
    told = true;
  }
  for (uint32_t i = 0; told && i < c->config->core.count; i++) weir_lsu_retry(&c->sms[i], now);
  note_next(c);
  return told;
}
