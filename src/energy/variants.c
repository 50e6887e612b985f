// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "energy/variants.h"

static void scale_shared_arrays(struct weir_energy_costs *c, double factor) {
  for (unsigned i = 1; i < c->levels_count; i++) {
    struct weir_energy_level *l = &c->levels[i];
    l->tag_pj *= factor;
    l->read_pj *= factor;
    l->write_pj *= factor;
    l->fill_pj *= factor;
  }
}

static void scale_static(struct weir_energy_costs *c, double factor) {
  for (unsigned i = 0; i < c->levels_count; i++) c->levels[i].leakage_mw *= factor;
  for (unsigned i = 0; i < WEIR_MAX_REQUESTERS; i++) {
    c->cpus[i].static_mw *= factor;
    for (unsigned k = 0; k < WEIR_ENERGY_PRIVATE; k++) c->cpus[i].caches[k].leakage_mw *= factor;
  }
  c->core_static_mw *= factor;
  c->network_static_mw *= factor;
  c->controller_static_mw *= factor;
}

static void scale_cpus(struct weir_energy_costs *c, double factor) {
  for (unsigned i = 0; i < WEIR_MAX_REQUESTERS; i++) {
    struct weir_energy_cpu *p = &c->cpus[i];
    p->instruction_pj *= factor;
    p->multiply_pj *= factor;
    p->float_pj *= factor;
    p->branch_pj *= factor;
    p->misprediction_pj *= factor;
    p->memory_pj *= factor;
  }
}

static void scale_gpu(struct weir_energy_costs *c, double factor) {
  c->core_warp_pj *= factor;
  c->core_lane_pj *= factor;
}

static void put_dram(struct weir_energy_costs *c, double pj_per_bit, double activate_pj, double static_factor) {
  c->dram_pj_per_bit = pj_per_bit;
  c->dram_write_pj_per_bit = 0;
  c->dram_activate_pj = activate_pj;
  c->dram_static_mw *= static_factor;
}

static void llc_low(struct weir_energy_costs *c) {
  scale_shared_arrays(c, 484.0 / 734);
}
static void llc_parallel(struct weir_energy_costs *c) {
  for (unsigned i = 1; i < c->levels_count; i++) {
    c->levels[i].parallel = true;
    c->levels[i].read_pj *= 4;
  }
}
static void static_low(struct weir_energy_costs *c) {
  scale_static(c, 0.5);
}
static void static_high(struct weir_energy_costs *c) {
  scale_static(c, 2639.0 / 1150);
}
static void network_none(struct weir_energy_costs *c) {
  c->network_pj_per_bit = c->network_static_mw = 0;
}
static void network_low(struct weir_energy_costs *c) {
  c->network_pj_per_bit = 0.5;
}
static void network_high(struct weir_energy_costs *c) {
  c->network_pj_per_bit = 10;
}
static void dram_low(struct weir_energy_costs *c) {
  put_dram(c, 14, 4000, 10.0 / 90);
}
static void dram_high(struct weir_energy_costs *c) {
  put_dram(c, 50, c->dram_activate_pj, 1);
}
static void cpu_low(struct weir_energy_costs *c) {
  scale_cpus(c, 0.5);
}
static void cpu_high(struct weir_energy_costs *c) {
  scale_cpus(c, 2);
}
static void gpu_low(struct weir_energy_costs *c) {
  scale_gpu(c, 0.5);
}
static void gpu_high(struct weir_energy_costs *c) {
  scale_gpu(c, 2);
}
static void by_events(struct weir_energy_costs *c) {
  c->shared_dynamic = WEIR_ENERGY_BY_EVENTS;
}
static void equally(struct weir_energy_costs *c) {
  c->shared_static = WEIR_ENERGY_EQUALLY;
}

static const struct weir_energy_variant variants[] = {
  {"llc-low", "shared caches' accesses as CACTI 7 has a 4 MiB array, 484 pJ a read where McPAT has 734", llc_low},
  {"llc-parallel",
   "shared caches that read the data of several ways with every look-up: 4 times a read (CACTI: 4 to 10)",
   llc_parallel},
  {"static-low", "half the static power on the chip: idle parts switched off half of the time", static_low},
  {"static-high", "static power on the chip as CACTI 7 has a 4 MiB array, 2639 mW where McPAT has 1150", static_high},
  {"network-none", "no interconnect, which Holey et al. section 6 does not name", network_none},
  {"network-low", "0.5 pJ per bit carried", network_low},
  {"network-high", "10 pJ per bit carried", network_high},
  {"dram-low", "14 pJ per bit, 4 nJ per row (O'Connor et al.: GDDR5), standby in power-down (DRAMSim2: IDD2P)",
   dram_low},
  {"dram-high", "50 pJ per bit (GPUWattch's reads)", dram_high},
  {"cpu-low", "half the dynamic energy of CPU cores", cpu_low},
  {"cpu-high", "twice the dynamic energy of CPU cores", cpu_high},
  {"gpu-low", "half the dynamic energy of GPU cores", gpu_low},
  {"gpu-high", "twice the dynamic energy of GPU cores", gpu_high},
  {"by-events", "shares of what all use by what each program's accesses touch", by_events},
  {"equally", "equal shares of the static energy of what all use", equally},
};

const struct weir_energy_variant *weir_energy_variants(unsigned *count) {
  *count = sizeof variants / sizeof *variants;
  return variants;
}
