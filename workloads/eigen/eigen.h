// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of eigen, in double precision.
#ifndef WEIR_WORKLOADS_EIGEN_H
#define WEIR_WORKLOADS_EIGEN_H

#include <stdint.h>

// The n eigenvalues, in ascending order and to the last bits of double precision, of the symmetric tridiagonal matrix
// with that diagonal and below[i] beside its elements i and i + 1. By Sturm's sequences.
void weir_eigen_reference(double *values, const float *diagonal, const float *below, uint32_t n);

// An interval that holds all eigenvalues, by Gershgorin's theorem, and is a little wider.
void weir_eigen_bounds(const float *diagonal, const float *below, uint32_t n, float *lower, float *upper);

#endif
