// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/mix_energy.h"

#include "chip/machine.h"

#include <string.h>

_Static_assert((int)WEIR_ENERGY_PRIVATE == (int)WEIR_CPU_LEVELS, "a CPU core's caches are L1I, L1D and L2");

static struct weir_energy_program program_of(const struct weir_chip *c, const struct weir_chip_program *a) {
  struct weir_energy_program p = {.cpu = a->cpu,
                                  .requester = a->requester,
                                  .time_ps = a->time_ps,
                                  .core = a->core,
                                  .total = a->total,
                                  .traffic = a->traffic};
  memcpy(p.caches, a->levels, sizeof p.caches);
  for (unsigned l = 1; l < c->config->caches_count; l++) {
    p.shared[l] = weir_chip_requester_counts(c, a, l, a->requester);
    for (uint32_t i = 0; a->by_port[l] && i < a->port_count; i++) p.accesses[l] += a->by_port[l][i].at.accesses;
  }
  return p;
}

void weir_chip_program_counts(const struct weir_chip *c, const struct weir_chip_program *a,
                              struct weir_energy_counts *counts) {
  const struct weir_chip_program *all;
  const unsigned count = weir_chip_programs(c, &all);
  struct weir_energy_program programs[WEIR_MAX_REQUESTERS];
  for (unsigned i = 0; i < count; i++) programs[i] = program_of(c, &all[i]);
  weir_energy_count(programs, count, (unsigned)(a - all), c->config->caches_count, counts);
}

unsigned weir_chip_program_energy(const struct weir_chip *c, const struct weir_chip_program *a,
                                  struct weir_energy_part *parts, unsigned capacity) {
  struct weir_energy_costs costs;
  struct weir_energy_counts counts;
  weir_scheme_energy_costs(c->scheme, c->config, &costs);
  weir_chip_program_counts(c, a, &counts);
  return weir_energy_program_parts(&costs, &counts, parts, capacity);
}
