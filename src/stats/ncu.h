// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Counts under the names that NVIDIA's Nsight Compute has for them, for chips whose data caches have sectors of 32 bytes.
// Invariant: they follow from struct weir_run_stats alone; a name is the profiler's without its last word (".sum",
// ".ratio", ".pct").
#ifndef WEIR_STATS_NCU_H
#define WEIR_STATS_NCU_H

#include "stats/json.h"

enum { WEIR_NCU_SECTOR = 32 }; // bytes

// Name, last word, unit, meaning, value of counters `s` of a run, `l1` and `l2` of its levels (stats/ncu.c).
// clang-format off
#define WEIR_NCU_COUNTS(X)                                                                                             \
  X(l1tex__t_requests_pipe_lsu_mem_global_op_ld, "requests", "sum: loads from global memory by warps",                 \
    s->global_load_requests)                                                                                           \
  X(l1tex__t_sectors_pipe_lsu_mem_global_op_ld, "sectors", "sum: that these ask for",                                  \
    l1->loads.accesses - l1->local_loads - l1->texture_loads)                                                          \
  X(l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit, "sectors", "sum: of these, those that are in the first "    \
    "level, or on their way into it",                                                                                  \
    l1->loads.hits + l1->loads.hits_on_miss - l1->local_load_hits - l1->texture_load_hits)                             \
  X(l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss, "sectors", "sum: the others",                              \
    l1->loads.misses - (l1->local_loads - l1->local_load_hits) - (l1->texture_loads - l1->texture_load_hits))          \
  X(l1tex__t_requests_pipe_lsu_mem_global_op_st, "requests", "sum: stores to global memory by warps",                  \
    s->global_store_requests)                                                                                          \
  X(l1tex__t_sectors_pipe_lsu_mem_global_op_st, "sectors", "sum: that these write to",                                 \
    l1->stores.accesses - l1->local_stores)                                                                            \
  X(l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit, "sectors", "sum: of these, those that are in the first "    \
    "level", l1->stores.hits - l1->local_store_hits)                                                                   \
  X(l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss, "sectors", "sum: the others",                              \
    l1->stores.misses - (l1->local_stores - l1->local_store_hits))                                                     \
  X(l1tex__t_requests_pipe_lsu_mem_local_op_ld, "requests", "sum: loads from thread-local memory by warps",            \
    s->local_load_requests)                                                                                            \
  X(l1tex__t_sectors_pipe_lsu_mem_local_op_ld, "sectors", "sum: that these ask for", l1->local_loads)                  \
  X(l1tex__t_requests_pipe_lsu_mem_local_op_st, "requests", "sum: stores to thread-local memory by warps",             \
    s->local_store_requests)                                                                                           \
  X(l1tex__t_sectors_pipe_lsu_mem_local_op_st, "sectors", "sum: that these write to", l1->local_stores)                \
  X(l1tex__data_pipe_lsu_wavefronts_mem_shared, "wavefronts", "sum: passes over the banks of shared memory",           \
    s->shared_accesses + s->shared_bank_conflicts)                                                                     \
  X(lts__t_sectors_srcunit_tex_op_read, "sectors", "sum: read in the L2 by the first level",                           \
    l2->loads.accesses - l2->fetches - l2->guest_loads)                                                                \
  X(lts__t_sectors_srcunit_tex_op_read_lookup_hit, "sectors", "sum: of these, those that are there, or on their way "  \
    "there", l2->loads.hits + l2->loads.hits_on_miss - l2->fetch_hits - l2->guest_load_hits)                           \
  X(lts__t_sectors_srcunit_tex_op_read_lookup_miss, "sectors", "sum: the others",                                      \
    l2->loads.misses - (l2->fetches - l2->fetch_hits) - (l2->guest_loads - l2->guest_load_hits))                       \
  X(lts__t_sectors_srcunit_tex_op_write, "sectors", "sum: written in the L2 by the first level; atomics are none",     \
    l2->stores.accesses - s->atomics)                                                                                  \
  X(lts__t_sectors_srcunit_ltcfabric_op_read, "sectors", "sum: read in the L2 by its other partition", l2->guest_loads)\
  X(dram__sectors_read, "sectors", "sum: read from memory", (s->dram.bytes - s->dram.written_bytes) / WEIR_NCU_SECTOR) \
  X(dram__sectors_write, "sectors", "sum: written to memory", s->dram.written_bytes / WEIR_NCU_SECTOR)

#define WEIR_NCU_RATES(X)                                                                                              \
  X(l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld, "sectors per request", "ratio: of loads",          \
    ratio(n->l1tex__t_sectors_pipe_lsu_mem_global_op_ld, n->l1tex__t_requests_pipe_lsu_mem_global_op_ld))              \
  X(l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st, "sectors per request", "ratio: of stores",         \
    ratio(n->l1tex__t_sectors_pipe_lsu_mem_global_op_st, n->l1tex__t_requests_pipe_lsu_mem_global_op_st))              \
  X(l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate, "percent", "pct: of loads' sectors",                           \
    100 * ratio(n->l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit,                                              \
                n->l1tex__t_sectors_pipe_lsu_mem_global_op_ld))                                                        \
  X(lts__t_sector_op_read_hit_rate, "percent", "pct: of all sectors read in the L2, whoever reads",                    \
    100 * ratio(l2->loads.hits + l2->loads.hits_on_miss, l2->loads.accesses))
// clang-format on

extern const struct weir_member weir_ncu_members[];

// Of a run, or of one launch, on a chip whose level 0 and 1 are its caches.
json_t *weir_ncu_json(const struct weir_run_stats *s);

#endif
