// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The keys of what things cost. Those that a file may leave out cost nothing then, so that a chip says what it knows.
#include "config/keys_private.h"

#define LEVEL weir_energy_level_config
static const struct weir_key level_keys[] = {
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
static const struct weir_section level_section = SECTION_OF("a cache's energy", LEVEL, level_keys);

#define CACHE weir_energy_cache_config
static const struct weir_key cache_keys[] = {
  REAL(CACHE, tag_pj, 0, 1e9, "look-up of the tags, also for a fill"),
  REAL(CACHE, read_pj, 0, 1e9, "read of the data"),
  REAL(CACHE, write_pj, 0, 1e9, "write of a store's data"),
  REAL(CACHE, fill_pj, 0, 1e9, "write of a fill's data"),
  REAL(CACHE, leakage_mw, 0, 1e9, "of one core's"),
  BOOL(CACHE, parallel, "every look-up reads tag and data together"),
};
static const struct weir_section cache_section = SECTION_OF("the energy of a CPU core's cache", CACHE, cache_keys);

#define CPU weir_energy_cpu_config
static const struct weir_key cpu_keys[] = {
  NAME(CPU, name, "the kind of CPU cores it is about"),
  REAL(CPU, instruction_pj, 0, 1e9, "an instruction, caches apart"),
  REAL(CPU, multiply_pj, 0, 1e9, "on top of that: an integer multiplication or division"),
  REAL(CPU, float_pj, 0, 1e9, "on top: an instruction of floating-point or vector registers"),
  REAL(CPU, branch_pj, 0, 1e9, "on top: a branch"),
  REAL(CPU, misprediction_pj, 0, 1e9, "on top: a mispredicted branch, for what is thrown away"),
  REAL(CPU, memory_pj, 0, 1e9, "on top: a load or store, caches apart"),
  REAL(CPU, static_mw, 0, 1e9, "static power of one core, caches apart"),
  SECTION(CPU, l1i, cache_section),
  SECTION(CPU, l1d, cache_section),
  SECTION(CPU, l2, cache_section),
};
static const struct weir_section cpu_section = SECTION_OF("a CPU core's energy", CPU, cpu_keys);

static const char *const dynamic_shares[] = {
  [WEIR_ENERGY_BY_ACCESSES] = "accesses", [WEIR_ENERGY_BY_EVENTS] = "events", NULL};
static const char *const static_shares[] = {[WEIR_ENERGY_BY_TIME] = "time", [WEIR_ENERGY_EQUALLY] = "equal", NULL};

#define ENERGY weir_energy_config
static const struct weir_key energy_keys[] = {
  LIST(ENERGY, levels, level_section, 1, WEIR_MAX_LEVELS),
  REAL(ENERGY, shared_pj, 0, 1e9, "a warp's access to shared memory"),
  REAL(ENERGY, network_pj_per_bit, 0, 1e9, "a bit carried by the interconnect"),
  REAL(ENERGY, dram_pj_per_bit, 0, 1e9, "a bit moved over the DRAM's pins"),
  REAL(ENERGY, dram_activate_pj, 0, 1e9, "a row opened and closed"),
  REAL_OR(ENERGY, core_warp_pj, 0, 1e9, "0",
          "a warp's instruction in a core of the GPU, caches and shared memory apart"),
  REAL_OR(ENERGY, core_lane_pj, 0, 1e9, "0", "the same of each active lane, on top"),
  REAL_OR(ENERGY, core_static_mw, 0, 1e9, "0", "static power of one core of the GPU, its first-level cache apart"),
  REAL_OR(
    ENERGY, network_hop_pj_per_bit, 0, 1e9, "0",
    "a bit through each router of a mesh and the link behind it, on top; on the way between cores and slices in the mean"),
  REAL_OR(ENERGY, network_static_mw, 0, 1e9, "0", "static power of the whole interconnect"),
  REAL_OR(ENERGY, controller_request_pj, 0, 1e9, "0", "a request served by a memory controller"),
  REAL_OR(ENERGY, controller_static_mw, 0, 1e9, "0", "static power of one channel's controller"),
  REAL_OR(ENERGY, dram_write_pj_per_bit, 0, 1e9, "0", "a bit written, on top of dram_pj_per_bit"),
  REAL_OR(ENERGY, dram_static_mw, 0, 1e9, "0", "background power and refresh of one channel's devices"),
  ENUM_OR(
    ENERGY, shared_dynamic, dynamic_shares, "accesses",
    "a program's share of the dynamic energy of what all use: by its part of all accesses, or as its own accesses are counted to touch it"),
  ENUM_OR(ENERGY, shared_static, static_shares, "time",
          "and of the static energy: by its part of all programs' times, or one equal part of its own time"),
  LIST_OR_NONE(ENERGY, cpus, cpu_section, 8),
};
const struct weir_section weir_energy_section = SECTION_OF("energy", ENERGY, energy_keys);
