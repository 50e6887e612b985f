// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The keys of what things cost. Those that a file may leave out cost nothing then, so that a chip says what it knows.
#include "base/param_rows.h"
#include "config/keys.h"

#define LEVEL weir_energy_level_config
static const struct weir_param level_keys[] = {
  NAME(LEVEL, name, "the cache it is about"),
  REAL(LEVEL, tag_pj, 0, 1e9, "look-up of the tags, also for a fill"),
  REAL(LEVEL, read_pj, 0, 1e9, "read of the data"),
  REAL(LEVEL, write_pj, 0, 1e9, "write of a store's data"),
  REAL(LEVEL, fill_pj, 0, 1e9, "write of a fill's data"),
  REAL(LEVEL, predictor_pj, 0, 1e9, "access to a policy's table"),
  REAL(LEVEL, leakage_mw, 0, 1e9, "of one instance: a core's cache, a slice"),
  REAL(LEVEL, predictor_tag_pj, 0, 1e9, "instead of tag_pj where a policy keeps a table and widens the tags"),
  REAL(LEVEL, predictor_leakage_mw, 0, 1e9, "instead of leakage_mw there"),
  BOOL(LEVEL, parallel, "every look-up reads tag and data together"),
};
static const struct weir_param_table level_table = TABLE_OF("a cache's energy", LEVEL, level_keys);

#define CACHE weir_energy_cache_config
static const struct weir_param cache_keys[] = {
  REAL(CACHE, tag_pj, 0, 1e9, "look-up of the tags, also for a fill"),
  REAL(CACHE, read_pj, 0, 1e9, "read of the data"),
  REAL(CACHE, write_pj, 0, 1e9, "write of a store's data"),
  REAL(CACHE, fill_pj, 0, 1e9, "write of a fill's data"),
  REAL(CACHE, leakage_mw, 0, 1e9, "of one core's"),
  BOOL(CACHE, parallel, "every look-up reads tag and data together"),
};
static const struct weir_param_table cache_table = TABLE_OF("the energy of a CPU core's cache", CACHE, cache_keys);

#define CPU weir_energy_cpu_config
static const struct weir_param cpu_keys[] = {
  NAME(CPU, name, "the kind of CPU cores it is about"),
  REAL(CPU, instruction_pj, 0, 1e9, "an instruction, caches apart"),
  REAL(CPU, multiply_pj, 0, 1e9, "on top of that: an integer multiplication or division"),
  REAL(CPU, float_pj, 0, 1e9, "on top: an instruction of floating-point or vector registers"),
  REAL(CPU, branch_pj, 0, 1e9, "on top: a branch"),
  REAL(CPU, misprediction_pj, 0, 1e9, "on top: a mispredicted branch, for what is thrown away"),
  REAL(CPU, memory_pj, 0, 1e9, "on top: a load or store, caches apart"),
  REAL(CPU, static_mw, 0, 1e9, "static power of one core, caches apart"),
  SECTION(CPU, l1i, cache_table),
  SECTION(CPU, l1d, cache_table),
  SECTION(CPU, l2, cache_table),
};
static const struct weir_param_table cpu_table = TABLE_OF("a CPU core's energy", CPU, cpu_keys);

static const char *const dynamic_shares[] = {
  [WEIR_ENERGY_BY_ACCESSES] = "accesses", [WEIR_ENERGY_BY_EVENTS] = "events", NULL};
static const char *const static_shares[] = {[WEIR_ENERGY_BY_TIME] = "time", [WEIR_ENERGY_EQUALLY] = "equal", NULL};

#define ENERGY weir_energy_config
static const struct weir_param energy_keys[] = {
  LIST(ENERGY, levels, level_table, 1, WEIR_MAX_LEVELS),
  REAL(ENERGY, shared_pj, 0, 1e9, "a warp's access to shared memory"),
  REAL(ENERGY, network_pj_per_bit, 0, 1e9, "a bit carried by the interconnect"),
  REAL(ENERGY, dram_pj_per_bit, 0, 1e9, "a bit moved over the DRAM's pins"),
  REAL(ENERGY, dram_activate_pj, 0, 1e9, "a row opened and closed"),
  REAL(ENERGY, core_warp_pj, 0, 1e9, "a warp's instruction in a core of the GPU, caches and shared memory apart",
       .initial = "0"),
  REAL(ENERGY, core_lane_pj, 0, 1e9, "the same of each active lane, on top", .initial = "0"),
  REAL(ENERGY, core_static_mw, 0, 1e9, "static power of one core of the GPU, its first-level cache apart",
       .initial = "0"),
  REAL(
    ENERGY, network_hop_pj_per_bit, 0, 1e9,
    "a bit through each router of a mesh and the link behind it, on top; on the way between cores and slices in the mean",
    .initial = "0"),
  REAL(ENERGY, network_static_mw, 0, 1e9, "static power of the whole interconnect", .initial = "0"),
  REAL(ENERGY, controller_request_pj, 0, 1e9, "a request served by a memory controller", .initial = "0"),
  REAL(ENERGY, controller_static_mw, 0, 1e9, "static power of one channel's controller", .initial = "0"),
  REAL(ENERGY, dram_write_pj_per_bit, 0, 1e9, "a bit written, on top of dram_pj_per_bit", .initial = "0"),
  REAL(ENERGY, dram_static_mw, 0, 1e9, "background power and refresh of one channel's devices", .initial = "0"),
  CHOICE(
    ENERGY, shared_dynamic, dynamic_shares,
    "a program's share of the dynamic energy of what all use: by its part of all accesses, or as its own accesses are counted to touch it",
    .initial = "accesses"),
  CHOICE(ENERGY, shared_static, static_shares,
         "and of the static energy: by its part of all programs' times, or one equal part of its own time",
         .initial = "time"),
  LIST(ENERGY, cpus, cpu_table, 0, 8, .optional = true),
};
const struct weir_param_table weir_energy_table = TABLE_OF("energy", ENERGY, energy_keys);
