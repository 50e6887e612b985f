// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "energy/energy.h"

#include <stdio.h>

struct list {
  struct weir_energy_part *parts;
  unsigned count, capacity;
};

static void add(struct list *l, const char *level, const char *name, double picojoules) {
  if (l->count == l->capacity) return;
  struct weir_energy_part *p = &l->parts[l->count++];
  snprintf(p->name, sizeof p->name, "%s%s%s", level, *level ? "_" : "", name);
  p->picojoules = picojoules;
}

// Tian et al. section 5.1: an access reads tag and data in parallel, a fill accesses both again, so that A accesses and F
// fills cost (A + F)(t + d). A store's data goes in with its access; a line written back is read once more.
static double parallel_data(const struct weir_energy_level *level, const struct weir_level_stats *n) {
  return (double)(n->tag_accesses + n->writebacks) * level->read_pj + (double)n->fills * level->fill_pj;
}

// Tags first: data is touched only where there is something to read or write.
static double serial_data(const struct weir_energy_level *level, const struct weir_level_stats *n) {
  return (double)n->data_reads * level->read_pj + (double)n->data_writes * level->write_pj +
         (double)n->fills * level->fill_pj;
}

static void add_level(struct list *l, const struct weir_energy_level *level, const struct weir_level_stats *n,
                      uint64_t time_ps) {
  add(l, level->name, "tag", (double)(n->tag_accesses + n->fills) * level->tag_pj);
  add(l, level->name, "data", level->parallel ? parallel_data(level, n) : serial_data(level, n));
  add(l, level->name, "predictor", (double)n->predictor_accesses * level->predictor_pj);
  add(l, level->name, "leakage", level->leakage_mw * level->instances * (double)time_ps * 1e-3); // 1 mW × 1 ps = 1e-3 pJ
}

unsigned weir_energy(const struct weir_energy_costs *costs, const struct weir_run_stats *counts,
                     struct weir_energy_part *parts, unsigned capacity) {
  struct list l = {parts, 0, capacity};
  for (unsigned i = 0; i < costs->levels_count; i++)
    add_level(&l, &costs->levels[i], &counts->levels[i], counts->time_ps);
  add(&l, "", "shared", (double)counts->shared_accesses * costs->shared_pj);
  add(&l, "", "network", (double)counts->network_bytes * 8 * costs->network_pj_per_bit);
  add(&l, "", "dram", (double)counts->dram.bytes * 8 * costs->dram_pj_per_bit);
  add(&l, "", "dram_activate", (double)counts->dram.activates * costs->dram_activate_pj);
  return l.count;
}
