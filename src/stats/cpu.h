// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a CPU core counts (stats/stats.h has the rest). Invariant: uint64_t and nothing else.
#ifndef WEIR_STATS_CPU_H
#define WEIR_STATS_CPU_H

#include <stdint.h>

// clang-format off
#define WEIR_CPU_FIELDS(X)                                                                                            \
  X(instructions, "instructions", "retired")                                                                          \
  X(cycles, "CPU cycles", "until the last of them was")                                                               \
  X(branches, "instructions", "branches dispatched, of whatever kind")                                                \
  X(mispredictions, "instructions", "of these, those that only their execution told the way of")                      \
  X(late_targets, "instructions", "of these, taken ones whose target only the decoder found")                         \
  X(multiplies, "instructions", "integer multiplications and divisions dispatched")                                   \
  X(floats, "instructions", "instructions of floating-point or vector registers dispatched")                          \
  X(loads, "accesses", "loads executed")                                                                              \
  X(forwarded_loads, "accesses", "of these, those that an older store still in the core had the data of")             \
  X(stores, "accesses", "stores retired")                                                                             \
  X(window_full_cycles, "CPU cycles", "in which nothing entered the reorder buffer, as it was full")                     \
  X(fetch_stall_cycles, "CPU cycles", "in which nothing entered it for another reason: a line of instructions was "       \
                                      "missed, a branch mispredicted, a system instruction alone")                       \
  X(store_stall_cycles, "CPU cycles", "in which a finished store could not leave it, as the store buffer was full")
// clang-format on

struct weir_cpu_stats {
#define X(name, unit, meaning) uint64_t name;
  WEIR_CPU_FIELDS(X)
#undef X
};

#endif
