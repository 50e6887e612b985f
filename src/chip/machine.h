// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A built chip: its parts and their clocks. Private to src/chip. Invariant: every part has a wake cycle in its own
// clock's count, never later than the next cycle at which it could do anything; a clock's wake is its parts' earliest.
#ifndef WEIR_CHIP_MACHINE_H
#define WEIR_CHIP_MACHINE_H

#include "chip/chip.h"
#include "chip/clocks.h"
#include "chip/cpus.h"
#include "chip/epoch.h"
#include "chip/foresight.h"
#include "chip/kernels.h"
#include "chip/members.h"
#include "chip/mix_state.h"
#include "chip/samples.h"
#include "chip/steady.h"
#include "config/chip_file.h"
#include "config/config.h"
#include "gpu/sm.h"
#include "mem/census.h"
#include "mem/dram.h"
#include "mem/host_link.h"
#include "mem/slice.h"
#include "mem/residency.h"
#include "scheme/policies.h"

struct weir_chip {
  struct weir_chip_config *config;
  const struct weir_scheme *scheme;
  uint64_t seed;
  struct weir_fabric fabric;
  struct weir_chip_members members;
  unsigned threads; // of the host, that may serve the parts; 0 counts as 1
  struct weir_sm *sms;
  struct weir_slice *slices;
  struct weir_dram *drams;
  uint8_t *groups; // by core; NULL: nobody asks
  struct weir_clocks clocks;
  uint32_t *next_slice; // per channel: the slice whose turn it is
  struct weir_census *census[WEIR_MAX_LEVELS];
  struct weir_residency *residencies[WEIR_MAX_LEVELS]; // of shared levels, where CPU cores share them
  struct weir_traffic_counts *traffic;                 // by port, likewise
  struct weir_chip_cpu *cpus;                          // CPU cores; NULL: none, or not built
  struct weir_cpu_cluster *clusters;
  struct weir_mix_state mix;
  struct weir_run_stats stats;
  // Per PC, of all programs that have launched. A program may go before the chip.
  struct weir_pc_stats *pcs;
  struct weir_bank_counts *bank_counts;
  struct weir_decoded *decoded;
  uint32_t *places; // of machine code
  uint32_t pc_count;
  uint32_t *programs, program_count, program_capacity; // their first PCs
  bool built;                                          // parts exist: at the first launch
  bool stale;                                          // caches have what was there before a launch that was skipped
  weir_time now;
  struct weir_epochs epochs;
  struct weir_recorder recorder;
  struct weir_foresight foresight;
  struct weir_steady steady;
  struct {
    const struct weir_cache_watch *by; // NULL: nobody watches
    unsigned level;
    uint32_t instance;
  } watch;
  struct weir_host_memory *host_memory; // the device's; NULL: none
  struct weir_host_link host;           // memory NULL: kernels do not use it
  weir_time host_wake;                  // when it has something to do
  uint32_t fetch_bytes;                 // of the first shared cache, with a sector that misses
  uint32_t last_ways;                   // of the first shared cache, of lines that go last, at most
  // The running launch.
  const struct weir_launch *launch; // with this chip's clock
  weir_cycle dispatch_from;         // no block starts before this core cycle:
  bool held;                        // that is yet to come
  uint64_t next_block, blocks;
  uint32_t *turns, last_turn; // cores in the order in which they are given blocks; the place there of the last that was
  uint32_t last_gpc,
    last_in_gpc[WEIR_MAX_GPCS]; // of clusters: the last that took one, and in each the last core that took a block
  uint64_t full_at;             // no core had room when this many blocks had ended; UINT64_MAX: one may have
  weir_cycle core_cycle;
  bool flushing; // the blocks have ended, and first-level caches are writing back
  // Host copies that came before the parts existed.
  struct weir_early_copy {
    uint64_t address, bytes;
  } * copies;
  uint32_t copy_count, copy_capacity;
  struct weir_note
    *notes; // what a launch without time has accessed, of note_count the last (chip/skip.c); NULL: none has
  uint64_t note_count;
  uint64_t *
    constants; // lines of constants that it has read, constant_count, the last one first: as many as a core's cache may hold
  uint32_t constant_count;
  struct weir_kernel_log kernels;
  weir_cycle effort_next; // when the run's effort is looked at again
  weir_cycle progress_period, progress_next;
  void (*progress)(void *context, const struct weir_run_stats *so_far);
  void *progress_context;
};

static inline uint32_t weir_chip_slice_count(const struct weir_chip *c) {
  return c->config->dram.channels * c->config->dram.slices_per_channel;
}

// Makes the parts (chip/build.c).
void weir_chip_build(struct weir_chip *c);
// A program is about to launch, which may be new to the parts.
void weir_chip_learn(struct weir_chip *c, const struct weir_program *program);
void weir_chip_unbuild(struct weir_chip *c);
void weir_chip_place_copy(struct weir_chip *c, uint64_t address, uint64_t bytes);

// The cache that is watched learns by whom (chip/parts.c).
void weir_chip_build_watch(struct weir_chip *c);

// Every instance of the cache at a level, one call each (chip/parts.c).
void weir_chip_each_cache(const struct weir_chip *c, unsigned level,
                          void (*visit)(struct weir_cache *cache, void *context), void *context);
// A block of the launch comes to a core that has room for it, in core cycle `now`; `cluster` as of weir_sm_start_block (chip/parts.c).
void weir_chip_start_block(struct weir_chip *c, uint32_t core, struct weir_cluster *cluster, const uint32_t index[3],
                           weir_cycle now);
// What the network and CPU cores have done so far (chip/parts.c).
void weir_chip_count_others(const struct weir_chip *c, struct weir_run_stats *s);

// What is in the caches is dropped if it is stale (chip/skip.c).
void weir_chip_freshen(struct weir_chip *c);

// Runs one launch to its end (chip/run.c).
bool weir_chip_launch(struct weir_chip *c, const struct weir_launch *launch, struct weir_fault *fault);

#endif
