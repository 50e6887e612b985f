// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of gau, in double precision.
#ifndef WEIR_WORKLOADS_GAU_H
#define WEIR_WORKLOADS_GAU_H

#include <stdint.h>

// Gaussian elimination without pivoting of the first `columns` columns of an n × n system. `multiplier` is n × n too:
// an element that eliminates nothing is left alone.
void weir_gau_reference(double *matrix, double *multiplier, double *right, uint32_t n, uint32_t columns);

#endif
