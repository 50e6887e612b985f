// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What single keys of a chip cannot say: sizes that divide, names, levels that connect.
#include "base/bits.h"
#include "config/chip_file.h"
#include "config/keys.h"
#include "config/mesh_map.h"
#include "gpu/carveout.h"
#include "gpu/sm.h"
#include "mem/address_map.h"
#include "mem/network.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check {
  const struct weir_chip_config *chip;
  struct weir_sink *sink;
  bool ok;
};

static void wrong(struct check *k, const char *part, const char *key, const char *format, ...)
  __attribute__((format(printf, 4, 5)));

static void wrong(struct check *k, const char *part, const char *key, const char *format, ...) {
  char path[WEIR_MAX_PATH], text[400];
  snprintf(path, sizeof path, "%s.%s", part, key);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  k->ok = weir_fail(k->sink, weir_origins_place(&k->chip->origins, path), "%s %s", path, text);
}

// ---- names -----------------------------------------------------------------------------------------------------------

static bool is_section(const char *name) {
  return weir_param_row(&weir_chip_table, name) != NULL;
}

// Words that a scheme file uses in place of a cache's name.
static bool is_reserved(const char *name) {
  return is_section(name) || !strcmp(name, "all") || !strcmp(name, "first") || !strcmp(name, "shared");
}

static bool well_formed(const char *name) {
  size_t length = strlen(name);
  return length < 16 && islower((unsigned char)*name) &&
    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

// ---- cores -----------------------------------------------------------------------------------------------------------

// A core looks at most WEIR_WHEEL_CYCLES ahead: issue to write-back, behind a full backlog, must be nearer.
static void check_latency(struct check *k, unsigned class, const char *name) {
  const struct weir_core_config *c = &k->chip->core;
  const struct weir_latency_config *l = &c->latency[class];
  uint64_t occupied = (uint64_t)l->interval_cycles * (c->warp_lanes / c->lanes_per_cycle);
  uint64_t ahead = c->operand_cycles + l->latency_cycles + (c->unit_backlog + 1) * occupied + c->writeback_cycles + 64;
  char part[WEIR_MAX_PATH];
  if (l->unit == WEIR_UNIT_MATRIX && !c->matrix_units) {
    snprintf(part, sizeof part, "core.latency.%s", name);
    wrong(k, part, "unit", "is matrix, of which core.matrix_units says that there are none");
  }
  if (ahead < WEIR_WHEEL_CYCLES) return;
  snprintf(part, sizeof part, "core.latency.%s", name);
  wrong(k, part, "latency_cycles", "and what comes before it make %llu cycles; a core looks %d ahead",
        (unsigned long long)ahead, WEIR_WHEEL_CYCLES);
}

static void check_latencies(struct check *k) {
  const struct weir_core_config *c = &k->chip->core;
#define X(name, key, help)                                                                                             \
  if (WEIR_CLASS_##name < WEIR_CLASS_FENCE) check_latency(k, WEIR_CLASS_##name, key);
  WEIR_OP_CLASSES(X)
#undef X
  if (c->shared_latency_cycles + c->writeback_cycles + 64 >= WEIR_WHEEL_CYCLES)
    wrong(k, "core", "shared_latency_cycles", "(%u) is too long; a core looks %d cycles ahead",
          c->shared_latency_cycles, WEIR_WHEEL_CYCLES);
  if (c->cluster_latency_cycles && !c->gpcs)
    wrong(k, "core", "cluster_latency_cycles", "(%u) needs GPCs (core.gpcs), in which clusters are",
          c->cluster_latency_cycles);
  if (c->cluster_latency_cycles + c->writeback_cycles + 64 >= WEIR_WHEEL_CYCLES)
    wrong(k, "core", "cluster_latency_cycles", "(%u) is too long; a core looks %d cycles ahead",
          c->cluster_latency_cycles, WEIR_WHEEL_CYCLES);
}

static void check_core(struct check *k) {
  const struct weir_core_config *c = &k->chip->core;
  if (c->warp_lanes != 32 && c->warp_lanes != 64)
    wrong(k, "core", "warp_lanes", "must be 32 or 64, not %u", c->warp_lanes);
  if (c->lanes_per_cycle > c->warp_lanes || c->warp_lanes % c->lanes_per_cycle)
    wrong(k, "core", "lanes_per_cycle", "(%u) must divide warp_lanes (%u)", c->lanes_per_cycle, c->warp_lanes);
  if (c->unit_conflicts && c->operand_cycles < 4)
    wrong(k, "core", "operand_cycles",
          "(%u) leaves no time for collector, read, and the place before a unit, which unit_conflicts "
          "takes (4)",
          c->operand_cycles);
  if (c->partitioned &&
      (c->main_units % c->schedulers || c->special_units % c->schedulers || c->matrix_units % c->schedulers))
    wrong(k, "core", "partitioned",
          "needs main_units (%u), special_units (%u) and matrix_units (%u) that divide by schedulers (%u)",
          c->main_units, c->special_units, c->matrix_units, c->schedulers);
  if (c->schedulers > c->max_warps)
    wrong(k, "core", "schedulers", "(%u) must not exceed max_warps (%u)", c->schedulers, c->max_warps);
  if (c->block_reserved_bytes > c->shared_bytes)
    wrong(k, "core", "block_reserved_bytes", "(%u) exceed core.shared_bytes (%u)", c->block_reserved_bytes,
          c->shared_bytes);
  const char *registers = weir_registers_wrong(c->kernel_registers);
  if (registers) wrong(k, "core", "kernel_registers", "%s, not '%s'", registers, c->kernel_registers);
}

// ---- one array for shared memory and the first-level cache ------------------------------------------------------------

static void check_carveout(struct check *k, uint32_t kib) {
  const struct weir_core_config *c = &k->chip->core;
  const struct weir_cache_config *l1 = &k->chip->caches[0];
  const uint64_t way = (uint64_t)weir_chip_sets(k->chip, 0) * l1->line_bytes,
                 left = (uint64_t)(c->unified_kib - kib) << 10;
  if (kib >= c->unified_kib)
    wrong(k, "core", "carveouts_kib", "'%s': %u KiB leave nothing of the array of %u KiB (core.unified_kib) to %s",
          c->carveouts_kib, kib, c->unified_kib, l1->name);
  else if (!l1->data_pool && way && left % way)
    wrong(k, "core", "carveouts_kib", "'%s': what %u KiB leave of the array is no multiple of a way of %s (%llu bytes)",
          c->carveouts_kib, kib, l1->name, (unsigned long long)way);
}

// flaw: of the text of carve-outs; NULL: the configuration has what it says.
static void check_array(struct check *k, const char *flaw) {
  const struct weir_core_config *c = &k->chip->core;
  const struct weir_cache_config *l1 = &k->chip->caches[0];
  const struct weir_carveouts sizes = c->carveouts;
  if (flaw) {
    wrong(k, "core", "carveouts_kib", "'%s' %s", c->carveouts_kib, flaw);
    return;
  }
  for (uint32_t i = 0; i < sizes.count; i++) check_carveout(k, sizes.kib[i]);
  const uint32_t most_kib = c->unified_kib - sizes.kib[0];
  if (l1->data_pool && most_kib > l1->size_kib)
    wrong(k, l1->name, "size_kib",
          "(%u) must be at least what the least carve-out (%u) leaves of core.unified_kib (%u), with %s.data_pool",
          l1->size_kib, sizes.kib[0], c->unified_kib, l1->name);
  else if (!l1->data_pool && most_kib != l1->size_kib)
    wrong(k, l1->name, "size_kib",
          "(%u) must be what the least carve-out (%u) leaves of core.unified_kib (%u; 0: no carve-outs)", l1->size_kib,
          sizes.kib[0], c->unified_kib);
  if ((uint64_t)sizes.kib[sizes.count - 1] << 10 < c->shared_bytes)
    wrong(k, "core", "shared_bytes", "(%u) exceed the largest carve-out (%u KiB)", c->shared_bytes,
          sizes.kib[sizes.count - 1]);
}

// ---- CPU cores ---------------------------------------------------------------------------------------------------------

static void check_cpu_cache(struct check *k, const struct weir_cpu_cluster_config *cluster, const char *name,
                            const struct weir_cpu_cache_config *c) {
  char part[WEIR_MAX_PATH];
  snprintf(part, sizeof part, "%s.%s", cluster->name, name);
  const uint32_t line = k->chip->caches_count > 1 ? k->chip->caches[1].sector_bytes : 0, set = c->ways * c->line_bytes;
  if (c->size_bytes % set || !weir_is_pow2(c->size_bytes / set))
    wrong(k, part, "size_bytes", "(%u) is no power of two of sets of %u ways × %u bytes", c->size_bytes, c->ways,
          c->line_bytes);
  if (c->line_bytes != line)
    wrong(k, part, "line_bytes", "(%u) must be the sector of the first shared cache (%u)", c->line_bytes, line);
}

static void check_cpus(struct check *k) {
  const struct weir_chip_config *c = k->chip;
  if (weir_chip_cpu_cores(c) >= WEIR_MAX_REQUESTERS)
    wrong(k, c->cpus[0].name, "count", "(%u) makes %u CPU cores; a chip has at most %d", c->cpus[0].count,
          weir_chip_cpu_cores(c), WEIR_MAX_REQUESTERS - 1);
  for (uint32_t i = 0; i < c->cpus_count; i++) {
    const struct weir_cpu_cluster_config *cluster = &c->cpus[i];
    if (!well_formed(cluster->name) || is_reserved(cluster->name))
      wrong(k, cluster->name, "name", "must be a word of small letters and digits that means nothing else");
    for (uint32_t j = 0; j < c->caches_count; j++)
      if (!strcmp(c->caches[j].name, cluster->name)) wrong(k, cluster->name, "name", "is also a cache's");
    check_cpu_cache(k, cluster, "l1i", &cluster->core.l1i);
    check_cpu_cache(k, cluster, "l1d", &cluster->core.l1d);
    check_cpu_cache(k, cluster, "l2", &cluster->core.l2);
  }
}

// ---- caches ----------------------------------------------------------------------------------------------------------

static void check_hints(struct check *k, const struct weir_cache_config *c) {
  char part[WEIR_MAX_PATH];
  snprintf(part, sizeof part, "%s.hints", c->name);
  for (unsigned i = 1; i < WEIR_HINT_COUNT; i++)
    if (i != WEIR_HINT_DISCARD && c->hints.effects[i] == WEIR_EFFECT_OF_HINT_DROP)
      wrong(k, part, weir_hint_keys[i], "must not be drop, which is for discard alone: the access wants the line");
}

// What a prefetch size fetches lies in one slice, and is of whole sectors.
static void check_fetch(struct check *k, const struct weir_cache_config *c, const char *part, const char *key,
                        uint32_t bytes) {
  if (!bytes) return;
  if (c != &k->chip->caches[1])
    wrong(k, part, key, "must be 0 but in the second cache, the L2");
  else if (!weir_is_pow2(bytes) || bytes < c->sector_bytes || bytes > k->chip->dram.interleave_bytes)
    wrong(k, part, key, "(%u) must be 0, or a power of two from sector_bytes (%u) to dram.interleave_bytes (%u)", bytes,
          c->sector_bytes, k->chip->dram.interleave_bytes);
}

static void check_fetches(struct check *k, const struct weir_cache_config *c) {
  char hints[WEIR_MAX_PATH];
  snprintf(hints, sizeof hints, "%s.hints", c->name);
  check_fetch(k, c, c->name, "fetch_bytes", c->fetch_bytes);
  check_fetch(k, c, hints, "prefetch_64b", c->hints.prefetch_64b);
  check_fetch(k, c, hints, "prefetch_128b", c->hints.prefetch_128b);
  check_fetch(k, c, hints, "prefetch_256b", c->hints.prefetch_256b);
}

// A request goes to one slice: nothing that is asked for, or written back, at once may lie in two.
static void check_interleave(struct check *k, const char *part, uint32_t line_bytes) {
  if (line_bytes > k->chip->dram.interleave_bytes)
    wrong(k, part, "line_bytes", "(%u) must not exceed dram.interleave_bytes (%u)", line_bytes,
          k->chip->dram.interleave_bytes);
}

static void check_read_only_size(struct check *k, const char *part, uint32_t size_bytes, uint32_t ways,
                                 uint32_t line_bytes) {
  uint32_t set = ways * line_bytes;
  check_interleave(k, part, line_bytes);
  if (size_bytes % set || !weir_is_pow2(size_bytes / set))
    wrong(k, part, "size_bytes", "(%u) is no power of two of sets of %u ways × %u bytes", size_bytes, ways, line_bytes);
}

static void check_read_only(struct check *k, const char *part, const struct weir_read_only_cache_config *c) {
  check_read_only_size(k, part, c->size_bytes, c->ways, c->line_bytes);
}

// A file without a base gives all of a texture cache's keys or none; one with a base may add some of them.
static void check_texture_cache(struct check *k) {
  const struct weir_texture_cache_config *c = &k->chip->texture_cache;
  const uint32_t values[] = {c->ways,         c->line_bytes,     c->fragment_fifo,
                             c->request_fifo, c->reorder_buffer, c->result_fifo};
  static const char *const keys[] = {"ways",         "line_bytes",     "fragment_fifo",
                                     "request_fifo", "reorder_buffer", "result_fifo"};
  enum { KEYS = sizeof keys / sizeof *keys };
  unsigned given = 0, first = KEYS, missing = KEYS;
  for (unsigned i = KEYS; i-- > 0;) {
    given += values[i] != 0;
    *(values[i] ? &first : &missing) = i;
  }
  if (c->size_bytes && missing < KEYS)
    wrong(k, "texture_cache", "size_bytes", "(%u) needs texture_cache.%s, which is not given", c->size_bytes,
          keys[missing]);
  else if (c->size_bytes)
    check_read_only_size(k, "texture_cache", c->size_bytes, c->ways, c->line_bytes);
  else if (given && missing < KEYS)
    wrong(k, "texture_cache", keys[first], "(%u) needs texture_cache.size_bytes, which is not given", values[first]);
}

static void check_name(struct check *k, uint32_t level) {
  const char *name = k->chip->caches[level].name;
  if (!well_formed(name))
    wrong(k, name, "name", "must be a word of at most 15 small letters and digits that begins with a letter");
  if (is_reserved(name)) wrong(k, name, "name", "means something else in paths or schemes");
}

static void check_geometry(struct check *k, uint32_t level) {
  const struct weir_cache_config *c = &k->chip->caches[level];
  uint32_t sets = weir_chip_sets(k->chip, level), slices = level ? weir_chip_instances(k->chip, level) : 1;
  if (!weir_is_pow2(sets))
    wrong(k, c->name, "size_kib", "(%u) must be a power of two of sets: %u slice%s × sets × %u ways × %u bytes",
          c->size_kib, slices, slices == 1 ? "" : "s", c->ways, c->line_bytes);
  else if (c->index == WEIR_INDEX_FERMI && sets != 32 && sets != 64)
    wrong(k, c->name, "index", "fermi is known for 32 and 64 sets; this cache has %u (try xor)", sets);
  if (c->sector_bytes > c->line_bytes || c->line_bytes / c->sector_bytes > WEIR_MAX_SECTORS)
    wrong(k, c->name, "sector_bytes", "(%u) must be a half, a quarter or an eighth of the line (%u), or the line",
          c->sector_bytes, c->line_bytes);
}

static void report_policy(struct check *k, const struct weir_cache_config *c) {
  unsigned count, names_count = 0;
  const struct weir_policy *const *all = weir_policies(&count);
  const char *names[256];
  for (unsigned i = 0; i < count && i < 256; i++)
    if (all[i]->kind == WEIR_POLICY_REPLACE) names[names_count++] = all[i]->name;
  const char *nearest = weir_nearest(c->replace, names, names_count);
  if (nearest)
    wrong(k, c->name, "replace", "names no replacement policy: '%s'; did you mean '%s'?", c->replace, nearest);
  else
    wrong(k, c->name, "replace", "names no replacement policy: '%s'", c->replace);
}

// A request enters a shared cache with all of its pieces or not at all; the longest is a line of what lies above.
static void check_input_queue(struct check *k, uint32_t level) {
  const struct weir_chip_config *c = k->chip;
  uint32_t bytes = c->caches[level - 1].line_bytes;
  if (bytes < c->instruction_cache.line_bytes) bytes = c->instruction_cache.line_bytes;
  if (bytes < c->constant_cache.line_bytes) bytes = c->constant_cache.line_bytes;
  if (c->texture_cache.size_bytes && bytes < c->texture_cache.line_bytes) bytes = c->texture_cache.line_bytes;
  uint32_t pieces = (uint32_t)weir_div_up(bytes, c->caches[level].sector_bytes);
  if (pieces > c->caches[level].input_queue)
    wrong(k, c->caches[level].name, "input_queue", "(%u) is less than the pieces of a request of %u bytes (%u)",
          c->caches[level].input_queue, bytes, pieces);
}

// An access is of one sector of the first cache.
static void check_segment(struct check *k, const struct weir_cache_config *first) {
  const uint32_t segment = k->chip->core.coalesce_bytes;
  if (segment > first->sector_bytes)
    wrong(k, "core", "coalesce_bytes", "(%u) must not exceed the sector of %s (%u bytes)", segment, first->name,
          first->sector_bytes);
}

// Partitions are of the one cache behind a crossbar, whose slices come in pairs.
static bool has_mesh(const struct weir_chip_config *c) {
  return strcmp(c->network.mesh, "none") != 0;
}

static void check_partitions(struct check *k, uint32_t level) {
  const struct weir_chip_config *c = k->chip;
  const struct weir_cache_config *cache = &c->caches[level];
  const char *key = "partitions";
  if (cache->partitions == 1 && cache->partition_cycles)
    wrong(k, cache->name, "partition_cycles", "(%u) must be 0 with one partition", cache->partition_cycles);
  if (cache->partitions == 1 && cache->far_mshrs)
    wrong(k, cache->name, "far_mshrs", "(%u) must be 0 with one partition", cache->far_mshrs);
  if (cache->partitions == 1) return;
  if (!level || c->caches_count > 2) wrong(k, cache->name, key, "must be 1 but in the only shared cache");
  if (!cache->partition_cycles) wrong(k, cache->name, "partition_cycles", "must be 1 or more with two partitions");
  if (c->dram.channels % 2)
    wrong(k, cache->name, key, "(2) need an even number of dram.channels, not %u", c->dram.channels);
  if (cache->mshrs < 2 && !cache->far_mshrs) wrong(k, cache->name, key, "(2) need two mshrs or more, or far_mshrs");
  if (cache->mshrs + cache->far_mshrs > UINT16_MAX)
    wrong(k, cache->name, "far_mshrs", "(%u) and mshrs (%u) must not exceed %u together", cache->far_mshrs,
          cache->mshrs, UINT16_MAX);
  if (cache->shadow_tags) wrong(k, cache->name, "shadow_tags", "cannot be measured of two partitions");
  if (c->cpus_count) wrong(k, cache->name, key, "must be 1 on a chip with CPU cores");
  if (has_mesh(c)) wrong(k, cache->name, key, "must be 1 behind a mesh");
}

static void check_cache(struct check *k, uint32_t level) {
  const struct weir_cache_config *c = &k->chip->caches[level];
  check_name(k, level);
  check_geometry(k, level);
  if (level) check_input_queue(k, level);
  if (level && c->flush_at_kernel_end) wrong(k, c->name, "flush_at_kernel_end", "is for the first level only");
  if (!weir_policy_find(WEIR_POLICY_REPLACE, c->replace)) report_policy(k, c);
  if (c->write_miss == WEIR_WRITE_ALLOCATE_LAZY && c->write_hit != WEIR_WRITE_BACK)
    wrong(k, c->name, "write_miss", "allocate_lazy needs write_hit: back");
  const bool by_byte = !level && c->sector_bytes == 32 && k->chip->core.coalesce_bytes == 32;
  if (c->write_miss == WEIR_WRITE_KEEP_WRITTEN && (c->write_hit != WEIR_WRITE_THROUGH || !by_byte))
    wrong(k, c->name, "write_miss",
          "keep_written is for a first level with write_hit: through, whose sectors, and core.coalesce_bytes, are 32");
  if (c->combine_cycles && (c->write_hit == WEIR_WRITE_BACK || !by_byte))
    wrong(k, c->name, "combine_cycles",
          "is for a first level whose stores go on, and whose sectors, and core.coalesce_bytes, are 32");
  check_interleave(k, c->name, c->line_bytes);
  check_hints(k, c);
  check_fetches(k, c);
  check_partitions(k, level);
  if (c->data_pool && (level || !k->chip->core.unified_kib))
    wrong(k, c->name, "data_pool", "needs the first level's cache, in one array with shared memory (core.unified_kib)");
  uint32_t below = level + 1 < k->chip->caches_count ? k->chip->caches[level + 1].sector_bytes : 0;
  // What passes a shared cache by is answered piece by piece, and above it such pieces are counted in its own sectors.
  if (level && below && below < c->sector_bytes)
    wrong(k, c->name, "sector_bytes", "(%u) must be that of the next level (%u) behind the network", c->sector_bytes,
          below);
  if (below > c->sector_bytes)
    wrong(k, c->name, "sector_bytes", "(%u) is less than that of the next level (%u)", c->sector_bytes, below);
  if (!level) check_segment(k, c);
}

// ---- DRAM ------------------------------------------------------------------------------------------------------------

static void check_map(struct check *k) {
  const struct weir_dram_config *d = &k->chip->dram;
  struct weir_address_map map = {0};
  const char *flaw = weir_address_map_parse(&map, d->address_map);
  if (flaw) {
    wrong(k, "dram", "address_map", "'%s': %s", d->address_map, flaw);
    return;
  }
  unsigned bank = 0, byte = 0, within = 0; // within: low bits that change neither row nor bank
  bool low = true;
  for (unsigned i = 0; i < map.count; i++) {
    char what = map.fields[i].what;
    bank += what == 'B' ? map.fields[i].bits : 0;
    byte += what == 'S' ? map.fields[i].bits : 0;
    low = low && (what == 'C' || what == 'S');
    within += low ? map.fields[i].bits : 0;
  }
  const struct weir_cache_config *last = &k->chip->caches[k->chip->caches_count - 1];
  if (weir_log2(last->sector_bytes) > within)
    wrong(k, "dram", "address_map", "'%s': a sector of %s (%u bytes) does not lie in one row", d->address_map,
          last->name, last->sector_bytes);
  if (bank != weir_log2(d->banks) || byte != weir_log2(d->atom_bytes))
    wrong(k, "dram", "address_map",
          "has %u bits of banks and %u of an atom's bytes; dram.banks is %u, dram.atom_bytes %u", bank, byte, d->banks,
          d->atom_bytes);
}

static void check_dram(struct check *k) {
  const struct weir_dram_config *d = &k->chip->dram;
  check_map(k);
  if (d->bank_groups > d->banks)
    wrong(k, "dram", "bank_groups", "(%u) exceeds dram.banks (%u)", d->bank_groups, d->banks);
  if (d->slices_per_channel > d->banks)
    wrong(k, "dram", "slices_per_channel", "(%u) exceeds dram.banks (%u)", d->slices_per_channel, d->banks);
  if (d->channels * d->slices_per_channel > WEIR_MAX_SLICES)
    wrong(k, "dram", "channels", "(%u) of %u slices make more than %d", d->channels, d->slices_per_channel,
          WEIR_MAX_SLICES);
  if (d->wl >= d->rcd) wrong(k, "dram", "wl", "(%u) must be less than dram.rcd (%u)", d->wl, d->rcd);
  if (d->wl > d->cl) wrong(k, "dram", "wl", "(%u) must not exceed dram.cl (%u)", d->wl, d->cl);
  if (d->ccd < d->burst_cycles)
    wrong(k, "dram", "ccd", "(%u) is less than dram.burst_cycles (%u), for which a burst holds the data bus", d->ccd,
          d->burst_cycles);
  if (d->rc < d->ras) wrong(k, "dram", "rc", "(%u) is less than dram.ras (%u)", d->rc, d->ras);
  if (!d->write_queue) return;
  if (d->write_high < 1 || d->write_high > d->write_queue)
    wrong(k, "dram", "write_queue", "(%u) needs write_high from 1 to %u, not %u", d->write_queue, d->write_queue,
          d->write_high);
  else if (d->write_low < 1 || d->write_low > d->write_high)
    wrong(k, "dram", "write_queue", "(%u) needs write_low from 1 to write_high (%u), not %u", d->write_queue,
          d->write_high, d->write_low);
}

// ---- network ---------------------------------------------------------------------------------------------------------

static void check_network(struct check *k) {
  const struct weir_network_config *n = &k->chip->network;
  uint32_t flits = (uint32_t)weir_div_up(k->chip->caches[0].line_bytes + n->header_bytes, n->flit_bytes);
  if (flits > n->input_queue_flits)
    wrong(k, "network", "input_queue_flits", "(%u) is less than a line's packet (%u flits)", n->input_queue_flits,
          flits);
  struct weir_mesh_params requests, replies;
  char text[200];
  const char *flaw = weir_mesh_map(k->chip, &requests, &replies, text, sizeof text);
  if (flaw) wrong(k, "network", "mesh", "%s", flaw);
  if (n->core_flits > 1 && has_mesh(k->chip))
    wrong(k, "network", "core_flits", "(%u) must be 1 in a mesh", n->core_flits);
  if (n->gpc_flits && has_mesh(k->chip))
    wrong(k, "network", "gpc_flits", "(%u) must be 0 in a mesh", n->gpc_flits);
  else if (n->gpc_flits && !k->chip->core.gpcs)
    wrong(k, "network", "gpc_flits", "(%u) needs GPCs (core.gpcs)", n->gpc_flits);
  else if (n->gpc_flits && n->gpc_flits < n->core_flits)
    wrong(k, "network", "gpc_flits", "(%u) is less than what one core takes (core_flits, %u)", n->gpc_flits,
          n->core_flits);
  if (n->coalesced_reads > 1 && !k->chip->core.groups)
    wrong(k, "network", "coalesced_reads", "(%u) needs groups of cores (core.groups)", n->coalesced_reads);
  else if (n->coalesced_reads > 1 && has_mesh(k->chip))
    wrong(k, "network", "coalesced_reads", "(%u) must be 1 in a mesh", n->coalesced_reads);
}

// ---- energy ----------------------------------------------------------------------------------------------------------

// Of all kinds of CPU cores or of none.
static void check_cpu_energy(struct check *k) {
  const struct weir_chip_config *c = k->chip;
  const struct weir_energy_config *e = &c->energy;
  for (uint32_t i = 0; i < e->cpus_count; i++) {
    char part[WEIR_MAX_PATH];
    snprintf(part, sizeof part, "energy.%s", e->cpus[i].name);
    if (i >= c->cpus_count)
      wrong(k, part, "name", "is of no kind of CPU cores that the chip has");
    else if (strcmp(e->cpus[i].name, c->cpus[i].name))
      wrong(k, part, "name", "stands where CPU cores '%s' are expected", c->cpus[i].name);
  }
  if (e->cpus_count && e->cpus_count < c->cpus_count)
    wrong(k, "energy", "shared_pj", "follows no energy of CPU cores '%s'", c->cpus[e->cpus_count].name);
}

static void check_energy(struct check *k) {
  const struct weir_chip_config *c = k->chip;
  if (c->energy.levels_count != c->caches_count) {
    wrong(k, "energy", "shared_pj", "follows %u levels; the chip has %u caches", c->energy.levels_count,
          c->caches_count);
    return;
  }
  for (uint32_t i = 0; i < c->caches_count; i++)
    if (strcmp(c->energy.levels[i].name, c->caches[i].name)) {
      char part[WEIR_MAX_PATH];
      snprintf(part, sizeof part, "energy.%s", c->energy.levels[i].name);
      wrong(k, part, "name", "stands where cache '%s' is expected", c->caches[i].name);
    }
  check_cpu_energy(k);
}

// ---- the link to the host ---------------------------------------------------------------------------------------------

// The name of a key that is missing in one direction; NULL: none is.
static const char *missing_of(const struct weir_link_way *w) {
  return !w->payload_bytes ? "payload_bytes" : !w->pageable_mb_per_s ? "pageable_mb_per_s" : NULL;
}

// What a host moves through its own buffers comes over the same link.
static void check_way(struct check *k, const char *part, const struct weir_link_way *w) {
  const double most = weir_link_payload_rate(&k->chip->link, w);
  if (w->pageable_mb_per_s > most)
    wrong(k, part, "pageable_mb_per_s",
          "(%u) exceeds the %.1f that packets of %u and %u bytes leave of link.raw_mb_per_s", w->pageable_mb_per_s,
          most, w->payload_bytes, w->header_bytes);
  if (w->immediate_mb_per_s > most)
    wrong(k, part, "immediate_mb_per_s",
          "(%u) exceeds the %.1f that packets of %u and %u bytes leave of link.raw_mb_per_s", w->immediate_mb_per_s,
          most, w->payload_bytes, w->header_bytes);
  if (w->immediate_latency_ns && !w->immediate_mb_per_s)
    wrong(k, part, "immediate_latency_ns", "(%u) needs %s.immediate_mb_per_s, which is not given",
          w->immediate_latency_ns, part);
}

// A key of a link that has no rate: the first that is given.
static void refuse_rest(struct check *k, const char *part, const struct weir_link_way *w) {
  const uint32_t values[] = {w->latency_ns,           w->payload_bytes,      w->header_bytes,
                             w->immediate_latency_ns, w->immediate_mb_per_s, w->pageable_latency_ns,
                             w->pageable_mb_per_s};
  static const char *const keys[] = {"latency_ns",           "payload_bytes",      "header_bytes",
                                     "immediate_latency_ns", "immediate_mb_per_s", "pageable_latency_ns",
                                     "pageable_mb_per_s"};
  for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
    if (values[i]) {
      wrong(k, part, keys[i], "(%u) needs link.raw_mb_per_s, which is not given", values[i]);
      return;
    }
}

// A file without a base gives all of the link's keys or none; one with a base may add some of them. A rate of 0 takes a whole link away.
static void check_link(struct check *k) {
  const struct weir_link *l = &k->chip->link;
  const char *device = missing_of(&l->to_device), *host = missing_of(&l->to_host);
  const bool rest = l->copy_engines && !device && !host;
  if (l->raw_mb_per_s && rest) {
    check_way(k, "link.to_device", &l->to_device);
    check_way(k, "link.to_host", &l->to_host);
  } else if (l->raw_mb_per_s && !l->copy_engines) {
    wrong(k, "link", "raw_mb_per_s", "(%u) needs link.copy_engines, which is not given", l->raw_mb_per_s);
  } else if (l->raw_mb_per_s) {
    wrong(k, "link", "raw_mb_per_s", "(%u) needs link.%s.%s, which is not given", l->raw_mb_per_s,
          device ? "to_device" : "to_host", device ? device : host);
  } else if (!rest) {
    if (l->copy_engines)
      wrong(k, "link", "copy_engines", "(%u) needs link.raw_mb_per_s, which is not given", l->copy_engines);
    refuse_rest(k, "link.to_device", &l->to_device);
    refuse_rest(k, "link.to_host", &l->to_host);
    if (l->kernels.reads)
      wrong(k, "link.kernels", "reads", "(%u) needs link.raw_mb_per_s, which is not given", l->kernels.reads);
  }
}

bool weir_chip_validate(struct weir_chip_config *c, struct weir_sink *sink) {
  struct check k = {c, sink, true};
  const char *flaw = c->core.unified_kib ? weir_carveouts_read(&c->core.carveouts, c->core.carveouts_kib) : NULL;
  check_core(&k);
  check_read_only(&k, "instruction_cache", &c->instruction_cache);
  check_read_only(&k, "constant_cache", &c->constant_cache);
  for (uint32_t i = 0; i < c->caches_count; i++) check_cache(&k, i);
  if (c->core.unified_kib) check_array(&k, flaw);
  check_texture_cache(&k);
  check_latencies(&k);
  check_cpus(&k);
  check_network(&k);
  check_dram(&k);
  check_link(&k);
  check_energy(&k);
  return k.ok;
}
