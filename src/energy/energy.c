// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "energy/energy.h"

#include "energy/array.h"
#include "energy/list.h"

static void add_level(struct weir_energy_list *l, const struct weir_energy_level *level,
                      const struct weir_level_stats *n, uint64_t time_ps) {
  const struct weir_energy_array array = weir_energy_array_of(n);
  weir_energy_add(l, level->name, "tag", weir_energy_tags(level, &array));
  weir_energy_add(l, level->name, "data", weir_energy_data(level, &array));
  weir_energy_add(l, level->name, "predictor", array.predictor * level->predictor_pj);
  weir_energy_add(l, level->name, "leakage", weir_energy_static(level->leakage_mw * level->instances, (double)time_ps));
}

// Of chips that say what it costs.
static void add_told(struct weir_energy_list *l, const char *name, double picojoules) {
  if (picojoules > 0) weir_energy_add(l, "", name, picojoules);
}

static double written_bits(const struct weir_dram_stats *n) {
  const uint64_t requests = n->reads + n->writes;
  return requests ? (double)n->bytes * 8 * (double)n->writes / (double)requests : 0;
}

unsigned weir_energy(const struct weir_energy_costs *costs, const struct weir_run_stats *counts,
                     struct weir_energy_part *parts, unsigned capacity) {
  struct weir_energy_list l = {parts, 0, capacity};
  const double time = (double)counts->time_ps;
  for (unsigned i = 0; i < costs->levels_count; i++)
    add_level(&l, &costs->levels[i], &counts->levels[i], counts->time_ps);
  weir_energy_add(&l, "", "shared", (double)(counts->shared_accesses + counts->cluster_accesses) * costs->shared_pj);
  weir_energy_add(&l, "", "network", (double)counts->network_bytes * 8 * costs->network_pj_per_bit);
  weir_energy_add(&l, "", "dram",
                  (double)counts->dram.bytes * 8 * costs->dram_pj_per_bit +
                    written_bits(&counts->dram) * costs->dram_write_pj_per_bit);
  weir_energy_add(&l, "", "dram_activate", (double)counts->dram.activates * costs->dram_activate_pj);
  add_told(&l, "core_dynamic",
           (double)counts->warp_instructions * costs->core_warp_pj +
             (double)counts->thread_instructions * costs->core_lane_pj);
  add_told(&l, "core_static", weir_energy_static(costs->core_static_mw, time));
  add_told(&l, "network_static", weir_energy_static(costs->network_static_mw, time));
  add_told(&l, "controller_dynamic", (double)(counts->dram.reads + counts->dram.writes) * costs->controller_request_pj);
  add_told(&l, "controller_static", weir_energy_static(costs->controller_static_mw, time));
  add_told(&l, "dram_static", weir_energy_static(costs->dram_static_mw, time));
  return l.count;
}
