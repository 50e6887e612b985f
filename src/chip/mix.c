// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/mix.h"

#include "base/alloc.h"
#include "chip/machine.h"

#include <assert.h>
#include <string.h>

// ---- who runs -----------------------------------------------------------------------------------------------------------

void weir_chip_add_cpu(struct weir_chip *c, const struct weir_chip_cpu_program *p) {
  struct weir_mix_state *m = &c->mix;
  assert(!c->built && m->cpus < weir_chip_cpu_cores(c->config) && p->instructions);
  m->cpu_programs[m->cpus] = *p;
  m->due[m->count] = p->instructions;
  m->programs[m->count++] = (struct weir_chip_program){.name = p->name, .cpu = true, .requester = (uint8_t)++m->cpus};
  m->left++;
}

void weir_chip_add_gpu(struct weir_chip *c, const char *name, uint64_t warp_instructions) {
  struct weir_mix_state *m = &c->mix;
  assert(m->count == m->cpus && !m->began && m->count < WEIR_MAX_REQUESTERS);
  memmove(m->programs + 1, m->programs, m->count * sizeof *m->programs);
  memmove(m->due + 1, m->due, m->count * sizeof *m->due);
  m->programs[0] = (struct weir_chip_program){.name = name};
  m->due[0] = warp_instructions ? warp_instructions : UINT64_MAX;
  m->count++;
  m->left++;
}

void weir_mix_begin(struct weir_chip *c) {
  if (!c->mix.began) c->mix.start = c->now;
  c->mix.began = true;
}

bool weir_chip_mix_done(const struct weir_chip *c) {
  return c->mix.count && (!c->mix.left || c->mix.broken);
}

// ---- their counts ---------------------------------------------------------------------------------------------------------

struct reading {
  weir_cycle now;
  bool ended;
  struct weir_requester_counts *ports;
};

static void read_cache(struct weir_cache *cache, void *context) {
  const struct reading *r = context;
  weir_residency_read(cache, r->now, r->ended, r->ports);
}

struct weir_requester_counts *weir_chip_by_port(const struct weir_chip *c, unsigned level, bool ended) {
  struct weir_requester_counts *ports = weir_new_array(struct weir_requester_counts, weir_chip_port_count(c->config));
  if (!c->residencies[level]) return ports;
  memcpy(ports, c->residencies[level]->ports, weir_chip_port_count(c->config) * sizeof *ports);
  struct reading r = {c->now / c->clocks.slices.period, ended, ports};
  weir_chip_each_cache(c, level, read_cache, &r);
  return ports;
}

static void read_core(const struct weir_chip_cpu *s, struct weir_chip_program *a) {
  a->instructions = s->core.stats.instructions;
  a->core = s->core.stats;
  memcpy(a->levels, s->levels, sizeof a->levels);
}

static const struct weir_domain *clock_of(const struct weir_chip *c, const struct weir_chip_program *a) {
  if (!a->cpu) return &c->clocks.cores;
  const struct weir_cpu_cluster *k = c->clusters;
  while (a->requester - 1u >= k->first + k->clock.parts) k++;
  return &k->clock;
}

static void freeze(struct weir_chip *c, struct weir_chip_program *a) {
  a->counted = true;
  a->time_ps = c->now - c->mix.start;
  a->cycles = a->time_ps / clock_of(c, a)->period;
  if (a->cpu)
    read_core(&c->cpus[a->requester - 1], a);
  else
    a->instructions = c->stats.warp_instructions;
  a->total = c->stats;
  a->total.time_ps = a->time_ps;
  a->total.cycles = a->time_ps / c->clocks.cores.period;
  weir_chip_count_others(c, &a->total);
  uint32_t count;
  const uint32_t first = weir_chip_ports(c->config, a->requester, &count);
  a->port_count = weir_chip_port_count(c->config);
  for (uint32_t i = first; c->traffic && i < first + count; i++) weir_traffic_counts_add(&a->traffic, &c->traffic[i]);
  for (unsigned l = 1; l < c->config->caches_count; l++) a->by_port[l] = weir_chip_by_port(c, l, false);
  c->mix.left--;
}

static uint64_t retired(const struct weir_chip *c, const struct weir_chip_program *a) {
  return a->cpu ? c->cpus[a->requester - 1].core.stats.instructions : c->stats.warp_instructions;
}

bool weir_mix_count(struct weir_chip *c) {
  struct weir_mix_state *m = &c->mix;
  for (uint32_t i = 0; i < m->count; i++) {
    struct weir_chip_program *a = &m->programs[i];
    if (a->counted) continue;
    if (retired(c, a) >= m->due[i])
      freeze(c, a);
    else
      m->broken |= a->cpu && weir_cpu_done(&c->cpus[a->requester - 1].core);
  }
  return !m->left || m->broken;
}

void weir_chip_gpu_ended(struct weir_chip *c) {
  struct weir_chip_program *a = c->mix.programs;
  if (!a->counted && c->mix.due[0] == UINT64_MAX) freeze(c, a);
  a->restarts++;
}

unsigned weir_chip_programs(const struct weir_chip *c, const struct weir_chip_program **programs) {
  *programs = c->mix.programs;
  return c->mix.count;
}

struct weir_requester_counts weir_chip_requester_counts(const struct weir_chip *c, const struct weir_chip_program *a,
                                                        unsigned level, uint8_t requester) {
  struct weir_requester_counts sum = {0};
  uint32_t count;
  const uint32_t first = weir_chip_ports(c->config, requester, &count);
  for (uint32_t i = first; a->by_port[level] && i < first + count; i++)
    weir_requester_counts_add(&sum, &a->by_port[level][i]);
  return sum;
}

void weir_mix_free(struct weir_chip *c) {
  for (uint32_t i = 0; i < c->mix.count; i++)
    for (unsigned l = 0; l < WEIR_MAX_LEVELS; l++) weir_free(c->mix.programs[i].by_port[l]);
}
