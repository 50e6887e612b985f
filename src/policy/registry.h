// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the files of this room share about the list of known policies; others use policy/host.h.
// Invariant: a registered policy has no flaw, and its kind and name are its own.
#ifndef WEIR_POLICY_REGISTRY_H
#define WEIR_POLICY_REGISTRY_H

#include "policy/host.h"

enum { WEIR_MAX_POLICIES = 256 };

// Appends a policy that was checked. False: the list is full.
bool weir_policy_register(const struct weir_policy *policy);

#endif
