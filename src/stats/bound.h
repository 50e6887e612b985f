// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is counted of a recorded run beside the best of decisions on it (mem/optimum.h).
#ifndef WEIR_STATS_BOUND_H
#define WEIR_STATS_BOUND_H

#include <stdint.h>

// clang-format off
#define WEIR_BOUND_FIELDS(X)                                                                                          \
  X(accesses, "accesses", "of the recorded run, but for those that found their line on its way")                      \
  X(misses, "accesses", "of these, those that missed")                                                                \
  X(least_misses, "accesses", "that would have missed with the best of decisions on the same accesses in the same "   \
                              "order")                                                                                \
  X(load_misses, "accesses", "of misses, those of loads")                                                             \
  X(least_load_misses, "accesses", "of least_misses, those of loads")                                                 \
  X(fills, "lines", "(of sectored caches: sectors) that loads brought in")                                           \
  X(unkept_fills, "lines", "of these, those that the best of decisions would not have kept until their next use, or "  \
                           "that have none")
// clang-format on

struct weir_bound_counts {
#define X(name, unit, meaning) uint64_t name;
  WEIR_BOUND_FIELDS(X)
#undef X
};

#endif
