// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "config/keys_private.h"

#include "gpu/sm.h"
#include "mem/dram.h"

#include <string.h>

// A list's count follows its pointer. Its bytes are copied: the compiler knows the pointer by another type.
struct list {
  void *items;
  uint32_t count;
};
_Static_assert(offsetof(struct weir_chip_config, caches_count) - offsetof(struct weir_chip_config, caches) ==
                 offsetof(struct list, count),
               "caches is a list");
_Static_assert(offsetof(struct weir_chip_config, cpus_count) - offsetof(struct weir_chip_config, cpus) ==
                 offsetof(struct list, count),
               "cpus is a list");
_Static_assert(offsetof(struct weir_energy_config, levels_count) - offsetof(struct weir_energy_config, levels) ==
                 offsetof(struct list, count),
               "levels is a list");
_Static_assert(offsetof(struct weir_energy_config, cpus_count) - offsetof(struct weir_energy_config, cpus) ==
                 offsetof(struct list, count),
               "cpus is a list");

void *weir_list_items(const void *at, uint32_t *count) {
  struct list l;
  memcpy(&l.items, at, sizeof l.items);
  memcpy(&l.count, (const char *)at + offsetof(struct list, count), sizeof l.count);
  *count = l.count;
  return l.items;
}

void weir_list_put(void *at, void *items, uint32_t count) {
  memcpy(at, &items, sizeof items);
  memcpy((char *)at + offsetof(struct list, count), &count, sizeof count);
}

// ---- the device ------------------------------------------------------------------------------------------------------

#define DEVICE weir_device_config
static const struct weir_key device_keys[] = {
  TEXT(DEVICE, name, "what programs are told that the device is called"),
  TEXT(DEVICE, vendor, "whose programs are told it is"),
  REAL(DEVICE, compute_capability, 0, 99, "CUDA's version of such devices, as 7.5; 0: no CUDA device"),
  UINT(DEVICE, memory_mib, 1, 1u << 20, "device memory that programs can allocate"),
};
static const struct weir_section device_section = SECTION_OF("the device", DEVICE, device_keys);

// ---- clocks ----------------------------------------------------------------------------------------------------------

#define CLOCK weir_clock_config
static const struct weir_key clock_keys[] = {
  REAL(CLOCK, core_mhz, 1, 100000, "clock of the cores and their own caches"),
  REAL(CLOCK, network_mhz, 1, 100000, "clock of the interconnect"),
  REAL(CLOCK, cache_mhz, 1, 100000, "clock of the caches behind the interconnect"),
  REAL(CLOCK, dram_mhz, 1, 100000, "command clock of the DRAM"),
};
static const struct weir_section clock_section = SECTION_OF("clocks", CLOCK, clock_keys);

// ---- cores -----------------------------------------------------------------------------------------------------------

#define LATENCY weir_latency_config
static const char *const units[] = {[WEIR_UNIT_MAIN] = "main", [WEIR_UNIT_SPECIAL] = "special", NULL};
static const struct weir_key latency_keys[] = {
  UINT(LATENCY, latency_cycles, 1, 10000, "function unit's input to its result, core cycles"),
  UINT(LATENCY, interval_cycles, 0, 10000,
       "core cycles between instructions that a unit takes, per group of lanes; 0: occupies none"),
  ENUM(LATENCY, unit, units, "the function units that execute it: main or special"),
};
static const struct weir_section latency_section = SECTION_OF("a latency", LATENCY, latency_keys);

// Memory's classes, which come last, have no fixed latency. All but the first, the default, may be left out.
static const struct weir_key class_keys[] = {
#define X(class_name, text, meaning)                                                                                   \
  {.name = text,                                                                                                       \
   .type = WEIR_KEY_SECTION,                                                                                           \
   .offset = WEIR_CLASS_##class_name * sizeof(struct LATENCY),                                                         \
   .section = &latency_section,                                                                                        \
   .absent = WEIR_CLASS_##class_name == WEIR_CLASS_DEFAULT ? NULL : "default"},
  WEIR_OP_CLASSES(X)
#undef X
};
static const struct weir_section class_section = {
  .what = "latency", .size = sizeof(struct LATENCY) * WEIR_CLASS_COUNT, .keys = class_keys, .count = WEIR_CLASS_FENCE};

static const char *const orders[] = {
  [WEIR_SCHEDULE_LRR] = "lrr", [WEIR_SCHEDULE_GTO] = "gto", [WEIR_SCHEDULE_OLDEST] = "oldest", NULL};

static const char *const turns[] = {[WEIR_TURN_CYCLE] = "cycle", [WEIR_TURN_ROUND_ROBIN] = "round_robin", NULL};

static const char *const parameters[] = {
  [WEIR_PARAMETERS_REGISTERS] = "registers", [WEIR_PARAMETERS_LOCAL] = "local", NULL};

static const char *const meanings[] = {
  [WEIR_READY_HAZARD_FREE] = "hazard_free", [WEIR_READY_ISSUABLE] = "issuable", NULL};

#define CORE weir_core_config
static const struct weir_key core_keys[] = {
  UINT(CORE, count, 1, 1024, "cores (SMs, compute units)"),
  UINT(CORE, warp_lanes, 32, 64, "threads of a warp: 32 or 64"),
  UINT(CORE, max_warps, 1, WEIR_MAX_WARPS, "resident warps per core"),
  UINT(CORE, max_blocks, 1, WEIR_MAX_BLOCKS, "resident thread blocks per core"),
  UINT(CORE, registers, 1, 1u << 24, "32-bit registers per core"),
  UINT_OR(CORE, thread_registers, 1, 65535, "255", "32-bit registers that one thread may have at most"),
  UINT_OR(CORE, register_unit, 1, 256, "1", "a thread's registers are rounded up to a multiple of it"),
  UINT_OR(CORE, warp_register_unit, 1, 65536, "1", "and the registers of its warp to a multiple of this"),
  TEXT_OR(CORE, kernel_registers, "estimated",
          "registers per thread: as weir estimates them, or N for all kernels, KERNEL=N for one, with commas between"),
  UINT(CORE, shared_bytes, 0, 1u << 24, "shared memory per core"),
  UINT(CORE, schedulers, 1, WEIR_MAX_SCHEDULERS, "warp schedulers per core, each issues from its own warps"),
  ENUM(CORE, scheduler, orders, "order in which a scheduler tries its warps"),
  UINT(CORE, fetch_instructions, 1, 16,
       "instructions per fetch, in sequence, whether or not a line of the instruction cache ends between them"),
  UINT(CORE, decode_cycles, 1, 1000, "fetch to issuable, core cycles"),
  UINT(CORE, operand_cycles, 0, 1000, "issue to the function unit's input, core cycles"),
  UINT(CORE, writeback_cycles, 0, 1000, "result to dependents issuable, core cycles"),
  UINT(CORE, main_units, 1, WEIR_MAX_UNITS, "function units for ordinary operations per core"),
  UINT(CORE, special_units, 1, WEIR_MAX_UNITS, "function units for what core.latency gives to special ones, per core"),
  UINT(CORE, register_banks, 0, 32, "register file banks, one register per cycle each; 0: no conflicts"),
  UINT(CORE, main_collectors, 0, 16, "instructions that gather operands for the main units at once; 0: any number"),
  UINT(CORE, special_collectors, 0, 16, "the same for the special units"),
  UINT(CORE, memory_collectors, 0, 16, "the same for the load/store unit"),
  UINT(CORE, collector_reads, 1, 16, "registers that one collector takes per cycle"),
  UINT(CORE, unit_backlog, 0, 1024, "instructions that may wait before a function unit"),
  BOOL_OR(CORE, unit_conflicts, "false",
          "no two results of a unit in one cycle: what would make the second waits, and behind it the collectors"),
  UINT(CORE, lanes_per_cycle, 1, 64, "lanes that a function unit takes per core cycle"),
  ENUM_OR(
    CORE, ready_warps, meanings, "hazard_free",
    "which warps count as ready: all whose next instruction is there and free of hazards, or of these only those that the load/store unit has room for"),
  ENUM(
    CORE, memory_turn, turns,
    "which scheduler has the first choice of a cycle's one memory instruction: cycle number mod schedulers, or the one after the last that had it"),
  UINT(CORE, memory_queue, 1, WEIR_MAX_MEMORY_QUEUE, "memory instructions that may wait before the load/store unit"),
  UINT(CORE, shared_latency_cycles, 1, 10000, "shared memory's latency, core cycles"),
  POW2(CORE, shared_banks, 1, 128, "banks of the shared memory"),
  POW2(CORE, shared_bank_bytes, 4, 16, "width of a bank"),
  POW2(CORE, coalesce_bytes, 32, 128, "segment that lanes' accesses are merged by, for elements of 4 bytes and more"),
  BOOL(CORE, coalesce_by_element, "1- and 2-byte elements merge by 32- and 64-byte segments"),
  BOOL(CORE, skip_l1_global, "global loads skip the first-level cache unless they ask for it"),
  ENUM_OR(
    CORE, call_parameters, parameters, "registers",
    "where parameters and results of device functions lie: in registers, so that each ld.param and st.param is a move, or in thread-local memory"),
  SECTION(CORE, latency, class_section),
};
static const struct weir_section core_section = SECTION_OF("the core", CORE, core_keys);

// ---- caches ----------------------------------------------------------------------------------------------------------

static const char *const indexes[] = {
  [WEIR_INDEX_LINEAR] = "linear", [WEIR_INDEX_FERMI] = "fermi", [WEIR_INDEX_XOR] = "xor", NULL};
static const char *const allocations[] = {
  [WEIR_ALLOCATE_ON_MISS] = "on_miss", [WEIR_ALLOCATE_ON_FILL] = "on_fill", NULL};
static const char *const write_hits[] = {
  [WEIR_WRITE_EVICT] = "evict", [WEIR_WRITE_THROUGH] = "through", [WEIR_WRITE_BACK] = "back", NULL};
static const char *const write_misses[] = {
  [WEIR_WRITE_NO_ALLOCATE] = "no_allocate", [WEIR_WRITE_ALLOCATE_LAZY] = "allocate_lazy", NULL};

#define CACHE weir_cache_config
static const struct weir_key cache_keys[] = {
  NAME(CACHE, name, "the cache's name in paths and results"),
  UINT(CACHE, size_kib, 1, 1u << 20, "of a core's cache for the first, of all slices together for the others"),
  UINT(CACHE, ways, 1, WEIR_MAX_WAYS, "lines per set"),
  POW2(CACHE, line_bytes, 16, 256, "bytes of a line"),
  POW2(CACHE, sector_bytes, 16, 256, "bytes of a sector, which is fetched alone; the line's: not sectored"),
  ENUM(CACHE, index, indexes, "how an address selects its set"),
  TEXT(CACHE, replace, "replacement policy, unless a scheme says otherwise"),
  ENUM(CACHE, allocate, allocations, "when a missing line is given its way"),
  ENUM(CACHE, write_hit, write_hits, "what a store does to the line it hits"),
  ENUM(CACHE, write_miss, write_misses, "what a store does that misses; lazily: fetched when read"),
  UINT(CACHE, mshrs, 1, 65535, "lines being fetched at once (miss-status holding registers), per instance"),
  UINT(CACHE, mshr_merges, 1, 65536, "requests that may wait for one of them"),
  UINT(CACHE, miss_queue, 2, 65536, "requests that may wait for the next level, per instance"),
  UINT(CACHE, input_delay_cycles, 0, 100000, "request's arrival to its look-up"),
  UINT(CACHE, hit_latency_cycles, 1, 100000, "look-up to the data's departure"),
  UINT(CACHE, input_queue, 1, 65536, "requests that may wait for their look-up, beside those in its pipeline"),
  POW2(CACHE, banks, 1, 64, "look-ups per cycle, one per bank; lines are interleaved over the banks"),
  BOOL(CACHE, flush_at_kernel_end, "drops its lines when a kernel ends (first level only)"),
  BOOL(CACHE, shadow_tags, "measure: the same cache without its bypass policies, beside it"),
  BOOL(CACHE, census, "measure: count distinct lines over the whole run"),
};
static const struct weir_section cache_section = SECTION_OF("a cache", CACHE, cache_keys);

#define READ_ONLY weir_read_only_cache_config
static const struct weir_key read_only_keys[] = {
  POW2(READ_ONLY, size_bytes, 64, 1u << 24, "bytes per core"),
  UINT(READ_ONLY, ways, 1, WEIR_MAX_WAYS, "lines per set"),
  POW2(READ_ONLY, line_bytes, 16, 256, "bytes of a line"),
  UINT(READ_ONLY, mshrs, 1, 65535, "lines being fetched at once"),
  UINT(READ_ONLY, mshr_merges, 1, 65536, "requests that may wait for one of them"),
  UINT(READ_ONLY, miss_queue, 1, 65536, "requests that may wait for the next level"),
};
static const struct weir_section instruction_section = SECTION_OF("the instruction cache", READ_ONLY, read_only_keys);
static const struct weir_section constant_section = SECTION_OF("the constant cache", READ_ONLY, read_only_keys);

#define TEXTURE weir_texture_cache_config
static const struct weir_key texture_keys[] = {
  UINT(TEXTURE, size_bytes, 0, 1u << 24, "bytes per core; 0: none, the first-level cache serves texture fetches"),
  UINT(TEXTURE, ways, 1, WEIR_MAX_WAYS, "lines per set"),
  POW2(TEXTURE, line_bytes, 16, 256, "bytes of a line"),
  UINT(TEXTURE, fragment_fifo, 1, 65535, "accesses, hits and misses, that may wait for the data array, in order"),
  UINT(TEXTURE, request_fifo, 1, 65535, "lines that may wait for the next level"),
  UINT(TEXTURE, reorder_buffer, 1, 65534, "lines being fetched, or arrived before their turn"),
  UINT(TEXTURE, result_fifo, 1, 65535, "accesses that may wait for the register file"),
};
static const struct weir_section texture_section = SECTION_OF("the texture cache", TEXTURE, texture_keys);

// ---- interconnect and memory -----------------------------------------------------------------------------------------

#define NETWORK weir_network_config
static const struct weir_key network_keys[] = {
  UINT(NETWORK, flit_bytes, 1, 1024, "bytes that a port moves per network cycle"),
  UINT(NETWORK, latency_cycles, 0, 10000, "network cycles from the first flit's departure to its arrival"),
  UINT(NETWORK, input_queue_flits, 1, 65536, "flits that may wait at an input port"),
  UINT(NETWORK, output_queue_packets, 1, 65536, "packets that may wait at an output port"),
  UINT(NETWORK, header_bytes, 0, 256, "bytes of a packet besides its data"),
  TEXT_OR(
    NETWORK, mesh, "none",
    "what the routers of a mesh serve, row by row, as \"C0 L0 G0 / . L1 G1\": CPU cores (C), slices (L), cores (G); none: a crossbar"),
  UINT_OR(NETWORK, hop_cycles, 1, 10000, "1", "network cycles through a router of the mesh and the link behind it"),
};
static const struct weir_section network_section = SECTION_OF("the network", NETWORK, network_keys);

#define DRAM weir_dram_config
static const struct weir_key dram_keys[] = {
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
static const struct weir_section dram_section = SECTION_OF("the DRAM", DRAM, dram_keys);

// ---- the chip --------------------------------------------------------------------------------------------------------

#define CHIP weir_chip_config
static const struct weir_key chip_keys[] = {
  NAME(CHIP, name, "the chip's name"),
  NAME(CHIP, summary, "the chip in one line"),
  NAME(CHIP, citation, "where it is described"),
  SECTION(CHIP, device, device_section),
  SECTION(CHIP, clocks, clock_section),
  SECTION(CHIP, core, core_section),
  SECTION(CHIP, instruction_cache, instruction_section),
  SECTION(CHIP, constant_cache, constant_section),
  SECTION_OR_NONE(CHIP, texture_cache, texture_section),
  LIST(CHIP, caches, cache_section, 1, WEIR_MAX_LEVELS),
  SECTION(CHIP, network, network_section),
  SECTION(CHIP, dram, dram_section),
  SECTION(CHIP, energy, weir_energy_section),
  LIST_OR_NONE(CHIP, cpus, weir_cpu_cluster_section, 8),
  BOOL(CHIP, copies_pass_l2, "host copies leave their lines in the first cache behind the interconnect"),
  UINT(CHIP, sample_cycles, 0, UINT32_MAX, "measure: sample the chip every so many core cycles; 0: do not"),
};
const struct weir_section weir_chip_section = SECTION_OF("a chip", CHIP, chip_keys);
