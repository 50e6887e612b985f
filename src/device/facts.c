// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What programs ask about a device, from its chip file.
#include "device/device_private.h"

#include "config/config.h"

#include <math.h>

static uint32_t khz(double mhz) {
  return (uint32_t)llround(mhz * 1e3);
}

// What the channels move in a command cycle, at two transfers per clock of each pin.
static uint32_t bus_bits(const struct weir_dram_config *dram) {
  return dram->channels * dram->atom_bytes * 8 / (dram->burst_cycles ? dram->burst_cycles : 1) / 2;
}

static uint64_t cache_bytes(const struct weir_chip_config *c, unsigned level) {
  return level < c->caches_count ? (uint64_t)c->caches[level].size_kib << 10 : 0;
}

static uint32_t line_bytes(const struct weir_chip_config *c, unsigned level) {
  return level < c->caches_count ? c->caches[level].line_bytes : 0;
}

// What lines that go after all others may take.
static uint64_t persisting_bytes(const struct weir_chip_config *c) {
  if (c->caches_count < 2) return 0;
  const struct weir_cache_config *l2 = &c->caches[1];
  if (l2->hints.effects[WEIR_HINT_EVICT_LAST] != WEIR_EFFECT_OF_HINT_LAST) return 0;
  return (uint64_t)l2->size_kib * 1024 / l2->ways * l2->hints.last_ways;
}

struct weir_device_facts weir_device_facts(const struct weir_device *d) {
  enum {
    CONSTANT_BYTES = 64 << 10,
    MAX_BLOCK_THREADS = 1024,
    WINDOW_BYTES = 128 << 20 /* inferred */
  };                         // CUDA C++ Programming Guide, compute capabilities
  const struct weir_chip_config *c = d->setup.chip;
  uint32_t most_threads = c->core.max_warps * c->core.warp_lanes;
  return (struct weir_device_facts){
    .name = c->device.name,
    .vendor = c->device.vendor,
    .compute_major = weir_chip_capability(c) / 10,
    .compute_minor = weir_chip_capability(c) % 10,
    .memory_bytes = (uint64_t)c->device.memory_mib << 20,
    .memory_used_bytes = weir_memory_bytes(d->memory),
    .cores = c->core.count,
    .lanes = c->core.warp_lanes,
    .max_warps = c->core.max_warps,
    .max_blocks = c->core.max_blocks,
    .registers = c->core.registers,
    .shared_bytes = c->core.shared_bytes,
    .block_shared_bytes = c->core.shared_bytes - c->core.block_reserved_bytes,
    .max_block_threads = most_threads < MAX_BLOCK_THREADS ? most_threads : MAX_BLOCK_THREADS,
    .core_khz = khz(c->clocks.core_mhz),
    .memory_khz = khz(c->clocks.dram_mhz),
    .memory_bus_bits = bus_bits(&c->dram),
    .l1_bytes = cache_bytes(c, 0),
    .l2_bytes = cache_bytes(c, 1),
    .copy_engines = c->link.copy_engines ? c->link.copy_engines : 1,
    .fetch_bytes = c->caches_count > 1 ? c->caches[1].fetch_bytes : 0,
    .persisting_bytes = persisting_bytes(c),
    .window_bytes = persisting_bytes(c) ? WINDOW_BYTES : 0,
    .l1_line_bytes = line_bytes(c, 0),
    .l2_line_bytes = line_bytes(c, 1),
    .constant_bytes = CONSTANT_BYTES,
    .clusters = weir_cluster_gpcs(&c->core),
  };
}

unsigned weir_device_occupancy(const struct weir_device *d, const struct weir_kernel *k, unsigned block_threads,
                               uint64_t dynamic_shared_bytes, uint8_t preference) {
  return weir_chip_occupancy(d->setup.chip, k, block_threads, dynamic_shared_bytes, preference);
}

unsigned weir_device_clusters(const struct weir_device *d, const struct weir_kernel *k, unsigned block_threads,
                              uint64_t dynamic_shared_bytes, uint8_t preference, unsigned cluster_blocks) {
  const unsigned blocks = weir_device_occupancy(d, k, block_threads, dynamic_shared_bytes, preference);
  return weir_chip_clusters(d->setup.chip, blocks, cluster_blocks);
}
