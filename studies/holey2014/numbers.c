// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is said of a program of a mix, and of a GPU program that runs alone.
#include "holey2014/holey2014.h"

#include <math.h>
#include <stdio.h>

const json_t *holey_run(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix) {
  char spec[HOLEY_SPEC];
  holey_spec_with(p, mix, scheme, suffix, spec);
  return weir_plan_run(p, mix, holey_chip(mix), spec);
}

struct weir_program_numbers holey_of(const struct weir_plan *p, const char *mix, const char *scheme,
                                     unsigned requester) {
  return weir_run_requester_numbers(holey_run(p, mix, scheme, ""), (int)requester);
}

double holey_ipc(const struct weir_program_numbers *a) {
  return a->ipc;
}

double holey_llc_misses(const struct weir_program_numbers *a) {
  return weir_last_share(&a->shared).demand_misses;
}

double holey_ratio(const struct weir_plan *p, const char *mix, const char *scheme, unsigned requester,
                   holey_number *of) {
  const struct weir_program_numbers lru = holey_of(p, mix, HOLEY_LRU, requester),
                                    own = holey_of(p, mix, scheme, requester);
  const double base = of(&lru);
  return base > 0 ? of(&own) / base : NAN;
}

static double ipc_with(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix,
                       unsigned requester) {
  return weir_run_requester_numbers(holey_run(p, mix, scheme, suffix), (int)requester).ipc;
}

double holey_speedup(const struct weir_plan *p, const char *mix, const char *scheme, const char *suffix) {
  double product = 1;
  unsigned requesters = holey_cpus(mix) + 1;
  for (unsigned i = 0; i < requesters; i++)
    product *= ipc_with(p, mix, scheme, suffix, i) / ipc_with(p, mix, HOLEY_LRU, suffix, i);
  return pow(product, 1.0 / requesters);
}

double holey_traffic(const json_t *run, bool per_time) {
  double sum = run ? 0 : NAN;
  const json_t *programs = weir_run_programs(run);
  for (size_t i = 0; i < json_array_size(programs); i++) {
    const struct weir_program_numbers a = weir_program_of(json_array_get(programs, i));
    sum += per_time ? a.traffic.dram_bytes / a.time_ps : a.traffic.dram_bytes;
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

double holey_run_ipc(const json_t *run) {
  const struct weir_run_numbers total = weir_run_total(run);
  return total.warp_instructions / total.cycles;
}

void holey_alone_spec(const char *program, const char *spec, char out[HOLEY_SPEC]) {
  const unsigned kib = holey_footprint_kib(program, HOLEY_1C4G);
  char input[40] = "";
  if (kib) snprintf(input, sizeof input, ",launch.footprint_kib=%u", kib);
  snprintf(out, HOLEY_SPEC, "%s%s", spec, input);
}

const json_t *holey_run_alone(const struct weir_plan *p, const char *program, const char *spec) {
  char with_input[HOLEY_SPEC];
  holey_alone_spec(program, spec, with_input);
  return weir_plan_run(p, program, holey_chip(program), with_input);
}

double holey_alone_ipc(const struct weir_plan *p, const char *program, const char *spec) {
  return holey_run_ipc(holey_run_alone(p, program, spec));
}

double holey_alone_mpki(const struct weir_plan *p, const char *program, const char *spec) {
  const struct weir_run_numbers total = weir_run_total(holey_run_alone(p, program, spec));
  const struct weir_cache_numbers llc = weir_cache_of(&total, WEIR_LAST_SHARED_CACHE);
  return 1000 * (llc.loads.misses + llc.stores.misses) / total.warp_instructions;
}
