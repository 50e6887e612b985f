// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The numbers of a run object, by what they are and not by where they stand. Invariant: they are the fields of the tables
// of room stats, so that a misspelt one does not compile; one that the object does not have (of a run that failed: NULL,
// of a functional one) is NaN. Caches are asked for by their role: what a chip calls them is nobody's business but the
// reader's.
#ifndef WEIR_RUN_NUMBERS_H
#define WEIR_RUN_NUMBERS_H

#include "stats/bound.h"
#include "stats/ncu.h"

#define WEIR_NUMBER(name, ...) double name;

struct weir_access_numbers {
  WEIR_ACCESS_FIELDS(WEIR_NUMBER)
};

struct weir_cache_numbers { // of one level, all its instances together
  const char *name;         // as the chip calls it; NULL: the object has no such level
  struct weir_access_numbers loads, stores;
  WEIR_LEVEL_FIELDS(WEIR_NUMBER)
  double stalls[WEIR_STALL_COUNT];
  double tag_pj, data_pj, predictor_pj, leakage_pj; // its energies
};

struct weir_dram_numbers {
  WEIR_DRAM_FIELDS(WEIR_NUMBER)
};

struct weir_run_numbers { // of a whole run, or of one launch
  WEIR_RUN_FIELDS(WEIR_NUMBER)
  WEIR_RUN_RATES(WEIR_NUMBER)
  struct weir_cache_numbers caches[WEIR_MAX_LEVELS]; // cache_count; nearest the cores first
  unsigned cache_count;
  struct weir_dram_numbers dram;
  double energy_pj; // of all parts of the chip; NaN: it has none
};

struct weir_run_numbers weir_run_total(const json_t *run);
struct weir_run_numbers weir_launch_counts(const json_t *launch); // of an element of `kernels`

struct weir_ncu_numbers { // NaN on a chip without such counts
  WEIR_NCU_COUNTS(WEIR_NUMBER)
  WEIR_NCU_RATES(WEIR_NUMBER)
};
struct weir_ncu_numbers weir_launch_ncu(const json_t *launch); // of an element of `kernels`

enum weir_cache_role {
  WEIR_FIRST_CACHE,        // nearest the GPU's cores
  WEIR_FIRST_SHARED_CACHE, // behind it
  WEIR_LAST_SHARED_CACHE,  // before DRAM
};
struct weir_cache_numbers weir_cache_of(const struct weir_run_numbers *n, enum weir_cache_role role);
struct weir_cache_numbers weir_run_cache(const json_t *run, enum weir_cache_role role); // of the whole run

struct weir_launch_numbers {
  const char *name;
  double launches, online_threads, registers, spilled_registers, core_blocks, carveout_kib;
};
struct weir_launch_numbers weir_launch_of(const json_t *launch);

// Loads: of one static load (an element of `loads`), or a group of them by transactions per request. `share`: of all
// executions; of a group.
struct weir_load_numbers {
  double share;
  WEIR_PC_FIELDS(WEIR_NUMBER)
  WEIR_PC_RATES(WEIR_NUMBER)
  WEIR_ACCESS_FIELDS(WEIR_NUMBER)
  WEIR_LATENCY_FIELDS(WEIR_NUMBER)
  WEIR_LATENCY_RATES(WEIR_NUMBER)
  WEIR_LOAD_FIELDS(WEIR_NUMBER)
  WEIR_LOAD_RATES(WEIR_NUMBER)
};
struct weir_load_numbers weir_load_of(const json_t *load_or_group);
struct weir_load_numbers weir_run_load_group(const json_t *run, const char *group); // a name of WEIR_TRANSACTION_GROUPS

struct weir_store_numbers { // an element of `stores` or `atomics`
  WEIR_PC_FIELDS(WEIR_NUMBER)
  WEIR_PC_RATES(WEIR_NUMBER)
  WEIR_ACCESS_FIELDS(WEIR_NUMBER)
};
struct weir_store_numbers weir_store_of(const json_t *store_or_atomic);

struct weir_bank_numbers { // an element of `shared`
  WEIR_BANK_FIELDS(WEIR_NUMBER)
};
struct weir_bank_numbers weir_bank_of(const json_t *access);

// ---- the bound ------------------------------------------------------------------------------------------------------

struct weir_bound_numbers { // an element of `bound`, or of its `instructions`
  WEIR_BOUND_FIELDS(WEIR_NUMBER)
};
struct weir_bound_numbers weir_bound_of(const json_t *o);
const json_t *weir_run_bound(const json_t *run, enum weir_cache_role role); // NULL: there is none of that cache

// ---- policies -------------------------------------------------------------------------------------------------------

struct weir_policy_numbers { // an element of `policy`
  const char *level, *kind, *name;
  double cost_bits, instances;
  const json_t *knobs, *counters; // its own: weir_run_number reads them
};
struct weir_policy_numbers weir_policy_of(const json_t *policy);

// The i-th policy of that kind at the cache of that role; false: there are no more.
bool weir_run_policy(const json_t *run, enum weir_cache_role role, const char *kind, unsigned i,
                     struct weir_policy_numbers *policy);

// ---- mixes ----------------------------------------------------------------------------------------------------------

struct weir_share_numbers { // what one program, or port, did to a level of shared caches
  const char *name;         // of the level; NULL: there is none
  WEIR_ACCESS_FIELDS(WEIR_NUMBER)
  WEIR_REQUESTER_FIELDS(WEIR_NUMBER)
  double occupancy; // of a program
};

struct weir_shares {
  struct weir_share_numbers levels[WEIR_MAX_LEVELS]; // count; nearest the cores first
  unsigned count;
};
struct weir_share_numbers weir_last_share(const struct weir_shares *s); // at the last level of shared caches

struct weir_core_numbers {
  WEIR_CPU_FIELDS(WEIR_NUMBER)
};

struct weir_traffic_numbers {
  WEIR_TRAFFIC_FIELDS(WEIR_NUMBER)
};

struct weir_program_numbers {
  const char *name; // NULL: there is no such program
  double requester, instructions, cycles, time_ps, ipc, restarts;
  struct weir_core_numbers core;          // of a CPU program, as are
  struct weir_cache_numbers l1i, l1d, l2; // its private caches
  struct weir_shares shared;
  struct weir_traffic_numbers traffic;
  double energy_pj; // in all
};
struct weir_program_numbers weir_program_of(const json_t *program); // NULL: NaN

const json_t *weir_run_programs(const json_t *run);                 // a list; NULL: no mix
const json_t *weir_run_requester(const json_t *run, int requester); // NULL: there is none
struct weir_program_numbers weir_run_requester_numbers(const json_t *run, int requester);
double weir_run_mean_ipc(const json_t *run); // geometric, of the programs'; NaN of other runs

struct weir_port_numbers {
  double port, requester;
  struct weir_shares shared;
};
const json_t *weir_run_ports(const json_t *run); // a list; NULL: no mix
struct weir_port_numbers weir_port_of(const json_t *port);

// ---- the machine that ran it ------------------------------------------------------------------------------------------

struct weir_host_numbers {
  double seconds, cpu_seconds, instructions_per_second, peak_rss_bytes, buffer_bytes;
};
struct weir_host_numbers weir_run_host(const json_t *run);

#endif
