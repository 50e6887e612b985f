// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Costs as other sources have them: what a result must outlast before it is believed. Invariant: a variant changes
// costs and nothing else, so that what was counted once is priced under each.
#ifndef WEIR_ENERGY_VARIANTS_H
#define WEIR_ENERGY_VARIANTS_H

#include "energy/energy.h"

struct weir_energy_variant {
  const char *name, *text; // "network-low"; what it is, with its source
  void (*apply)(struct weir_energy_costs *costs);
};

const struct weir_energy_variant *weir_energy_variants(unsigned *count);

#endif
