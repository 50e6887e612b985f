// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What one port of the network (a GPU core, or a CPU core with its program) does to a level of shared caches, all instances
// together (stats/stats.h has the rest). Invariant: uint64_t and nothing else; the counts of a requester are the sums over its
// ports, those of the level are the sums over all.
#ifndef WEIR_STATS_REQUESTER_H
#define WEIR_STATS_REQUESTER_H

#include "policy/counts.h"

// clang-format off
#define WEIR_REQUESTER_FIELDS(X)                                                                                         \
  X(demand_misses, "accesses", "of the misses, loads, stores and instruction fetches: not write-backs from above")     \
  X(fills, "lines", "brought in")                                                                                     \
  X(evictions, "lines", "that it had brought in and that were replaced")                                              \
  X(evicted_by_others, "lines", "of these, those replaced on behalf of another program's request")                    \
  X(writebacks, "lines", "that it had brought in and that went down dirty")                                           \
  X(data_reads, "accesses", "reads of the data array, for energy")                                                    \
  X(data_writes, "accesses", "writes of the data array other than fills, for energy")                                 \
  X(line_cycles, "line cycles", "cycles of this cache for which it held a line, summed over its lines")               \
  X(dead_cycles, "line cycles", "of these, from a line's last hit (of a line never hit: its fill) to its end")        \
  X(never_hit_cycles, "line cycles", "of these, of lines never hit")                                                  \
  X(ended_0, "lines", "replaced, or left at the end, that were never hit")                                            \
  X(ended_1, "lines", "that were hit once")                                                                           \
  X(ended_2, "lines", "that were hit twice")                                                                          \
  X(ended_3, "lines", "that were hit three times")                                                                    \
  X(ended_more, "lines", "that were hit more often")
// clang-format on

struct weir_requester_counts {
  struct weir_access_counts at; // the cache: loads, stores, fetches, write-backs
#define X(name, unit, meaning) uint64_t name;
  WEIR_REQUESTER_FIELDS(X)
#undef X
};

// What one port has the network and the DRAM channels do.
// clang-format off
#define WEIR_TRAFFIC_FIELDS(X)                                                                                        \
  X(network_bytes, "bytes", "carried by the interconnect, headers included, both ways")                               \
  X(network_flits, "flits", "moved by it")                                                                            \
  X(dram_reads, "requests", "reads served")                                                                           \
  X(dram_writes, "requests", "writes served, of lines that it brought into the caches above")                         \
  X(dram_bytes, "bytes", "moved over the pins")                                                                       \
  X(dram_activates, "commands", "rows opened for it")
// clang-format on

struct weir_traffic_counts {
#define X(name, unit, meaning) uint64_t name;
  WEIR_TRAFFIC_FIELDS(X)
#undef X
};

// sum += add, field by field.
void weir_requester_counts_add(struct weir_requester_counts *sum, const struct weir_requester_counts *add);
void weir_traffic_counts_add(struct weir_traffic_counts *sum, const struct weir_traffic_counts *add);

#endif
