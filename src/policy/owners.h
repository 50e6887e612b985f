// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Whose accesses a bypass policy of a shared cache may send past it, a knob of several: Holey et al. let the predictors
// that they compare with bypass the GPU's alone (section 5). Owner 0 is the GPU, all others are CPU programs.
#ifndef WEIR_POLICY_OWNERS_H
#define WEIR_POLICY_OWNERS_H

#include "policy/policy.h"

enum weir_bypass_owners { WEIR_OWNERS_GPU, WEIR_OWNERS_CPU, WEIR_OWNERS_ALL };

static const char *const weir_owner_names[] = {"gpu", "cpu", "all", NULL};

static inline bool weir_owner_is_among(double owners, const struct weir_access *a) {
  return owners == WEIR_OWNERS_ALL || (owners == WEIR_OWNERS_GPU) == (a->owner == 0);
}

#define WEIR_OWNERS_KNOB(initial_, help_)                                                                              \
  { "owners", WEIR_KNOB_CHOICE, initial_, 0, WEIR_OWNERS_ALL, weir_owner_names, false, help_ }
#define WEIR_OWNERS_STORES_KNOB(initial_, help_)                                                                       \
  { "stores", WEIR_KNOB_BOOL, initial_, 0, 1, NULL, false, help_ }

#endif
