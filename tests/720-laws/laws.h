// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random chips × kernels × schemes, held to what must be true of every run whatever it measures. Invariant: a case is a function
// of its seed alone; what is kept of a run (struct run) is plain data, so that a test can copy it and plant a wrong count.
#ifndef WEIR_TESTS_LAWS_H
#define WEIR_TESTS_LAWS_H

#include "base/rng.h"
#include "chip/machine.h"
#include "host/app.h"

#include <stdbool.h>
#include <stdio.h>

enum { MAX_TEXT = 1 << 16, MAX_PCS = 1536, MAX_CORES = 64, KINDS = 4, MAX_REPORTS = 24, NOTE_BYTES = 1 << 14 };

// ---- a case: four texts --------------------------------------------------------------------------------------------------

struct text {
  char *at;
  size_t length;
};
void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What the kernel and the scheme must know of the chip.
struct chip_facts {
  uint32_t cores, lanes, max_warps, shared_bytes, levels;
  uint32_t groups;    // of cores, to which blocks go in turn; 0: none
  uint32_t gpc_cores; // that each GPC has at least; 0: the chip has no clusters
};

struct example {
  uint64_t seed;
  struct text chip, kernel, launches, scheme;
  struct chip_facts facts;
  uint32_t cluster; // blocks
};

void make_chip(struct weir_rng *r, struct example *e);
void make_kernel(struct weir_rng *r, struct example *e);
void make_scheme(struct weir_rng *r, struct example *e);
void free_example(struct example *e);

static inline uint32_t between(struct weir_rng *r, uint32_t low, uint32_t high) { // both included
  return low + (uint32_t)weir_rng_below(r, high - low + 1u);
}

static inline bool chance(struct weir_rng *r, uint32_t percent) {
  return weir_rng_below(r, 100) < percent;
}

#define one_of(r, list) ((list)[weir_rng_below((r), sizeof(list) / sizeof *(list))])

// ---- what the program does, whatever the chip: seen by stepping its warps one after the other ----------------------------

struct expected {
  uint64_t warp_instructions, thread_instructions, blocks, launches;
  uint64_t shared_accesses, shared_conflicts, cluster_accesses, replays;
  uint64_t loads, skips; // accesses of loads from global and local memory; those that an operator keeps from the L1
  uint64_t skip_bytes;   // of them
  uint64_t past;         // stores that go past the first level: bulk copies
  uint64_t stores, store_pieces,
    store_bytes; // as the first level sees them; in sectors of the second; in their packets
  uint64_t local_stores, atomics, atomic_pieces;
  uint64_t local_loads, texture_loads; // accesses; texture_loads: that no texture cache serves
  uint64_t global_load_requests, global_store_requests, local_load_requests, local_store_requests; // executions
  uint64_t textures;          // accesses that a texture cache serves
  uint64_t cached_executions; // of loads that look into the L1
  uint64_t distinct, once;    // lines that reach the L1's tags; meaningless with local memory
  uint64_t stored;            // sectors of the L1 that global stores write to
  bool local;
  struct {
    uint8_t op_class; // load, store or atomic, once it has been executed
    uint64_t executions, transactions, by_transactions[WEIR_TRANSACTIONS_COUNTED + 1];
  } pcs[MAX_PCS];
};

// What it is counted by: the chip's segments and sectors.
struct grain {
  uint32_t coalesce, piece, line, sector, constant_line, texture_line, shared_banks, shared_bank_bytes;
  bool past_first[WEIR_HINT_COUNT]; // loads with this hint to the first level
  bool by_element, skip_l1_global, constant_by_address,
    calls_are_local; // texture_line 0: the first level serves textures
};

struct weir_backend expecting(struct expected *out, const struct grain *grain);

// ---- a run ------------------------------------------------------------------------------------------------------------------

// What a policy that only looks sees at one cache.
struct sightings {
  uint64_t looks[KINDS], hits[KINDS]; // by enum weir_access_kind; hits: not of fills in flight
  uint64_t inserts, evicts, invalidates;
};

struct level_end {                      // as the run ends, all instances together
  uint64_t lines, sectors, dirty, away; // held; away: in another slice than their address's
  uint64_t miscounted;                  // sets whose count of lines is wrong
  uint64_t busy_mshrs, stranded;        // stranded: requests other than write-backs in its queues
  uint64_t leaving;                     // bytes of write-backs on their way down, not yet taken below
  uint64_t leaving_requests;            // the same, whole requests (of the last level, to DRAM)
  uint64_t asked;                       // of what comes from above: looked up, and refused so far
};

struct run {
  struct weir_chip_config *config;  // borrowed
  const struct weir_scheme *scheme; // borrowed
  struct expected expected;
  struct weir_run_stats total, kernels; // kernels: their sum
  unsigned kernel_count;
  struct weir_pc_stats pcs[MAX_PCS];
  uint32_t pc_count;
  uint64_t core_instructions[MAX_CORES];
  struct sightings seen[WEIR_MAX_LEVELS][MAX_CORES]; // by instance
  struct level_end ends[WEIR_MAX_LEVELS];
  uint64_t opened_unserved, closed_unopened; // DRAM banks as the run ends
  struct weir_sample samples;                // their sum
  unsigned sample_count;
  uint64_t predictors[WEIR_MAX_LEVELS]; // what the policies' own counters say of their tables
  struct weir_energy_part parts[WEIR_MAX_ENERGY_PARTS];
  unsigned part_count;
  uint64_t checksum, functional, stepped; // of all buffers: after the timed run, a functional one, and steps
  bool repeated;                          // a second run was made, without anybody looking and on several threads
  struct weir_run_stats again;
  uint64_t again_pcs, first_pcs; // checksums of the loads' and the shared accesses' tables
  uint64_t again_checksum;
  bool recorded; // what its warps do was recorded as it ran without a chip, and run from there
  struct weir_run_stats replayed;
  uint64_t replayed_pcs;
};

// Atomics that a level performs.
static inline uint64_t atomics_at(const struct run *run, unsigned level) {
  return level == 1 ? run->expected.atomic_pieces : 0;
}

enum outcome { RAN, REJECTED, BROKE }; // BROKE: the program faulted, or hung

void make_example(uint64_t seed, struct example *e);
// Writes its files to `folder`; false: it could not.
bool keep_example(const struct example *e, const char *folder);
void forget_example(const char *folder); // these files, and the folder
// Runs what keep_example wrote. `why`: NOTE_BYTES, what was wrong.
enum outcome run_example(const struct example *e, const char *folder, bool repeat, struct run *run, char *why);
void free_run(struct run *run);

// Watching from inside: a policy at every cache.
void watch(struct weir_scheme *s, unsigned levels, struct run *run);
void look_inside(const struct weir_chip *c, struct run *run);

// ---- laws -------------------------------------------------------------------------------------------------------------------

struct verdict {
  const char *law; // being checked
  char *notes;
  size_t length;
  unsigned broken;
};

struct law {
  const char *name, *text;
  void (*check)(const struct run *run, struct verdict *v);
};

extern const struct law core_laws[], cache_laws[], memory_laws[];
extern const unsigned core_law_count, cache_law_count, memory_law_count;

void equal(struct verdict *v, const char *what, uint64_t is, uint64_t must);
void at_most(struct verdict *v, const char *what, uint64_t is, uint64_t most);

// Does a policy of this level have the hook? (of the chip's scheme, the watcher aside)
bool level_asks_load(const struct run *run, unsigned level);
bool level_asks_stall(const struct run *run, unsigned level);
bool level_asks_keep(const struct run *run, unsigned level);

// The number of laws that the run breaks; notes say which (NOTE_BYTES).
unsigned check_laws(const struct run *run, char *notes);

#endif
