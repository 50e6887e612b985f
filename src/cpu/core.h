// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One out-of-order CPU core with its private caches, fed by a program's instructions in program order. It knows when
// things happen, and nothing of values: what an instruction does the feed has said before.
//
// The model: up to `width` instructions per cycle enter the reorder buffer in program order, and as many leave it in that
// order once they are done. In between, an instruction is executed as soon as all that it reads is there: registers of
// older instructions, and words that an older store writes. There are execution units enough, but load ports. Behind a
// mispredicted branch nothing enters before that has been executed and the front end has been redirected; wrong paths are
// not executed. The stack pointer is always there, as cores compute it ahead of execution. Stores are written in order
// after they have retired; lines to be written are fetched first, several at a time.
//
// Invariant: times are cycles of the core's own clock; an instruction's time is known from the moment that the times of
// all it depends on are, which mostly is when it enters. A request that leaves the L2 is in `out` until its taker takes it.
#ifndef WEIR_CPU_CORE_H
#define WEIR_CPU_CORE_H

#include "cpu/config.h"
#include "cpu/pages.h"
#include "cpu/predictor.h"
#include "mem/cache.h"
#include "stats/cpu.h"

// Where a core's instructions come from: the next ones, at most `most`, valid until the next call; 0: the program has ended.
struct weir_cpu_feed {
  size_t (*read)(void *context, struct weir_trace_inst *out, size_t most);
  void *context;
};

enum { WEIR_CPU_BATCH = 256, WEIR_CPU_LINKS = 16, WEIR_CPU_WORDS = 4096 };

struct weir_cpu_slot { // of the reorder buffer
  const struct weir_trace_static *what;
  uint64_t addresses[WEIR_TRACE_ACCESSES]; // in memory, not the program's own
  weir_cycle ready, done;                  // what it reads is there; its result is. WEIR_NEVER: not known yet
  weir_cycle loaded;                       // the last of its loads so far
  uint16_t waits;                          // operands whose time is not known yet
  uint16_t loads_left;                     // requests on their way
  uint16_t first_dependent;                // slot × WEIR_CPU_LINKS + operand of who waits for it
  uint16_t next[WEIR_CPU_LINKS];           // the same of its own operands' other dependents
  uint8_t next_access;                     // the first one not sent yet, and whether its second line is
  bool second_line;
  uint8_t forwarded; // accesses that an older store has the data of
  bool redirects;    // a mispredicted branch
};

struct weir_cpu_store {
  uint64_t address, number; // of its instruction
  uint32_t pc;
  bool fetching; // its line is on its way
};

struct weir_cpu_word {   // who wrote it last
  uint64_t word, number; // address / 8; of the instruction, + 1
};

struct weir_cpu_load { // to be looked up
  weir_cycle when;
  uint64_t number;
};

struct weir_cpu_core {
  struct weir_cpu_config config;
  struct weir_cpu_feed feed;
  struct weir_trace_inst batch[WEIR_CPU_BATCH];
  size_t at, count, ahead; // ahead: of the batch, the first one whose line has not been asked for before its turn
  bool ended;              // the feed has no more
  uint8_t requester;       // of its requests, from 1
  uint16_t port;           // weir_mreq.core of its requests
  struct weir_predictor predictor;
  struct weir_pages pages;
  struct weir_cpu_slot *slots;
  uint64_t head, tail;   // numbers of the oldest instruction in the window and of the next to enter
  uint64_t writers[256]; // by register: number + 1 of its last writer
  struct weir_cpu_word words[WEIR_CPU_WORDS];
  struct weir_cpu_load *loads; // binary heap
  uint32_t load_count, load_capacity;
  bool loads_blocked;                            // the data cache takes no more before a line arrives
  weir_cycle fetch_at;                           // WEIR_NEVER: waits for a branch or for a line
  uint64_t fetch_line;                           // number + 1 of the line last fetched
  bool misled;                                   // the youngest instruction is a mispredicted branch
  struct weir_cpu_store *stores;                 // ring
  uint32_t store_head, store_count, store_asked; // of these, the first ones whose lines were asked for
  struct weir_cache l1i, l1d, l2;
  struct weir_mreq_queue to_l2, to_l1; // `ready`: when they are there
  struct weir_mreq_queue out;          // towards the network; unbounded, as the L2's MSHRs bound it
  struct weir_mreq_pool *pool;
  struct weir_cpu_stats stats;
  weir_cycle began, last_tick;
  bool started;
};

// `levels`: the counters of the L1I, the L1D and the L2. `line_bytes` of the three are alike.
void weir_cpu_init(struct weir_cpu_core *c, const struct weir_cpu_config *config, const struct weir_cpu_feed *feed,
                   uint8_t requester, uint16_t port, struct weir_mreq_pool *pool, struct weir_level_stats levels[3]);
void weir_cpu_free(struct weir_cpu_core *c);

// One cycle. Returns the next one at which there is something to do (WEIR_NEVER: none before an answer arrives, or none at
// all: weir_cpu_done).
weir_cycle weir_cpu_tick(struct weir_cpu_core *c, weir_cycle now);

// The answer to a request that was taken from `out`; write-backs have none. Tick then, in this cycle or later.
void weir_cpu_answer(struct weir_cpu_core *c, struct weir_mreq *answer, weir_cycle now);

// The next instructions take no cycles, before the first tick: caches, predictor and pages are then as if they had been
// executed one after the other. What leaves the L2 is handed to `below`, which leaves it to the core: a request other than a
// write-back is answered when `below` returns. Counters of the caches count on.
void weir_cpu_warm(struct weir_cpu_core *c, uint64_t instructions, void (*below)(void *context, struct weir_mreq *r),
                   void *context);

// The program has ended and nothing of it is left.
bool weir_cpu_done(const struct weir_cpu_core *c);

#endif
