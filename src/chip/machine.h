// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A built chip: its parts and their clocks. Private to src/chip. Invariant: every part has a wake cycle in its own
// clock's count, never later than the next cycle at which it could do anything; a clock's wake is its parts' earliest.
#ifndef WEIR_CHIP_MACHINE_H
#define WEIR_CHIP_MACHINE_H

#include "chip/chip.h"
#include "chip/config.h"
#include "chip/scheme.h"
#include "gpu/sm.h"
#include "mem/census.h"
#include "mem/dram.h"
#include "mem/slice.h"

// Parts of one kind, in one clock domain, in the order in which they are served at equal times.
struct weir_domain {
  weir_time period;     // picoseconds per cycle
  weir_cycle *wakes;    // per part
  uint32_t parts;
  weir_cycle wake;      // the earliest of them
};

struct weir_chip {
  struct weir_chip_config *config;
  const struct weir_scheme *scheme;
  uint64_t seed;
  struct weir_fabric fabric;
  struct weir_sm_shared shared;
  struct weir_sm *sms;
  struct weir_slice *slices;
  struct weir_dram *drams;
  struct weir_domain drams_clock, slices_clock, network_clock, cores_clock;
  uint32_t *next_slice;         // per channel: the slice whose turn it is
  struct weir_census *census[WEIR_MAX_LEVELS];
  struct weir_run_stats stats;
  struct weir_load_stats *loads;
  uint32_t load_count;
  bool built;                   // parts exist: at the first launch, when the program is known
  weir_time now;
  // The running launch.
  const struct weir_launch *launch;
  struct weir_launch clocked;   // the same, with this chip's clock
  uint64_t next_block, blocks;
  uint32_t last_dispatched;
  uint64_t full_at;             // no core had room when this many blocks had ended; UINT64_MAX: one may have
  weir_cycle core_cycle;
  // Host copies that came before the parts existed.
  struct weir_copy {
    uint64_t address, bytes;
  } *copies;
  uint32_t copy_count, copy_capacity;
  struct weir_kernel_stats *kernels;
  uint32_t kernel_count, kernel_capacity;
  weir_cycle progress_period, progress_next;
  void (*progress)(void *context, const struct weir_run_stats *so_far);
  void *progress_context;
};

// Makes the parts for a program (chip/build.c).
void weir_chip_build(struct weir_chip *c, const struct weir_program *program);
void weir_chip_unbuild(struct weir_chip *c);
void weir_chip_place_copy(struct weir_chip *c, uint64_t address, uint64_t bytes);

// Runs one launch to its end (chip/run.c).
bool weir_chip_launch(struct weir_chip *c, const struct weir_launch *launch, struct weir_fault *fault);

#endif
