// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Energy: what was counted × what one of it costs, and static power × time. Invariant: a pure function of costs and
// counts; the energy of two runs' summed counts is the sum of their energies.
#ifndef WEIR_ENERGY_ENERGY_H
#define WEIR_ENERGY_ENERGY_H

#include "stats/stats.h"

struct weir_energy_level {
  const char *name;                  // of the cache; lives as long as the parts are used
  double tag_pj;                     // look-up, and write by a fill
  double read_pj, write_pj, fill_pj; // data
  double predictor_pj;
  double leakage_mw; // of one instance
  uint32_t instances;
  bool parallel; // a look-up reads the data as well, whatever it finds
};

enum { WEIR_ENERGY_PRIVATE = 3 }; // caches of a CPU core: L1I, L1D, L2

// A CPU core. What an instruction costs beyond instruction_pj comes on top of it.
struct weir_energy_cpu {
  double instruction_pj, multiply_pj, float_pj, branch_pj, misprediction_pj, memory_pj;
  double static_mw;
  struct weir_energy_level caches[WEIR_ENERGY_PRIVATE];
};

// By what a program's share of what all use is told (energy/program.h).
enum weir_energy_dynamic_share { WEIR_ENERGY_BY_ACCESSES, WEIR_ENERGY_BY_EVENTS };
enum weir_energy_static_share { WEIR_ENERGY_BY_TIME, WEIR_ENERGY_EQUALLY };

struct weir_energy_costs {
  struct weir_energy_level levels[WEIR_MAX_LEVELS];
  unsigned levels_count;
  double shared_pj; // per warp access
  double network_pj_per_bit, dram_pj_per_bit, dram_activate_pj;
  // What many chips say nothing of, and then is 0:
  double core_warp_pj, core_lane_pj;                  // a warp's instruction, and each thread's of it
  double core_static_mw;                              // all cores of the GPU
  double network_static_mw;                           // all of it
  double controller_request_pj, controller_static_mw; // all memory controllers
  double dram_write_pj_per_bit;                       // on top of dram_pj_per_bit
  double dram_static_mw;                              // all channels
  struct weir_energy_cpu cpus[WEIR_MAX_REQUESTERS];   // by requester, from 1
  enum weir_energy_dynamic_share shared_dynamic;
  enum weir_energy_static_share shared_static;
};

// One part's energy.
struct weir_energy_part {
  char name[32]; // "l1_tag", "l1_data", "l1_predictor", "l1_leakage", …, "shared", "network", "dram", "dram_activate",
                 // and those that cost anything of "core_dynamic", "core_static", "network_static",
                 // "controller_dynamic", "controller_static", "dram_static"
  double picojoules;
};

enum { WEIR_MAX_ENERGY_PARTS = 4 * WEIR_MAX_LEVELS + 10 };

// Writes at most `capacity` parts, in the order of the levels, and returns how many. CPU cores are not among them.
unsigned weir_energy(const struct weir_energy_costs *costs, const struct weir_run_stats *counts,
                     struct weir_energy_part *parts, unsigned capacity);

#endif
