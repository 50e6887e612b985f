// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The matrix and the CPU reference of gau and gaussian, the latter in double precision.
#ifndef WEIR_WORKLOADS_GAU_H
#define WEIR_WORKLOADS_GAU_H

#include "base/rng.h"

#include <stdint.h>

// Diagonally dominant by rows and columns, so that it needs no pivoting: 1 to 2 on the diagonal, at most 1 / 2n off it.
void weir_gau_make_matrix(float *matrix, uint32_t n, struct weir_rng *rng);

// Gaussian elimination without pivoting of the first `columns` columns of an n × n system. `multiplier` is n × n too:
// an element that eliminates nothing is left alone.
void weir_gau_reference(double *matrix, double *multiplier, double *right, uint32_t n, uint32_t columns);

// An array of the other precision.
double *weir_gau_widened(const float *from, uint64_t count);
float *weir_gau_narrowed(double *from, uint64_t count); // frees `from`

#endif
