// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a chip file says, as read: one struct per mapping of the YAML, one member per key, the key's name and unit the
// same. The table in keys.c is the only other place that knows the keys: parsing, ranges, --set paths and `weir list`
// come from it.
#ifndef WEIR_CONFIG_CONFIG_H
#define WEIR_CONFIG_CONFIG_H

#include "base/param.h"
#include "cpu/config.h"
#include "energy/energy.h"
#include "gpu/core.h"
#include "mem/cache.h"
#include "timeline/link.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_hint_config {
  enum weir_hint_effect effects[WEIR_HINT_COUNT];      // by enum weir_cache_hint
  uint32_t prefetch_64b, prefetch_128b, prefetch_256b; // bytes; 0: such a prefetch size is ignored
  uint32_t last_ways;                                  // lines of a set with the effect LAST, at most
};

struct weir_cache_config {
  char *name;                              // "l1", "l2", "l3": the path of --set, the member of the JSON
  uint32_t size_kib;                       // of a core's cache for caches[0], of all slices together for the others
  uint32_t ways, line_bytes, sector_bytes; // sector = line: not sectored
  enum weir_index_hash index;
  char *replace; // policy, unless a scheme says otherwise
  enum weir_allocate allocate;
  enum weir_write_hit write_hit;
  enum weir_write_miss write_miss;
  uint32_t mshrs, mshr_merges, miss_queue;
  uint32_t input_delay_cycles; // request's arrival to tag look-up
  uint32_t hit_latency_cycles; // look-up to data leaving
  uint32_t input_queue;        // requests
  uint32_t banks;              // look-ups per cycle, one per bank, line-interleaved
  bool bank_hash;              // by a hash of the line's number
  bool line_lookups;           // a look-up serves all sectors of its line
  uint32_t partitions;         // 2: in halves, each near half of the cores
  uint32_t partition_cycles;   // from one to the other
  uint32_t far_mshrs;          // for fetches from the other, beside mshrs; 0: at most half of those
  uint32_t fetch_bytes;        // the aligned bytes around a sector that misses, which come with it; 0: the sector
  uint32_t combine_cycles;     // that a store of a part of a sector waits for others to it; 0: it does not
  uint32_t combine_stores;     // that may wait so
  bool flush_at_kernel_end;
  struct weir_hint_config hints;
  bool data_pool;   // any set may hold lines in what core.unified_kib leaves the cache, up to its ways
  bool shadow_tags; // measure: the same cache without its bypass policies, beside it
  bool census;      // measure: distinct lines over the whole run
};

struct weir_read_only_cache_config { // instruction and constant caches
  uint32_t size_bytes, ways, line_bytes, mshrs, mshr_merges, miss_queue;
};

struct weir_texture_cache_config { // of a core; 0 bytes: none, and the first-level cache serves textures
  uint32_t size_bytes, ways, line_bytes, fragment_fifo, request_fifo, reorder_buffer, result_fifo;
};

struct weir_network_config {
  uint32_t flit_bytes, latency_cycles, input_queue_flits, output_queue_packets;
  uint32_t header_bytes;
  bool queue_per_output;
  uint32_t core_flits;       // per cycle, each way
  uint32_t gpc_flits;        // per cycle, from the slices to all cores of a GPC; 0: as many as these take
  uint32_t coalesced_reads;  // of a sector by cores of a group, that a slice serves as one
  uint32_t coalesced_cycles; // in which they come there
  char *mesh;                // what each router of a mesh serves (config/mesh_map.h); "none": a crossbar
  uint32_t hop_cycles;       // through one router and the link behind it
};

struct weir_dram_config { // timings in command cycles
  uint32_t channels, slices_per_channel, interleave_bytes;
  bool hash_slices;
  char *address_map; // local address, most significant first: "R12 B3 C4 B1 C2 S6"
  uint32_t banks, bank_groups, atom_bytes, burst_cycles;
  uint32_t queue, return_queue, request_queue, reply_queue; // requests
  uint32_t write_queue, write_high, write_low;              // likewise
  uint32_t write_idle;                                      // command cycles
  uint32_t fixed_latency_core_cycles;                       // controller and physical layer, before the queue
  uint32_t ccd, ccdl, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, rtpl;
};

struct weir_clock_config {
  double core_mhz, network_mhz, cache_mhz, dram_mhz; // caches behind the network
};

struct weir_energy_level_config { // pJ per access; mW per instance (a core's cache, a slice)
  char *name;                     // of the cache
  double tag_pj, read_pj, write_pj, fill_pj, predictor_pj, leakage_mw;
  double predictor_tag_pj, predictor_leakage_mw; // instead, where a policy keeps a predictor table and wider tags
  bool parallel;                                 // every look-up reads tag and data together (Tian et al. section 5.1)
};

struct weir_energy_cache_config { // of a CPU core
  double tag_pj, read_pj, write_pj, fill_pj, leakage_mw;
  bool parallel;
};

struct weir_energy_cpu_config { // a CPU core of a kind; what comes on top of instruction_pj
  char *name;                   // of the kind
  double instruction_pj, multiply_pj, float_pj, branch_pj, misprediction_pj, memory_pj, static_mw;
  struct weir_energy_cache_config l1i, l1d, l2;
};

struct weir_energy_config {
  struct weir_energy_level_config *levels; // in the order of caches
  uint32_t levels_count;
  double shared_pj; // per warp access
  double network_pj_per_bit, dram_pj_per_bit, dram_activate_pj;
  double core_warp_pj, core_lane_pj, core_static_mw; // of a core of the GPU
  double network_hop_pj_per_bit, network_static_mw;
  double controller_request_pj, controller_static_mw; // of a channel's
  double dram_write_pj_per_bit, dram_static_mw;       // of a channel
  enum weir_energy_dynamic_share shared_dynamic;
  enum weir_energy_static_share shared_static;
  struct weir_energy_cpu_config *cpus; // in the order of the chip's kinds; none: they cost nothing
  uint32_t cpus_count;
};

struct weir_cpu_cluster_config { // CPU cores of one kind
  char *name;
  uint32_t count;
  double mhz;
  struct weir_cpu_config core;
};

struct weir_device_config { // what programs are told of it
  char *name, *vendor;
  double compute_capability; // CUDA's, as 7.5; 0: no CUDA device
  uint32_t memory_mib;
};

struct weir_chip_config {
  char *name, *summary, *citation;
  struct weir_device_config device;
  struct weir_clock_config clocks;
  struct weir_core_config core;
  struct weir_read_only_cache_config instruction_cache, constant_cache;
  struct weir_texture_cache_config texture_cache;
  struct weir_cache_config *caches; // caches[0] is private to a core; the others lie behind the network, in order
  uint32_t caches_count;
  struct weir_network_config network;
  struct weir_dram_config dram;
  struct weir_link link; // to the host
  struct weir_energy_config energy;
  struct weir_cpu_cluster_config *cpus; // numbered through in this order; none of most chips
  uint32_t cpus_count;
  bool copies_pass_l2;    // host copies leave their lines in the first shared cache
  bool cold_launches;     // launches begin with empty caches of data, instructions, constants and textures
  uint32_t sample_cycles; // measure: what the chip does in each of such periods; 0: not
  uint32_t most_core_cycles, most_flits; // measure: a run that takes more is given up; 0: none is

  struct weir_origins origins; // of each value that a file or an option gives
};

// Caches of a level: one per core for the first, one per slice of a memory channel for the others.
uint32_t weir_chip_instances(const struct weir_chip_config *c, unsigned level);

// Sets of one of them; 0 if its size does not divide.
uint32_t weir_chip_sets(const struct weir_chip_config *c, unsigned level);

// Does it count accesses of its data caches in sectors as NVIDIA's profiler does? Two levels, in sectors of so many bytes.
bool weir_chip_has_sectors(const struct weir_chip_config *c, uint32_t bytes);

// The ports of a requester (weir_mreq.requester): the first, and how many.
uint32_t weir_chip_ports(const struct weir_chip_config *c, uint8_t requester, uint32_t *count);

// Ports of all requesters: of the GPU's cores, then of the CPU's.
uint32_t weir_chip_port_count(const struct weir_chip_config *c);

#endif
