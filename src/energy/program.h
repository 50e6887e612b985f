// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The energy of one of several programs that run on one chip at once, after Holey et al. section 6.1: its own cores in
// full; of what all use, a share: of dynamic energy by accesses, of static energy by execution time. Invariant: first a
// program's counts, which no cost goes into, then their price; so what was counted once is priced under any costs,
// without running again.
//
// What the paper leaves open is a choice (energy.shared_dynamic, energy.shared_static of a chip file); all are counted,
// so that a choice, too, needs no second run:
// - by accesses: of a shared cache's, or of the DRAM's, energy the part that the program's accesses are of all;
//   by events: what its own accesses touch (a bypassed one: tags alone), as far as that is counted;
// - by time: of the static energy from the run's beginning to the last program's count, the part that the program's
//   time is of the sum of all programs' times; equally: of the static energy during the program's own time, one part
//   in as many as there are programs.
#ifndef WEIR_ENERGY_PROGRAM_H
#define WEIR_ENERGY_PROGRAM_H

#include "energy/array.h"
#include "stats/cpu.h"

// What one program was counted with when it reached its count.
struct weir_energy_program {
  bool cpu;
  uint8_t requester;          // 0: the GPU's
  uint64_t time_ps;           // from the run's beginning
  struct weir_cpu_stats core; // a CPU program's
  struct weir_level_stats caches[WEIR_ENERGY_PRIVATE];
  struct weir_run_stats total;                          // the whole chip's
  struct weir_traffic_counts traffic;                   // its own
  struct weir_requester_counts shared[WEIR_MAX_LEVELS]; // its own, at shared levels
  uint64_t accesses[WEIR_MAX_LEVELS];                   // all programs' there
};

// Its counts: of its own cores …
// clang-format off
#define WEIR_ENERGY_CORE_FIELDS(X)                                                                                     \
  X(time_ps, "ps", "its execution time")                                                                               \
  X(warp_instructions, "instructions", "executed by warps, each counted once")                                         \
  X(thread_instructions, "instructions", "the same weighted by active lanes")                                          \
  X(shared_accesses, "accesses", "warp accesses to shared memory")                                                     \
  X(instructions, "instructions", "retired by the CPU core")                                                           \
  X(multiplies, "instructions", "of these, integer multiplications and divisions")                                     \
  X(floats, "instructions", "of these, instructions of floating-point or vector registers")                            \
  X(branches, "instructions", "of these, branches")                                                                    \
  X(mispredictions, "instructions", "of these, mispredicted ones")                                                     \
  X(memory, "accesses", "loads and stores")                                                                            \
  X(network_bits, "bits", "that it has the interconnect carry")                                                        \
  X(requests, "requests", "bursts that it has the memory controllers serve")                                           \
  X(time_share_ps, "ps", "its share of the static energy of what all use, by time: so long a time of all of it")       \
  X(equal_share_ps, "ps", "the same if all programs have an equal share")
// clang-format on

// … and of what programs share, by accesses and by events.
// clang-format off
#define WEIR_ENERGY_DRAM_FIELDS(X)                                                                                     \
  X(read_bits, "bits", "read from the DRAM")                                                                           \
  X(write_bits, "bits", "written to it")                                                                               \
  X(activates, "commands", "rows opened")
// clang-format on

struct weir_energy_shared {
  struct weir_energy_array levels[WEIR_MAX_LEVELS]; // [0] is not shared
#define X(name, unit, meaning) double name;
  WEIR_ENERGY_DRAM_FIELDS(X)
#undef X
};

struct weir_energy_counts {
  bool cpu;
  uint8_t requester;
#define X(name, unit, meaning) double name;
  WEIR_ENERGY_CORE_FIELDS(X)
#undef X
  struct weir_energy_array own[WEIR_ENERGY_PRIVATE]; // a CPU program's; the GPU's: [0], the first level
  struct weir_energy_shared by_accesses, by_events;
};

// The counts of programs[which], of `count` that run at once on a chip with so many levels of caches.
void weir_energy_count(const struct weir_energy_program *programs, unsigned count, unsigned which, unsigned levels,
                       struct weir_energy_counts *counts);

enum { WEIR_MAX_PROGRAM_PARTS = 2 + 2 * WEIR_ENERGY_PRIVATE + 2 * WEIR_MAX_LEVELS + 10 };

// At most `capacity` parts: "core_dynamic", "core_static"; of each of its own caches and then of each shared one
// "NAME_dynamic", "NAME_static"; "network", "network_static", "controller_dynamic", "controller_static",
// "dram_dynamic", "dram_static"; and sums: "on_chip_dynamic", "on_chip_static", "dram", "total". Returns how many.
unsigned weir_energy_program_parts(const struct weir_energy_costs *costs, const struct weir_energy_counts *counts,
                                   struct weir_energy_part *parts, unsigned capacity);

// Energy × delay², the delay squared, in J s². Systems are compared by the geometric mean of their programs' ratios.
double weir_energy_delay_squared(double picojoules, double time_ps);

#endif
