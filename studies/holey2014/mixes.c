// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The mixes of section 4.1 and Table IV: programs drawn at random, as many from the cache sensitive as from the
// insensitive ones, of CPU and GPU alike. Which the paper drew it does not say. Here the four kinds of section 5.5 take
// turns in 1C4G; in 2C4G and 4C4G every mix has as many sensitive as insensitive CPU programs, and the kinds of GPU
// programs take turns. No mix has a program twice, and no mix comes twice. The first n mixes are the same whatever n:
// asking for more repeats no run.
#include "holey2014/holey2014.h"

#include "base/rng.h"
#include "trace/programs.h"

#include <stdio.h>
#include <string.h>

const char *const holey_core_names[] = {"1C4G", "2C4G", "4C4G"};
const char *const holey_chips[] = {"apu-1c4g", "apu-2c4g", "apu-4c4g"};

static const struct {
  unsigned cpus, paper, small; // CPU programs; mixes: Table IV, and what ends in minutes
} configurations[] = {
  [HOLEY_1C4G] = {1, 100, 8},
  [HOLEY_2C4G] = {2, 40, 8},
  [HOLEY_4C4G] = {4, 30, 4},
};

static const uint64_t SEED = 2014;

unsigned holey_cpus(const char *mix) {
  unsigned n = 0;
  for (; *mix; mix++) n += *mix == '+';
  return n;
}

enum holey_cores holey_cores_of(const char *mix) {
  const unsigned cpus = holey_cpus(mix);
  return cpus > 2 ? HOLEY_4C4G : cpus > 1 ? HOLEY_2C4G : HOLEY_1C4G;
}

const char *holey_chip(const char *mix) {
  return holey_chips[holey_cores_of(mix)];
}

// ---- drawing -------------------------------------------------------------------------------------------------------

static unsigned count_of(const char *const *names) {
  unsigned n = 0;
  while (names[n]) n++;
  return n;
}

static bool cpu_fits(const struct weir_cpu_program *c, bool sensitive) {
  return (c->measured == WEIR_TRACE_SENSITIVE) == sensitive;
}

static const char *draw_cpu(struct weir_rng *rng, bool sensitive) {
  unsigned count, fit = 0;
  const struct weir_cpu_program *all = weir_cpu_programs(&count);
  for (unsigned i = 0; i < count; i++) fit += cpu_fits(&all[i], sensitive);
  uint64_t k = weir_rng_below(rng, fit);
  for (unsigned i = 0; i < count; i++)
    if (cpu_fits(&all[i], sensitive) && !k--) return all[i].name;
  return NULL;
}

static bool is_among(const char *name, const char *const *names, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (!strcmp(names[i], name)) return true;
  return false;
}

static void name_mix(struct holey_mix *m, const char *const *cpus, unsigned count, const char *gpu) {
  size_t length = 0;
  for (unsigned i = 0; i < count; i++)
    length += (size_t)snprintf(m->name + length, sizeof m->name - length, "%s+", cpus[i]);
  snprintf(m->name + length, sizeof m->name - length, "%s", gpu);
}

// The i-th mix of a configuration, with the next random numbers.
static void draw(struct holey_mix *m, enum holey_cores cores, unsigned i, struct weir_rng *rng) {
  unsigned cpus = configurations[cores].cpus;
  m->gpu_sensitive = i % 2;
  m->cpu_sensitive = i / 2 % 2 == 0;
  const char *names[HOLEY_CPUS];
  for (unsigned k = 0; k < cpus; k++) {
    bool sensitive = cpus > 1 ? k % 2 == 0 : m->cpu_sensitive;
    do names[k] = draw_cpu(rng, sensitive);
    while (is_among(names[k], names, k));
  }
  const char *const *gpus = m->gpu_sensitive ? holey_gpu_sensitive : holey_gpu_insensitive;
  name_mix(m, names, cpus, gpus[weir_rng_below(rng, count_of(gpus))]);
}

static bool comes_twice(const struct holey_mix *mixes, unsigned last) {
  for (unsigned i = 0; i < last; i++)
    if (!strcmp(mixes[i].name, mixes[last].name)) return true;
  return false;
}

unsigned holey_draw(const struct weir_plan *p, enum holey_cores cores, struct holey_mix *out) {
  unsigned paper = configurations[cores].paper, wanted = weir_plan_mixes(p);
  if (!wanted) wanted = weir_plan_size(p) == WEIR_SIZE_PAPER ? paper : configurations[cores].small;
  if (wanted > paper) wanted = paper;
  struct weir_rng rng = weir_rng_seed(SEED, cores);
  for (unsigned i = 0; i < wanted; i++) do
      draw(&out[i], cores, i, &rng);
    while (comes_twice(out, i));
  return wanted;
}

// ---- plans ---------------------------------------------------------------------------------------------------------

void holey_plan_mix(struct weir_plan *p, const char *mix, const char *scheme, const char *suffix) {
  char spec[HOLEY_SPEC];
  holey_spec_with(p, mix, scheme, suffix, spec);
  weir_plan_add(p, mix, holey_chip(mix), spec);
}

void holey_plan_schemes(struct weir_plan *p, enum holey_cores cores, const char *const *schemes, const char *suffix) {
  struct holey_mix mixes[HOLEY_MIXES];
  unsigned count = holey_draw(p, cores, mixes);
  for (unsigned i = 0; i < count; i++) {
    holey_plan_mix(p, mixes[i].name, HOLEY_LRU, suffix);
    for (const char *const *scheme = schemes; *scheme; scheme++) holey_plan_mix(p, mixes[i].name, *scheme, suffix);
  }
}

void holey_plan_mixes(struct weir_plan *p, enum holey_cores cores, const char *suffix) {
  holey_plan_schemes(p, cores, holey_schemes, suffix);
}
