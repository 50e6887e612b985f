// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Laws of what goes from one level to the next, over the network and to DRAM, and of energy. Where it cannot be told from counts
// how many pieces a request was, a law gives the least and the most.
#include "laws.h"

#include "base/bits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct bounds {
  uint64_t least, most;
};

static void within(struct verdict *v, const char *what, uint64_t is, struct bounds b) {
  at_most(v, what, is, b.most);
  at_most(v, what, b.least, is);
}

static struct bounds plus(struct bounds a, struct bounds b) {
  return (struct bounds){a.least + b.least, a.most + b.most};
}

static struct bounds exactly(uint64_t n) {
  return (struct bounds){n, n};
}

static struct bounds times(struct bounds a, uint64_t least, uint64_t most) {
  return (struct bounds){a.least * least, a.most * most};
}

static uint64_t more(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static const struct weir_cache_config *cache(const struct run *run, unsigned level) {
  return &run->config->caches[level];
}

static unsigned last_of(const struct run *run) {
  return run->config->caches_count - 1;
}

// ---- what leaves a level -----------------------------------------------------------------------------------------------------

// Sectors of the level below (of DRAM: requests) to one of this level.
static uint64_t ratio(const struct run *run, unsigned level) {
  return level == last_of(run) ? 1 : cache(run, level)->sector_bytes / cache(run, level + 1)->sector_bytes;
}

// Atomics that fetch: not more than miss, or wait for another's fetch.
static struct bounds fetching_atomics(const struct run *run, unsigned level) {
  uint64_t hits = 0;
  for (unsigned i = 0; i < MAX_CORES; i++) hits += run->seen[level][i].hits[WEIR_ACCESS_ATOMIC];
  const uint64_t rest = atomics_at(run, level) - hits, misses = run->total.levels[level].stores.misses;
  return (struct bounds){0, rest < misses ? rest : misses};
}

// Loads that go past the first level are as long as their coalesced access; below it, as a piece within a sector.
static uint64_t longest_pass(const struct run *run, unsigned level) {
  return level ? ratio(run, level) : more(1, run->config->core.coalesce_bytes / cache(run, 1)->sector_bytes);
}

// Reads that leave: fetches of whole sectors, and loads that go past, which are not told from bypassed misses.
static struct bounds reads_down(const struct run *run, unsigned level) {
  const struct weir_access_counts *n = &run->total.levels[level].loads;
  const uint64_t told = level ? 0 : run->expected.skips; // by an operator: each lies in one sector of the level below
  const bool passes = level_asks_load(run, level) || level_asks_stall(run, level);
  const uint64_t may_pass = passes ? n->bypasses - told : 0, fetched = n->misses - told - may_pass,
                 q = ratio(run, level);
  struct bounds b = exactly((fetched + run->total.levels[level].prefetches) * q + told);
  b = plus(b, times(exactly(may_pass), 1, more(q, longest_pass(run, level))));
  return plus(b, times(fetching_atomics(run, level), q, q));
}

// Stores, and write-backs from above, that a level passes on; requests.
static struct bounds passed_stores(const struct run *run, unsigned level) {
  const struct weir_access_counts *n = &run->total.levels[level].stores;
  const struct weir_cache_config *c = cache(run, level);
  const uint64_t atomics = atomics_at(run, level),
                 local = level ? run->total.levels[level].stores.hits : run->expected.local_stores;
  const struct bounds fetching = fetching_atomics(run, level);
  if (c->write_miss == WEIR_WRITE_ALLOCATE_LAZY) return exactly(n->bypasses);
  if (c->write_hit == WEIR_WRITE_BACK) return (struct bounds){n->misses - fetching.most, n->misses};
  const uint64_t all = n->accesses - atomics;
  if (c->write_hit == WEIR_WRITE_THROUGH) return exactly(all);
  return (struct bounds){all > local ? all - local : 0, all}; // thread-local stores that hit stay
}

static struct bounds store_pieces(const struct run *run, unsigned level) {
  const struct weir_cache_config *c = cache(run, level);
  const bool all = c->write_hit != WEIR_WRITE_BACK && !run->expected.local_stores;
  const uint64_t combined = run->total.levels[level].combined_stores * (level ? 1 : ratio(run, 0)); // of a sector each
  struct bounds b = times(passed_stores(run, level), 1, longest_pass(run, level));
  if (!level && all) b = exactly(run->expected.store_pieces);
  return (struct bounds){b.least > combined ? b.least - combined : 0, b.most - combined};
}

// ---- from level to level -----------------------------------------------------------------------------------------------------

static uint64_t pieces_of_lines(const struct run *run, uint64_t misses, uint32_t line) {
  return misses * more(1, line / cache(run, 1)->sector_bytes);
}

// That cores ask for.
static uint64_t code_lines(const struct weir_run_stats *t) {
  return t->instruction_cache_misses + t->code_prefetches;
}

static void loads_below(const struct run *run, struct verdict *v) {
  const struct weir_run_stats *t = &run->total;
  for (unsigned l = 0; l < last_of(run); l++) {
    struct bounds b = plus(reads_down(run, l), exactly(t->levels[l + 1].far_reads)); // which are looked up twice
    // Those that another answers are not looked up at all.
    const uint64_t coalesced = t->levels[l + 1].coalesced_reads;
    if (!l) b = plus(b, exactly(pieces_of_lines(run, code_lines(t), run->config->instruction_cache.line_bytes)));
    if (!l)
      b = plus(b, exactly(pieces_of_lines(run, t->constant_cache_misses, run->config->constant_cache.line_bytes)));
    if (!l) b = plus(b, exactly(pieces_of_lines(run, t->texture_cache_misses, run->config->texture_cache.line_bytes)));
    within(v, "loads of the level below, and those coalesced", t->levels[l + 1].loads.accesses + coalesced, b);
  }
}

static void stores_below(const struct run *run, struct verdict *v) {
  for (unsigned l = 0; l < last_of(run); l++) {
    const uint64_t sectors = run->total.levels[l].writebacks * ratio(run, l);
    const uint64_t leaving = run->ends[l].leaving / cache(run, l + 1)->sector_bytes;
    struct bounds b = plus(store_pieces(run, l), exactly(sectors + atomics_at(run, l + 1)));
    within(v, "stores of the level below, and write-backs on their way",
           run->total.levels[l + 1].stores.accesses + leaving, b);
  }
}

static void dram_requests(const struct run *run, struct verdict *v) {
  const unsigned last = last_of(run);
  const struct weir_level_stats *n = &run->total.levels[last];
  const uint64_t per_line = cache(run, last)->line_bytes / cache(run, last)->sector_bytes;
  within(v, "dram.reads, and those from the other partition", run->total.dram.reads + n->far_reads,
         reads_down(run, last));
  const struct bounds written = {weir_div_up(n->writebacks, per_line), n->writebacks};
  within(v, "dram.writes, and those on their way", run->total.dram.writes + run->ends[last].leaving_requests,
         plus(passed_stores(run, last), written));
}

static void dram_bytes(const struct run *run, struct verdict *v) {
  const struct weir_dram_stats *d = &run->total.dram;
  const struct weir_cache_config *c = cache(run, last_of(run));
  const uint64_t atom = run->config->dram.atom_bytes, line = weir_div_up(c->line_bytes, atom),
                 sector = weir_div_up(c->sector_bytes, atom);
  within(v, "dram.bytes", d->bytes,
         (struct bounds){(d->reads + d->writes) * atom, (d->reads * sector + d->writes * line) * atom});
  const bool passes = level_asks_load(run, last_of(run)) || level_asks_stall(run, last_of(run));
  if (!passes) at_most(v, "bytes of reads alone", d->reads * sector * atom, d->bytes);
  equal(v, "bytes beyond whole bursts", d->bytes % atom, 0);
  within(v, "dram.written_bytes", d->written_bytes, (struct bounds){d->writes * atom, d->writes * line * atom});
  within(v, "bytes read", d->bytes - d->written_bytes, (struct bounds){d->reads * atom, d->reads * sector * atom});
}

static void dram_rows(const struct run *run, struct verdict *v) {
  const struct weir_dram_stats *d = &run->total.dram;
  equal(v, "row hits, misses and conflicts", d->row_hits + d->row_misses + d->row_conflicts,
        d->reads + d->writes + run->opened_unserved);
  equal(v, "activates", d->activates + run->closed_unopened, d->row_misses + d->row_conflicts);
}

static uint64_t cycles_of(const struct run *run, double mhz) {
  const uint64_t period = (uint64_t)(1e6 / mhz + 0.5);
  return run->total.time_ps / period + 2 + run->expected.launches; // a cycle begun at either end, and between launches
}

// Look-ups of a cycle; with line_lookups each may be of all sectors of a line.
static uint64_t look_ups_per_cycle(const struct weir_cache_config *c) {
  return (uint64_t)c->banks * (c->line_lookups ? c->line_bytes / c->sector_bytes : 1);
}

static void bandwidth(const struct run *run, struct verdict *v) {
  const struct weir_chip_config *c = run->config;
  const struct weir_run_stats *t = &run->total;
  const uint64_t burst = more(c->dram.burst_cycles, c->dram.ccd);
  // What waits to be written goes behind each launch.
  const uint64_t bursts = cache(run, last_of(run))->line_bytes / c->dram.atom_bytes + 1,
                 behind = run->expected.launches * c->dram.write_queue * bursts * burst;
  const uint64_t dram = cycles_of(run, c->clocks.dram_mhz) + c->dram.burst_cycles + behind,
                 slices = cycles_of(run, c->clocks.cache_mhz);
  at_most(v, "cycles of the DRAM's data buses", t->dram.bytes / c->dram.atom_bytes * burst,
          (dram + burst) * c->dram.channels);
  at_most(v, "look-ups of the first level",
          t->levels[0].loads.accesses + t->levels[0].stores.accesses - run->expected.skips - run->expected.past,
          t->core_cycles * look_ups_per_cycle(&c->caches[0]));
  for (unsigned l = 1; l <= last_of(run); l++)
    at_most(v, "look-ups", t->levels[l].loads.accesses + t->levels[l].stores.accesses,
            slices * look_ups_per_cycle(&c->caches[l]) * weir_chip_instances(c, l));
}

// ---- network -------------------------------------------------------------------------------------------------------------------

struct traffic {
  uint64_t packets, bytes;
};

// What the network must carry both ways; false: it cannot be told, as loads may go past the L1, thread-local stores stay in it, or reads that
// differ are one.
static bool traffic_of(const struct run *run, struct traffic *t) {
  const struct weir_run_stats *n = &run->total;
  const struct expected *e = &run->expected;
  if (level_asks_load(run, 0) || level_asks_stall(run, 0)) return false;
  if (cache(run, 0)->write_hit == WEIR_WRITE_BACK || e->local_stores) return false;
  if (n->levels[1].coalesced_reads && e->skips)
    return false; // of a part of a sector each, and all get what the first asked for
  const uint64_t piece = cache(run, 1)->sector_bytes, header = run->config->network.header_bytes;
  const uint64_t fetched = n->levels[0].loads.misses - e->skips;
  const uint64_t instructions = code_lines(n), constants = n->constant_cache_misses, textures = n->texture_cache_misses;
  const uint64_t combined = n->levels[0].combined_stores, stores = e->stores - combined; // of 32 bytes each
  const uint64_t down = fetched + e->skips + stores + e->atomics + instructions + constants + textures;
  const uint64_t up = fetched * ratio(run, 0) + e->skips + e->store_pieces - combined * ratio(run, 0) +
    e->atomic_pieces + pieces_of_lines(run, instructions, run->config->instruction_cache.line_bytes) +
    pieces_of_lines(run, constants, run->config->constant_cache.line_bytes) +
    pieces_of_lines(run, textures, run->config->texture_cache.line_bytes);
  t->packets = down + up;
  t->bytes = header * t->packets + e->store_bytes - 32 * combined + 32 * e->atomics + fetched * ratio(run, 0) * piece +
    e->skip_bytes + 32 * e->atomics + instructions * run->config->instruction_cache.line_bytes +
    constants * run->config->constant_cache.line_bytes + textures * run->config->texture_cache.line_bytes;
  return true;
}

static void network(const struct run *run, struct verdict *v) {
  const struct weir_network_config *c = &run->config->network;
  struct traffic t;
  at_most(v, "network_bytes", run->total.network_bytes, run->total.network_flits * c->flit_bytes);
  const uint64_t ports = run->config->core.count + weir_chip_instances(run->config, 1);
  const uint64_t longest = (cache(run, 0)->line_bytes + c->header_bytes) / c->flit_bytes + 1;
  at_most(v, "network_flits", run->total.network_flits,
          (cycles_of(run, run->config->clocks.network_mhz) + longest) * ports);
  equal(v, "host_bytes", run->total.host_read_bytes + run->total.host_written_bytes + run->total.migrated_bytes, 0);
  equal(v, "page_faults", run->total.page_faults + run->total.evicted_bytes, 0); // nothing of it is the host's
  if (!traffic_of(run, &t)) return;
  equal(v, "network_bytes", run->total.network_bytes, t.bytes);
  at_most(v, "network_flits", run->total.network_flits, t.bytes / c->flit_bytes + t.packets);
}

// ---- energy --------------------------------------------------------------------------------------------------------------------

static void same_energy(struct verdict *v, const struct run *run, const char *name, double must) {
  double is = 0;
  for (unsigned i = 0; i < run->part_count; i++)
    if (!strcmp(run->parts[i].name, name)) is = run->parts[i].picojoules;
  if (fabs(is - must) > 1e-9 * fabs(must))
    equal(v, name, (uint64_t)llround(is * 1000), (uint64_t)llround(must * 1000)); // in fJ
}

static bool keeps_table(const struct weir_policy_choice *choice) {
  bool any = false;
  for (const struct weir_policy_counter *c = choice->policy->counters; c && c->name; c++) any |= c->predictor_access;
  return any;
}

static void level_energy(const struct run *run, struct verdict *v, unsigned l) {
  const struct weir_energy_level_config *e = &run->config->energy.levels[l];
  const struct weir_level_stats *n = &run->total.levels[l];
  const struct weir_level_policies *p = weir_scheme_level(run->scheme, l);
  bool table = keeps_table(&p->replace);
  for (unsigned i = 0; i < p->companion_count; i++) table |= keeps_table(&p->companions[i]);
  const double tags = (double)n->tag_accesses + (double)n->fills,
               watts = table ? e->predictor_leakage_mw : e->leakage_mw;
  const double touched = e->parallel ? (double)(n->tag_accesses + n->writebacks) * e->read_pj
                                     : (double)n->data_reads * e->read_pj + (double)n->data_writes * e->write_pj;
  char name[64];
  snprintf(name, sizeof name, "%s_tag", e->name);
  same_energy(v, run, name, tags * (table ? e->predictor_tag_pj : e->tag_pj));
  snprintf(name, sizeof name, "%s_data", e->name);
  same_energy(v, run, name, touched + (double)n->fills * e->fill_pj);
  snprintf(name, sizeof name, "%s_predictor", e->name);
  same_energy(v, run, name, (double)n->predictor_accesses * e->predictor_pj);
  snprintf(name, sizeof name, "%s_leakage", e->name); // 1 mW for 1 ps is 1e-3 pJ
  same_energy(v, run, name, watts * weir_chip_instances(run->config, l) * (double)run->total.time_ps * 1e-3);
}

static void energy(const struct run *run, struct verdict *v) {
  const struct weir_energy_config *e = &run->config->energy;
  const struct weir_run_stats *t = &run->total;
  const struct weir_dram_stats *d = &t->dram;
  const double mw = (double)t->time_ps * 1e-3, requests = (double)(d->reads + d->writes);
  for (unsigned l = 0; l < run->config->caches_count; l++) level_energy(run, v, l);
  same_energy(v, run, "shared", (double)(t->shared_accesses + t->cluster_accesses) * e->shared_pj);
  if (e->network_hop_pj_per_bit == 0 || !strcmp(run->config->network.mesh, "none"))
    same_energy(v, run, "network", (double)t->network_bytes * 8 * e->network_pj_per_bit);
  const double written = requests > 0 ? (double)d->bytes * (double)d->writes / requests : 0;
  same_energy(v, run, "dram", (double)d->bytes * 8 * e->dram_pj_per_bit + written * 8 * e->dram_write_pj_per_bit);
  same_energy(v, run, "dram_activate", (double)d->activates * e->dram_activate_pj);
  same_energy(v, run, "core_dynamic",
              (double)t->warp_instructions * e->core_warp_pj + (double)t->thread_instructions * e->core_lane_pj);
  same_energy(v, run, "core_static", e->core_static_mw * run->config->core.count * mw);
  same_energy(v, run, "network_static", e->network_static_mw * mw);
  same_energy(v, run, "controller_dynamic", requests * e->controller_request_pj);
  same_energy(v, run, "controller_static", e->controller_static_mw * run->config->dram.channels * mw);
  same_energy(v, run, "dram_static", e->dram_static_mw * run->config->dram.channels * mw);
}

const struct law memory_laws[] = {
  {"loads below",
   "a level's loads are the pieces of what the level above fetches and passes on, and of instruction, constant and texture lines",
   loads_below},
  {"stores below", "a level's stores are the pieces of what the level above passes on and writes back, and of atomics",
   stores_below},
  {"DRAM requests", "DRAM reads what the last level misses, and writes what it passes on and writes back",
   dram_requests},
  {"DRAM bytes", "a request moves its bytes in whole bursts", dram_bytes},
  {"DRAM rows",
   "a request finds its row open, its bank closed or another row in it; a row opens for each but the first", dram_rows},
  {"bandwidth", "buses, banks and ports move no more than they can in the run's time", bandwidth},
  {"network", "the network carries headers and data of what is asked for and answered, in whole flits", network},
  {"energy", "each part's energy is what is counted × the chip file's price", energy},
};
const unsigned memory_law_count = sizeof memory_laws / sizeof *memory_laws;
