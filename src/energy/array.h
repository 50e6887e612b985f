// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a cache's arrays do, in numbers that may be shares of a count. Invariant: doubles and nothing else; energy is
// linear in them.
#ifndef WEIR_ENERGY_ARRAY_H
#define WEIR_ENERGY_ARRAY_H

#include "energy/energy.h"
#include "stats/requester.h"

// clang-format off
#define WEIR_ENERGY_ARRAY_FIELDS(X)                                                                                    \
  X(tags, "accesses", "look-ups of the tags, and fills, which write them")                                             \
  X(reads, "accesses", "reads of the data array")                                                                      \
  X(writes, "accesses", "writes of the data array other than fills")                                                   \
  X(fills, "lines", "fills")                                                                                           \
  X(lookups, "accesses", "reads of the data array if every look-up reads it: look-ups, and lines written back")        \
  X(predictor, "accesses", "look-ups and updates of policies' predictor tables")
// clang-format on

struct weir_energy_array {
#define X(name, unit, meaning) double name;
  WEIR_ENERGY_ARRAY_FIELDS(X)
#undef X
};

struct weir_energy_array weir_energy_array_of(const struct weir_level_stats *n);
struct weir_energy_array weir_energy_array_times(const struct weir_energy_array *n, double factor);

// pJ: of the tags; of the data; of tags, data and predictor.
double weir_energy_tags(const struct weir_energy_level *level, const struct weir_energy_array *n);
double weir_energy_data(const struct weir_energy_level *level, const struct weir_energy_array *n);
double weir_energy_dynamic(const struct weir_energy_level *level, const struct weir_energy_array *n);

// pJ: mW for so many ps.
static inline double weir_energy_static(double milliwatts, double picoseconds) {
  return milliwatts * picoseconds * 1e-3;
}

#endif
