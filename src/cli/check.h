// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What weir check does with policies (cli/check_policies.c).
#ifndef WEIR_CLI_CHECK_H
#define WEIR_CLI_CHECK_H

#include "base/diag.h"

// Checks every policy of the plugins that are loaded. Returns how many keep the contract; the others are diagnostics.
unsigned check_policies(struct weir_sink *sink);

#endif
