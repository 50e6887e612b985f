// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/copies.h"
#include "gpu/scoreboard.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <assert.h>
#include <string.h>

// ---- construction -----------------------------------------------------------------------------------------------------

static void assign_schedulers(struct weir_sm *m) {
  const struct weir_core_config *k = m->shared->config;
  for (uint32_t s = 0; s < k->schedulers; s++) m->schedulers[s].last_issued = UINT32_MAX;
  for (uint32_t w = 0; w < k->max_warps; w++) m->schedulers[w % k->schedulers].warps |= UINT64_C(1) << w;
  for (uint32_t s = 0; s < k->schedulers; s++) m->schedulers[s].let_go = m->schedulers[s].warps;
}

// Those of the load/store unit's queue.
static size_t transaction_bytes(const struct weir_sm *m) {
  return (size_t)m->shared->config->memory_queue * WEIR_MAX_TRANSACTIONS * sizeof *m->transactions;
}

void weir_sm_init(struct weir_sm *m, struct weir_sm_shared *shared, uint32_t number,
                  const struct weir_sm_caches *caches) {
  struct weir_mreq_pool *pool = shared->pool;
  m->shared = shared;
  m->number = number;
  m->queue_room = shared->config->memory_queue;
  m->pending_free = UINT16_MAX;
  m->delays = weir_rng_seed(shared->config->perturb, number);
  weir_throttle_init(m);
  struct weir_cache_params l1 = caches->l1;
  l1.core = &m->view;
  weir_cache_init(&m->l1, &l1, pool, &shared->stats->levels[0], NULL);
  weir_throttle_enlist(m);
  weir_cache_init(&m->instruction_cache, &caches->instruction, pool, &shared->uncounted_level, NULL);
  weir_cache_init(&m->constant_cache, &caches->constant, pool, &shared->uncounted_level, NULL);
  weir_texture_cache_init(&m->texture_cache, &caches->texture, pool);
  weir_reorder_init(m);
  const uint32_t per_cycle = (l1.banks ? l1.banks : 1) * (l1.line_lookups ? m->l1.sectors : 1); // into the pipe
  m->pipe.capacity = shared->l1_latency_cycles * per_cycle + shared->l1_input_queue - 1;
  if (!m->pipe.capacity) m->pipe.capacity = 1;
  m->pipe.places = weir_new_array(struct weir_pipe_place, m->pipe.capacity);
  m->transactions = weir_alloc_table(transaction_bytes(m));
  for (uint32_t i = 0; i < shared->config->memory_queue; i++)
    m->queue[i].transactions = m->transactions + (size_t)i * WEIR_MAX_TRANSACTIONS;
  assign_schedulers(m);
  weir_sm_learn(m);
}

// Between launches nothing is to be written: a scoreboard can be replaced by an empty one.
void weir_sm_learn(struct weir_sm *m) {
  m->l1.pcs = m->shared->pcs;
  const uint32_t words = weir_scoreboard_words(m->shared->registers);
  if (words <= m->scoreboard_words) return;
  weir_free(m->scoreboard);
  m->scoreboard_words = words;
  m->scoreboard = weir_new_array(uint64_t, m->shared->config->max_warps * m->scoreboard_words);
}

void weir_sm_free(struct weir_sm *m) {
  weir_cache_free(&m->l1);
  weir_cache_free(&m->instruction_cache);
  weir_cache_free(&m->constant_cache);
  weir_texture_cache_free(&m->texture_cache);
  weir_free_table(m->transactions, transaction_bytes(m));
  weir_free(m->pipe.places);
  weir_free(m->scoreboard);
  weir_free(m->wheel.events);
  weir_free(m->pending);
  weir_copies_free(m);
  weir_free(m->bulk.copies);
  weir_free(m->reorder.lengths);
  weir_free(m->reorder.queues);
}

// ---- blocks -----------------------------------------------------------------------------------------------------------

// Turns at fetch and load/store unit, and the function units, which may take nothing for some time after the last result,
// are all that outlives a launch beside the caches. A launch finds them as new: what came before shows in the caches alone.
static void start_anew(struct weir_sm *m) {
  m->last_fetched = 0;
  m->stream = (struct weir_stream_buffer){0};
  m->launch_code.next = m->launch_code.end;
  m->memory_turn = 0;
  m->barrier_free = 0;
  memset(m->units, 0, sizeof m->units);
  memset(m->address_units, 0, sizeof m->address_units);
}

void weir_sm_share_array(struct weir_sm *m, uint32_t carveout_kib) {
  const uint32_t unified_kib = m->shared->config->unified_kib;
  const struct weir_cache_params *p = &m->l1.params;
  const uint32_t bytes = (unified_kib - carveout_kib) * 1024;
  m->stirred |= WEIR_STIRRED_L1;
  if (!unified_kib) return;
  if (p->data_pool)
    weir_cache_use_data(&m->l1, bytes / p->line_bytes, WEIR_THREAD_MEMORY);
  else
    weir_cache_use_ways(&m->l1, bytes / (p->sets * p->line_bytes), WEIR_THREAD_MEMORY);
}

void weir_sm_forget(struct weir_sm *m) {
  weir_cache_flush(&m->instruction_cache, 0);
  weir_cache_flush(&m->constant_cache, 0);
  weir_texture_cache_empty(&m->texture_cache);
}

uint32_t weir_sm_prepare(struct weir_sm *m) {
  start_anew(m);
  const struct weir_launch *l = m->shared->launch;
  const uint64_t threads = weir_block_threads(l);
  m->warps_per_block = (uint32_t)weir_div_up(threads, m->shared->config->warp_lanes);
  const struct weir_occupancy o =
    weir_occupancy(m->shared->config, l->kernel, l->registers, threads, l->dynamic_shared_bytes, l->shared_preference);
  m->block_limit = o.blocks;
  weir_sm_share_array(m, o.carveout.kib);
  uint64_t blocks = weir_launch_blocks(l);
  if (m->block_limit > blocks) m->block_limit = (uint32_t)blocks;
  return m->block_limit;
}

void weir_sm_finish(struct weir_sm *m) {
  for (uint32_t i = 0; i < WEIR_MAX_BLOCKS; i++) {
    if (m->blocks[i].state) weir_block_free(m->blocks[i].state);
    m->blocks[i] = (struct weir_block_slot){0};
  }
}

bool weir_sm_flush(struct weir_sm *m) {
  m->stirred |= WEIR_STIRRED_L1;
  m->writes_parts = false;
  return weir_cache_flush(&m->l1, WEIR_THREAD_MEMORY);
}

bool weir_sm_has_room(const struct weir_sm *m) {
  return m->resident_blocks < m->block_limit;
}

// At core.perturb, a block starts late by less than so many cycles, and each of its warps by less than so many more: a little of
// what a real chip leaves to chance.
enum { BLOCK_DELAY_CYCLES = 128, WARP_DELAY_CYCLES = 32 };

static weir_cycle block_delay(struct weir_sm *m) {
  const struct weir_core_config *k = m->shared->config;
  return k->block_start_cycles + (k->perturb ? weir_rng_below(&m->delays, BLOCK_DELAY_CYCLES) : 0);
}

// A block's warps can fetch from the cycle after its start on, or later by its delay.
static void let_fetch(struct weir_sm *m, uint32_t slot, weir_cycle delay, weir_cycle now) {
  const bool perturbed = m->shared->config->perturb;
  if (!perturbed && !delay) {
    m->can_fetch |= UINT64_C(1) << slot;
    return;
  }
  if (perturbed) delay += weir_rng_below(&m->delays, WARP_DELAY_CYCLES);
  weir_wheel_add(&m->wheel, now, now + 1 + delay, WEIR_EVENT_FETCHED, slot)->count = 0;
}

static void start_warp(struct weir_sm *m, uint32_t slot, uint32_t block, struct weir_warp *warp) {
  uint64_t bit = UINT64_C(1) << slot;
  m->warps[slot] = (struct weir_warp_slot){
    .warp = warp, .block = (uint16_t)block, .pc = weir_warp_pc(warp), .stores = m->warps[slot].stores};
  m->resident |= bit;
  m->exited &= ~bit;
  if (m->throttling.count) weir_throttle_start(m, slot);
}

void weir_sm_start_block(struct weir_sm *m, struct weir_cluster *cluster, const uint32_t index[3], weir_cycle now) {
  uint32_t i = 0;
  while (m->blocks[i].resident) i++;
  if (!m->resident) m->last_tick = now; // until now it had no warps
  struct weir_block_slot *b = &m->blocks[i];
  if (!b->state) b->state = weir_block_create(m->shared->launch);
  b->resident = true;
  b->first_warp = i * m->warps_per_block;
  b->warps = b->live = m->warps_per_block;
  weir_block_set_place(b->state, m->number, b->first_warp);
  weir_block_start_in(b->state, cluster, index);
  const weir_cycle delay = block_delay(m);
  for (uint32_t w = 0; w < b->warps; w++) {
    start_warp(m, b->first_warp + w, i, weir_block_warp(b->state, w));
    let_fetch(m, b->first_warp + w, delay, now);
  }
  weir_sm_note_manned(m);
  m->by_age[m->resident_blocks++] = (uint8_t)i;
  weir_sm_note_ages(m);
}

// ---- clusters -----------------------------------------------------------------------------------------------------------

weir_cycle weir_sm_see_meetings(struct weir_sm *m, weir_cycle now) {
  const weir_cycle when = now + m->shared->config->cluster_barrier_cycles;
  weir_cycle first = WEIR_NEVER;
  for (uint64_t waiting = m->at_cluster & ~m->leaving; waiting; waiting &= waiting - 1) {
    const uint32_t i = weir_lowest(waiting);
    if (weir_warp_waiting(m->warps[i].warp)) continue;
    weir_sm_leave_barrier_at(m, i, now, when);
    first = when;
  }
  return first;
}

// ---- one cycle --------------------------------------------------------------------------------------------------------

// Cycles with warps resident, and how many of these were ready in them.
static inline void count_ready(struct weir_sm *m, weir_cycle cycles) {
  m->shared->stats->core_cycles += cycles;
  m->shared->stats->ready_warp_cycles += cycles * weir_sm_ready_warps(m);
}

// Scheduler cycles that passed asleep with warps resident issued nothing either.
static inline void count_sleep(struct weir_sm *m, weir_cycle now, bool throttled) {
  uint64_t slept = now - m->last_tick - (now > m->last_tick);
  m->last_tick = now;
  if (!slept || !m->resident) return;
  count_ready(m, slept);
  m->shared->stats->issue_slots_idle += m->manned * slept;
  if (throttled) weir_throttle_count_sleep(m, slept);
}

// Compiled twice, so that a core without throttles pays nothing for them.
static inline __attribute__((always_inline)) weir_cycle tick(struct weir_sm *m, weir_cycle now, weir_cycle network_now,
                                                             bool throttled) {
  struct weir_network *replies = &m->shared->fabric->replies;
  count_sleep(m, now, throttled);
  if (weir_network_peek(replies, m->number, network_now)) {
    weir_lsu_receive(m, weir_network_receive(replies, m->number), now);
    for (uint32_t k = replies->params.flits_per_output; k > 1 && weir_network_peek(replies, m->number, network_now);
         k--)
      weir_lsu_receive(m, weir_network_receive(replies, m->number), now);
  }
  if (weir_wheel_due(&m->wheel, now)) weir_sm_run_events(m, now);
  if (weir_lsu_has_work(m, now)) weir_lsu_tick(m, now);
  if (m->resident) count_ready(m, 1);
  if (throttled && m->ready) weir_throttle_choose(m, now);
  if (m->ready && (throttled || !weir_sm_waits_for_lsu(m, m->ready)))
    weir_sm_issue(m, now);
  else
    m->shared->stats->issue_slots_idle += m->manned;
  if (weir_sm_fetches(m)) weir_sm_fetch(m, now);
  uint64_t ready = throttled ? weir_throttle_pass(m, m->ready) : m->ready;
  if (ready && !weir_sm_waits_for_lsu(m, ready)) return now + 1;
  weir_cycle next = weir_sooner(weir_wheel_next(&m->wheel, now), weir_lsu_wake(m, now));
  if (throttled) next = weir_sooner(next, weir_throttle_wake(m, now));
  return weir_sooner(next, weir_sm_fetch_wake(m, now));
}

static __attribute__((noinline)) weir_cycle tick_throttled(struct weir_sm *m, weir_cycle now, weir_cycle network_now) {
  return tick(m, now, network_now, true);
}

weir_cycle weir_sm_tick(struct weir_sm *m, weir_cycle now, weir_cycle network_now) {
  return m->throttling.count ? tick_throttled(m, now, network_now) : tick(m, now, network_now, false);
}
