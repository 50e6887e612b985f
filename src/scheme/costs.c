// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From a chip's energy table to what its parts cost under a scheme.
#include "config/chip_file.h"
#include "config/mesh_map.h"
#include "scheme/policies.h"

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

static struct weir_energy_level level_costs(const struct weir_energy_level_config *from, bool predictor,
                                            uint32_t instances) {
  return (struct weir_energy_level){.name = from->name,
                                    .tag_pj = predictor ? from->predictor_tag_pj : from->tag_pj,
                                    .read_pj = from->read_pj,
                                    .write_pj = from->write_pj,
                                    .fill_pj = from->fill_pj,
                                    .predictor_pj = from->predictor_pj,
                                    .leakage_mw = predictor ? from->predictor_leakage_mw : from->leakage_mw,
                                    .instances = instances,
                                    .parallel = from->parallel};
}

static struct weir_energy_level private_costs(const char *name, const struct weir_energy_cache_config *from) {
  return (struct weir_energy_level){.name = name,
                                    .tag_pj = from->tag_pj,
                                    .read_pj = from->read_pj,
                                    .write_pj = from->write_pj,
                                    .fill_pj = from->fill_pj,
                                    .leakage_mw = from->leakage_mw,
                                    .instances = 1,
                                    .parallel = from->parallel};
}

// Another name than a shared cache's may be.
static struct weir_energy_cpu cpu_costs(const struct weir_energy_cpu_config *from) {
  return (struct weir_energy_cpu){.instruction_pj = from->instruction_pj,
                                  .multiply_pj = from->multiply_pj,
                                  .float_pj = from->float_pj,
                                  .branch_pj = from->branch_pj,
                                  .misprediction_pj = from->misprediction_pj,
                                  .memory_pj = from->memory_pj,
                                  .static_mw = from->static_mw,
                                  .caches = {private_costs("core_l1i", &from->l1i),
                                             private_costs("core_l1d", &from->l1d),
                                             private_costs("core_l2", &from->l2)}};
}

static void put_cpus(const struct weir_chip_config *chip, struct weir_energy_costs *costs) {
  const struct weir_energy_cpu_config nothing = {0};
  unsigned requester = 1;
  for (uint32_t i = 0; i < chip->cpus_count; i++) {
    const struct weir_energy_cpu_config *from = chip->energy.cpus_count ? &chip->energy.cpus[i] : &nothing;
    for (uint32_t k = 0; k < chip->cpus[i].count; k++) costs->cpus[requester++] = cpu_costs(from);
  }
}

static uint32_t apart(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

// Routers between a core and a slice, both ends' included, mean over all pairs: slices share the lines evenly. 0: no
// mesh.
static double routers_passed(const struct weir_chip_config *chip) {
  struct weir_mesh_params requests, replies;
  char message[200];
  const uint32_t cores = chip->core.count + weir_chip_cpu_cores(chip), slices = weir_chip_instances(chip, 1);
  if (weir_mesh_map(chip, &requests, &replies, message, sizeof message) || !requests.columns) return 0;
  uint64_t routers = 0;
  for (uint32_t i = 0; i < cores; i++)
    for (uint32_t k = 0; k < slices; k++) {
      const uint32_t from = requests.input_node[i], to = requests.output_node[k], columns = requests.columns;
      routers += 1 + apart(from % columns, to % columns) + apart(from / columns, to / columns);
    }
  return (double)routers / ((double)cores * slices);
}

void weir_scheme_energy_costs(const struct weir_scheme *s, const struct weir_chip_config *chip,
                              struct weir_energy_costs *costs) {
  const struct weir_energy_config *e = &chip->energy;
  *costs = (struct weir_energy_costs){
    .levels_count = chip->caches_count,
    .shared_pj = e->shared_pj,
    .network_pj_per_bit = e->network_pj_per_bit + e->network_hop_pj_per_bit * routers_passed(chip),
    .dram_pj_per_bit = e->dram_pj_per_bit,
    .dram_activate_pj = e->dram_activate_pj,
    .core_warp_pj = e->core_warp_pj,
    .core_lane_pj = e->core_lane_pj,
    .core_static_mw = e->core_static_mw * chip->core.count,
    .network_static_mw = e->network_static_mw,
    .controller_request_pj = e->controller_request_pj,
    .controller_static_mw = e->controller_static_mw * chip->dram.channels,
    .dram_write_pj_per_bit = e->dram_write_pj_per_bit,
    .dram_static_mw = e->dram_static_mw * chip->dram.channels,
    .shared_dynamic = e->shared_dynamic,
    .shared_static = e->shared_static,
  };
  for (unsigned i = 0; i < costs->levels_count; i++)
    costs->levels[i] = level_costs(&e->levels[i], has_predictor(weir_scheme_level(s, i)), weir_chip_instances(chip, i));
  put_cpus(chip, costs);
}
