// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Everything weir counts, declared once: name, unit, meaning. The tables below make the structs, the JSON (stats/json.h),
// the docs (docs/OUTPUT.md) and the arithmetic. Invariant: a struct of counters holds uint64_t and nothing else, so that
// the counts of one kernel are the difference of two snapshots, field by field, and totals are sums.
#ifndef WEIR_STATS_STATS_H
#define WEIR_STATS_STATS_H

#include "policy/counts.h"
#include "policy/policy.h"

#include <stdint.h>

// TRANSACTIONS_COUNTED: executions of more transactions are counted with those of so many.
enum { WEIR_MAX_LEVELS = 4, WEIR_TRANSACTIONS_COUNTED = 64 };

// One level of cache, all its instances together.
// clang-format off
#define WEIR_LEVEL_FIELDS(X)                                                                                          \
  X(fills, "lines", "lines (of sectored caches: sectors) installed")                                                  \
  X(evictions, "lines", "valid lines replaced")                                                                       \
  X(zero_reuse_evictions, "lines", "of these, lines never hit between fill and eviction")                             \
  X(invalidations, "lines", "valid lines dropped by a store (write-evict) or a flush")                                \
  X(writebacks, "lines", "dirty lines or sectors written to the next level")                                          \
  X(tag_accesses, "accesses", "look-ups of the tag array, one per request however often it was refused, for energy")  \
  X(data_reads, "accesses", "reads of the data array, for energy")                                                    \
  X(data_writes, "accesses", "writes of the data array other than fills, for energy")                                 \
  X(predictor_accesses, "accesses", "look-ups and updates of its policies' predictor tables, for energy")             \
  X(bypass_corrections, "lines", "bypassed requests installed after all on the next level's word")                    \
  X(combined_stores, "requests", "stores that went on with another to the same sector (l1.combine_cycles)")              \
  X(prefetches, "sectors", "fetched around a sector that was missed: by the load's prefetch size (L2::128B), or l2.fetch_bytes") \
  X(far_reads, "sectors", "fetched from the other partition of the cache, where they are looked up once more")         \
  X(coalesced_reads, "sectors", "answered with another core's read of the same sector, and no access (network.coalesced_reads)") \
  X(local_loads, "accesses", "of the loads, those of thread-local memory")                                            \
  X(local_load_hits, "accesses", "of these, hits, lines on their way included")                                       \
  X(local_stores, "accesses", "of the stores, those of thread-local memory; write-backs are not told apart")          \
  X(local_store_hits, "accesses", "of these, hits")                                                                   \
  X(texture_loads, "accesses", "of the loads, texture fetches and surface loads that no texture cache serves")        \
  X(texture_load_hits, "accesses", "of these, hits, lines on their way included")                                     \
  X(fetches, "accesses", "of the loads, fetches of instructions, constants and texture caches' lines")                \
  X(fetch_hits, "accesses", "of these, hits, lines on their way included")                                            \
  X(guest_loads, "accesses", "of the loads, those that have come from the other partition of the cache")              \
  X(guest_load_hits, "accesses", "of these, hits, lines on their way included")                                       \
  X(shadow_bypass_hits, "accesses", "bypassed requests that the shadow tags (same cache, no bypass) hit; needs "      \
                                    "shadow tags")                                                                    \
  X(bypassed_rereferences, "lines", "bypassed lines asked for again while the shadow tags still held them; needs "    \
                                    "shadow tags")                                                                    \
  X(distinct_lines, "lines", "different lines asked for over the whole run; needs the census")                        \
  X(once_only_lines, "lines", "of these, lines asked for exactly once over the whole run; needs the census")
// clang-format on

struct weir_level_stats {
  struct weir_access_counts loads, stores; // atomics count as stores
#define X(name, unit, meaning) uint64_t name;
  WEIR_LEVEL_FIELDS(X)
#undef X
  uint64_t stalls[WEIR_STALL_COUNT]; // cycles that a request at the head waited, by cause
};

// clang-format off
#define WEIR_DRAM_FIELDS(X)                                                                                           \
  X(reads, "requests", "reads served, each in as many bursts as it has bytes for")                                    \
  X(writes, "requests", "writes served, likewise; at a launch's end also those that wait")                            \
  X(row_hits, "requests", "that found their row open")                                                                \
  X(row_misses, "requests", "that opened a row in a closed bank")                                                     \
  X(row_conflicts, "requests", "that closed another row first")                                                       \
  X(activates, "commands", "rows opened, for energy")                                                                 \
  X(bytes, "bytes", "moved over the pins")                                                                            \
  X(written_bytes, "bytes", "of these, those of writes")
// clang-format on

struct weir_dram_stats {
#define X(name, unit, meaning) uint64_t name;
  WEIR_DRAM_FIELDS(X)
#undef X
};

// Levels 0…: as the chip file orders its caches, nearest the cores first ("l1", "l2", "l3").
// clang-format off
#define WEIR_RUN_FIELDS(X)                                                                                            \
  X(cycles, "core cycles", "from launch to the last thread's end, summed over launches")                              \
  X(time_ps, "ps", "the same in simulated time")                                                                      \
  X(warp_instructions, "instructions", "executed by warps, each counted once whatever its active lanes")              \
  X(thread_instructions, "instructions", "the same weighted by active lanes")                                         \
  X(machine_instructions, "instructions", "executed by warps, as many as these become on a chip whose core.code is "    \
                                          "machine; elsewhere the same number")                                         \
  X(blocks, "blocks", "thread blocks run")                                                                            \
  X(core_cycles, "core cycles", "with a resident warp, summed over the cores")                                        \
  X(ready_warp_cycles, "warp cycles", "warps that were ready (core.ready_warps says which are), summed over these "     \
                                      "cycles: divided by them, the mean of ready warps of a core")                   \
  X(issue_slots_idle, "slots", "scheduler cycles with a resident warp but nothing issued")                            \
  X(issue_slots_throttled, "slots", "of these, those in which warps were ready but a throttle held back all of them")   \
  X(throttle_overrides, "instructions", "issued by the oldest warp of a core whose throttles let no warp go on")       \
  X(global_load_requests, "warp instructions", "loads from global memory that a lane executed; texture fetches and "  \
                                               "surface loads are none")                                               \
  X(global_store_requests, "warp instructions", "stores to global memory that a lane executed")                       \
  X(local_load_requests, "warp instructions", "loads from thread-local memory that a lane executed")                  \
  X(local_store_requests, "warp instructions", "stores to thread-local memory that a lane executed")                  \
  X(shared_bank_conflicts, "cycles", "extra cycles of shared-memory accesses")                                        \
  X(shared_accesses, "accesses", "warp accesses to shared memory")                                                    \
  X(cluster_accesses, "accesses", "warp accesses to shared memory of other blocks of their cluster, in some lane at least") \
  X(replays, "instructions", "what memory instructions add where each of their accesses, or passes over the banks of "  \
                             "shared memory, issues them anew: those but the first")                                   \
  X(instruction_cache_misses, "misses", "of the instruction caches, by warps and stream buffers")                                                  \
  X(code_prefetches, "lines", "of code that launches had the shared cache fetch (core.launch_prefetch_bytes)")          \
  X(constant_cache_misses, "misses", "of the constant caches")                                                        \
  X(texture_cache_accesses, "accesses", "of texture fetches and surface loads that the texture caches served; 0 if "  \
                                        "the chip has none and its first level serves them")                         \
  X(texture_cache_hits, "accesses", "of these, those that found their line, or on its way")                           \
  X(texture_cache_misses, "accesses", "of these, those that fetched it")                                              \
  X(atomics, "accesses", "atomic transactions performed at the shared cache")                                         \
  X(cpu_instructions, "instructions", "retired by the CPU cores")                                                     \
  X(network_flits, "flits", "moved by the interconnect, both ways")                                                   \
  X(network_bytes, "bytes", "carried by the interconnect, headers included")                                          \
  X(host_read_bytes, "bytes", "of the host's memory that kernels read over the link")                                 \
  X(host_written_bytes, "bytes", "of the host's memory that kernels wrote over the link")                             \
  X(page_faults, "faults", "of managed memory; those of one page at a time are one")                                  \
  X(migrated_bytes, "bytes", "of managed memory that came to the device with them")                                   \
  X(evicted_bytes, "bytes", "of managed memory that went back to the host to make room for them")
// clang-format on

struct weir_run_stats {
#define X(name, unit, meaning) uint64_t name;
  WEIR_RUN_FIELDS(X)
#undef X
  struct weir_level_stats levels[WEIR_MAX_LEVELS];
  struct weir_dram_stats dram;
};

// Executions by transactions per request: lowest, highest, name. The five groups of Zhao et al. section III; the sixth is for warps
// of 64 lanes.
// clang-format off
#define WEIR_TRANSACTION_GROUPS(X)                                                                                         \
  X(1, 1, "1")                                                                                                        \
  X(2, 2, "2")                                                                                                        \
  X(3, 10, "3-10")                                                                                                    \
  X(11, 20, "11-20")                                                                                                  \
  X(21, 32, "21-32")                                                                                                  \
  X(33, WEIR_TRANSACTIONS_COUNTED, "33-64")
// clang-format on

enum weir_transaction_group {
#define X(low, high, name) WEIR_TRANSACTIONS_FROM_##low,
  WEIR_TRANSACTION_GROUPS(X)
#undef X
    WEIR_TRANSACTION_GROUP_COUNT
};

extern const uint8_t weir_transaction_groups[WEIR_TRANSACTIONS_COUNTED +
                                             1]; // of each number of transactions; 0, which none has: the first

// Of an instruction that accesses global or local memory: what it does itself; what a load or an atomic that returns
// something waits for; and what loads alone do. What its accesses come to is counted where they are taken: of loads and stores at
// the first level, of atomics at the shared cache that performs them.
// clang-format off
#define WEIR_PC_FIELDS(X)                                                                                             \
  X(executions, "warp instructions", "executions by a warp with at least one active lane")                            \
  X(transactions, "accesses", "that the coalescer made of these")

#define WEIR_LATENCY_FIELDS(X)                                                                                        \
  X(latency_cycles, "cycles", "issue to last byte, summed over executions")

#define WEIR_LOAD_FIELDS(X)                                                                                           \
  X(all_hit_executions, "warp instructions", "of these, those whose every access hit a valid line of the "            \
                                             "first-level cache (hits on misses and bypasses are none), or hit the "  \
                                             "texture cache")                                                         \
  X(fills, "lines", "lines it brought into the first-level cache")                                                    \
  X(lines, "lines", "that these began; of a cache without sectors each fill is a line of its own")                    \
  X(zero_reuse_fills, "lines", "of `lines`, those evicted, invalidated or left at the end without a hit")               \
  X(untouched_fills, "lines", "of these, those that no store hit either, where stores write through")                   \
  X(texture_hits, "accesses", "hits in the texture cache, lines on their way included: such accesses are no hits, "   \
                              "misses or bypasses of the first level")                                                \
  X(texture_misses, "accesses", "misses in the texture cache")                                                        \
  X(missed_latency_cycles, "cycles", "of latency_cycles, those of executions that are no all_hit_executions")
// clang-format on

struct weir_pc_counts {
  struct weir_access_counts at; // the cache that takes its accesses
#define X(name, unit, meaning) uint64_t name;
  WEIR_PC_FIELDS(X)
  WEIR_LATENCY_FIELDS(X)
  WEIR_LOAD_FIELDS(X)
#undef X
};

// One static load, store or atomic over the whole run; or several of them.
struct weir_pc_stats {
  struct weir_pc_counts groups[WEIR_TRANSACTION_GROUP_COUNT];
  uint64_t by_transactions[WEIR_TRANSACTIONS_COUNTED + 1]; // executions by number of coalesced accesses; [0] unused
  uint64_t low, high; // of one instruction in global memory, the least and the greatest address of a lane; high 0: none
};

// Addresses from `low` to `high` are accessed, too.
static inline void weir_pc_extend(struct weir_pc_stats *s, uint64_t low, uint64_t high) {
  if (!s->high || low < s->low) s->low = low;
  if (high > s->high) s->high = high;
}

// Where an execution of so many transactions is counted.
static inline struct weir_pc_counts *weir_pc_group(struct weir_pc_stats *s, unsigned transactions) {
  return &s->groups[weir_transaction_groups[transactions]];
}

// One static instruction that accesses shared memory, over the whole run.
// clang-format off
#define WEIR_BANK_FIELDS(X)                                                                                           \
  X(accesses, "accesses", "executions by a warp with at least one active lane")                                       \
  X(passes, "passes", "over the banks that these took, one cycle each")                                               \
  X(extra_passes, "passes", "of these, those because lanes asked a bank for different words: more than as many "      \
                            "bytes need at least")                                                                    \
  X(waited_cycles, "cycles", "that memory instructions waited for the extra passes, summed over the instructions: "   \
                             "the core's load/store unit holds them, this one among them, or a warp is ready to "     \
                             "issue them")                                                                            \
  X(worst_passes, "passes", "the most that an access took")
// clang-format on

struct weir_bank_counts {
#define X(name, unit, meaning) uint64_t name;
  WEIR_BANK_FIELDS(X)
#undef X
};

// What the whole chip did in one period (sample_cycles of the chip file).
// clang-format off
#define WEIR_SAMPLE_FIELDS(X)                                                                                         \
  X(cycles, "core cycles", "its length: the period's but for the last")                                               \
  X(instructions, "warp instructions", "issued")
// clang-format on

struct weir_sample {
#define X(name, unit, meaning) uint64_t name;
  WEIR_SAMPLE_FIELDS(X)
#undef X
  struct weir_access_counts loads; // at the first-level caches
};

struct weir_kernel_stats {
  const char *name;
  uint64_t launch;         // 0-based, in program order
  uint64_t launches;       // that are summed here, this one the first of them; 1 unless folded
  uint64_t online_threads; // that all cores have room for at a time, of those that there are; the most of the launches
  // Of the launches the one of which a core holds fewest blocks: registers per thread, those spilled above them, blocks that
  // a core holds at a time, what of the core's array is shared memory, what keeps it from holding more blocks ("registers"), who
  // says the registers ("estimate"), and who chose the carve-out ("use"). Without a chip zero and NULL.
  uint64_t registers, spilled_registers, core_blocks, carveout_kib;
  const char *limited_by, *registers_by, *carveout_by;
  struct weir_run_stats counts;
};

// after − before and sum += add, field by field.
void weir_run_stats_subtract(struct weir_run_stats *after, const struct weir_run_stats *before);
void weir_run_stats_add(struct weir_run_stats *sum, const struct weir_run_stats *add);
// sum += add × by, each counter rounded to the nearest.
void weir_run_stats_add_times(struct weir_run_stats *sum, const struct weir_run_stats *add, double by);
void weir_pc_stats_add(struct weir_pc_stats *sum, const struct weir_pc_stats *add);
void weir_bank_counts_add(struct weir_bank_counts *sum,
                          const struct weir_bank_counts *add); // the worst is that of both
// Sums launches of kernels of the same name, each where its first was. The number that is left.
unsigned weir_kernel_stats_fold(struct weir_kernel_stats *kernels, unsigned count);
void weir_sample_subtract(struct weir_sample *after, const struct weir_sample *before);

// The sum over its groups.
struct weir_pc_counts weir_pc_total(const struct weir_pc_stats *s);

#endif
