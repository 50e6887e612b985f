// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Several programs on one chip at once: at most one on the GPU's cores, and one on each CPU core. As in Holey et al. section 4:
// each program has an instruction count; what is said of it is what was counted when it reached that; then it goes on, begun
// again if it ends, so that the others still feel it, until all have reached theirs.
// Invariant: all begin at the same time; simulated time passes only while a launch runs, or weir_chip_run_cpus.
#ifndef WEIR_CHIP_MIX_H
#define WEIR_CHIP_MIX_H

#include "chip/chip.h"
#include "cpu/core.h"
#include "stats/cpu.h"
#include "stats/requester.h"

struct weir_chip_cpu_program {
  const char *name;          // borrowed
  struct weir_cpu_feed feed; // never ends: a program that ends begins again
  uint64_t warmup;           // instructions that first fill the caches, taking no cycles and counted nowhere
  uint64_t instructions;     // its count, at least 1
};

// Puts a program on the next CPU core; its requester (weir_mreq.requester) is that core's number + 1. Before the first launch, and
// at most as often as there are cores.
void weir_chip_add_cpu(struct weir_chip *c, const struct weir_chip_cpu_program *p);

// There is a program on the GPU's cores. Its count, in warp instructions; 0: what it executes until it ends (weir_chip_gpu_ended).
void weir_chip_add_gpu(struct weir_chip *c, const char *name, uint64_t warp_instructions);
void weir_chip_gpu_ended(struct weir_chip *c);

// Every program has reached its count, or a feed has ended before (its program is not `counted`). A launch that runs then is
// stopped: it answers false, with no fault raised.
bool weir_chip_mix_done(const struct weir_chip *c);

// Runs until that is so, without a launch. False and `fault` if it cannot go on.
bool weir_chip_run_cpus(struct weir_chip *c, struct weir_fault *fault);

enum { WEIR_CPU_LEVELS = 3 }; // of private caches: L1I, L1D, L2

// One program, and what was counted when it reached its count.
struct weir_chip_program {
  const char *name;
  bool cpu, counted;     // counted: it did reach it
  uint8_t requester;     // 0: the GPU's
  uint64_t instructions; // retired then; the GPU's: of warps
  weir_cycle cycles;     // of its own cores' clock, from the beginning of the run
  weir_time time_ps;     // the same
  uint64_t restarts;     // the GPU's: how often it had come to its end by the run's end; a CPU program's feed knows
  struct weir_cpu_stats core; // a CPU program's
  struct weir_level_stats levels[WEIR_CPU_LEVELS];
  struct weir_run_stats total; // the whole chip's
  struct weir_traffic_counts traffic;
  uint32_t port_count;
  struct weir_requester_counts *by_port[WEIR_MAX_LEVELS]; // [level][port], every port's; NULL of level 0
};

// In the order of their requesters: the GPU's first, if there is one.
unsigned weir_chip_programs(const struct weir_chip *c, const struct weir_chip_program **programs);

// What a requester's ports counted at a level when `a` reached its count.
struct weir_requester_counts weir_chip_requester_counts(const struct weir_chip *c, const struct weir_chip_program *a,
                                                        unsigned level, uint8_t requester);

// What every port has counted at a shared level so far, by port; freed by weir_free. `ended`: lines still there count
// as ended, as at the end of a run. All 0 of a chip without CPU cores.
struct weir_requester_counts *weir_chip_by_port(const struct weir_chip *c, unsigned level, bool ended);

#endif
