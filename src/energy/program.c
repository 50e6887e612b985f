// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "energy/program.h"

#include "energy/list.h"

// ---- counts ---------------------------------------------------------------------------------------------------------

static double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

// A requester's own accesses say what they touched; of predictors it is counted for all together.
static struct weir_energy_array requester_array(const struct weir_requester_counts *n, double predictor) {
  return (struct weir_energy_array){.tags = (double)(n->at.accesses + n->fills),
                                    .reads = (double)n->data_reads,
                                    .writes = (double)n->data_writes,
                                    .fills = (double)n->fills,
                                    .lookups = (double)(n->at.accesses + n->writebacks),
                                    .predictor = predictor};
}

static void count_level(const struct weir_energy_program *p, unsigned level, struct weir_energy_counts *n) {
  const double share = ratio((double)p->shared[level].at.accesses, (double)p->accesses[level]);
  const struct weir_energy_array all = weir_energy_array_of(&p->total.levels[level]);
  n->by_accesses.levels[level] = weir_energy_array_times(&all, share);
  n->by_events.levels[level] = requester_array(&p->shared[level], all.predictor * share);
}

static void count_dram(const struct weir_energy_program *p, struct weir_energy_counts *n) {
  const struct weir_dram_stats *all = &p->total.dram;
  const double requests = (double)(all->reads + all->writes), bits = ratio((double)all->bytes * 8, requests);
  const double share = ratio(n->requests, requests);
  n->by_accesses.read_bits = (double)all->reads * bits * share;
  n->by_accesses.write_bits = (double)all->writes * bits * share;
  n->by_accesses.activates = (double)all->activates * share;
  n->by_events.read_bits = (double)p->traffic.dram_reads * bits;
  n->by_events.write_bits = (double)p->traffic.dram_writes * bits;
  n->by_events.activates = (double)p->traffic.dram_activates;
}

static void count_cpu(const struct weir_energy_program *p, struct weir_energy_counts *n) {
  n->instructions = (double)p->core.instructions;
  n->multiplies = (double)p->core.multiplies;
  n->floats = (double)p->core.floats;
  n->branches = (double)p->core.branches;
  n->mispredictions = (double)p->core.mispredictions;
  n->memory = (double)(p->core.loads + p->core.stores);
  for (unsigned i = 0; i < WEIR_ENERGY_PRIVATE; i++) n->own[i] = weir_energy_array_of(&p->caches[i]);
}

static void count_gpu(const struct weir_energy_program *p, struct weir_energy_counts *n) {
  n->warp_instructions = (double)p->total.warp_instructions;
  n->thread_instructions = (double)p->total.thread_instructions;
  n->shared_accesses = (double)(p->total.shared_accesses + p->total.cluster_accesses);
  n->own[0] = weir_energy_array_of(&p->total.levels[0]);
}

static void count_time(const struct weir_energy_program *programs, unsigned count, struct weir_energy_counts *n) {
  double sum = 0, last = 0;
  for (unsigned i = 0; i < count; i++) {
    const double time = (double)programs[i].time_ps;
    sum += time;
    if (time > last) last = time;
  }
  n->time_share_ps = last * ratio(n->time_ps, sum);
  n->equal_share_ps = n->time_ps / count;
}

void weir_energy_count(const struct weir_energy_program *programs, unsigned count, unsigned which, unsigned levels,
                       struct weir_energy_counts *counts) {
  const struct weir_energy_program *p = &programs[which];
  struct weir_energy_counts n = {.cpu = p->cpu, .requester = p->requester, .time_ps = (double)p->time_ps};
  if (p->cpu)
    count_cpu(p, &n);
  else
    count_gpu(p, &n);
  n.network_bits = (double)p->traffic.network_bytes * 8;
  n.requests = (double)(p->traffic.dram_reads + p->traffic.dram_writes);
  for (unsigned i = 1; i < levels; i++) count_level(p, i, &n);
  count_dram(p, &n);
  count_time(programs, count, &n);
  *counts = n;
}

// ---- their price ----------------------------------------------------------------------------------------------------

struct sums {
  struct weir_energy_list list;
  double dynamic, steady; // on the chip
};

static void add_dynamic(struct sums *s, const char *level, const char *name, double picojoules) {
  weir_energy_add(&s->list, level, name, picojoules);
  s->dynamic += picojoules;
}

static void add_static(struct sums *s, const char *level, const char *name, double milliwatts, double time_ps) {
  const double picojoules = weir_energy_static(milliwatts, time_ps);
  weir_energy_add(&s->list, level, name, picojoules);
  s->steady += picojoules;
}

static void add_cache(struct sums *s, const struct weir_energy_level *level, const struct weir_energy_array *n,
                      double time_ps) {
  add_dynamic(s, level->name, "dynamic", weir_energy_dynamic(level, n));
  add_static(s, level->name, "static", level->leakage_mw * level->instances, time_ps);
}

static void add_cpu(struct sums *s, const struct weir_energy_cpu *c, const struct weir_energy_counts *n) {
  add_dynamic(s, "core", "dynamic",
              n->instructions * c->instruction_pj + n->multiplies * c->multiply_pj + n->floats * c->float_pj +
                n->branches * c->branch_pj + n->mispredictions * c->misprediction_pj + n->memory * c->memory_pj);
  add_static(s, "core", "static", c->static_mw, n->time_ps);
  for (unsigned i = 0; i < WEIR_ENERGY_PRIVATE; i++) add_cache(s, &c->caches[i], &n->own[i], n->time_ps);
}

static void add_gpu(struct sums *s, const struct weir_energy_costs *c, const struct weir_energy_counts *n) {
  add_dynamic(s, "core", "dynamic",
              n->warp_instructions * c->core_warp_pj + n->thread_instructions * c->core_lane_pj +
                n->shared_accesses * c->shared_pj);
  add_static(s, "core", "static", c->core_static_mw, n->time_ps);
  add_cache(s, &c->levels[0], &n->own[0], n->time_ps);
}

static double dram_dynamic(const struct weir_energy_costs *c, const struct weir_energy_shared *n) {
  return (n->read_bits + n->write_bits) * c->dram_pj_per_bit + n->write_bits * c->dram_write_pj_per_bit +
    n->activates * c->dram_activate_pj;
}

unsigned weir_energy_program_parts(const struct weir_energy_costs *costs, const struct weir_energy_counts *counts,
                                   struct weir_energy_part *parts, unsigned capacity) {
  const bool by_events = costs->shared_dynamic == WEIR_ENERGY_BY_EVENTS;
  const struct weir_energy_shared *shared = by_events ? &counts->by_events : &counts->by_accesses;
  const bool by_time = costs->shared_static == WEIR_ENERGY_BY_TIME;
  const double time = by_time ? counts->time_share_ps : counts->equal_share_ps;
  struct sums s = {.list = {parts, 0, capacity}};
  if (counts->cpu)
    add_cpu(&s, &costs->cpus[counts->requester], counts);
  else
    add_gpu(&s, costs, counts);
  for (unsigned i = 1; i < costs->levels_count; i++) add_cache(&s, &costs->levels[i], &shared->levels[i], time);
  add_dynamic(&s, "", "network", counts->network_bits * costs->network_pj_per_bit);
  add_static(&s, "", "network_static", costs->network_static_mw, time);
  add_dynamic(&s, "", "controller_dynamic", counts->requests * costs->controller_request_pj);
  add_static(&s, "", "controller_static", costs->controller_static_mw, time);
  const double dynamic = dram_dynamic(costs, shared), steady = weir_energy_static(costs->dram_static_mw, time);
  weir_energy_add(&s.list, "", "dram_dynamic", dynamic);
  weir_energy_add(&s.list, "", "dram_static", steady);
  weir_energy_add(&s.list, "", "on_chip_dynamic", s.dynamic);
  weir_energy_add(&s.list, "", "on_chip_static", s.steady);
  weir_energy_add(&s.list, "", "dram", dynamic + steady);
  weir_energy_add(&s.list, "", "total", s.dynamic + s.steady + dynamic + steady);
  return s.list.count;
}

double weir_energy_delay_squared(double picojoules, double time_ps) {
  const double seconds = time_ps * 1e-12;
  return picojoules * 1e-12 * seconds * seconds;
}
