// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A GPU core (SM, compute unit): resident blocks and warps, fetch, scoreboard, issue, function units, load/store unit
// with the first-level cache. It executes an instruction when it issues it (exec room) and models when its results are
// there. Invariant: a warp issues only if the instruction it would issue has no register that an earlier one of the warp
// still has to write, its function unit can take it, and the warp waits for no barrier or fence.
//
// One cycle: answers arrive, results are written back, the load/store unit moves, the schedulers issue, one warp
// fetches. A core that can do nothing sleeps until its next own event or the next answer.
#ifndef WEIR_GPU_SM_H
#define WEIR_GPU_SM_H

#include "base/bits.h"
#include "base/rng.h"
#include "exec/warp.h"
#include "gpu/coalesce.h"
#include "gpu/core.h"
#include "gpu/decoded.h"
#include "gpu/occupancy.h"
#include "gpu/places.h"
#include "gpu/wheel.h"
#include "mem/cache.h"
#include "mem/fabric.h"
#include "mem/texture_cache.h"
#include "stats/stats.h"

// Addresses of caches from here on are thread-local memory, interleaved by word over all threads of the chip.
#define WEIR_THREAD_MEMORY UINT64_C(0x10000000000)

enum {
  WEIR_MAX_WARPS = 64,  // per core
  WEIR_MAX_BLOCKS = 64, // per core
  WEIR_MAX_SCHEDULERS = 8,
  WEIR_MAX_UNITS = 16,
  WEIR_MAX_REGISTER_BANKS = 32,
  WEIR_MAX_MEMORY_QUEUE = 32,
  WEIR_MAX_ADDRESS_QUEUE = 16,
};

struct weir_warp_slot {
  struct weir_warp *warp;
  const struct weir_decoded *next; // its next instruction, once that is fetched
  uint32_t pc;                     // of that
  uint16_t block;
  uint8_t buffered; // instructions fetched and not issued, the next one first
  uint16_t events;  // writebacks to come
  uint16_t copies;  // of `loads`: those that run beside the warp (gpu/copies.h)
  uint16_t loads,
    stores; // memory instructions not finished, store answers to come: at core.exit_before_stores also those to the
            // warps before it in this place, for which its fences wait, too
};

struct weir_block_slot {
  struct weir_block_state *state;
  uint32_t first_warp, warps, live; // live: warps not retired
  bool resident;
};

// A memory instruction on its way from issue to its last access.
struct weir_memory_op {
  const struct weir_static *what;
  uint32_t pc, load; // load: index of its pending load, if it has one
  weir_cycle ready;  // when the load/store unit may begin
  uint32_t barrier;  // in memory, that it tests: where in its block's shared memory
  uint64_t policy;   // cache policy (exec/descriptor.h); 0: it has none
  uint16_t warp;
  uint8_t space, ready_warps;
  uint16_t next, count;               // transactions sent, in all
  uint32_t busy_cycles, extra_passes; // for which it holds the load/store unit at least; of these, of shared memory's
                                      // banks, for conflicts
  bool skips, texture;                // goes past the first-level cache; to the texture cache
  bool in_address_unit;               // the load/store unit has not begun with it, and
  uint8_t hold_cycles;                // for so long from then on it holds its place there
  bool to_l1, in_pipe;                // is looked up there; goes through its pipe
  struct weir_transaction *transactions; // WEIR_MAX_TRANSACTIONS of room
};

// A load or atomic whose data is on its way.
struct weir_pending_load {
  uint32_t pc, remaining;
  weir_cycle issued;
  struct weir_pc_counts *counts; // where its end is counted
  uint16_t warp, next;           // next: free list
  uint16_t barrier;              // of a copy that runs beside the warp (gpu/copies.h), as are copy, grouped and group
  uint8_t copy : 2;              // enum weir_copies_kind; 0: it is none
  bool grouped : 1;
  uint8_t group : 5;
  bool all_hit; // so far every access has hit the first-level cache, or the texture cache
};
_Static_assert(sizeof(struct weir_pending_load) == 32, "a load in flight is half a line of the host's cache");

struct weir_register_bank {
  uint64_t writes; // bit k: in cycle writes_from + k
  weir_cycle writes_from;
  weir_cycle free_from; // when the next read may be served
};

struct weir_unit {
  weir_cycle free_from;
  uint32_t occupancy;      // cycles that the last instruction occupies it
  weir_cycle results_from; // the core's unit_conflicts: when results leave it,
  uint64_t results;        // bit k: one in cycle results_from + k
  weir_cycle place_from; // likewise: from when one of the places before the units, of which there are as many, is free
};

// Where an access of the load/store unit goes: parameters of calls that are no registers lie in local memory.
static inline uint8_t weir_space_of(uint8_t space) {
  return space == WEIR_MEM_CALL ? WEIR_MEM_LOCAL : space;
}

// The block's own, or that of another block of its cluster.
static inline bool weir_is_shared(uint8_t space) {
  return space == WEIR_MEM_SHARED || space == WEIR_MEM_CLUSTER;
}

// Of what accesses global or local memory, each instruction is counted by its PC. space: s->space as decoded, or as an
// execution resolved it.
static inline bool weir_is_data_access(uint8_t space) {
  return space == WEIR_MEM_GLOBAL || space == WEIR_MEM_LOCAL;
}

// A load from there.
static inline bool weir_is_data_load(const struct weir_static *s, uint8_t space) {
  return s->op_class == WEIR_CLASS_LOAD && weir_is_data_access(space);
}

// Copies that run beside their warps (gpu/copies.h).
struct weir_copies {
  uint64_t awaited;               // of `fences`: warps that wait for copies, not at a fence
  struct weir_warp_copies *warps; // per warp, once one of them has copied; NULL: none has
  struct weir_copy_barrier *barriers;
  struct weir_copy_test *tests;
  uint32_t barrier_count, barrier_capacity, test_count, test_capacity;
};

// Bulk copies that have not sent all their requests, the oldest first (gpu/bulk.h).
struct weir_bulk_queue {
  struct weir_bulk_copy *copies; // their segments
  uint32_t first, count, capacity;
  uint32_t waiting; // copies
};

// Queues in front of the first-level cache's pipe, where a policy asks for them.
struct weir_reorder_stage {
  struct weir_policy_instance *by; // whose hooks choose; NULL: there is no such stage
  uint64_t waiting, entered;       // queues not empty; of them, those whose oldest load came in this cycle
  uint32_t turn;                   // queue of the access that is next at the load/store unit; WEIR_NO_TURN: not asked
  bool first;                      // that access is a store or atomic, which waits until the queue is empty
  uint32_t count;
  uint16_t *lengths; // [count]
  struct weir_mreq_queue *queues;
};
#define WEIR_NO_TURN UINT32_MAX

// Requests on their way to the first-level look-up, first in, first out. What a look-up begins with is here, and not in the requests, which
// have left the host's cache since they were made.
struct weir_pipe_place {
  struct weir_mreq *request;
  weir_cycle due;
  uint64_t place; // of the request
};

struct weir_pipe {
  struct weir_pipe_place *places; // [capacity], a ring
  uint32_t head, count, capacity;
};

static inline bool weir_pipe_full(const struct weir_pipe *p) {
  return p->count == p->capacity;
}

// The oldest's place (there is one).
static inline struct weir_pipe_place *weir_pipe_head(const struct weir_pipe *p) {
  return &p->places[p->head];
}

static inline bool weir_pipe_due(const struct weir_pipe *p, weir_cycle now) {
  return p->count && weir_pipe_head(p)->due <= now;
}

// The place so many behind the oldest's, at most as many as there are.
static inline struct weir_pipe_place *weir_pipe_place(const struct weir_pipe *p, uint32_t behind) {
  const uint32_t at = p->head + behind;
  return &p->places[at < p->capacity ? at : at - p->capacity];
}

// There is room.
static inline void weir_pipe_push(struct weir_pipe *p, struct weir_mreq *r, weir_cycle due) {
  *weir_pipe_place(p, p->count++) = (struct weir_pipe_place){r, due, r->place};
}

static inline struct weir_mreq *weir_pipe_pop(struct weir_pipe *p) {
  struct weir_mreq *r = weir_pipe_head(p)->request;
  p->head = (uint32_t)(weir_pipe_place(p, 1) - p->places);
  p->count--;
  return r;
}

// The throttles of a core, and what they allow. Kept up to date only if there is one.
struct weir_throttling {
  uint32_t count;            // of throttles; 0: everything is allowed
  bool hear_cache;           // some of them are told of the first-level cache
  bool stale;                // since they were asked, warps have started or ended, or they have been told something
  struct weir_allowance all; // what every one of them allows, and the warp that goes nevertheless
  uint64_t overruled_issue, overruled_loads; // its bit, where they did not
  uint64_t waiting;                          // the view's, as they were asked
  struct weir_throttle_hooks hooks;
  uint8_t by_age[WEIR_MAX_WARPS];
  uint64_t issued[WEIR_MAX_WARPS];
};

// The stream buffer of the instruction cache (gpu/fetch.c), in bytes of the program. It has asked for the lines from `first`, the
// last that a warp wanted of them, up to `next`, and is to ask for those up to `end`.
struct weir_stream_buffer {
  uint64_t first, next, end;
};

// The running launch's code that the core has the shared cache fetch (gpu/fetch.c): lines from `next` up to `end`; pieces of others are on their way.
struct weir_launch_code {
  uint64_t next, end;
  uint32_t pieces;
};

// A scheduler's memory instructions on their way to the load/store unit, which takes them in order.
struct weir_address_unit {
  weir_cycle free_from; // the unit; then each place, WEIR_NEVER: what has it is not at the load/store unit yet
  weir_cycle places_free_from[WEIR_MAX_ADDRESS_QUEUE];
  uint32_t next, leaves; // the places that are taken next, and left next
};

struct weir_scheduler {
  uint64_t warps, let_go; // let_go: of them, those whose next instruction no throttle holds back in this cycle
  uint32_t last_issued;
  weir_cycle busy_until; // with an instruction of several slots
};

// Caches of a core whose queues may hold something.
enum weir_stirred {
  WEIR_STIRRED_L1 = 1,
  WEIR_STIRRED_CONSTANT = 2,
  WEIR_STIRRED_INSTRUCTION = 4,
  WEIR_STIRRED_TEXTURE = 8,
  WEIR_STIRRED_BULK = 16 // not a cache: bulk copies (gpu/bulk.h)
};

struct weir_sm_shared { // the same for all cores of a chip that one thread of the host steps
  const struct weir_core_config *config;
  struct weir_fabric *fabric;
  struct weir_mreq_pool *pool;
  struct weir_run_stats *stats;
  struct weir_pc_stats *pcs;            // of loads, stores and atomics
  struct weir_bank_counts *bank_counts; // per PC
  struct weir_pc_counts uncounted;      // of what is none of these: constants
  uint32_t piece_bytes;                 // sector of the first shared cache: answers come in such pieces
  const struct weir_decoded *decoded;   // per PC
  const uint32_t *places;               // per PC (exec/program.h)
  uint32_t registers;                   // scoreboard numbers of the program that has most
  const struct weir_launch *launch;     // the running one
  uint32_t l1_latency_cycles, l1_input_queue;
  struct weir_level_stats uncounted_level; // of instruction and constant caches, whose misses are counted apart
};

// The members stand in the order in which a cycle wants them, those of every cycle in few cache lines of the host: each core has
// its cycle after those of all others.
struct weir_sm {
  _Alignas(64) struct weir_sm_shared *shared;
  uint32_t number, resident_blocks;
  uint32_t stores; // answers to come, those to warps that have ended included
  weir_cycle last_tick;
  uint64_t ready;              // warps whose next instruction is fetched and free of hazards
  uint64_t counted;            // warps that counted as ready when they were last counted, and
  uint32_t count;              // how many those were
  uint64_t resident;           // warps
  uint64_t can_fetch, flushed; // flushed: drops what it had fetched, and can fetch from the next cycle
  uint64_t memory_next,
    special_next; // whose next instruction goes to the load/store unit, to another one than the ordinary
  // Load/store unit.
  uint32_t queue_head, queue_count;
  uint32_t queue_room;     // for so many: core.memory_queue, or none while too many bulk copies wait
  enum weir_stall blocked; // why the head of `pipe` was refused; NONE: it was not, or may be taken now
  uint32_t stirred;        // of enum weir_stirred
  bool
    blocked_firmly; // … and nobody would be asked again before a fetch has ended, or something has left the miss queue
  bool
    writes_parts; // the first-level cache keeps written bytes, and was to keep a part of a sector since it was flushed
  weir_cycle blocked_since;
  struct weir_pipe pipe;
  struct weir_mreq_queue returned; // answers of requests that skipped the cache
  uint32_t finishing;              // of `finishes`: written back next cycle
  struct weir_reorder_stage reorder;
  // Issue and fetch.
  uint64_t held;            // fetched, and waits for registers
  uint64_t load_next;       // of memory_next: is a load by the first-level cache
  uint64_t taken;           // warps whose branch was taken as they ran out: their next fetch is of the wrong path
  uint64_t exited, fences;  // fences: of view.waiting: at a fence, or for copies
  weir_cycle memory_issued; // the last cycle in which an instruction went to the load/store unit: one per cycle
  uint32_t memory_turn;     // the scheduler after that instruction's
  uint32_t last_fetched;
  struct weir_stream_buffer stream; // of no use if core.prefetch_lines is 0
  struct weir_launch_code launch_code;
  weir_cycle stalled_until[WEIR_MAX_WARPS]; // no instruction of the warp that is fetched meanwhile issues before
  uint32_t oldest_warp;                     // the first of the oldest block
  bool ages_in_turn;                        // from there on, round the warps' places, each is older than the next
  uint32_t manned;                          // schedulers that have a resident warp
  uint64_t *scoreboard;                     // [warp × words + word]: registers to be written
  uint32_t scoreboard_words;
  uint32_t pending_free, pending_capacity;
  struct weir_pending_load *pending;
  uint64_t instructions, launch_before;   // issued so far, in all and before the running launch
  struct weir_core_view view;             // what throttles see; kept without one is `waiting` alone
  uint32_t finishes[WEIR_MAX_PORT_FLITS]; // pending loads
  struct weir_scheduler schedulers[WEIR_MAX_SCHEDULERS];
  weir_cycle bank_cycle; // what is known of the banks' writes begins here
  struct weir_register_bank banks[WEIR_MAX_REGISTER_BANKS];
  struct weir_places main_collectors, special_collectors, memory_collectors;
  struct weir_unit units[WEIR_UNIT_KINDS][WEIR_MAX_UNITS];
  struct weir_warp_slot warps[WEIR_MAX_WARPS];
  _Alignas(64) struct weir_memory_op queue[WEIR_MAX_MEMORY_QUEUE];
  struct weir_address_unit address_units[WEIR_MAX_SCHEDULERS]; // of no use if core.address_cycles is 0
  uint64_t at_cluster, leaving; // of view.waiting: at a cluster's barrier; who know when they go on from a barrier
  weir_cycle barrier_free;      // from then on the next warp may arrive at a barrier; with core.barrier_interval_cycles
  struct weir_throttling throttling;
  struct weir_wheel wheel;
  struct weir_copies copies;
  struct weir_bulk_queue bulk;
  struct weir_fault fault;
  struct weir_cache instruction_cache, constant_cache, l1;
  struct weir_texture_cache texture_cache; // of no sets: the chip has none
  // Blocks.
  uint8_t by_age[WEIR_MAX_BLOCKS]; // of resident blocks, the oldest first; their warps are in order
  uint32_t block_limit, warps_per_block;
  struct weir_block_slot blocks[WEIR_MAX_BLOCKS];
  struct weir_rng delays;                // of their starts
  struct weir_transaction *transactions; // what the queue points to
};

struct weir_sm_caches {
  struct weir_cache_params l1, instruction, constant;
  struct weir_texture_params texture;
};

// `m` is zeroed.
void weir_sm_init(struct weir_sm *m, struct weir_sm_shared *shared, uint32_t number,
                  const struct weir_sm_caches *caches);
void weir_sm_free(struct weir_sm *m);

// More programs are known: shared->pcs, bank_counts, decoded and registers are others than before. Between launches.
void weir_sm_learn(struct weir_sm *m);

// The instruction so many behind the first of the load/store unit's queue; of its places no more are used than there may be instructions in
// it: the host's caches hold these.
static inline struct weir_memory_op *weir_sm_memory_op(struct weir_sm *m, uint32_t behind) {
  const uint32_t at = m->queue_head + behind, places = m->shared->config->memory_queue;
  return &m->queue[at < places ? at : at - places];
}

// Does the texture cache serve it (unless an operator of a surface load keeps it out)?
static inline bool weir_sm_reads_texture(const struct weir_sm *m, const struct weir_static *s) {
  return s->is_texture && m->texture_cache.params.sets;
}

// A load from global or local memory which is not served by the texture cache.
static inline bool weir_sm_reads_data(const struct weir_sm *m, const struct weir_static *s, uint8_t space) {
  return !weir_is_move(m->shared->config, s) && weir_is_data_load(s, weir_space_of(space)) &&
    !weir_sm_reads_texture(m, s);
}

// The first-level cache has what a carve-out leaves of the array that it shares with shared memory, where there is one.
void weir_sm_share_array(struct weir_sm *m, uint32_t carveout_kib);

// Empties the caches of instructions, constants and textures. Between launches.
void weir_sm_forget(struct weir_sm *m);

// Makes room for a launch: how many blocks fit, their storage. 0 blocks fit: the launch cannot run on this chip.
uint32_t weir_sm_prepare(struct weir_sm *m);
// Takes back that storage.
void weir_sm_finish(struct weir_sm *m);

// Drops the first-level cache's lines. Answers whether write-backs of dirty ones wait to go onto the network; thread-local
// memory needs none, as its threads have ended.
bool weir_sm_flush(struct weir_sm *m);

bool weir_sm_has_room(const struct weir_sm *m);
// Of a cluster of several blocks, all are started before a cycle of any core; NULL: it is a block of none.
void weir_sm_start_block(struct weir_sm *m, struct weir_cluster *cluster, const uint32_t index[3], weir_cycle now);

// Clusters have met at their barriers in cycle `now`, or none that has warps here: those that wait for one go on
// core.cluster_barrier_cycles later. Answers when the first does; WEIR_NEVER: none.
weir_cycle weir_sm_see_meetings(struct weir_sm *m, weir_cycle now);

// One cycle of the core, at network cycle network_now; returns the next cycle at which there may be something to do (WEIR_NEVER: none until an answer arrives).
// m->fault.raised afterwards if execution stopped.
weir_cycle weir_sm_tick(struct weir_sm *m, weir_cycle now, weir_cycle network_now);

// Nothing resident, nothing in flight?
static inline bool weir_sm_idle(const struct weir_sm *m) {
  return !(m->resident_blocks | m->stores);
}

// ---- between the files of this room -----------------------------------------------------------------------------------

// Results due in this cycle are written back, instructions fetched; there are some (weir_wheel_due).
void weir_sm_run_events(struct weir_sm *m, weir_cycle now);

void weir_sm_note_manned(struct weir_sm *m);                  // a warp has come or gone
void weir_sm_note_ages(struct weir_sm *m);                    // a block has come or gone
void weir_sm_retire(struct weir_sm *m, uint32_t warp);        // leaves, if nothing of it is in flight
void weir_sm_pass_fence(struct weir_sm *m, uint32_t warp);    // goes on, likewise
void weir_sm_let_go(struct weir_sm *m, uint32_t warp);        // goes on, from a fence or from waiting for copies
void weir_sm_leave_barrier(struct weir_sm *m, uint32_t warp); // goes on behind the barrier of its block or cluster

// It will in cycle `when` > now: what makes it wait there has been met.
static inline void weir_sm_leave_barrier_at(struct weir_sm *m, uint32_t warp, weir_cycle now, weir_cycle when) {
  m->leaving |= UINT64_C(1) << warp;
  weir_wheel_add(&m->wheel, now, when, WEIR_EVENT_MET, warp);
}

// Something of the warp's has come to its end: if it has exited, or waits at a fence, that may have been the last.
static inline void weir_sm_try_retire(struct weir_sm *m, uint32_t warp) {
  if (m->exited >> warp & 1) weir_sm_retire(m, warp);
}
static inline void weir_sm_settle_fence(struct weir_sm *m, uint32_t warp) {
  if (m->fences >> warp & 1) weir_sm_pass_fence(m, warp);
}

void weir_sm_issue(struct weir_sm *m, weir_cycle now);

// Throttles (gpu/throttle.c). Fills the view, which the companions of the first-level cache may keep; then, once that cache has
// its policies, finds the throttles among them.
void weir_throttle_init(struct weir_sm *m);
void weir_throttle_enlist(struct weir_sm *m);
// The following are called only if m->throttling.count is not 0.
void weir_throttle_start(struct weir_sm *m, uint32_t warp);
void weir_throttle_end(struct weir_sm *m, uint32_t warp);
void weir_throttle_issued(struct weir_sm *m, uint32_t warp, const struct weir_winstr *w, weir_cycle now);
// Whom the schedulers let go in this cycle; asks the throttles, if their last answer does not stand any more.
void weir_throttle_choose(struct weir_sm *m, weir_cycle now);
// Cycles have passed in which this scheduler issued nothing.
void weir_throttle_count_sleep(struct weir_sm *m, uint64_t cycles);
void weir_throttle_count(struct weir_sm *m, uint32_t scheduler, uint64_t cycles);
// The next cycle in which they would let go more than now, WEIR_NEVER: none before something else happens.
weir_cycle weir_throttle_wake(const struct weir_sm *m, weir_cycle now);

// The first-level cache is about to tell its policies something, if there is a throttle among them.
static inline void weir_throttle_hear_cache(struct weir_sm *m) {
  m->throttling.stale |= m->throttling.hear_cache;
}

// Those whose next instruction no throttle holds back.
static inline uint64_t weir_throttle_pass(const struct weir_sm *m, uint64_t warps) {
  const struct weir_throttling *t = &m->throttling;
  return warps & t->all.issue & (t->all.loads | ~m->load_next);
}
void weir_sm_fetch(struct weir_sm *m, weir_cycle now);
// Are there lines to ask for that no warp waits for?
static inline bool weir_sm_fetches_ahead(const struct weir_sm *m) {
  return m->stream.next < m->stream.end || m->launch_code.next < m->launch_code.end;
}
// Is there something to do for it in this cycle?
static inline bool weir_sm_fetches(const struct weir_sm *m) {
  return m->can_fetch || m->flushed || m->stirred & WEIR_STIRRED_INSTRUCTION || weir_sm_fetches_ahead(m);
}
// The core has the shared cache fetch the running launch's code, from the next cycle on.
void weir_sm_fetch_launch(struct weir_sm *m);
// A piece of it has come.
void weir_sm_take_launch_code(struct weir_sm *m, struct weir_mreq *r);
weir_cycle weir_sm_fetch_wake(const struct weir_sm *m, weir_cycle now);

static inline bool weir_lsu_has_room(const struct weir_sm *m) {
  return m->queue_count < m->queue_room;
}

// Each of these ready warps has a memory instruction that the load/store unit has no room for.
static inline bool weir_sm_waits_for_lsu(const struct weir_sm *m, uint64_t ready) {
  return !(ready & ~m->memory_next) && !weir_lsu_has_room(m);
}

// How many warps are ready, as the core's configuration means it. Mostly they are the same as in the cycle before.
static inline uint32_t weir_sm_ready_warps(struct weir_sm *m) {
  const bool all = m->shared->config->ready_warps == WEIR_READY_HAZARD_FREE || weir_lsu_has_room(m);
  const uint64_t ready = all ? m->ready : m->ready & ~m->memory_next;
  if (ready != m->counted) {
    m->counted = ready;
    m->count = weir_popcount(ready);
  }
  return m->count;
}
void weir_lsu_take(struct weir_sm *m, uint32_t warp, const struct weir_winstr *w, const struct weir_decoded *d,
                   weir_cycle now);
void weir_lsu_receive(struct weir_sm *m, struct weir_mreq *answer, weir_cycle now);
void weir_lsu_tick(struct weir_sm *m, weir_cycle now);
// Is there anything to do for it in this cycle?
static inline bool weir_lsu_has_work(const struct weir_sm *m, weir_cycle now) {
  if (m->stirred || m->finishing || m->returned.head || m->reorder.waiting) return true;
  if (m->queue_count && m->queue[m->queue_head].ready <= now) return true;
  if (m->l1.combining.head && m->l1.combining.head->ready <= now) return true;
  return m->blocked == WEIR_STALL_NONE && weir_pipe_due(&m->pipe, now);
}
weir_cycle weir_lsu_wake(const struct weir_sm *m, weir_cycle now);

// The reorder stage (gpu/reorder.c): there is one if m->reorder.by.
void weir_reorder_init(struct weir_sm *m);
// Asks, if that was not done, in which queue the next access belongs: m->reorder.turn.
void weir_reorder_ask(struct weir_sm *m, const struct weir_mreq *r, weir_cycle now);
// The next access, a load, enters its queue; false: that is full.
bool weir_reorder_push(struct weir_sm *m, struct weir_mreq *r, weir_cycle now);
// Must the next access, a store or atomic that has been asked about, wait for its queue?
bool weir_reorder_holds(struct weir_sm *m);
// Loads leave their queues for the pipe, which has taken what the load/store unit sent past the queues in this cycle.
void weir_reorder_move(struct weir_sm *m, weir_cycle now);

// What the first-level cache has refused so far is counted as waiting up to `now`.
void weir_lsu_settle(struct weir_sm *m, weir_cycle now);
// The policies may answer otherwise than they did: what was refused is offered again.
void weir_lsu_retry(struct weir_sm *m, weir_cycle now);

#endif
