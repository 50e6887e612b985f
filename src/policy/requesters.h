// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Whose accesses a bypass policy of a shared cache may send past it, a knob of several: Holey et al. let the predictors
// that they compare with bypass the GPU's alone (section 5). Requester 0 is the GPU, all others are CPU programs.
#ifndef WEIR_POLICY_REQUESTERS_H
#define WEIR_POLICY_REQUESTERS_H

#include "policy/policy.h"

enum weir_bypass_requesters { WEIR_REQUESTERS_GPU, WEIR_REQUESTERS_CPU, WEIR_REQUESTERS_ALL };

static const char *const weir_requester_names[] = {"gpu", "cpu", "all", NULL};

static inline bool weir_requester_is_among(double requesters, const struct weir_access *a) {
  return requesters == WEIR_REQUESTERS_ALL || (requesters == WEIR_REQUESTERS_GPU) == (a->requester == 0);
}

#define WEIR_REQUESTERS_KNOB(initial_, help_)                                                                          \
  { "requesters", WEIR_KNOB_CHOICE, initial_, 0, WEIR_REQUESTERS_ALL, weir_requester_names, false, help_ }
#define WEIR_REQUESTERS_STORES_KNOB(initial_, help_)                                                                   \
  { "stores", WEIR_KNOB_BOOL, initial_, 0, 1, NULL, false, help_ }

#endif
