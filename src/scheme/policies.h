// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a scheme resolves to for one chip: one replace policy and any number of bypass policies per cache.
#ifndef WEIR_SCHEME_POLICIES_H
#define WEIR_SCHEME_POLICIES_H

#include "config/config.h"
#include "scheme/scheme.h"

struct weir_level_policies {
  struct weir_policy_choice replace;
  struct weir_policy_choice companions[WEIR_MAX_COMPANIONS];
  unsigned companion_count;
};

// Policies of level `level` (index into the chip's caches) under the scheme.
const struct weir_level_policies *weir_scheme_level(const struct weir_scheme *s, unsigned level);

// What the chip's events cost under the scheme: tags are wider where a policy keeps a predictor's table. Names in it are
// the chip's.
void weir_scheme_energy_costs(const struct weir_scheme *s, const struct weir_chip_config *chip,
                              struct weir_energy_costs *costs);

#endif
