// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The clock: jumps to the next time at which any part has something to do, and has the parts that do served (chip/serve.h), in a
// fixed order (DRAM channels, slices, network, cores), so that results do not depend on anything else.
#include "chip/clocks.h"
#include "chip/clusters.h"
#include "chip/cpus.h"
#include "chip/host.h"
#include "chip/machine.h"
#include "chip/serve.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "sl1/launch.h"

#include <inttypes.h>
#include <stdio.h>

// ---- network ------------------------------------------------------------------------------------------------------------

static void at_slice(void *context, uint32_t output, weir_cycle when) {
  struct weir_chip *c = context;
  weir_clock_wake(&c->clocks.slices, output, weir_clock_converted(&c->clocks.slices, &c->clocks.network, when));
}

static void at_core(void *context, uint32_t output, weir_cycle when) {
  struct weir_chip *c = context;
  if (output >= c->config->core.count) {
    weir_cpus_wake(c, output - c->config->core.count, when);
    return;
  }
  weir_clock_wake(&c->clocks.cores, output, weir_clock_converted(&c->clocks.cores, &c->clocks.network, when));
}

static void run_network(struct weir_chip *c) {
  struct weir_domain *d = &c->clocks.network;
  weir_cycle now = d->wake;
  weir_cycle a = weir_network_tick(&c->fabric.requests, now, at_slice, c);
  weir_cycle b = weir_network_tick(&c->fabric.replies, now, at_core, c);
  d->wake = d->wakes[0] = weir_sooner(a, b);
}

// ---- cores --------------------------------------------------------------------------------------------------------------

// The block that the core may take; false: there is none for it.
static bool next_block_of(struct weir_chip *c, uint32_t core, uint32_t index[3]) {
  uint64_t block = c->next_block;
  if (c->foresight.placed && !weir_foresight_next(&c->foresight, core, &block)) return false;
  c->next_block++;
  weir_foresight_place(&c->foresight, core);
  weir_block_index(c->launch, block, index);
  return true;
}

// At most one block per core and cycle, the cores in turn.
static void dispatch_blocks(struct weir_chip *c, weir_cycle now) {
  const uint32_t n = c->config->core.count, start = c->last_turn;
  for (uint32_t k = 0; k < n && c->next_block < c->blocks; k++) {
    const uint32_t turn = (start + 1 + k) % n, i = c->turns[turn];
    uint32_t index[3];
    if (!weir_sm_has_room(&c->sms[i]) || !next_block_of(c, i, index)) continue;
    weir_chip_start_block(c, i, NULL, index, now);
    c->last_turn = turn;
  }
}

static void dispatch(struct weir_chip *c, weir_cycle now) {
  const uint64_t next = c->next_block;
  if (weir_cluster_blocks(c->launch) > 1)
    weir_clusters_dispatch(c, now);
  else
    dispatch_blocks(c, now);
  c->full_at = c->next_block == next ? weir_members_blocks(c) : UINT64_MAX;
}

// After core.launch_cycles.
static void begin_blocks(struct weir_chip *c) {
  c->held = false;
  dispatch(c, c->dispatch_from);
}

static bool some_have_met(const struct weir_chip *c) {
  for (unsigned k = 0; k < c->members.count; k++)
    if (c->members.all[k].meetings) return true;
  return false;
}

// For what cores have sent.
static void wake_network(struct weir_chip *c) {
  if (c->fabric.requests.waiting) weir_clock_wake(&c->clocks.network, 0, weir_clock_after(&c->clocks.network, c->now));
}

static void run_cores(struct weir_chip *c, struct weir_fault *fault) {
  const weir_cycle now = c->clocks.cores.wake;
  weir_chip_serve_cores(c, fault);
  if (some_have_met(c)) weir_clusters_see_meetings(c, now);
  if (c->steady.wave && weir_members_blocks(c) >= c->steady.next) {
    weir_members_gather(c);
    weir_steady_look(c);
  }
  if (c->next_block < c->blocks && !c->held && weir_members_blocks(c) != c->full_at) dispatch(c, now);
  wake_network(c);
}

// ---- a launch -----------------------------------------------------------------------------------------------------------

static bool all_idle(const struct weir_chip *c) {
  if (c->next_block < c->blocks) return false;
  for (uint32_t i = 0; i < c->config->core.count; i++)
    if (!weir_sm_idle(&c->sms[i])) return false;
  return true;
}

// What first-level caches have to send does not wait for a block to come.
static void wake_writers(struct weir_chip *c, weir_cycle when) {
  for (uint32_t i = 0; i < c->config->core.count; i++)
    if (c->sms[i].l1.miss_queue.head) weir_clock_wake(&c->clocks.cores, i, when);
}

// A launch ends when the shared caches have what its flush writes back, and the host what goes there.
static bool writes_back(const struct weir_chip *c) {
  for (uint32_t i = 0; i < c->config->core.count; i++)
    if (c->sms[i].l1.miss_queue.head) return true;
  return weir_network_writes_back(&c->fabric.requests, c->config->core.count) || weir_chip_host_busy(c);
}

// Answers whether there is something to write back.
static bool flush(struct weir_chip *c) {
  bool some = weir_chip_host_busy(c);
  const bool flushes = c->config->caches[0].flush_at_kernel_end;
  for (uint32_t i = 0; flushes && i < c->config->core.count; i++) some |= weir_sm_flush(&c->sms[i]);
  if (flushes || some) wake_writers(c, c->core_cycle + 1);
  return some;
}

static weir_time next_time(const struct weir_chip *c) {
  weir_time t = weir_clock_wake_time(&c->clocks.cores), u = weir_clock_wake_time(&c->clocks.slices);
  if (u < t) t = u;
  if ((u = weir_clock_wake_time(&c->clocks.network)) < t) t = u;
  if ((u = weir_clock_wake_time(&c->clocks.drams)) < t) t = u;
  if (c->host_memory && c->host_wake < t) t = c->host_wake;
  if (c->held && c->dispatch_from * c->clocks.cores.period < t) t = c->dispatch_from * c->clocks.cores.period;
  return c->cpus ? weir_cpus_next(c, t) : t;
}

static void report_deadlock(struct weir_chip *c, struct weir_fault *fault) {
  for (uint32_t i = 0; i < c->config->core.count; i++)
    for (uint32_t b = 0; b < WEIR_MAX_BLOCKS; b++)
      if (c->sms[i].blocks[b].resident) {
        weir_block_deadlock(c->sms[i].blocks[b].state, fault);
        return;
      }
}

static void show_progress(struct weir_chip *c) {
  if (!c->progress || c->core_cycle < c->progress_next) return;
  c->progress_next = c->core_cycle + c->progress_period;
  weir_members_gather(c);
  c->progress(c->progress_context, &c->stats);
}

// Looks now and then, as what is served side by side is gathered for that.
static bool give_up(struct weir_chip *c, struct weir_fault *fault) {
  enum { PERIOD = 64 };
  const uint64_t cycles = c->config->most_core_cycles, flits = c->config->most_flits;
  if ((!cycles && !flits) || c->core_cycle < c->effort_next) return false;
  c->effort_next = c->core_cycle + PERIOD;
  weir_members_gather(c);
  const uint64_t moved = c->fabric.requests.flits_moved + c->fabric.replies.flits_moved;
  if ((!cycles || c->stats.core_cycles <= cycles) && (!flits || moved <= flits)) return false;
  fault->raised = true;
  fault->pc = c->launch->kernel->entry;
  snprintf(fault->message, sizeof fault->message,
           "the run is given up: %" PRIu64 " core cycles, %" PRIu64 " flits (most_core_cycles, most_flits)",
           c->stats.core_cycles, moved);
  return true;
}

// Ends the epochs that end before or at `t`, the next time at which some part is served. Whoever is told may let go what he
// held back: answers the next time after that.
static weir_time end_epochs(struct weir_chip *c, weir_time t) {
  while (c->epochs.next != WEIR_NEVER && c->epochs.next * c->clocks.cores.period <= t) {
    weir_cycle now = c->epochs.next;
    c->now = now * c->clocks.cores.period;
    if (!weir_chip_end_epochs(c, now)) continue;
    for (uint32_t i = 0; i < c->config->core.count; i++)
      if (!weir_sm_idle(&c->sms[i])) weir_clock_wake(&c->clocks.cores, i, now);
    t = next_time(c);
  }
  return t;
}

static bool run(struct weir_chip *c, struct weir_fault *fault) {
  while (!fault->raised) {
    weir_time t = next_time(c);
    if (t == WEIR_NEVER) {
      report_deadlock(c, fault);
      return false;
    }
    c->now = t = end_epochs(c, t);
    if (weir_clock_wake_time(&c->clocks.drams) == t) weir_chip_serve_drams(c);
    if (weir_clock_wake_time(&c->clocks.slices) == t) weir_chip_serve_slices(c);
    if (c->host_memory) weir_chip_serve_host(c);
    if (weir_clock_wake_time(&c->clocks.network) == t) run_network(c);
    const bool cores = weir_clock_wake_time(&c->clocks.cores) == t;
    if (cores) run_cores(c, fault);
    if (c->held && c->dispatch_from * c->clocks.cores.period == t) begin_blocks(c);
    const bool cpus = c->cpus && weir_cpus_run(c, t);
    if ((cores || cpus) && c->mix.count && weir_mix_count(c)) return false;
    if (c->flushing && !writes_back(c)) return true;
    if (!cores) continue;
    show_progress(c);
    if (c->launch && give_up(c, fault)) return false;
    if (c->flushing || !all_idle(c)) continue;
    c->flushing = !fault->raised && flush(c);
    if (!c->flushing) return !fault->raised;
  }
  return false;
}

static struct weir_occupancy occupancy(const struct weir_chip_config *c, const struct weir_launch *l) {
  return weir_occupancy(&c->core, l->kernel, l->registers, weir_block_threads(l), l->dynamic_shared_bytes,
                        l->shared_preference);
}

char *weir_chip_misfit(const struct weir_chip_config *c, const struct weir_launch *l) {
  if (l->kernel->multiplies && !c->core.matrix_units)
    return weir_text_format(
      "multiplies matrices (mma, wmma, wgmma), for which cores of %s have no units (core.matrix_units)", c->name);
  if (occupancy(c, l).blocks) return weir_clusters_misfit(c, l);
  return weir_text_format(
    "does not fit a core of %s: it needs %u threads, %u registers each and %u bytes of shared memory; the core "
    "has %u warps of %u, %u registers and %u bytes",
    c->name, (unsigned)weir_block_threads(l), occupancy(c, l).registers,
    l->kernel->shared_bytes + l->dynamic_shared_bytes + c->core.block_reserved_bytes, c->core.max_warps,
    c->core.warp_lanes, c->core.registers, c->core.shared_bytes);
}

bool weir_chip_has_room(const struct weir_chip_config *c, const void *launch) {
  const struct weir_launch *l = launch;
  return weir_chip_lanes(c) == weir_program_lanes(l->program) && occupancy(c, l).blocks &&
    weir_chip_holds_cluster(c, l);
}

static bool prepare(struct weir_chip *c, struct weir_fault *fault) {
  uint32_t fits = 0;
  if (!weir_cluster_check(c->launch, fault)) return false;
  for (uint32_t i = 0; i < c->config->core.count; i++) fits = weir_sm_prepare(&c->sms[i]);
  if (fits && weir_chip_holds_cluster(c->config, c->launch)) return true;
  char *misfit = weir_chip_misfit(c->config, c->launch);
  fault->raised = true;
  fault->pc = c->launch->kernel->entry;
  char *chips = fits ? weir_chips_that_suit(weir_chip_has_room, c->launch) : NULL;
  snprintf(fault->message, sizeof fault->message, "a block %s%s%s", misfit,
           chips ? "; chips that have room (--chip): " : "", chips ? chips : "");
  weir_free(chips);
  weir_free(misfit);
  return false;
}

static void record(struct weir_chip *c, const struct weir_run_stats *before) {
  struct weir_kernel_stats *k = weir_kernel_log_add(&c->kernels, c->launch->kernel->name);
  const struct weir_occupancy o = occupancy(c->config, c->launch);
  const uint64_t room = (uint64_t)c->config->core.count * o.blocks;
  k->online_threads = (room < c->blocks ? room : c->blocks) * weir_block_threads(c->launch);
  k->registers = o.registers;
  k->spilled_registers = o.spilled;
  k->core_blocks = o.blocks;
  k->carveout_kib = o.carveout.kib;
  k->carveout_by = weir_carveout_by_name(o.carveout.by);
  k->limited_by = weir_occupancy_limit_name(o.limit);
  k->registers_by = weir_registers_by_name(o.by);
  k->counts = c->stats;
  weir_run_stats_subtract(&k->counts, before);
}

// A core holds the launch's blocks as without the lines, for which there is what that leaves of its shared memory.
static void give_lines(struct weir_chip *c) {
  struct weir_launch *l = &c->members.all[0].clocked;
  const uint32_t each = (uint32_t)weir_div_up(c->blocks, c->config->core.count),
                 resident = occupancy(c->config, l).blocks, blocks = resident < each ? resident : each;
  const struct weir_core_config *k = &c->config->core;
  weir_sl1_give(l, k->shared_bytes - (uint64_t)blocks * k->block_reserved_bytes, blocks);
}

// What passed since core cycle `start`.
static void count_time(struct weir_chip *c, weir_cycle start) {
  c->stats.cycles += c->core_cycle - start;
  c->stats.time_ps += (c->core_cycle - start) * c->clocks.cores.period;
  weir_chip_count_others(c, &c->stats);
}

bool weir_chip_run_cpus(struct weir_chip *c, struct weir_fault *fault) {
  if (!c->built) weir_chip_build(c);
  weir_mix_begin(c);
  c->blocks = c->next_block = 0;
  c->epochs.launch_start = c->core_cycle = weir_clock_after(&c->clocks.cores, c->now);
  weir_chip_start_epochs(c, c->core_cycle);
  run(c, fault);
  c->core_cycle = c->now / c->clocks.cores.period;
  count_time(c, c->epochs.launch_start);
  return !fault->raised;
}

static void count_fetches(struct weir_cache *cache, void *context) {
  *(uint64_t *)context += cache->mshrs_used;
}

static bool is_fetching(struct weir_chip *c) {
  uint64_t n = 0;
  for (unsigned l = 1; l < c->config->caches_count; l++) weir_chip_each_cache(c, l, count_fetches, &n);
  for (uint32_t i = 0; c->config->core.prefetch_lines && i < c->config->core.count; i++)
    n += c->sms[i].instruction_cache.mshrs_used;
  return n + c->sms[0].launch_code.pieces;
}

// The caches are empty as the launch begins.
static void begin_cold(struct weir_chip *c) {
  c->stale = true;
  for (uint32_t i = 0; c->built && i < c->config->core.count; i++) weir_sm_forget(&c->sms[i]);
}

// Its code goes to the shared cache.
static void fetch_code(struct weir_chip *c, weir_cycle start) {
  if (!c->config->core.launch_prefetch_bytes) return;
  weir_sm_fetch_launch(&c->sms[0]);
  weir_clock_wake(&c->clocks.cores, 0, start + 1);
}

// What shared caches and the stream buffers of cores fetch that nobody asked for ends behind the launch that it belongs to: it takes none of
// that one's time, and the next one finds no fetch on its way, and may empty the caches.
static void end_fetches(struct weir_chip *c, struct weir_fault *fault) {
  const weir_cycle end = c->core_cycle;
  while (!c->cpus && is_fetching(c)) {
    const weir_time t = next_time(c);
    if (t == WEIR_NEVER) break;
    c->now = t;
    if (weir_clock_wake_time(&c->clocks.drams) == t) weir_chip_serve_drams(c);
    if (weir_clock_wake_time(&c->clocks.slices) == t) weir_chip_serve_slices(c);
    if (c->host_memory) weir_chip_serve_host(c);
    if (weir_clock_wake_time(&c->clocks.network) == t) run_network(c);
    if (weir_clock_wake_time(&c->clocks.cores) == t) {
      weir_chip_serve_cores(c, fault);
      wake_network(c);
    }
  }
  c->core_cycle = end;
}

// Writes that channels keep until there are more are made when a launch has ended: they are its own, and take none of its time. What the
// next one first asks of DRAM may find that it still writes.
static void end_writes(struct weir_chip *c) {
  for (uint32_t i = 0; !c->cpus && i < c->config->dram.channels; i++)
    while (weir_dram_writes(&c->drams[i]) && c->clocks.drams.wake != WEIR_NEVER) weir_chip_serve_drams(c);
}

bool weir_chip_launch(struct weir_chip *c, const struct weir_launch *launch, struct weir_fault *fault) {
  if (c->config->cold_launches) begin_cold(c);
  weir_chip_freshen(c);
  if (!c->built) weir_chip_build(c);
  weir_chip_learn(c, launch->program);
  if (c->mix.count) weir_mix_begin(c);
  struct weir_launch *clocked = &c->members.all[0].clocked;
  *clocked = *launch;
  clocked->clock = &c->core_cycle;
  clocked->time_ps = &c->now;
  c->launch = clocked;
  c->next_block = 0;
  c->blocks = weir_launch_blocks(launch);
  c->last_turn = c->config->core.count - 1;
  weir_clusters_begin(c);
  give_lines(c);
  struct weir_launch_state *const state = weir_launch_begin(clocked);
  clocked->state = state;
  weir_members_begin_launch(c);
  weir_chip_begin_host(c);
  if (!prepare(c, fault)) {
    weir_launch_end(state);
    return false;
  }
  weir_foresight_launch(&c->foresight, c->config->core.count, c->blocks);
  weir_members_gather(c); // what caches have dropped since the last launch, for copies and carve-outs, is no launch's
  struct weir_run_stats before = c->stats;
  weir_cycle start = weir_clock_after(&c->clocks.cores, c->now);
  weir_chip_start_epochs(c, start);
  c->core_cycle = start;
  for (uint32_t i = 0; i < c->config->core.count; i++) c->sms[i].last_tick = start;
  wake_writers(c, start + 1);
  fetch_code(c, start);
  weir_steady_begin(c, (uint64_t)c->config->core.count * occupancy(c->config, launch).blocks);
  c->dispatch_from = start + c->config->core.launch_cycles;
  c->held = c->dispatch_from > start;
  if (!c->held) dispatch(c, start);
  bool ok = run(c, fault);
  c->held = false;
  if (c->flushing) c->core_cycle = weir_clock_at_or_after(&c->clocks.cores, c->now);
  c->flushing = false;
  if (ok) end_fetches(c, fault);
  if (ok) end_writes(c);
  weir_members_end_launch(c, launch);
  for (uint32_t i = 0; i < c->config->core.count; i++) weir_sm_finish(&c->sms[i]);
  weir_launch_end(state);
  count_time(c, start);
  record(c, &before);
  return ok;
}
