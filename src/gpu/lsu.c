// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The load/store unit: memory instructions in order, one transaction per cycle, through the first-level cache's pipeline
// into its look-up; what misses goes onto the network; answers come back, fill, and are written back one per cycle.
#include "gpu/collect.h"
#include "gpu/bulk.h"
#include "gpu/copies.h"
#include "gpu/pending.h"
#include "gpu/request.h"
#include "gpu/scoreboard.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "mem/combine.h"

#include <assert.h>

static void acknowledge_store(struct weir_sm *m, uint32_t warp, uint32_t pieces) {
  m->warps[warp].stores = (uint16_t)(m->warps[warp].stores - pieces);
  m->stores -= pieces;
  weir_sm_settle_fence(m, warp);
  weir_sm_try_retire(m, warp);
}

// ---- taking an instruction ------------------------------------------------------------------------------------------------

// Thread-local addresses: word k of every thread of the chip lies side by side, so that lanes coalesce.
static unsigned coalesce_local(const struct weir_sm *m, uint32_t warp, const struct weir_winstr *w,
                               struct weir_transaction *out) {
  const struct weir_core_config *k = m->shared->config;
  struct weir_static what = *w->what;
  struct weir_winstr part = {.what = &what, .active = w->active};
  uint32_t step = what.access_bytes < 4 ? what.access_bytes : 4, bytes = what.access_bytes, n = 0;
  uint64_t threads = (uint64_t)k->count * k->max_warps * k->warp_lanes;
  uint64_t first = ((uint64_t)m->number * k->max_warps + warp) * k->warp_lanes;
  what.access_bytes = what.element_bytes = (uint8_t)step;
  for (uint32_t done = 0; done < bytes; done += step) {
    for (uint64_t left = w->active; left; left &= left - 1) {
      uint32_t lane = weir_lowest(left);
      uint64_t at = w->address[lane] + done;
      part.address[lane] = WEIR_THREAD_MEMORY + ((at >> 2) * threads + first + lane) * 4 + (at & 3);
    }
    n += weir_coalesce(&part, k->coalesce_bytes, k->coalesce_by_element, out + n);
  }
  return n;
}

static bool skips_l1(const struct weir_sm *m, const struct weir_static *s, uint8_t space) {
  if (space != WEIR_MEM_GLOBAL) return false;
  if (s->op_class == WEIR_CLASS_ATOMIC) return true;
  if (s->op_class != WEIR_CLASS_LOAD) return false;
  if (m->l1.params.effects[s->l1_hint] == WEIR_EFFECT_OF_HINT_PAST_FIRST) return true;
  if (s->l1_hint == WEIR_HINT_CA) return false;
  return s->is_volatile || (m->shared->config->skip_l1_global && !weir_sm_reads_texture(m, s));
}

// applypriority and discard of a chip that knows neither.
static bool is_nothing(const struct weir_sm *m, const struct weir_static *s) {
  if (s->l1_hint != WEIR_HINT_APPLY_NORMAL && s->l1_hint != WEIR_HINT_DISCARD) return false;
  return m->l1.params.effects[s->l1_hint] != WEIR_EFFECT_OF_HINT_PAST_FIRST;
}

static unsigned coalesce(const struct weir_sm *m, uint32_t warp, const struct weir_winstr *w,
                         struct weir_memory_op *op) {
  const struct weir_core_config *k = m->shared->config;
  switch (op->space) {
  case WEIR_MEM_LOCAL: return coalesce_local(m, warp, w, op->transactions);
  case WEIR_MEM_CONST:
  case WEIR_MEM_PARAM:
    if (k->constant_by_address) return weir_coalesce_addresses(w, op->transactions);
    return weir_coalesce(w, m->constant_cache.params.line_bytes, false, op->transactions);
  default: break;
  }
  if (w->what->op_class == WEIR_CLASS_ATOMIC) return weir_coalesce_atomic(w, op->transactions);
  if (op->texture) return weir_coalesce(w, m->texture_cache.params.line_bytes, false, op->transactions);
  uint32_t segment = op->skips ? m->shared->piece_bytes : k->coalesce_bytes;
  const unsigned n = weir_coalesce(w, segment, k->coalesce_by_element, op->transactions);
  if (m->writes_parts && !op->skips && w->what->op_class == WEIR_CLASS_LOAD) weir_coalesce_mark(w, op->transactions, n);
  return n;
}

// A store of a part of a sector, which the first-level cache may keep: from now on loads say which bytes they read.
static void note_parts(struct weir_sm *m, const struct weir_memory_op *op) {
  if (m->writes_parts || !m->l1.written || op->what->op_class != WEIR_CLASS_STORE) return;
  for (unsigned i = 0; i < op->count; i++) m->writes_parts |= !op->transactions[i].full;
}

static void count_request(struct weir_run_stats *n, const struct weir_memory_op *op) {
  const bool local = op->space == WEIR_MEM_LOCAL;
  if (op->what->op_class == WEIR_CLASS_STORE)
    *(local ? &n->local_store_requests : &n->global_store_requests) += 1;
  else if (op->what->op_class == WEIR_CLASS_LOAD && !op->what->is_texture)
    *(local ? &n->local_load_requests : &n->global_load_requests) += 1;
}

static void note_addresses(struct weir_pc_stats *s, const struct weir_winstr *w) {
  if (w->space != WEIR_MEM_GLOBAL) return;
  if (w->spread != WEIR_SPREAD_UNKNOWN) {
    weir_pc_extend(s, w->low, w->high);
    return;
  }
  for (uint64_t left = w->active; left; left &= left - 1)
    weir_pc_extend(s, w->address[weir_lowest(left)], w->address[weir_lowest(left)]);
}

static void count_execution(struct weir_sm *m, const struct weir_memory_op *op, const struct weir_winstr *w) {
  if (!weir_is_data_access(op->space)) return;
  count_request(m->shared->stats, op);
  struct weir_pc_counts *n = weir_counts_of(m, op);
  n->executions++;
  n->transactions += op->count;
  m->shared->pcs[op->pc].by_transactions[weir_transactions_counted(op)]++;
  note_addresses(&m->shared->pcs[op->pc], w);
}

static void prepare_shared(struct weir_sm *m, const struct weir_winstr *w, struct weir_memory_op *op) {
  const struct weir_core_config *k = m->shared->config;
  const uint32_t passes = weir_bank_cycles(w, k->shared_banks, k->shared_bank_bytes);
  if (op->busy_cycles < passes) op->busy_cycles = passes;
  m->shared->stats->shared_accesses++;
  m->shared->stats->shared_bank_conflicts += passes - 1;
  m->shared->stats->replays += passes - 1;
  op->extra_passes = passes - weir_bank_least_cycles(w, k->shared_banks, k->shared_bank_bytes);
  struct weir_bank_counts *n = &m->shared->bank_counts[op->pc];
  n->accesses++;
  n->passes += passes;
  n->extra_passes += op->extra_passes;
  if (passes > n->worst_passes) n->worst_passes = passes;
}

// Segments of 32 bytes that lanes of other blocks touch: no element lies in two, as it is aligned.
static uint32_t segments_elsewhere(const struct weir_winstr *w, uint64_t lanes) {
  enum { SEGMENT_BITS = 5 };
  uint64_t seen[WEIR_MAX_LANES];
  uint32_t count = 0;
  for (; lanes; lanes &= lanes - 1) {
    const uint64_t segment = w->address[weir_lowest(lanes)] >> SEGMENT_BITS;
    uint32_t k = 0;
    while (k < count && seen[k] != segment) k++;
    if (k == count) seen[count++] = segment;
  }
  return count;
}

// Lanes of the own block take turns at its banks, those of others at the network between cores, which is modelled by what each segment
// holds the unit up (docs/CHIPS.md, "Clusters").
static void prepare_cluster(struct weir_sm *m, const struct weir_winstr *w, struct weir_memory_op *op) {
  const struct weir_core_config *k = m->shared->config;
  struct weir_winstr own = *w;
  uint64_t elsewhere = 0;
  for (uint64_t left = w->active; left; left &= left - 1)
    if (w->address[weir_lowest(left)] >> WEIR_CLUSTER_SHIFT) elsewhere |= left & -left;
  own.active &= ~elsewhere;
  const uint32_t passes = own.active ? weir_bank_cycles(&own, k->shared_banks, k->shared_bank_bytes) : 0;
  const uint32_t cycles = passes + segments_elsewhere(w, elsewhere) * k->cluster_segment_cycles;
  if (op->busy_cycles < cycles) op->busy_cycles = cycles;
  m->shared->stats->cluster_accesses++;
}

// Is it looked up in the first-level cache, and does it take its turn in the pipeline there? So may a load that the cache does not
// look up.
static void note_way(const struct weir_sm *m, struct weir_memory_op *op) {
  op->to_l1 = weir_is_data_access(op->space) && !op->skips && !op->texture;
  op->in_pipe = op->to_l1 || (op->skips && op->what->op_class == WEIR_CLASS_LOAD && m->shared->config->past_l1_in_pipe);
}

static void prepare_transactions(struct weir_sm *m, uint32_t warp, const struct weir_winstr *w,
                                 struct weir_memory_op *op) {
  const struct weir_core_config *k = m->shared->config;
  op->count = (uint16_t)coalesce(m, warp, w, op);
  note_parts(m, op);
  m->shared->stats->replays += op->count - 1u;
  if (!k->l1_bank_conflicts || w->space != WEIR_MEM_GLOBAL || !op->to_l1) return;
  const uint32_t passes = weir_bank_cycles(w, k->shared_banks, k->shared_bank_bytes);
  if (op->busy_cycles < passes) op->busy_cycles = passes;
}

// Memory instructions that an extra pass keeps waiting: those that are here, and those that there is no room for.
static uint32_t held_up(const struct weir_sm *m) {
  return m->queue_count + (weir_lsu_has_room(m) ? 0 : weir_popcount(m->ready & m->memory_next));
}

// Loads, and atomics, wait for their data: in shared memory for a known time, elsewhere for `count` answers.
static void expect_data(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d, struct weir_memory_op *op,
                        weir_cycle now) {
  if (op->what->op_class == WEIR_CLASS_STORE) return;
  weir_scoreboard_reserve(m, warp, d);
  if (weir_is_shared(op->space)) return;
  op->load = weir_take_pending(m);
  m->pending[op->load] = (struct weir_pending_load){.pc = op->pc,
                                                    .remaining = op->count,
                                                    .issued = now,
                                                    .counts = weir_counts_of(m, op),
                                                    .warp = (uint16_t)warp,
                                                    .all_hit = !op->skips};
}

// Operands are read as soon as there is a collector, which is free again when they have been.
static weir_cycle collect(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d, weir_cycle now) {
  const uint32_t count = m->shared->config->memory_collectors;
  const weir_cycle read = weir_sm_collect(m, warp, d, now, count ? weir_places_free(&m->memory_collectors) : 0);
  if (count) weir_places_take(&m->memory_collectors, count, read + 1);
  return read;
}

static struct weir_address_unit *address_unit_of(struct weir_sm *m, uint32_t warp) {
  return &m->address_units[warp % m->shared->config->schedulers];
}

static uint32_t next_place(const struct weir_sm *m, uint32_t place) {
  return place + 1 < m->shared->config->address_queue ? place + 1 : 0;
}

// An instruction enters its scheduler's address unit; how long it waits for that.
static weir_cycle enter_address_unit(struct weir_sm *m, uint32_t warp, weir_cycle now) {
  struct weir_address_unit *u = address_unit_of(m, warp);
  const weir_cycle from = weir_later(u->free_from, now);
  u->free_from = from + m->shared->config->address_cycles;
  u->places_free_from[u->next] = WEIR_NEVER;
  u->next = next_place(m, u->next);
  return from - now;
}

// The load/store unit takes an instruction as soon as its operands are there, which is before its address unit has dealt with it:
// the latencies of what follows include that. So its place is held for the rest of the time.
static void leave_address_unit(struct weir_sm *m, struct weir_memory_op *op, weir_cycle now) {
  struct weir_address_unit *u = address_unit_of(m, op->warp);
  op->in_address_unit = false;
  u->places_free_from[u->leaves] = now + op->hold_cycles;
  u->leaves = next_place(m, u->leaves);
}

// The last instruction comes before those that wait longer for other schedulers' address units.
static void sort_in(struct weir_sm *m) {
  const uint32_t schedulers = m->shared->config->schedulers;
  for (uint32_t n = m->queue_count - 1; n; n--) {
    struct weir_memory_op *last = weir_sm_memory_op(m, n), *before = weir_sm_memory_op(m, n - 1);
    if (before->ready <= last->ready || before->warp % schedulers == last->warp % schedulers) return;
    const struct weir_memory_op other = *before;
    *before = *last;
    *last = other;
  }
}

// What has to do with copies that run beside the warp.
static void take_copy(struct weir_sm *m, const struct weir_winstr *w, struct weir_memory_op *op) {
  const bool shared = op->space == WEIR_MEM_SHARED;
  if (shared)
    op->barrier = (uint32_t)w->address[weir_lowest(w->active)]; // of one lane's: a warp has rarely two at a time
  if (w->what->copy_role == WEIR_COPY_ARRIVE && shared) weir_copies_arrive(m, op->warp, op->barrier);
  if (w->what->copy_role == WEIR_COPY_BEGIN && !shared)
    weir_copies_begin(m, &m->pending[op->load], WEIR_COPIES_OF_THREADS, WEIR_ARRIVES_IN_GROUP);
}

void weir_lsu_take(struct weir_sm *m, uint32_t warp, const struct weir_winstr *w, const struct weir_decoded *d,
                   weir_cycle now) {
  if (!w->active || w->what->op_class == WEIR_CLASS_FENCE || w->space == WEIR_MEM_NONE) return;
  if (is_nothing(m, w->what)) return;
  if (w->what->is_bulk) {
    weir_bulk_take(m, warp, w, now);
    return;
  }
  struct weir_memory_op *op = weir_sm_memory_op(m, m->queue_count++);
  struct weir_transaction *room = op->transactions;
  *op = (struct weir_memory_op){
    .what = w->what, .pc = w->pc, .warp = (uint16_t)warp, .space = weir_space_of(w->space), .transactions = room};
  const struct weir_core_config *k = m->shared->config;
  op->ready = collect(m, warp, d, now) + k->operand_cycles - 2;
  if (k->address_cycles) {
    op->hold_cycles =
      (uint8_t)(op->ready - now < k->address_hold_cycles ? now + k->address_hold_cycles - op->ready : 0);
    op->ready += enter_address_unit(m, warp, now);
    op->in_address_unit = true;
  }
  op->ready_warps = (uint8_t)weir_sm_ready_warps(m);
  op->policy = w->what->has_policy ? w->policy : 0;
  op->skips = skips_l1(m, w->what, w->space);
  op->texture = !op->skips && weir_sm_reads_texture(m, w->what);
  note_way(m, op);
  op->busy_cycles = k->memory_interval_cycles;
  if (w->space == WEIR_MEM_SHARED)
    prepare_shared(m, w, op);
  else if (w->space == WEIR_MEM_CLUSTER)
    prepare_cluster(m, w, op);
  else
    prepare_transactions(m, warp, w, op);
  m->warps[warp].loads++;
  count_execution(m, op, w);
  expect_data(m, warp, d, op, now);
  if (w->what->copy_role) take_copy(m, w, op);
  if (k->address_cycles) sort_in(m);
}

// ---- sending its transactions ---------------------------------------------------------------------------------------------

// Something has changed that may let the first-level cache take what it refused.
static void unblock(struct weir_sm *m, weir_cycle now) {
  if (m->blocked == WEIR_STALL_NONE) return;
  if (!m->throttling.hear_cache && weir_cache_refuses_still(&m->l1, weir_pipe_head(&m->pipe)->request, m->blocked))
    return;
  weir_lsu_settle(m, now);
  m->blocked = WEIR_STALL_NONE;
}

void weir_lsu_settle(struct weir_sm *m, weir_cycle now) {
  if (m->blocked == WEIR_STALL_NONE) return;
  m->l1.stats->stalls[m->blocked] += now - m->blocked_since;
  m->l1.tally.stall_cycles[m->blocked] += now - m->blocked_since;
  m->blocked_since = now;
}

void weir_lsu_retry(struct weir_sm *m, weir_cycle now) {
  unblock(m, now);
  m->throttling.stale = true;
}

// The oldest request on its way down from a cache (there is one) goes onto the network.
static bool drain(struct weir_sm *m, struct weir_cache *c, struct weir_mreq_queue *q) {
  struct weir_mreq *r = q->head, *next = r->next;
  r->core = (uint16_t)m->number;
  if (!weir_inject(m, r)) {
    if (!c->params.read_only) c->stats->stalls[WEIR_STALL_QUEUE]++;
    c->tally.stall_cycles[WEIR_STALL_QUEUE]++;
    return false;
  }
  weir_queue_advance(q, next);
  return true;
}

static bool send_to_constant_cache(struct weir_sm *m, struct weir_memory_op *op, weir_cycle now) {
  enum weir_stall why;
  if ((op->space == WEIR_MEM_PARAM && m->shared->config->parameters_at_launch) ||
      weir_cache_hits_latest(&m->constant_cache, op->transactions[op->next].address)) {
    weir_complete_pending(m, op->load, now);
    return true;
  }
  struct weir_mreq *r = weir_make_request(m, op);
  enum weir_outcome o = weir_cache_access(&m->constant_cache, r, now, &why);
  m->stirred |= WEIR_STIRRED_CONSTANT;
  m->shared->stats->constant_cache_misses += o == WEIR_OUTCOME_MISS;
  if (o == WEIR_OUTCOME_HIT || o == WEIR_OUTCOME_REFUSED) weir_mreq_release(m->shared->pool, r);
  if (o == WEIR_OUTCOME_HIT) weir_complete_pending(m, op->load, now);
  return o != WEIR_OUTCOME_REFUSED;
}

static void drain_textures(struct weir_sm *m) {
  struct weir_mreq *r = m->texture_cache.requests.head, *next = r->next;
  if (weir_inject(m, r)) weir_queue_advance(&m->texture_cache.requests, next);
}

static bool send_to_texture_cache(struct weir_sm *m, const struct weir_memory_op *op) {
  struct weir_mreq *r = weir_make_request(m, op);
  bool hit;
  if (!weir_texture_cache_access(&m->texture_cache, r, &hit)) {
    weir_mreq_release(m->shared->pool, r);
    return false;
  }
  struct weir_run_stats *n = m->shared->stats;
  struct weir_pc_counts *l = weir_counts_of(m, op);
  m->stirred |= WEIR_STIRRED_TEXTURE;
  n->texture_cache_accesses++;
  n->texture_cache_hits += hit;
  n->texture_cache_misses += !hit;
  l->texture_hits += hit;
  l->texture_misses += !hit;
  m->pending[op->load].all_hit &= hit;
  return true;
}

// Loads that the cache operator keeps out, and atomics: straight onto the network.
static bool send_past_l1(struct weir_sm *m, struct weir_memory_op *op) {
  struct weir_mreq *r = weir_make_request(m, op);
  uint32_t pieces = weir_pieces_of_request(m, r);
  if (!weir_inject(m, r)) {
    weir_mreq_release(m->shared->pool, r);
    return false;
  }
  m->pending[op->load].remaining += pieces - 1;
  if (r->kind == WEIR_MREQ_LOAD)
    weir_cache_count_skipped(&m->l1, r);
  else
    weir_cache_show_past(&m->l1, r);
  return true;
}

static bool send_to_l1(struct weir_sm *m, struct weir_memory_op *op, weir_cycle now) {
  if (weir_pipe_full(&m->pipe)) return false;
  struct weir_mreq *r = weir_make_request(m, op);
  r->skips = op->skips;
  if (r->kind == WEIR_MREQ_STORE) {
    const uint32_t pieces = weir_pieces_of_request(m, r);
    assert(m->warps[op->warp].stores + pieces <= UINT16_MAX);
    m->warps[op->warp].stores = (uint16_t)(m->warps[op->warp].stores + pieces);
    m->stores += pieces;
  }
  weir_pipe_push(&m->pipe, r, now + m->shared->l1_latency_cycles);
  return true;
}

static bool is_queued(const struct weir_sm *m, const struct weir_memory_op *op) {
  return m->reorder.by && op->space == WEIR_MEM_GLOBAL && op->what->op_class == WEIR_CLASS_LOAD && op->to_l1;
}

// Global stores and atomics go behind the queued loads that come before them.
static bool is_behind_queues(const struct weir_sm *m, const struct weir_memory_op *op) {
  return m->reorder.by && op->space == WEIR_MEM_GLOBAL && op->what->op_class != WEIR_CLASS_LOAD;
}

static bool send_to_queue(struct weir_sm *m, const struct weir_memory_op *op, weir_cycle now) {
  const struct weir_reorder_stage *s = &m->reorder;
  if (s->turn != WEIR_NO_TURN && weir_queue_full(&s->queues[s->turn])) return false;
  struct weir_mreq *r = weir_make_request(m, op);
  if (weir_reorder_push(m, r, now)) return true;
  weir_mreq_release(m->shared->pool, r);
  return false;
}

static bool waits_for_queue(struct weir_sm *m, const struct weir_memory_op *op, weir_cycle now) {
  if (m->reorder.turn == WEIR_NO_TURN) { // a request is made for the question alone
    struct weir_mreq *r = weir_make_request(m, op);
    weir_reorder_ask(m, r, now);
    weir_mreq_release(m->shared->pool, r);
  }
  return weir_reorder_holds(m);
}

static bool send_next(struct weir_sm *m, struct weir_memory_op *op, weir_cycle now) {
  if (is_queued(m, op)) return send_to_queue(m, op, now);
  if (is_behind_queues(m, op) && waits_for_queue(m, op, now)) return false;
  bool sent = op->in_pipe ? send_to_l1(m, op, now)
    : op->skips           ? send_past_l1(m, op)
    : op->texture         ? send_to_texture_cache(m, op)
                          : send_to_constant_cache(m, op, now);
  if (sent) m->reorder.turn = WEIR_NO_TURN;
  return sent;
}

// Shared memory: the banks, or the network to other cores, are busy for busy_cycles, then the data is on its way.
static bool work_shared(struct weir_sm *m, struct weir_memory_op *op, weir_cycle now) {
  const struct weir_core_config *k = m->shared->config;
  if (op->extra_passes) {
    op->extra_passes--;
    m->shared->bank_counts[op->pc].waited_cycles += held_up(m);
  }
  if (--op->busy_cycles) return false;
  if (op->what->op_class == WEIR_CLASS_STORE) {
    weir_finish_instruction(m, op->warp);
    return true;
  }
  const bool tests = op->what->copy_role == WEIR_COPY_TEST;
  if (tests && weir_copies_put_off(m, op->warp, op->barrier, op->pc)) return true;
  const uint32_t latency = op->space == WEIR_MEM_CLUSTER ? k->cluster_latency_cycles : k->shared_latency_cycles;
  const weir_cycle done = now + latency + k->writeback_cycles;
  weir_wheel_add(&m->wheel, now, done, WEIR_EVENT_LOADED, op->warp)->pc = op->pc;
  return true;
}

// One transaction per cycle; into the first-level cache, one per bank.
static bool work_transactions(struct weir_sm *m, struct weir_memory_op *op, weir_cycle now) {
  struct weir_bank_claims claims = {0};
  if (op->busy_cycles) op->busy_cycles--;
  if (op->in_pipe && !m->reorder.by && weir_pipe_full(&m->pipe)) return false;
  while (op->next < op->count) {
    bool another = !claims.made || op->to_l1;
    if (!another || !weir_cache_claim_bank(&m->l1, op->transactions[op->next].address, &claims)) return false;
    if (!send_next(m, op, now)) return false;
    op->next++;
  }
  if (op->busy_cycles) return false;
  if (op->what->op_class == WEIR_CLASS_STORE) weir_finish_instruction(m, op->warp);
  return true;
}

static void work_queue(struct weir_sm *m, weir_cycle now) {
  struct weir_memory_op *op = &m->queue[m->queue_head];
  if (!m->queue_count || op->ready > now) return;
  if (op->in_address_unit) leave_address_unit(m, op, now);
  if (!(weir_is_shared(op->space) ? work_shared(m, op, now) : work_transactions(m, op, now))) return;
  m->queue_head = (uint32_t)(weir_sm_memory_op(m, 1) - m->queue);
  m->queue_count--;
}

// ---- the first-level look-up ----------------------------------------------------------------------------------------------

// The head of the pipeline was to go past the cache before it came here; no policy has been asked.
static bool is_past(const struct weir_mreq *r) {
  return r->skips && !r->asked;
}

// It goes onto the network, or stays.
static bool pass(struct weir_sm *m) {
  struct weir_mreq *r = weir_pipe_head(&m->pipe)->request;
  struct weir_pending_load *p = &m->pending[r->token];
  const uint32_t pieces = weir_pieces_of_request(m, r);
  r->skips = false;
  if (!weir_inject(m, r)) {
    r->skips = true;
    return false;
  }
  weir_pipe_pop(&m->pipe);
  p->remaining += pieces - 1;
  weir_cache_count_skipped(&m->l1, r);
  return true;
}

// The head of the pipeline; refused, it waits until something changes.
static void look_up(struct weir_sm *m, weir_cycle now) {
  struct weir_mreq *r = weir_pipe_head(&m->pipe)->request;
  uint32_t token = r->token, warp = r->warp, pieces = weir_pieces_of_request(m, r);
  bool store = r->kind == WEIR_MREQ_STORE;
  enum weir_stall why;
  weir_throttle_hear_cache(m);
  enum weir_outcome o = weir_cache_access(&m->l1, r, now, &why);
  if (o == WEIR_OUTCOME_REFUSED) {
    m->blocked = why;
    m->blocked_since = now;
    const bool queue_fills = m->l1.params.combine_cycles && why != WEIR_STALL_NO_WAY; // by stores that have waited
    m->blocked_firmly = !m->throttling.hear_cache && !queue_fills && weir_cache_refuses_still(&m->l1, r, why);
    return;
  }
  weir_pipe_pop(&m->pipe);
  m->stirred |= o == WEIR_OUTCOME_HIT ? 0 : WEIR_STIRRED_L1;
  if (o == WEIR_OUTCOME_HIT || o == WEIR_OUTCOME_WRITTEN) weir_mreq_release(m->shared->pool, r);
  if (o == WEIR_OUTCOME_HIT) weir_complete_pending(m, token, now);
  if (o == WEIR_OUTCOME_WRITTEN) acknowledge_store(m, warp, pieces);
  if (o == WEIR_OUTCOME_HIT || store) return;
  struct weir_pending_load *p = &m->pending[token];
  p->all_hit = false;
  if (o == WEIR_OUTCOME_PASSED) p->remaining += pieces - 1;
}

static void look_up_all(struct weir_sm *m, weir_cycle now) {
  struct weir_bank_claims claims = {0};
  while (m->blocked == WEIR_STALL_NONE && weir_pipe_due(&m->pipe, now) &&
         weir_cache_claim_bank(&m->l1, weir_pipe_head(&m->pipe)->place, &claims)) {
    if (!is_past(weir_pipe_head(&m->pipe)->request))
      look_up(m, now);
    else if (!pass(m))
      return;
  }
}

// ---- answers ----------------------------------------------------------------------------------------------------------

void weir_lsu_receive(struct weir_sm *m, struct weir_mreq *r, weir_cycle now) {
  switch (r->kind) {
  case WEIR_MREQ_INSTRUCTION:
    if (!weir_cache_waits_for(&m->instruction_cache, r)) {
      weir_sm_take_launch_code(m, r);
      return;
    }
    weir_cache_fill(&m->instruction_cache, r, now);
    m->stirred |= WEIR_STIRRED_INSTRUCTION;
    return;
  case WEIR_MREQ_CONSTANT:
    weir_cache_fill(&m->constant_cache, r, now);
    m->stirred |= WEIR_STIRRED_CONSTANT;
    return;
  case WEIR_MREQ_TEXTURE: weir_texture_cache_fill(&m->texture_cache, r); return;
  case WEIR_MREQ_STORE:
    if (r->token)
      weir_complete_pending(m, r->token - 1, now); // of a bulk copy
    else
      acknowledge_store(m, r->warp, 1);
    weir_mreq_release(m->shared->pool, r);
    return;
  default: break;
  }
  if (!weir_cache_waits_for(&m->l1, r)) {
    weir_queue_push(&m->returned, r);
    return;
  }
  weir_throttle_hear_cache(m);
  const bool ended = weir_cache_fill(&m->l1, r, now);
  m->stirred |= WEIR_STIRRED_L1;
  if (ended || !m->blocked_firmly) unblock(m, now);
}

// Its load is completed in the next cycle.
static void finish_next(struct weir_sm *m, struct weir_mreq *r) {
  m->finishes[m->finishing++] = r->token;
  __builtin_prefetch(&m->pending[r->token], 1);
  weir_mreq_release(m->shared->pool, r);
}

static inline struct weir_mreq *next_piece(struct weir_sm *m, weir_cycle now) {
  if (m->returned.head) return weir_queue_pop(&m->returned);
  if (!m->stirred) return NULL;
  if (m->texture_cache.results.head) return weir_queue_pop(&m->texture_cache.results);
  if (m->constant_cache.ready.head) return weir_cache_take(&m->constant_cache);
  if (!m->l1.ready.head) return NULL;
  struct weir_mreq *r = weir_cache_take(&m->l1);
  unblock(m, now); // its miss-status register may be free
  return r;
}

// One piece of data per cycle goes into the register file, or as many as the core's port takes from the network.
static void write_back(struct weir_sm *m, weir_cycle now) {
  for (uint32_t i = 0; i < m->finishing; i++) weir_complete_pending(m, m->finishes[i], now);
  m->finishing = 0;
  struct weir_mreq *r = next_piece(m, now);
  if (!r) return;
  finish_next(m, r);
  for (uint32_t k = weir_sm_fabric(m)->replies.params.flits_per_output; k > 1 && (r = next_piece(m, now)); k--)
    finish_next(m, r);
}

// As many as the core's port moves in a cycle.
static inline void drain_l1(struct weir_sm *m, struct weir_mreq_queue *q, weir_cycle now) {
  if (!q->head || !drain(m, &m->l1, q)) return;
  unblock(m, now);
  for (uint32_t k = weir_sm_fabric(m)->requests.params.flits_per_input; k > 1 && q->head && drain(m, &m->l1, q); k--)
    unblock(m, now);
}

// What caches have to send goes onto the network, of each queue one request, or of the first-level cache's as many as the core's port moves.
static void drain_caches(struct weir_sm *m, weir_cycle now) {
  if (m->stirred & WEIR_STIRRED_TEXTURE) {
    if (m->texture_cache.requests.head) drain_textures(m);
    weir_texture_cache_read(&m->texture_cache);
  }
  if (m->stirred & WEIR_STIRRED_CONSTANT && m->constant_cache.miss_queue.head)
    drain(m, &m->constant_cache, &m->constant_cache.miss_queue);
  if (m->stirred & WEIR_STIRRED_L1) {
    drain_l1(m, &m->l1.miss_queue, now);
    drain_l1(m, &m->l1.skipped, now); // what the L1 wants goes first
  }
  if (m->stirred & WEIR_STIRRED_INSTRUCTION && m->instruction_cache.miss_queue.head)
    drain(m, &m->instruction_cache, &m->instruction_cache.miss_queue);
}

static bool is_empty(const struct weir_cache *c) {
  return !c->ready.head && !c->miss_queue.head && !c->skipped.head;
}

// Which of the stirred caches have something left in their queues.
static uint32_t still_stirred(const struct weir_sm *m) {
  const struct weir_texture_cache *t = &m->texture_cache;
  uint32_t s = m->stirred;
  if (s & WEIR_STIRRED_L1 && is_empty(&m->l1)) s &= ~(uint32_t)WEIR_STIRRED_L1;
  if (s & WEIR_STIRRED_CONSTANT && is_empty(&m->constant_cache)) s &= ~(uint32_t)WEIR_STIRRED_CONSTANT;
  if (s & WEIR_STIRRED_INSTRUCTION && is_empty(&m->instruction_cache)) s &= ~(uint32_t)WEIR_STIRRED_INSTRUCTION;
  if (s & WEIR_STIRRED_TEXTURE && !t->fragments.head && !t->requests.head && !t->results.head)
    s &= ~(uint32_t)WEIR_STIRRED_TEXTURE;
  if (s & WEIR_STIRRED_BULK && !m->bulk.count) s &= ~(uint32_t)WEIR_STIRRED_BULK;
  return s;
}

void weir_lsu_tick(struct weir_sm *m, weir_cycle now) {
  write_back(m, now);
  if (m->l1.combining.head) {
    weir_combine_release(&m->l1, now, false);
    if (m->l1.miss_queue.head) m->stirred |= WEIR_STIRRED_L1;
  }
  if (m->stirred) drain_caches(m, now);
  if (m->stirred & WEIR_STIRRED_BULK) weir_bulk_move(m, now);
  look_up_all(m, now);
  work_queue(m, now);
  if (m->reorder.waiting) weir_reorder_move(m, now);
  if (m->stirred) m->stirred = still_stirred(m);
}

// Nothing but what moves elsewhere lets the next access go on.
static bool is_held(const struct weir_sm *m, const struct weir_memory_op *op) {
  const struct weir_reorder_stage *s = &m->reorder;
  bool queued = is_queued(m, op), behind = is_behind_queues(m, op);
  if ((queued || behind) && s->turn == WEIR_NO_TURN) return false; // to be asked about
  if (queued) return weir_queue_full(&s->queues[s->turn]);
  if (behind && s->waiting >> s->turn & 1) return true;
  return op->in_pipe && m->blocked != WEIR_STALL_NONE && weir_pipe_full(&m->pipe);
}

weir_cycle weir_lsu_wake(const struct weir_sm *m, weir_cycle now) {
  if (m->reorder.waiting && !weir_pipe_full(&m->pipe)) return now + 1;
  if (m->finishing || m->returned.head || m->stirred & (WEIR_STIRRED_L1 | WEIR_STIRRED_CONSTANT)) return now + 1;
  const struct weir_texture_cache *t = &m->texture_cache;
  if (m->stirred & WEIR_STIRRED_TEXTURE && (t->requests.head || t->results.head || weir_texture_cache_can_read(t)))
    return now + 1;
  weir_cycle next = m->stirred & WEIR_STIRRED_BULK ? weir_bulk_wake(m, now) : WEIR_NEVER;
  const struct weir_memory_op *op = &m->queue[m->queue_head];
  if (m->queue_count && !is_held(m, op)) next = weir_sooner(next, op->ready);
  if (m->pipe.count && m->blocked == WEIR_STALL_NONE) next = weir_sooner(next, weir_pipe_head(&m->pipe)->due);
  if (m->l1.combining.head) next = weir_sooner(next, m->l1.combining.head->ready);
  return next > now ? next : now + 1;
}
