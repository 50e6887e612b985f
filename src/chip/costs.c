// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From a chip's energy table to what its parts cost under a scheme.
#include "chip/scheme.h"

static bool keeps_table(const struct weir_policy_choice *choice) {
  for (const struct weir_policy_counter *c = choice->policy->counters; c && c->name; c++)
    if (c->predictor_access) return true;
  return false;
}

static bool has_predictor(const struct weir_level_policies *level) {
  bool has = keeps_table(&level->replace);
  for (unsigned i = 0; i < level->companion_count; i++) has |= keeps_table(&level->companions[i]);
  return has;
}

void weir_scheme_energy_costs(const struct weir_scheme *s, const struct weir_chip_config *chip,
                              struct weir_energy_costs *costs) {
  const struct weir_energy_config *e = &chip->energy;
  *costs = (struct weir_energy_costs){.levels_count = chip->caches_count,
                                      .shared_pj = e->shared_pj,
                                      .network_pj_per_bit = e->network_pj_per_bit,
                                      .dram_pj_per_bit = e->dram_pj_per_bit,
                                      .dram_activate_pj = e->dram_activate_pj};
  for (unsigned i = 0; i < costs->levels_count; i++) {
    const struct weir_energy_level_config *from = &e->levels[i];
    bool predictor = has_predictor(weir_scheme_level(s, i));
    costs->levels[i] = (struct weir_energy_level){.name = from->name,
                                                  .tag_pj = predictor ? from->predictor_tag_pj : from->tag_pj,
                                                  .read_pj = from->read_pj,
                                                  .write_pj = from->write_pj,
                                                  .fill_pj = from->fill_pj,
                                                  .predictor_pj = from->predictor_pj,
                                                  .leakage_mw = predictor ? from->predictor_leakage_mw : from->leakage_mw,
                                                  .instances = weir_chip_instances(chip, i),
                                                  .parallel = from->parallel};
  }
}
