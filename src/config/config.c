// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Chips as their files say: copied, freed, asked. What reads them is read.c.
#include "config/config.h"

#include "base/alloc.h"
#include "config/chip_file.h"
#include "config/keys.h"

#include <math.h>
#include <string.h>

// ---- copies ----------------------------------------------------------------------------------------------------------

static void *copy_bytes(const void *bytes, size_t size) {
  return size ? memcpy(weir_alloc(size), bytes, size) : NULL;
}

static bool is_text(const struct weir_leaf *leaf) {
  return leaf->param->type == WEIR_PARAM_TEXT || leaf->param->type == WEIR_PARAM_NAME;
}

static bool copy_text(void *context, const struct weir_leaf *leaf) {
  (void)context;
  if (is_text(leaf)) *(char **)leaf->at = weir_text_copy(*(char **)leaf->at);
  return true;
}

struct weir_chip_config *weir_chip_copy(const struct weir_chip_config *c) {
  struct weir_chip_config *copy = copy_bytes(c, sizeof *c);
  copy->caches = copy_bytes(c->caches, c->caches_count * sizeof *c->caches);
  copy->energy.levels = copy_bytes(c->energy.levels, c->energy.levels_count * sizeof *c->energy.levels);
  copy->energy.cpus = copy_bytes(c->energy.cpus, c->energy.cpus_count * sizeof *c->energy.cpus);
  copy->cpus = copy_bytes(c->cpus, c->cpus_count * sizeof *c->cpus);
  copy->origins = weir_origins_copy(&c->origins);
  weir_param_leaves(&weir_chip_table, copy, copy_text, NULL);
  return copy;
}

static bool free_text(void *context, const struct weir_leaf *leaf) {
  (void)context;
  if (is_text(leaf)) weir_free(*(char **)leaf->at);
  return true;
}

void weir_chip_config_free(struct weir_chip_config *c) {
  if (!c) return;
  weir_param_leaves(&weir_chip_table, c, free_text, NULL);
  weir_free(c->caches);
  weir_free(c->energy.levels);
  weir_free(c->energy.cpus);
  weir_free(c->cpus);
  weir_origins_free(&c->origins);
  weir_free(c);
}

// ---- what it says ----------------------------------------------------------------------------------------------------

const char *weir_chip_name(const struct weir_chip_config *c) {
  return c->name;
}

const char *weir_chip_summary(const struct weir_chip_config *c) {
  return c->summary;
}

uint64_t weir_chip_memory_bytes(const struct weir_chip_config *c) {
  return (uint64_t)c->device.memory_mib << 20;
}

unsigned weir_chip_warps(const struct weir_chip_config *c) {
  return c->core.max_warps;
}

unsigned weir_chip_lanes(const struct weir_chip_config *c) {
  return c->core.warp_lanes;
}

unsigned weir_chip_capability(const struct weir_chip_config *c) {
  return (unsigned)lround(c->device.compute_capability * 10);
}

struct weir_code weir_chip_code(const struct weir_chip_config *c) {
  return (struct weir_code){.assembler = weir_assembler_for(weir_chip_capability(c)),
                            .assembled = c->core.code != WEIR_CODE_WRITTEN,
                            .machine = c->core.code == WEIR_CODE_MACHINE,
                            .padded = weir_chip_capability(c) >= 80};
}

unsigned weir_chip_levels(const struct weir_chip_config *c) {
  return c->caches_count;
}

const char *weir_chip_level_name(const struct weir_chip_config *c, unsigned level) {
  return c->caches[level].name;
}

unsigned weir_chip_cpu_cores(const struct weir_chip_config *c) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->cpus_count; i++) count += c->cpus[i].count;
  return count;
}

uint32_t weir_chip_instances(const struct weir_chip_config *c, unsigned level) {
  return level ? c->dram.channels * c->dram.slices_per_channel : c->core.count;
}

uint32_t weir_chip_sets(const struct weir_chip_config *c, unsigned level) {
  const struct weir_cache_config *cache = &c->caches[level];
  uint64_t slices = level ? weir_chip_instances(c, level) : 1;
  uint64_t bytes = (uint64_t)cache->size_kib * 1024, per_set = slices * cache->ways * cache->line_bytes;
  return bytes % per_set ? 0 : (uint32_t)(bytes / per_set);
}

bool weir_chip_has_sectors(const struct weir_chip_config *c, uint32_t bytes) {
  return c->caches_count == 2 && !c->cpus_count && c->core.coalesce_bytes == bytes &&
    c->caches[0].sector_bytes == bytes && c->caches[1].sector_bytes == bytes;
}

uint32_t weir_chip_ports(const struct weir_chip_config *c, uint8_t requester, uint32_t *count) {
  *count = requester ? 1 : c->core.count;
  return requester ? c->core.count + requester - 1 : 0;
}

uint32_t weir_chip_port_count(const struct weir_chip_config *c) {
  return c->core.count + weir_chip_cpu_cores(c);
}
