// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Energy: what was counted × what one of it costs, and leakage × time. Invariant: a pure function of costs and counts; the
// energy of two runs' summed counts is the sum of their energies.
#ifndef WEIR_ENERGY_ENERGY_H
#define WEIR_ENERGY_ENERGY_H

#include "stats/stats.h"

struct weir_energy_level {
  const char *name;   // of the cache; lives as long as the parts are used
  double tag_pj;      // look-up, and write by a fill
  double read_pj, write_pj, fill_pj; // data
  double predictor_pj;
  double leakage_mw;  // of one instance
  uint32_t instances;
  bool parallel;      // a look-up reads the data as well, whatever it finds
};

struct weir_energy_costs {
  struct weir_energy_level levels[WEIR_MAX_LEVELS];
  unsigned levels_count;
  double shared_pj;   // per warp access
  double network_pj_per_bit, dram_pj_per_bit, dram_activate_pj;
};

// One part's energy.
struct weir_energy_part {
  char name[32]; // "l1_tag", "l1_data", "l1_predictor", "l1_leakage", …, "shared", "network", "dram", "dram_activate"
  double picojoules;
};

enum { WEIR_MAX_ENERGY_PARTS = 4 * WEIR_MAX_LEVELS + 4 };

// Writes at most `capacity` parts, in the order of the levels, and returns how many.
unsigned weir_energy(const struct weir_energy_costs *costs, const struct weir_run_stats *counts,
                     struct weir_energy_part *parts, unsigned capacity);

#endif
