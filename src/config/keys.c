// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/param_rows.h"
#include "config/keys.h"

#include "gpu/sm.h"
#include "mem/dram.h"
#include "mem/l2_coalescer.h"

#include <string.h>

LIST_MEMBERS(weir_chip_config, caches, caches_count);
LIST_MEMBERS(weir_chip_config, cpus, cpus_count);
LIST_MEMBERS(weir_energy_config, levels, levels_count);
LIST_MEMBERS(weir_energy_config, cpus, cpus_count);

// ---- the device ------------------------------------------------------------------------------------------------------

#define DEVICE weir_device_config
static const struct weir_param device_keys[] = {
  TEXT(DEVICE, name, "what programs are told that the device is called"),
  TEXT(DEVICE, vendor, "whose programs are told it is"),
  REAL(DEVICE, compute_capability, 0, 99, "CUDA's version of such devices, as 7.5; 0: no CUDA device"),
  UINT(DEVICE, memory_mib, 1, 1u << 20, "device memory that programs can allocate"),
};
static const struct weir_param_table device_table = TABLE_OF("the device", DEVICE, device_keys);

// ---- clocks ----------------------------------------------------------------------------------------------------------

#define CLOCK weir_clock_config
static const struct weir_param clock_keys[] = {
  REAL(CLOCK, core_mhz, 1, 100000, "clock of the cores and their own caches"),
  REAL(CLOCK, network_mhz, 1, 100000, "clock of the interconnect"),
  REAL(CLOCK, cache_mhz, 1, 100000, "clock of the caches behind the interconnect"),
  REAL(CLOCK, dram_mhz, 1, 100000, "command clock of the DRAM"),
};
static const struct weir_param_table clock_table = TABLE_OF("clocks", CLOCK, clock_keys);

// ---- cores -----------------------------------------------------------------------------------------------------------

#define LATENCY weir_latency_config
static const char *const units[] = {
  [WEIR_UNIT_MAIN] = "main", [WEIR_UNIT_SPECIAL] = "special", [WEIR_UNIT_MATRIX] = "matrix", NULL};
static const struct weir_param latency_keys[] = {
  UINT(LATENCY, latency_cycles, 1, 10000, "function unit's input to its result, core cycles"),
  UINT(LATENCY, interval_cycles, 0, 10000,
       "core cycles between instructions that a unit takes, per group of lanes; 0: occupies none"),
  CHOICE(LATENCY, unit, units, "the function units that execute it: main, special or matrix"),
};
static const struct weir_param_table latency_table = TABLE_OF("a latency", LATENCY, latency_keys);

// Memory's classes, which come last, have no fixed latency. All but the first, the default, may be left out.
static const struct weir_param class_keys[] = {
#define X(class_name, text, meaning)                                                                                   \
  {.name = text,                                                                                                       \
   .type = WEIR_PARAM_SECTION,                                                                                         \
   .offset = WEIR_CLASS_##class_name * sizeof(struct LATENCY),                                                         \
   .table = &latency_table,                                                                                            \
   .like = WEIR_CLASS_##class_name == WEIR_CLASS_DEFAULT ? NULL : "default"},
  WEIR_OP_CLASSES(X)
#undef X
};
static const struct weir_param_table class_table = {
  .what = "latency", .size = sizeof(struct LATENCY) * WEIR_CLASS_COUNT, .rows = class_keys, .count = WEIR_CLASS_FENCE};

static const char *const orders[] = {[WEIR_SCHEDULE_LRR] = "lrr",
                                     [WEIR_SCHEDULE_GTO] = "gto",
                                     [WEIR_SCHEDULE_OLDEST] = "oldest",
                                     [WEIR_SCHEDULE_GTY] = "gty",
                                     NULL};

static const char *const turns[] = {[WEIR_TURN_CYCLE] = "cycle", [WEIR_TURN_ROUND_ROBIN] = "round_robin", NULL};

static const char *const codes[] = {
  [WEIR_CODE_WRITTEN] = "written", [WEIR_CODE_ASSEMBLED] = "assembled", [WEIR_CODE_MACHINE] = "machine", NULL};
static const char *const parameters[] = {
  [WEIR_PARAMETERS_REGISTERS] = "registers", [WEIR_PARAMETERS_LOCAL] = "local", NULL};

static const char *const meanings[] = {
  [WEIR_READY_HAZARD_FREE] = "hazard_free", [WEIR_READY_ISSUABLE] = "issuable", NULL};

#define CORE weir_core_config
static const struct weir_param core_keys[] = {
  UINT(CORE, count, 1, 1024, "cores (SMs, compute units)"),
  UINT(CORE, warp_lanes, 32, 64, "threads of a warp: 32 or 64"),
  UINT(CORE, max_warps, 1, WEIR_MAX_WARPS, "resident warps per core"),
  UINT(CORE, max_blocks, 1, WEIR_MAX_BLOCKS, "resident thread blocks per core"),
  UINT(CORE, registers, 1, 1u << 24, "32-bit registers per core"),
  UINT(CORE, thread_registers, 1, 65535, "32-bit registers that one thread may have at most", .initial = "255"),
  UINT(CORE, register_unit, 1, 256, "a thread's registers are rounded up to a multiple of it", .initial = "1"),
  UINT(CORE, warp_register_unit, 1, 65536, "and the registers of its warp to a multiple of this", .initial = "1"),
  TEXT(CORE, kernel_registers,
       "registers per thread: as weir estimates them, or N for all kernels, KERNEL=N for one, with commas between",
       .initial = "estimated"),
  UINT(CORE, shared_bytes, 0, 1u << 24, "shared memory per core"),
  UINT(CORE, block_reserved_bytes, 0, 1u << 16,
       "shared memory that the system takes in each block, beside the block's own", .initial = "0"),
  UINT(
    CORE, unified_kib, 0, 1u << 14,
    "the array that is shared memory and first-level cache in one: a launch takes its carve-out, the cache has the rest; 0: each has its own",
    .initial = "0"),
  TEXT(
    CORE, carveouts_kib,
    "sizes that shared memory may have in it, as \"0 8 16 32 64 96\": a kernel has the least that holds all blocks that its warps and registers allow",
    .initial = "none"),
  UINT(
    CORE, carveout_floor_bytes, 0, 1u << 20,
    "under any preference a carve-out holds as many blocks as have so much shared memory of their own, two at least, and all of those that have none; 0: one block",
    .initial = "0"),
  BOOL(CORE, prefer_l1, "launches that prefer no carve-out prefer a larger first-level cache", .initial = "false"),
  UINT(CORE, schedulers, 1, WEIR_MAX_SCHEDULERS, "warp schedulers per core, each issues from its own warps"),
  CHOICE(CORE, scheduler, orders, "order in which a scheduler tries its warps"),
  UINT(CORE, fetch_instructions, 1, 16,
       "instructions per fetch, in sequence, whether or not a line of the instruction cache ends between them"),
  UINT(CORE, decode_cycles, 1, 1000, "fetch to issuable, core cycles"),
  UINT(
    CORE, branch_cycles, 0, 64,
    "core cycles from the issue of a branch, call or return, taken or not, to that of what its warp executes next, at least",
    .initial = "0"),
  POW2(CORE, instruction_bytes, 8, 16, "bytes of an instruction in memory", .initial = "8"),
  UINT(CORE, launch_prefetch_bytes, 0, 1u << 20,
       "bytes of its kernel's code, at most, that a launch has the shared cache fetch; 0: none", .initial = "0"),
  UINT(CORE, prefetch_lines, 0, 64,
       "lines of instructions that a stream buffer fetches ahead, from a miss on, into the instruction cache; 0: none",
       .initial = "0"),
  UINT(CORE, operand_cycles, 0, 1000, "issue to the function unit's input, core cycles"),
  UINT(CORE, writeback_cycles, 0, 1000, "result to dependents issuable, core cycles"),
  UINT(CORE, main_units, 1, WEIR_MAX_UNITS, "function units for ordinary operations per core"),
  UINT(CORE, special_units, 1, WEIR_MAX_UNITS, "function units for what core.latency gives to special ones, per core"),
  UINT(CORE, matrix_units, 0, WEIR_MAX_UNITS,
       "the same for matrix ones; 0: a kernel that multiplies matrices (mma) is refused", .initial = "0"),
  UINT(CORE, register_banks, 0, 32, "register file banks, one register per cycle each; 0: no conflicts"),
  UINT(CORE, main_collectors, 0, 16, "instructions that gather operands for the main units at once; 0: any number"),
  UINT(CORE, special_collectors, 0, 16, "the same for the special units"),
  UINT(CORE, memory_collectors, 0, 16, "the same for the load/store unit"),
  UINT(CORE, collector_reads, 1, 16, "registers that one collector takes per cycle"),
  UINT(CORE, unit_backlog, 0, 1024, "instructions that may wait before a function unit"),
  BOOL(CORE, unit_conflicts,
       "no two results of a unit in one cycle: what would make the second waits, and behind it the collectors",
       .initial = "false"),
  BOOL(
    CORE, partitioned,
    "each scheduler has its share of main and special units to itself, as in the processing blocks of Volta and later",
    .initial = "false"),
  UINT(CORE, lanes_per_cycle, 1, 64, "lanes that a function unit takes per core cycle"),
  CHOICE(
    CORE, ready_warps, meanings,
    "which warps count as ready: all whose next instruction is there and free of hazards, or of these only those that the load/store unit has room for",
    .initial = "hazard_free"),
  CHOICE(
    CORE, memory_turn, turns,
    "which scheduler has the first choice of a cycle's one memory instruction: cycle number mod schedulers, or the one after the last that had it"),
  UINT(
    CORE, address_cycles, 0, 64,
    "core cycles that each scheduler's address unit takes for a memory instruction; 0: schedulers have none, and a core "
    "issues one memory instruction per cycle",
    .initial = "0"),
  UINT(CORE, address_queue, 1, WEIR_MAX_ADDRESS_QUEUE,
       "memory instructions of a scheduler that may be before and in its address unit, if it has one", .initial = "5"),
  UINT(
    CORE, address_hold_cycles, 1, 255,
    "core cycles from a memory instruction's issue until its place there is free, if the load/store unit takes it at once",
    .initial = "11"),
  UINT(CORE, memory_queue, 1, WEIR_MAX_MEMORY_QUEUE, "memory instructions that may wait before the load/store unit"),
  UINT(CORE, memory_interval_cycles, 1, 64,
       "core cycles that a memory instruction occupies the load/store unit at least", .initial = "1"),
  BOOL(
    CORE, past_l1_in_pipe,
    "loads past the first-level cache take their turn and its latency in its pipeline, without a look-up; false: they go "
    "straight onto the network",
    .initial = "false"),
  BOOL(
    CORE, l1_bank_conflicts,
    "the first-level cache's data lies in the banks of shared memory, so that words of one bank are read one after the other",
    .initial = "false"),
  BOOL(
    CORE, parameters_at_launch,
    "cores have a launch's parameters as it begins: loads of them take as long as hits of the cache of constants, and look nothing up there",
    .initial = "false"),
  BOOL(CORE, constant_by_address,
       "a load of constants takes a look-up for each different address of its lanes, not for each line",
       .initial = "false"),
  UINT(CORE, shared_latency_cycles, 1, 10000, "shared memory's latency, core cycles"),
  POW2(CORE, shared_banks, 1, 128, "banks of the shared memory"),
  POW2(CORE, shared_bank_bytes, 4, 16, "width of a bank"),
  UINT(
    CORE, gpcs, 0, WEIR_MAX_GPCS,
    "groups of cores (NVIDIA: GPC), in one of which all blocks of a cluster are, and of which network.gpc_flits speaks; 0: none",
    .initial = "0"),
  UINT(
    CORE, groups, 0, WEIR_MAX_GPCS,
    "groups of neighbouring cores, to which blocks go in turn, first to those that have more cores, and of which network.coalesced_reads speaks; 0: blocks go from core to core",
    .initial = "0"),
  UINT(
    CORE, cluster_latency_cycles, 0, 3000,
    "latency of the shared memory of another block of the cluster, core cycles, as shared_latency_cycles; 0: a launch in clusters is refused",
    .initial = "0"),
  UINT(CORE, cluster_segment_cycles, 1, 64,
       "core cycles that each 32-byte segment of an access takes there, one after the other", .initial = "1"),
  UINT(
    CORE, barrier_cycles, 0, 1000,
    "core cycles from the last arrival at a block's barrier until the warps that wait there go on; 0: in the next one",
    .initial = "0"),
  UINT(CORE, barrier_interval_cycles, 0, 64, "core cycles that each warp's arrival takes there, one after the other",
       .initial = "0"),
  UINT(CORE, cluster_barrier_cycles, 1, 3000,
       "core cycles from the last arrival at a cluster's barrier until those that wait there go on", .initial = "1"),
  POW2(CORE, coalesce_bytes, 32, 128, "segment that lanes' accesses are merged by, for elements of 4 bytes and more"),
  BOOL(CORE, coalesce_by_element, "1- and 2-byte elements merge by 32- and 64-byte segments"),
  BOOL(CORE, skip_l1_global, "global loads skip the first-level cache unless they ask for it"),
  CHOICE(
    CORE, code, codes,
    "what is executed: a program's PTX in its order, or in that of the machine code which NVIDIA's assembler makes of it, with loads ahead of their uses, loops unrolled and short branches as guards; "
    "or that, where each instruction takes as many slots of its scheduler as it becomes machine instructions, or none",
    .initial = "written"),
  CHOICE(
    CORE, call_parameters, parameters,
    "where parameters and results of device functions lie: in registers, so that each ld.param and st.param is a move, or in thread-local memory",
    .initial = "registers"),
  BOOL(
    CORE, stall_counts,
    "a warp waits for results of known latency by counts that the assembler made: in full, whatever it has waited for meanwhile",
    .initial = "false"),
  UINT(CORE, guard_cycles, 0, 64,
       "core cycles from the issue of what writes a predicate to that of what it guards; 0: as of any other operand",
       .initial = "0"),
  UINT(CORE, launch_cycles, 0, 100000,
       "core cycles from a launch until its first block may start: part of the launch's own", .initial = "0"),
  UINT(CORE, block_start_cycles, 0, 2000,
       "core cycles from the room for a thread block until its warps can fetch, beyond the next one", .initial = "0"),
  BOOL(CORE, exit_before_stores, "a warp ends, and makes room for another block, while its stores are on their way",
       .initial = "false"),
  UINT(CORE, perturb, 0, UINT32_MAX,
       "measure: blocks and their warps start some random cycles late, drawn by this number; 0: none does",
       .initial = "0"),
  SECTION(CORE, latency, class_table),
};
static const struct weir_param_table core_table = TABLE_OF("the core", CORE, core_keys);

// ---- caches ----------------------------------------------------------------------------------------------------------

static const char *const indexes[] = {[WEIR_INDEX_LINEAR] = "linear",
                                      [WEIR_INDEX_FERMI] = "fermi",
                                      [WEIR_INDEX_XOR] = "xor",
                                      [WEIR_INDEX_MIXED] = "mixed",
                                      NULL};
static const char *const allocations[] = {
  [WEIR_ALLOCATE_ON_MISS] = "on_miss", [WEIR_ALLOCATE_ON_FILL] = "on_fill", NULL};
static const char *const write_hits[] = {
  [WEIR_WRITE_EVICT] = "evict", [WEIR_WRITE_THROUGH] = "through", [WEIR_WRITE_BACK] = "back", NULL};
static const char *const write_misses[] = {[WEIR_WRITE_NO_ALLOCATE] = "no_allocate",
                                           [WEIR_WRITE_ALLOCATE_LAZY] = "allocate_lazy",
                                           [WEIR_WRITE_KEEP_WRITTEN] = "keep_written",
                                           NULL};

#define CACHE weir_cache_config
static const struct weir_param cache_keys[] = {
  NAME(CACHE, name, "the cache's name in paths and results"),
  UINT(CACHE, size_kib, 1, 1u << 20, "of a core's cache for the first, of all slices together for the others"),
  UINT(CACHE, ways, 1, WEIR_MAX_WAYS, "lines per set"),
  POW2(CACHE, line_bytes, 16, 256, "bytes of a line"),
  POW2(CACHE, sector_bytes, 16, 256, "bytes of a sector, which is fetched alone; the line's: not sectored"),
  CHOICE(CACHE, index, indexes, "how an address selects its set"),
  TEXT(CACHE, replace, "replacement policy, unless a scheme says otherwise"),
  CHOICE(CACHE, allocate, allocations, "when a missing line is given its way"),
  CHOICE(CACHE, write_hit, write_hits, "what a store does to the line it hits"),
  CHOICE(
    CACHE, write_miss, write_misses,
    "what a store does that misses: goes on, allocates (lazily: fetched when read), or goes on and leaves the bytes that it wrote"),
  UINT(CACHE, mshrs, 1, 65535, "sectors being fetched at once (miss-status holding registers), per instance"),
  UINT(CACHE, mshr_merges, 1, 65536, "requests that may wait for one of them"),
  UINT(CACHE, miss_queue, 2, 65536, "requests that may wait for the next level, per instance"),
  UINT(CACHE, input_delay_cycles, 0, 100000, "request's arrival to its look-up"),
  UINT(CACHE, hit_latency_cycles, 1, 100000, "look-up to the data's departure"),
  UINT(CACHE, input_queue, 1, 65536, "requests that may wait for their look-up, beside those in its pipeline"),
  POW2(CACHE, banks, 1, 64, "look-ups per cycle, one per bank; lines are interleaved over the banks"),
  BOOL(CACHE, bank_hash, "a line's bank is a hash of its number, not its lowest bits", .initial = "false"),
  BOOL(CACHE, line_lookups, "a look-up is of a line: its sectors that come one after the other share it",
       .initial = "false"),
  BOOL(
    CACHE, data_pool,
    "any set may hold a line in any of the data that core.unified_kib leaves, up to its ways; false: each set has its own "
    "part of it (first level only)",
    .initial = "false"),
  POW2(CACHE, partitions, 1, 2,
       "2: each half of the slices is near half of the cores, and keeps copies of what it reads from the other half",
       .initial = "1"),
  UINT(CACHE, partition_cycles, 0, 10000, "from one partition to the other, one way; 0 with one partition",
       .initial = "0"),
  UINT(CACHE, far_mshrs, 0, 32767,
       "sectors being fetched from the other partition at once, beside those of mshrs; 0: at most half of mshrs",
       .initial = "0"),
  UINT(
    CACHE, fetch_bytes, 0, 4096,
    "the aligned bytes around a sector that is read and misses, which are fetched with it (second level only); 0: the sector",
    .initial = "0"),
  UINT(
    CACHE, combine_cycles, 0, 100000,
    "that a store of a part of a sector waits for others to the same, to go on as one (first level only); 0: it does not",
    .initial = "0"),
  UINT(CACHE, combine_stores, 1, 4096, "stores that may wait so; where another wants to, the oldest goes on",
       .initial = "256"),
  BOOL(CACHE, flush_at_kernel_end,
       "drops its lines when a kernel ends, and writes dirty ones back first (first level only)"),
  SECTION(CACHE, hints, weir_hint_table, .initial = ""),
  BOOL(CACHE, shadow_tags, "measure: the same cache without its bypass policies, beside it"),
  BOOL(CACHE, census, "measure: count distinct lines over the whole run"),
};
static const struct weir_param_table cache_table = TABLE_OF("a cache", CACHE, cache_keys);

#define READ_ONLY weir_read_only_cache_config
static const struct weir_param read_only_keys[] = {
  POW2(READ_ONLY, size_bytes, 64, 1u << 24, "bytes per core"),
  UINT(READ_ONLY, ways, 1, WEIR_MAX_WAYS, "lines per set"),
  POW2(READ_ONLY, line_bytes, 16, 256, "bytes of a line"),
  UINT(READ_ONLY, mshrs, 1, 65535, "lines being fetched at once"),
  UINT(READ_ONLY, mshr_merges, 1, 65536, "requests that may wait for one of them"),
  UINT(READ_ONLY, miss_queue, 1, 65536, "requests that may wait for the next level"),
};
static const struct weir_param_table instruction_table = TABLE_OF("the instruction cache", READ_ONLY, read_only_keys);
static const struct weir_param_table constant_table = TABLE_OF("the constant cache", READ_ONLY, read_only_keys);

#define TEXTURE weir_texture_cache_config
static const struct weir_param texture_keys[] = {
  UINT(TEXTURE, size_bytes, 0, 1u << 24, "bytes per core; 0: none, the first-level cache serves texture fetches"),
  UINT(TEXTURE, ways, 1, WEIR_MAX_WAYS, "lines per set"),
  POW2(TEXTURE, line_bytes, 16, 256, "bytes of a line"),
  UINT(TEXTURE, fragment_fifo, 1, 65535, "accesses, hits and misses, that may wait for the data array, in order"),
  UINT(TEXTURE, request_fifo, 1, 65535, "lines that may wait for the next level"),
  UINT(TEXTURE, reorder_buffer, 1, 65534, "lines being fetched, or arrived before their turn"),
  UINT(TEXTURE, result_fifo, 1, 65535, "accesses that may wait for the register file"),
};
static const struct weir_param_table texture_table = TABLE_OF("the texture cache", TEXTURE, texture_keys);

// ---- interconnect and memory -----------------------------------------------------------------------------------------

#define NETWORK weir_network_config
static const struct weir_param network_keys[] = {
  UINT(NETWORK, flit_bytes, 1, 1024, "bytes that a port moves per network cycle"),
  UINT(NETWORK, latency_cycles, 0, 10000, "network cycles from the first flit's departure to its arrival"),
  UINT(NETWORK, input_queue_flits, 1, 65536, "flits that may wait at an input port"),
  UINT(NETWORK, output_queue_packets, 1, 65536, "packets that may wait at an output port"),
  UINT(NETWORK, header_bytes, 0, 256, "bytes of a packet besides its data"),
  BOOL(NETWORK, queue_per_output,
       "an input port has a queue for each output, so that a packet whose output is busy holds back none to another",
       .initial = "false"),
  UINT(NETWORK, core_flits, 1, WEIR_MAX_PORT_FLITS,
       "flits that a core's port moves per network cycle each way, from or to different slices; 1 in a mesh",
       .initial = "1"),
  UINT(NETWORK, gpc_flits, 0, WEIR_MAX_GROUP_FLITS,
       "flits that all cores of a GPC (core.gpcs) take from the slices per network cycle; 0: as many as their ports",
       .initial = "0"),
  UINT(
    NETWORK, coalesced_reads, 1, WEIR_MAX_COALESCED_READS,
    "loads of one sector by cores of a group (core.groups) that a slice of the first shared cache serves as one; 1: each is its own",
    .initial = "1"),
  UINT(NETWORK, coalesced_cycles, 1, 10000,
       "cache cycles after the first of coalesced_reads in which the others must come, unless its answer leaves before",
       .initial = "1"),
  TEXT(
    NETWORK, mesh,
    "what the routers of a mesh serve, row by row, as \"C0 L0 G0 / . L1 G1\": CPU cores (C), slices (L), cores (G); none: a crossbar",
    .initial = "none"),
  UINT(NETWORK, hop_cycles, 1, 10000, "network cycles through a router of the mesh and the link behind it",
       .initial = "1"),
};
static const struct weir_param_table network_table = TABLE_OF("the network", NETWORK, network_keys);

#define DRAM weir_dram_config
static const struct weir_param dram_keys[] = {
  UINT(DRAM, channels, 1, 1024, "memory channels"),
  POW2(DRAM, slices_per_channel, 1, 16, "slices of the shared caches before one channel"),
  POW2(DRAM, interleave_bytes, 64, 1u << 20, "consecutive bytes on one channel"),
  BOOL(DRAM, hash_slices,
       "each round of all channels begins at another one, as a hash of its number says, and likewise in their slices"),
  TEXT(DRAM, address_map, "the channel's address from its highest bit: Row, Bank, Column, bytes of an atom (S)"),
  POW2(DRAM, banks, 1, 64, "banks per channel"),
  POW2(DRAM, bank_groups, 1, 16, "groups of banks with a column-to-column time of their own"),
  POW2(DRAM, atom_bytes, 16, 256, "bytes of one burst"),
  UINT(DRAM, burst_cycles, 1, 64, "cycles that a burst holds the data bus"),
  UINT(DRAM, queue, 1, 65536, "requests that the scheduler of a channel chooses among"),
  UINT(DRAM, write_queue, 0, 65536, "writes that it holds besides; 0: reads and writes share the queue",
       .initial = "0"),
  UINT(DRAM, write_high, 0, 65536, "of so many waiting writes on, they go before reads", .initial = "0"),
  UINT(DRAM, write_low, 0, 65536, "until fewer than so many wait", .initial = "0"),
  UINT(DRAM, write_idle, 0, 100000, "cycles without a waiting read after which writes go", .initial = "0"),
  UINT(DRAM, return_queue, 1, 65536, "requests that may wait to leave a channel"),
  UINT(DRAM, request_queue, 1, 65536, "requests that may wait between a slice and its channel"),
  UINT(DRAM, reply_queue, 1, 65536, "requests that may wait between a channel and its slice"),
  UINT(DRAM, fixed_latency_core_cycles, 0, 100000, "controller and physical layer, before the queue, core cycles"),
  UINT(DRAM, ccd, 1, 1000, "column to column"),
  UINT(DRAM, ccdl, 0, 1000, "column to column within a bank group"),
  UINT(DRAM, rrd, 0, 1000, "activate to activate of another bank"),
  UINT(DRAM, rcd, 1, 1000, "activate to column"),
  UINT(DRAM, ras, 1, 1000, "activate to precharge"),
  UINT(DRAM, rp, 1, 1000, "precharge to activate"),
  UINT(DRAM, rc, 1, 1000, "activate to activate of the same bank"),
  UINT(DRAM, cl, 1, WEIR_MAX_TRANSFERS - 1, "read command to data"),
  UINT(DRAM, wl, 1, WEIR_MAX_TRANSFERS - 1, "write command to data"),
  UINT(DRAM, cdlr, 0, 1000, "end of write data to a read"),
  UINT(DRAM, wr, 0, 1000, "end of write data to precharge"),
  UINT(DRAM, rtpl, 0, 1000, "read to precharge"),
};
static const struct weir_param_table dram_table = TABLE_OF("the DRAM", DRAM, dram_keys);

// ---- the chip --------------------------------------------------------------------------------------------------------

// What the file builds on is read before the rest of it.
static bool skip_base(void *context, const struct weir_param *p, struct yaml_node_s *node, void *at) {
  (void)context, (void)p, (void)node, (void)at;
  return true;
}

#define CHIP weir_chip_config
static const struct weir_param chip_keys[] = {
  CUSTOM_OF_ALL("base", skip_base, .optional = true),
  NAME(CHIP, name, "the chip's name"),
  NAME(CHIP, summary, "the chip in one line"),
  NAME(CHIP, citation, "where it is described"),
  SECTION(CHIP, device, device_table),
  SECTION(CHIP, clocks, clock_table),
  SECTION(CHIP, core, core_table),
  SECTION(CHIP, instruction_cache, instruction_table),
  SECTION(CHIP, constant_cache, constant_table),
  SECTION(CHIP, texture_cache, texture_table, .optional = true),
  LIST(CHIP, caches, cache_table, 1, WEIR_MAX_LEVELS),
  SECTION(CHIP, network, network_table),
  SECTION(CHIP, dram, dram_table),
  SECTION(CHIP, link, weir_link_table, .optional = true),
  SECTION(CHIP, energy, weir_energy_table),
  LIST(CHIP, cpus, weir_cpu_cluster_table, 0, 8, .optional = true),
  BOOL(CHIP, copies_pass_l2, "host copies leave their lines in the first cache behind the interconnect"),
  BOOL(CHIP, cold_launches,
       "the caches of data, instructions, constants and textures are empty as a launch begins, as profilers leave them",
       .initial = "false"),
  UINT(CHIP, sample_cycles, 0, UINT32_MAX, "measure: sample the chip every so many core cycles; 0: do not"),
  UINT(CHIP, most_core_cycles, 0, UINT32_MAX,
       "measure: give a run up whose cores have had a resident warp for more cycles, summed over them; 0: do not",
       .initial = "0"),
  UINT(CHIP, most_flits, 0, UINT32_MAX, "measure: give a run up whose network has moved more flits; 0: do not",
       .initial = "0"),
};
const struct weir_param_table weir_chip_table = TABLE_OF("a chip", CHIP, chip_keys);
