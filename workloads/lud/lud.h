// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of lud, in double precision.
#ifndef WEIR_WORKLOADS_LUD_H
#define WEIR_WORKLOADS_LUD_H

#include <stdint.h>

// Replaces the n × n matrix by its factors: L below the diagonal (its own diagonal is 1), U on and above it.
void weir_lud_reference(double *matrix, uint32_t n);

#endif
