// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The suite in this process: what the policy breaks is in the trial afterwards. Private to src/policy/conform.
#ifndef WEIR_POLICY_CONFORM_SUITE_H
#define WEIR_POLICY_CONFORM_SUITE_H

#include "policy/conform/subject.h"

void weir_conform_suite(struct weir_conform_trial *t, const struct weir_policy *p);

#endif
