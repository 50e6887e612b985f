// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A memory slice: the shared caches that lie between one port of the network and (a share of) one DRAM channel, one
// behind the other, each with the queues around it. Invariant: every request that comes in by the network leaves by it
// as an answer, one per piece (a sector of the first cache); write-backs end below.
//
//   network ─▶ delay ─▶ input ─▶ cache 0 ─▶ miss queue ─▶ delay ─▶ input ─▶ cache 1 … ─▶ to DRAM
//   network ◀─ replies ◀────────── cache 0 ◀─ fills ◀───────────────────── cache 1 … ◀─ from DRAM
//
// One shared cache may be in two partitions, each near half of the cores. A core asks its own; every slice has its like in the other,
// and one of the two is an address's home. What is read and has its home over there is fetched from there and kept here, too: a copy.
// Stores, atomics and write-backs go on to the home, where they end copies. Requests that have come over (guests) never go back, and
// wait for nothing but DRAM and the way back, so that the partitions cannot wait for each other.
//
// Accesses to the host's memory leave before the first cache, and their answers come in behind it: mapped memory is not cached by shared
// caches (CUDA C++ Best Practices Guide, "Zero Copy").
//
//   cache ─▶ crossing ─▶ the other's guests ─▶ its cache ─▶ its returning ─▶ cache, or replies
#ifndef WEIR_MEM_SLICE_H
#define WEIR_MEM_SLICE_H

#include "mem/address_map.h"
#include "mem/cache.h"
#include "mem/host_memory.h"
#include "mem/l2_coalescer.h"
#include "mem/network.h"

enum { WEIR_MAX_STAGES = 3 };

struct weir_stage_params {
  struct weir_cache_params cache;
  uint32_t input_delay_cycles; // arrival to tag look-up
  uint32_t hit_latency_cycles; // look-up to the answer leaving
  uint32_t input_queue;        // requests
};

struct weir_stage {
  struct weir_mreq_queue delay;   // `ready`: when it may enter the input queue
  struct weir_mreq_queue answers; // served; `ready`: when it may leave upwards
  struct weir_mreq_queue input;
  struct weir_mreq_queue fills; // answers from below
  uint32_t input_delay_cycles, hit_latency_cycles;
  struct weir_cache cache;
};

struct weir_slice {
  unsigned count;                      // of stages
  uint32_t answers_capacity;           // answers that may wait to leave a cache, and as many that come up to it
  struct weir_l2_coalescer *coalescer; // before the first stage; NULL: none. The slice frees it
  struct weir_slice *other;            // its like in the other partition; NULL: there is one partition
  uint64_t occupancy;                  // of the first input queue, summed over cycles up to `occupancy_at`
  weir_cycle occupancy_at;
  struct weir_mreq_queue guests; // from the other, to be looked up here
  struct weir_stage stages[WEIR_MAX_STAGES];
  struct weir_mreq_queue to_dram;
  const struct weir_host_memory *host; // what of memory is the host's; NULL: none
  struct weir_mreq_queue to_host;      // accesses to it, which no shared cache keeps
  const struct weir_address_map *map;
  struct weir_mreq_pool *pool;
  uint16_t number;                  // among the slices, where there are two partitions
  uint32_t crossing_cycles;         // one way
  struct weir_mreq_queue crossing;  // on the way to the other; `ready`: when it is there
  struct weir_mreq_queue returning; // answers to the other's requests; `ready`: likewise
  uint64_t *atomics;                // counts those performed
};

static inline bool weir_slice_is_written(const struct weir_mreq *r) {
  return r->kind == WEIR_MREQ_STORE || r->kind == WEIR_MREQ_ATOMIC || r->kind == WEIR_MREQ_WRITEBACK;
}

// `s` is zeroed.
void weir_slice_init(struct weir_slice *s, const struct weir_stage_params *stages, unsigned count,
                     const struct weir_address_map *map, struct weir_mreq_pool *pool,
                     struct weir_level_stats *stats /* of the first stage's level, then the next … */,
                     uint32_t to_dram_capacity, uint32_t answers_capacity);
void weir_slice_free(struct weir_slice *s);

// Both are each other's like in the two partitions, so many cycles away (one at least).
void weir_slice_pair(struct weir_slice *a, uint32_t number_a, struct weir_slice *b, uint32_t number_b,
                     uint32_t crossing_cycles);

// The line of a sector goes from every cache, whatever was written to it.
void weir_slice_drop(struct weir_slice *s, uint64_t address, uint64_t place, weir_cycle now);

// Splits a request into one per sector, in address order, and lets them into the stage's delay.
void weir_slice_enter(struct weir_slice *s, struct weir_stage *g, struct weir_mreq *r, weir_cycle now);

// A slice's cycle is to come, and on a chip of many what it touches has left the host's caches since the last one. It is fetched while
// those before have theirs, in steps that each read what the one before has fetched: the slice; the heads of its queues, and the
// packet that comes next, or NULL; and what these will be looked up in.
enum { WEIR_SLICE_AHEAD_STEPS = 3 };
void weir_slice_ahead(const struct weir_slice *s);
void weir_slice_ahead_heads(const struct weir_slice *s, const struct weir_mreq *packet);
void weir_slice_ahead_work(const struct weir_slice *s);

// One cycle: takes a packet from `output` of the request network if one is there by network cycle network_now, moves
// everything one step, sends at most one answer into `input` of the reply network. Returns the next cycle at which there
// may be something to do (WEIR_NEVER: none until a packet or an answer arrives).
weir_cycle weir_slice_tick(struct weir_slice *s, weir_cycle now, weir_cycle network_now, struct weir_network *requests,
                           uint32_t output, struct weir_network *replies, uint32_t input);

// When, after `now`, the other partition's like has something to do because of this slice (WEIR_NEVER: it has not).
weir_cycle weir_slice_hands_over(const struct weir_slice *s, weir_cycle now);

// Requests in the first input queue, summed over all cycles before `now`.
uint64_t weir_slice_occupancy(struct weir_slice *s, weir_cycle now);

// An answer from the DRAM channel; false: no room this cycle.
bool weir_slice_answer(struct weir_slice *s, struct weir_mreq *r);

// … and from the host: for the core that asked.
void weir_slice_answer_host(struct weir_slice *s, struct weir_mreq *r, weir_cycle now);

// So many sectors of a line of a host copy pass through (the first cache keeps them).
void weir_slice_place(struct weir_slice *s, uint64_t address, uint64_t place, uint32_t sectors, weir_cycle now);

// A sector is read or written without time: it comes from the first cache that has it up to the first of all (weir_cache_warm).
void weir_slice_warm(struct weir_slice *s, uint64_t address, uint64_t place, enum weir_warming how, weir_cycle now);

#endif
