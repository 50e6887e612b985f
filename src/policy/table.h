// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The descriptors of the built-in policies: one const object per line of table.def, each defined at the bottom of the
// file that is named like it.
#ifndef WEIR_POLICY_TABLE_H
#define WEIR_POLICY_TABLE_H

#include "policy/policy.h"

#define POLICY(name) extern const struct weir_policy weir_##name;
#include "policy/table.def"
#undef POLICY

#endif
