// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What every policy must keep, whoever wrote it: the invariants at the top of policy/policy.h, checked from outside over many
// geometries and knob values, with its private memory between canaries and an inaccessible page. `weir check --plugin` and the
// tests call it.
#ifndef WEIR_POLICY_CONFORM_H
#define WEIR_POLICY_CONFORM_H

#include "policy/host.h"

// NULL if the policy keeps all of it, else which rule it breaks, with what was expected, and in which cache with which knobs
// (in `message`, of `size` bytes). It runs in a process of its own, which a policy that crashes or does not return ends with it.
const char *weir_policy_conform(const struct weir_policy *p, char *message, size_t size);

#endif
