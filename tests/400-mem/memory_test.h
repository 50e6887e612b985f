// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The whole memory side without cores: two networks, slices, DRAM channels, wired by hand on one clock. Invariant: what a
// core sends is answered piece by piece, and memory_drain ends only when every byte asked for has come back.
#ifndef WEIR_TESTS_MEMORY_TEST_H
#define WEIR_TESTS_MEMORY_TEST_H

#include "mem/dram.h"
#include "mem/fabric.h"
#include "mem/slice.h"
#include "mem_test.h"

enum { MEMORY_LOG = 8192, MEMORY_PATIENCE = 200000 };

struct memory_params {
  uint32_t cores, channels, slices; // slices per channel
  unsigned caches;
  struct weir_stage_params stages[WEIR_MAX_STAGES];
  uint32_t to_dram, fills;
  uint32_t partition_cycles; // of a cache in two partitions; 0: it is in one
  uint32_t coalesced_reads;  // of cores of a group, that are one; 0: each is its own
  uint32_t coalesced_cycles;
  const uint8_t *groups; // of the first group_cores cores
  uint32_t group_cores;
  struct weir_network_params network;
  struct weir_dram_params dram;
};

struct memory_answer {
  uint64_t address;
  uint32_t bytes, core, token;
  weir_cycle at;
};

struct memory {
  struct memory_params params;
  struct weir_fabric fabric;
  struct weir_run_stats stats;
  struct weir_level_stats *levels; // of the slices' caches
  struct weir_slice *slices;
  struct weir_dram *drams;
  uint32_t *turn;
  weir_cycle now, answered_at;
  uint64_t owed; // bytes of answers to come; the answer to a store counts what it stored
  uint32_t answers;
  struct memory_answer log[MEMORY_LOG];
};

static inline struct weir_dram_params ddr_for_slices(void) {
  return (struct weir_dram_params){.banks = 16,
                                   .bank_groups = 4,
                                   .atom_bytes = 64,
                                   .burst_cycles = 2,
                                   .queue = 16,
                                   .outstanding = 32,
                                   .fixed_latency = 10,
                                   .ccd = 2,
                                   .ccdl = 3,
                                   .rrd = 6,
                                   .rcd = 12,
                                   .ras = 28,
                                   .rp = 12,
                                   .rc = 40,
                                   .cl = 12,
                                   .wl = 4,
                                   .cdlr = 5,
                                   .wr = 12,
                                   .rtpl = 2};
}

static inline void memory_networks(struct memory *m) {
  struct weir_network_params n = m->params.network;
  n.inputs = m->params.cores;
  n.outputs = m->params.channels * m->params.slices;
  weir_network_init(&m->fabric.requests, &n, weir_route_to_slice, NULL);
  n.outputs = m->params.cores;
  n.inputs = m->params.channels * m->params.slices;
  n.copies = m->params.coalesced_reads > 1;
  weir_network_init(&m->fabric.replies, &n, weir_route_to_core, NULL);
}

static inline struct memory *memory_new(const struct memory_params *p) {
  struct memory *m = calloc(1, sizeof *m);
  assert_non_null(m);
  uint32_t slices = p->channels * p->slices;
  m->params = *p;
  m->levels = &m->stats.levels[1];
  m->now = START;
  m->fabric.map =
    (struct weir_address_map){.channels = p->channels, .slices_per_channel = p->slices, .interleave_bytes = 256};
  assert_null(weir_address_map_parse(&m->fabric.map, "R12 B3 C4 B1 C2 S6"));
  memory_networks(m);
  if (p->partition_cycles) {
    m->fabric.partition_slices = slices / 2;
    m->fabric.partition_cores = (p->cores + 1) / 2;
  }
  m->slices = calloc(slices, sizeof *m->slices);
  m->drams = calloc(p->channels, sizeof *m->drams);
  m->turn = calloc(p->channels, sizeof *m->turn);
  for (uint32_t i = 0; i < slices; i++) {
    weir_slice_init(&m->slices[i], p->stages, p->caches, &m->fabric.map, &m->fabric.pool, m->levels, p->to_dram,
                    p->fills);
    m->slices[i].atomics = &m->stats.atomics;
    const struct weir_l2_coalescer_params c = {.most = p->coalesced_reads,
                                               .cycles = p->coalesced_cycles,
                                               .sector_shift = m->slices[i].stages[0].cache.sector_shift,
                                               .cores = p->group_cores,
                                               .groups = p->groups};
    if (p->coalesced_reads) m->slices[i].coalescer = weir_l2_coalescer_create(&c);
  }
  for (uint32_t i = 0, half = m->fabric.partition_slices; i < half; i++)
    weir_slice_pair(&m->slices[i], i, &m->slices[half + i], half + i, p->partition_cycles);
  for (uint32_t i = 0; i < p->channels; i++)
    weir_dram_init(&m->drams[i], &p->dram, &m->fabric.map, &m->fabric.pool, &m->stats.dram);
  return m;
}

static inline void memory_free(struct memory *m) {
  for (unsigned i = 0; i < m->params.caches; i++) {
    assert_conserved(&m->levels[i].loads);
    assert_conserved(&m->levels[i].stores);
  }
  for (uint32_t i = 0; i < m->params.channels * m->params.slices; i++) weir_slice_free(&m->slices[i]);
  weir_network_free(&m->fabric.requests);
  weir_network_free(&m->fabric.replies);
  weir_mreq_pool_free(&m->fabric.pool);
  free(m->slices);
  free(m->drams);
  free(m->turn);
  free(m);
}

static inline struct weir_mreq *memory_make(struct memory *m, enum weir_mreq_kind kind, uint64_t address,
                                            uint32_t bytes) {
  struct weir_mreq *r = weir_mreq_new(&m->fabric.pool);
  r->kind = kind & 7;
  r->address = address;
  r->bytes = (uint16_t)bytes;
  r->full = UINT8_MAX;
  r->slice = (uint16_t)weir_slice_of(&m->fabric.map, address, &r->place);
  return r;
}

static inline bool memory_try(struct memory *m, uint32_t core, struct weir_mreq *r) {
  r->core = (uint16_t)core;
  weir_address_request(&m->fabric, core, r);
  if (!weir_network_accepts(&m->fabric.requests, core, r)) return false;
  m->owed += r->bytes;
  weir_network_send(&m->fabric.requests, core, r);
  return true;
}

static inline void memory_put(struct memory *m, uint32_t core, struct weir_mreq *r) {
  assert_true(memory_try(m, core, r));
}

static inline void memory_send(struct memory *m, uint32_t core, enum weir_mreq_kind kind, uint64_t address,
                               uint32_t bytes) {
  memory_put(m, core, memory_make(m, kind, address, bytes));
}

static inline void memory_heard(void *context, uint32_t output, weir_cycle when) {
  (void)context, (void)output, (void)when;
}

static inline bool memory_deliver(void *context, struct weir_mreq *r) {
  struct memory *m = context;
  return weir_slice_answer(&m->slices[r->slice], r);
}

static inline void memory_run_channel(struct memory *m, uint32_t channel) {
  struct weir_dram *d = &m->drams[channel];
  weir_dram_tick(d, m->now, memory_deliver, m);
  for (uint32_t k = 0; k < m->params.slices && weir_dram_accepts(d); k++) {
    uint32_t s = (m->turn[channel] + k) % m->params.slices;
    struct weir_mreq_queue *q = &m->slices[channel * m->params.slices + s].to_dram;
    if (!q->head) continue;
    weir_dram_send(d, weir_queue_pop(q), m->now);
    m->turn[channel] = s + 1;
    break;
  }
}

static inline void memory_take(struct memory *m, uint32_t core) {
  if (!weir_network_peek(&m->fabric.replies, core, m->now)) return;
  struct weir_mreq *r = weir_network_receive(&m->fabric.replies, core);
  assert_true(r->is_reply);
  assert_int_equal(r->core, core);
  assert_true(m->owed >= r->bytes);
  m->owed -= r->bytes;
  m->log[m->answers++ % MEMORY_LOG] = (struct memory_answer){r->address, r->bytes, core, r->token, m->now};
  m->answered_at = m->now;
  weir_mreq_release(&m->fabric.pool, r);
}

// One cycle of everything, in the order in which a chip serves its parts.
static inline void memory_tick(struct memory *m) {
  struct weir_fabric *f = &m->fabric;
  for (uint32_t i = 0; i < m->params.channels; i++) memory_run_channel(m, i);
  for (uint32_t i = 0; i < m->params.channels * m->params.slices; i++)
    weir_slice_tick(&m->slices[i], m->now, m->now, &f->requests, i, &f->replies, i);
  weir_network_tick(&f->requests, m->now, memory_heard, NULL);
  weir_network_tick(&f->replies, m->now, memory_heard, NULL);
  for (uint32_t i = 0; i < m->params.cores; i++) memory_take(m, i);
  m->now++;
}

// Is anything under way, write-backs included?
static inline bool memory_busy(const struct memory *m) {
  bool busy = m->owed > 0;
  for (uint32_t i = 0; i < m->params.channels; i++) busy |= m->drams[i].taken > 0;
  for (uint32_t i = 0; i < m->params.channels * m->params.slices; i++) {
    busy |= m->slices[i].to_dram.count > 0;
    busy |= m->slices[i].crossing.count + m->slices[i].guests.count + m->slices[i].returning.count > 0;
    for (unsigned g = 0; g < m->params.caches; g++) {
      const struct weir_stage *stage = &m->slices[i].stages[g];
      busy |= stage->delay.count + stage->input.count + stage->cache.miss_queue.count + stage->cache.skipped.count > 0;
    }
  }
  return busy;
}

static inline void memory_drain(struct memory *m) {
  for (uint32_t i = 0; memory_busy(m); i++) {
    if (i == MEMORY_PATIENCE) fail_msg("deadlock: %u bytes owed", (unsigned)m->owed);
    memory_tick(m);
  }
}

// Two cores and one slice on each channel, whose cache of 64 sets writes back and lazily allocates.
static inline struct memory_params one_shared_cache(uint32_t delay, uint32_t latency) {
  struct memory_params p = {.cores = 2, .channels = 1, .slices = 1, .caches = 1, .to_dram = 8, .fills = 8};
  p.stages[0] = (struct weir_stage_params){
    .cache = small_cache(), .input_delay_cycles = delay, .hit_latency_cycles = latency, .input_queue = 16};
  p.stages[0].cache.sets = 64;
  p.stages[0].cache.sector_bytes = 32;
  p.stages[0].cache.mshrs = 16;
  p.stages[0].cache.level = 1;
  p.stages[0].cache.write_hit = WEIR_WRITE_BACK;
  p.stages[0].cache.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
  p.network = (struct weir_network_params){.flit_bytes = 32,
                                           .header_bytes = 8,
                                           .latency_cycles = 3,
                                           .input_flits = 64,
                                           .output_packets = 16,
                                           .flits_per_input = 1,
                                           .flits_per_output = 1};
  p.dram = ddr_for_slices();
  return p;
}

#endif
