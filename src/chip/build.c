// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From a chip file and a scheme to the parts and their wiring.
#include "chip/clocks.h"
#include "chip/cpus.h"
#include "chip/gpcs.h"
#include "chip/machine.h"
#include "config/mesh_map.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/leaks.h"

#include <math.h>
#include <string.h>

// ---- caches -----------------------------------------------------------------------------------------------------------

static struct weir_cache_params cache_params(const struct weir_chip *c, unsigned level, uint32_t instance) {
  const struct weir_cache_config *k = &c->config->caches[level];
  const struct weir_level_policies *policies = weir_scheme_level(c->scheme, level);
  struct weir_cache_params p = {.sets = weir_chip_sets(c->config, level),
                                .ways = k->ways,
                                .line_bytes = k->line_bytes,
                                .sector_bytes = k->sector_bytes,
                                .index = k->index,
                                .allocate = k->allocate,
                                .write_hit = k->write_hit,
                                .write_miss = k->write_miss,
                                .mshrs = k->mshrs,
                                .far_mshrs = k->far_mshrs,
                                .mshr_merges = k->mshr_merges,
                                .miss_queue = k->miss_queue,
                                .banks = k->banks,
                                .bank_hash = k->bank_hash,
                                .line_lookups = k->line_lookups,
                                .data_pool = k->data_pool,
                                .level = (uint8_t)level,
                                .shadow_tags = k->shadow_tags,
                                .replace = policies->replace,
                                .companion_count = policies->companion_count,
                                .seed = c->seed,
                                .user = level * (uint64_t)WEIR_MAX_SLICES + instance,
                                .instance = instance,
                                .instances = weir_chip_instances(c->config, level),
                                .requesters = weir_chip_cpu_cores(c->config) + 1,
                                .warps = level ? 0 : c->config->core.max_warps};
  for (unsigned i = 0; i < WEIR_HINT_COUNT; i++) p.effects[i] = (uint8_t)k->hints.effects[i];
  p.prefetch_bytes[WEIR_PREFETCH_64B] = k->hints.prefetch_64b;
  p.prefetch_bytes[WEIR_PREFETCH_128B] = k->hints.prefetch_128b;
  p.prefetch_bytes[WEIR_PREFETCH_256B] = k->hints.prefetch_256b;
  p.combine_cycles = level ? 0 : k->combine_cycles;
  p.combine_stores = k->combine_stores;
  p.fetch_bytes = level == 1 ? c->fetch_bytes : 0;
  p.last_ways = level == 1 ? c->last_ways : k->hints.last_ways;
  for (unsigned i = 0; i < policies->companion_count; i++) p.companions[i] = policies->companions[i];
  uint32_t below = level + 1 < c->config->caches_count ? c->config->caches[level + 1].sector_bytes : k->sector_bytes;
  p.fetch_pieces = k->sector_bytes > below ? k->sector_bytes / below : 1;
  return p;
}

static struct weir_cache_params read_only_params(const struct weir_chip *c,
                                                 const struct weir_read_only_cache_config *k) {
  uint32_t piece = c->config->caches[1].sector_bytes;
  struct weir_cache_params p = {.sets = k->size_bytes / (k->ways * k->line_bytes),
                                .ways = k->ways,
                                .line_bytes = k->line_bytes,
                                .sector_bytes = k->line_bytes,
                                .allocate = WEIR_ALLOCATE_ON_FILL,
                                .mshrs = k->mshrs,
                                .mshr_merges = k->mshr_merges,
                                .miss_queue = k->miss_queue,
                                .fetch_pieces = k->line_bytes > piece ? k->line_bytes / piece : 1,
                                .read_only = true};
  weir_policy_defaults(&p.replace, weir_policy_find(WEIR_POLICY_REPLACE, "lru"));
  return p;
}

static struct weir_texture_params texture_params(const struct weir_chip *c, const struct weir_texture_cache_config *k) {
  if (!k->size_bytes) return (struct weir_texture_params){0};
  uint32_t piece = c->config->caches[1].sector_bytes;
  return (struct weir_texture_params){.sets = k->size_bytes / (k->ways * k->line_bytes),
                                      .ways = k->ways,
                                      .line_bytes = k->line_bytes,
                                      .fragment_fifo = k->fragment_fifo,
                                      .request_fifo = k->request_fifo,
                                      .reorder_buffer = k->reorder_buffer,
                                      .result_fifo = k->result_fifo,
                                      .fetch_pieces = k->line_bytes > piece ? k->line_bytes / piece : 1};
}

static void build_cores(struct weir_chip *c) {
  const struct weir_core_config *k = &c->config->core;
  struct weir_sm_caches caches = {.instruction = read_only_params(c, &c->config->instruction_cache),
                                  .constant = read_only_params(c, &c->config->constant_cache),
                                  .texture = texture_params(c, &c->config->texture_cache)};
  for (unsigned m = 0; m < c->members.count; m++) {
    struct weir_sm_shared *s = &c->members.all[m].shared;
    s->config = k;
    s->fabric = &c->fabric;
    s->piece_bytes = c->config->caches[1].sector_bytes;
    s->l1_latency_cycles = c->config->caches[0].input_delay_cycles + c->config->caches[0].hit_latency_cycles;
    s->l1_input_queue = c->config->caches[0].input_queue;
  }
  c->sms = weir_alloc_pages(k->count * sizeof *c->sms);
  weir_leaks_search(c->sms, k->count * sizeof *c->sms);
  for (uint32_t i = 0; i < k->count; i++) {
    caches.l1 = cache_params(c, 0, i);
    weir_sm_init(&c->sms[i], &c->members.all[weir_owner_of_core(c, i)].shared, i, &caches);
    c->sms[i].l1.census = c->census[0];
  }
  c->turns = weir_new_array(uint32_t, k->count);
  weir_block_turns(k, c->turns);
}

static void build_coalescers(struct weir_chip *c) {
  const struct weir_network_config *n = &c->config->network;
  if (n->coalesced_reads < 2) return;
  c->groups = weir_new_array(uint8_t, c->config->core.count);
  weir_groups_of_cores(&c->config->core, c->groups);
  const struct weir_l2_coalescer_params p = {.most = n->coalesced_reads,
                                             .cycles = n->coalesced_cycles,
                                             .sector_shift = c->slices[0].stages[0].cache.sector_shift,
                                             .cores = c->config->core.count,
                                             .groups = c->groups};
  for (uint32_t i = 0; i < weir_chip_slice_count(c); i++) c->slices[i].coalescer = weir_l2_coalescer_create(&p);
}

static void build_slices(struct weir_chip *c) {
  uint32_t n = weir_chip_slice_count(c), levels = c->config->caches_count;
  c->slices = weir_alloc_pages(n * sizeof *c->slices);
  weir_leaks_search(c->slices, n * sizeof *c->slices);
  for (uint32_t i = 0; i < n; i++) {
    struct weir_stage_params stages[WEIR_MAX_STAGES];
    for (unsigned l = 1; l < levels; l++) {
      const struct weir_cache_config *k = &c->config->caches[l];
      stages[l - 1] = (struct weir_stage_params){.cache = cache_params(c, l, i),
                                                 .input_delay_cycles = k->input_delay_cycles,
                                                 .hit_latency_cycles = k->hit_latency_cycles,
                                                 .input_queue = k->input_queue};
      stages[l - 1].cache.first = i ? &c->slices[0].stages[l - 1].cache : NULL;
    }
    const struct weir_sm_shared *owner = &c->members.all[weir_owner_of_slice(c, i)].shared;
    weir_slice_init(&c->slices[i], stages, levels - 1, &c->fabric.map, owner->pool, &owner->stats->levels[1],
                    c->config->dram.request_queue, c->config->dram.reply_queue);
    c->slices[i].atomics = &owner->stats->atomics;
    for (unsigned l = 1; l < levels; l++) c->slices[i].stages[l - 1].cache.census = c->census[l];
  }
  for (uint32_t i = 0, half = c->fabric.partition_slices; i < half; i++)
    weir_slice_pair(&c->slices[i], i, &c->slices[half + i], half + i, c->config->caches[1].partition_cycles);
  build_coalescers(c);
}

static bool is_known(const struct weir_chip *c, uint32_t first_pc) {
  for (uint32_t i = c->program_count; i--;)
    if (c->programs[i] == first_pc) return true;
  return false;
}

// Room for the PCs below `count`; those that are new have no counts yet.
static void reach(struct weir_chip *c, uint32_t count) {
  if (count <= c->pc_count) return;
  c->pcs = weir_realloc(c->pcs, count * sizeof *c->pcs);
  struct weir_decoded *decoded = weir_alloc_aligned(_Alignof(struct weir_decoded), count * sizeof *decoded);
  if (c->pc_count) memcpy(decoded, c->decoded, c->pc_count * sizeof *decoded);
  weir_free(c->decoded);
  c->decoded = decoded;
  c->bank_counts = weir_realloc(c->bank_counts, count * sizeof *c->bank_counts);
  c->places = weir_realloc(c->places, count * sizeof *c->places);
  memset(c->pcs + c->pc_count, 0, (count - c->pc_count) * sizeof *c->pcs);
  memset(c->bank_counts + c->pc_count, 0, (count - c->pc_count) * sizeof *c->bank_counts);
  c->pc_count = count;
}

// Atomics are performed, and counted by their PC, at the first shared cache.
static void count_atomics(struct weir_cache *cache, void *context) {
  const struct weir_chip *c = context;
  cache->pcs = c->members.all[weir_owner_of_slice(c, cache->params.instance)].shared.pcs;
}

void weir_chip_learn(struct weir_chip *c, const struct weir_program *program) {
  const uint32_t first = weir_program_first_pc(program);
  if (is_known(c, first)) return;
  *weir_push(c->programs, c->program_count, c->program_capacity) = first;
  uint32_t count;
  const struct weir_static *statics = weir_program_statics(program, &count);
  const uint32_t before = c->pc_count;
  reach(c, first + count);
  for (uint32_t i = 0; i < count; i++)
    weir_decode_timing(&c->decoded[first + i], &c->config->core, &statics[i],
                       weir_sm_reads_data(&c->sms[0], &statics[i], statics[i].space),
                       c->config->core.guard_cycles && weir_writes_guard(statics, count, i));
  if (c->config->core.stall_counts) weir_decode_stalls(&c->decoded[first], &c->config->core, statics, count);
  memcpy(c->places + first, weir_program_places(program), count * sizeof *c->places);
  weir_members_learn(c, before, c->pc_count);
  for (unsigned m = 0; m < c->members.count; m++) {
    uint32_t *registers = &c->members.all[m].shared.registers;
    if (weir_program_registers(program) > *registers) *registers = weir_program_registers(program);
  }
  for (uint32_t i = 0; i < c->config->core.count; i++) weir_sm_learn(&c->sms[i]);
  if (c->config->caches_count > 1) weir_chip_each_cache(c, 1, count_atomics, c);
}

// ---- memory and network -------------------------------------------------------------------------------------------------

static void build_drams(struct weir_chip *c) {
  const struct weir_dram_config *k = &c->config->dram;
  const struct weir_clock_config *clocks = &c->config->clocks;
  struct weir_dram_params p = {.banks = k->banks,
                               .bank_groups = k->bank_groups,
                               .atom_bytes = k->atom_bytes,
                               .burst_cycles = k->burst_cycles,
                               .queue = k->queue,
                               .write_queue = k->write_queue,
                               .write_high = k->write_high,
                               .write_low = k->write_low,
                               .write_idle = k->write_idle,
                               .outstanding = k->queue + k->write_queue + k->return_queue,
                               .ccd = k->ccd,
                               .ccdl = k->ccdl,
                               .rrd = k->rrd,
                               .rcd = k->rcd,
                               .ras = k->ras,
                               .rp = k->rp,
                               .rc = k->rc,
                               .cl = k->cl,
                               .wl = k->wl,
                               .cdlr = k->cdlr,
                               .wr = k->wr,
                               .rtpl = k->rtpl};
  p.fixed_latency = (uint32_t)lround(k->fixed_latency_core_cycles * clocks->dram_mhz / clocks->core_mhz);
  c->drams = weir_new_array(struct weir_dram, k->channels);
  c->next_slice = weir_new_array(uint32_t, k->channels);
  for (uint32_t i = 0; i < k->channels; i++)
    weir_dram_init(&c->drams[i], &p, &c->fabric.map, c->members.pools[weir_owner_of_channel(c, i)],
                   &c->members.all[weir_owner_of_channel(c, i)].shared.stats->dram);
}

static void build_fabric(struct weir_chip *c) {
  const struct weir_network_config *k = &c->config->network;
  c->fabric.map = (struct weir_address_map){.channels = c->config->dram.channels,
                                            .slices_per_channel = c->config->dram.slices_per_channel,
                                            .interleave_bytes = c->config->dram.interleave_bytes,
                                            .hashed = c->config->dram.hash_slices};
  weir_address_map_parse(&c->fabric.map, c->config->dram.address_map);
  if (c->config->caches_count > 1 && c->config->caches[1].partitions == 2) {
    c->fabric.partition_slices = weir_chip_slice_count(c) / 2;
    c->fabric.partition_cores = (c->config->core.count + 1) / 2;
  }
  const uint32_t ports = weir_chip_port_count(c->config);
  struct weir_mesh_params requests, replies;
  char flaw[200];
  weir_mesh_map(c->config, &requests, &replies, flaw, sizeof flaw); // validated
  struct weir_network_params p = {.inputs = ports,
                                  .outputs = weir_chip_slice_count(c),
                                  .flit_bytes = k->flit_bytes,
                                  .header_bytes = k->header_bytes,
                                  .queue_per_output = k->queue_per_output,
                                  .latency_cycles = k->latency_cycles,
                                  .input_flits = k->input_queue_flits,
                                  .output_packets = k->output_queue_packets,
                                  .flits_per_input = k->core_flits,
                                  .flits_per_output = 1,
                                  .mesh = requests};
  weir_network_init(&c->fabric.requests, &p, weir_route_to_slice, NULL);
  p.inputs = weir_chip_slice_count(c);
  p.outputs = ports;
  p.flits_per_input = 1;
  p.flits_per_output = k->core_flits;
  p.copies = k->coalesced_reads > 1;
  p.mesh = replies;
  uint32_t firsts[WEIR_MAX_GPCS + 1];
  if (k->gpc_flits) {
    p.groups = c->config->core.gpcs;
    p.flits_per_group = k->gpc_flits;
    p.group_first = firsts;
    for (uint32_t g = 0; g <= p.groups; g++) firsts[g] = weir_gpc_first(&c->config->core, g);
  }
  weir_network_init(&c->fabric.replies, &p, weir_route_to_core, NULL);
}

void weir_chip_build(struct weir_chip *c) {
  const struct weir_clock_config *clocks = &c->config->clocks;
  weir_members_build(c);
  weir_clock_init(&c->clocks.cores, clocks->core_mhz, c->config->core.count, weir_owner_of_core, c);
  weir_clock_init(&c->clocks.network, clocks->network_mhz, 1, NULL, NULL);
  weir_clock_init(&c->clocks.slices, clocks->cache_mhz, weir_chip_slice_count(c), weir_owner_of_slice, c);
  weir_clock_init(&c->clocks.drams, clocks->dram_mhz, c->config->dram.channels, weir_owner_of_channel, c);
  for (unsigned l = 0; l < c->config->caches_count; l++)
    if (c->config->caches[l].census) c->census[l] = weir_census_create();
  build_fabric(c);
  build_cores(c);
  build_slices(c);
  build_drams(c);
  c->built = true;
  weir_members_wire(c);
  weir_chip_build_epochs(c);
  weir_chip_build_foresight(c);
  weir_chip_build_watch(c);
  for (uint32_t i = 0; i < c->copy_count; i++) weir_chip_place_copy(c, c->copies[i].address, c->copies[i].bytes);
  c->copy_count = 0;
  if (c->config->cpus_count) weir_cpus_build(c);
}

void weir_chip_unbuild(struct weir_chip *c) {
  if (!c->built) return;
  for (uint32_t i = 0; i < c->config->core.count; i++) weir_sm_free(&c->sms[i]);
  for (uint32_t i = 0; i < weir_chip_slice_count(c); i++) weir_slice_free(&c->slices[i]);
  weir_chip_free_epochs(c);
  weir_chip_free_foresight(c);
  if (c->cpus) weir_cpus_free(c);
  for (unsigned l = 0; l < WEIR_MAX_LEVELS; l++) weir_census_free(c->census[l]);
  if (c->sms) weir_free_pages(c->sms, c->config->core.count * sizeof *c->sms);
  if (c->slices) weir_free_pages(c->slices, weir_chip_slice_count(c) * sizeof *c->slices);
  weir_free(c->drams);
  weir_free(c->next_slice);
  weir_free(c->turns);
  weir_free(c->groups);
  weir_free(c->pcs);
  weir_free(c->bank_counts);
  weir_free(c->decoded);
  weir_free(c->places);
  weir_free(c->programs);
  weir_clock_free(&c->clocks.cores);
  weir_clock_free(&c->clocks.network);
  weir_clock_free(&c->clocks.slices);
  weir_clock_free(&c->clocks.drams);
  weir_network_free(&c->fabric.requests);
  weir_network_free(&c->fabric.replies);
  weir_members_free(c);
}

// ---- host copies --------------------------------------------------------------------------------------------------------

// Only the last bytes of a copy can still be there after it: four times the cache's size is more than enough.
void weir_chip_place_copy(struct weir_chip *c, uint64_t address, uint64_t bytes) {
  const struct weir_cache_config *k = &c->config->caches[1];
  const uint64_t most = UINT64_C(4096) * k->size_kib, end = address + bytes, sector = k->sector_bytes;
  const uint64_t line = k->line_bytes < c->fabric.map.interleave_bytes ? k->line_bytes : c->fabric.map.interleave_bytes;
  if (bytes > most) address = end - most;
  weir_cycle now = c->now / c->clocks.slices.period;
  for (uint64_t at = address & ~(sector - 1), next; at < end; at = next) {
    next = (at | (line - 1)) + 1; // of one line, and in one slice
    const uint64_t here = (next < end ? next : end) - at;
    uint64_t place;
    uint32_t slice = weir_slice_of(&c->fabric.map, at, &place);
    weir_slice_place(&c->slices[slice], at, place, (uint32_t)weir_div_up(here, sector), now);
  }
}
