// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is said of an application of a mix, and of a GPU program that runs alone.
#include "holey2014/holey2014.h"

#include <math.h>

const json_t *holey_run(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix) {
  char spec[HOLEY_SPEC];
  holey_spec_with(p, scheme, suffix, spec);
  return weir_plan_run(p, mix, holey_chip(mix), spec);
}

double holey_of(const struct weir_plan *p, const char *mix, const char *scheme, unsigned owner, const char *path) {
  return weir_run_number(weir_run_application(holey_run(p, mix, scheme, ""), (int)owner), path);
}

double holey_ratio(const struct weir_plan *p, const char *mix, const char *scheme, unsigned owner, const char *path) {
  double base = holey_of(p, mix, HOLEY_LRU, owner, path), of = holey_of(p, mix, scheme, owner, path);
  return base > 0 ? of / base : NAN;
}

static double ipc_with(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix,
                       unsigned owner) {
  return weir_run_number(weir_run_application(holey_run(p, mix, scheme, suffix), (int)owner), "ipc");
}

double holey_speedup(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix) {
  double product = 1;
  unsigned owners = holey_cpus(mix) + 1;
  for (unsigned i = 0; i < owners; i++)
    product *= ipc_with(p, mix, scheme, suffix, i) / ipc_with(p, mix, HOLEY_LRU, suffix, i);
  return pow(product, 1.0 / owners);
}

double holey_traffic(const json_t *run, bool per_time) {
  double sum = run ? 0 : NAN;
  size_t i;
  json_t *application;
  json_array_foreach(weir_run_member(run, "mix.applications"), i, application) {
    double bytes = weir_run_number(application, "traffic.dram_bytes");
    sum += per_time ? bytes / weir_run_number(application, "time_ps") : bytes;
  }
  return sum;
}

void holey_mean_add(struct holey_mean *m, double value) {
  if (!(value > 0)) return;
  m->logs += log(value);
  m->count++;
}

double holey_mean_of(const struct holey_mean *m) {
  return m->count ? exp(m->logs / m->count) : NAN;
}

double holey_alone_ipc(const struct weir_plan *p, const char *program, const char *spec) {
  const json_t *run = weir_plan_run(p, program, holey_chip(program), spec);
  return weir_run_number(run, "total.warp_instructions") / weir_run_number(run, "total.cycles");
}

double holey_alone_mpki(const struct weir_plan *p, const char *program, const char *spec) {
  const json_t *run = weir_plan_run(p, program, holey_chip(program), spec);
  double misses = weir_run_number(run, "total.llc.loads.misses") + weir_run_number(run, "total.llc.stores.misses");
  return 1000 * misses / weir_run_number(run, "total.warp_instructions");
}
