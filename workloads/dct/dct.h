// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of dct, in double precision.
#ifndef WEIR_WORKLOADS_DCT_H
#define WEIR_WORKLOADS_DCT_H

#include <stdint.h>

enum { WEIR_DCT_BLOCK = 8 };

// The orthonormal DCT-II matrix: cosine[u × 8 + k].
void weir_dct_matrix(float *cosine);

// output = C × input × Cᵀ for every 8 × 8 block of a width × width image.
void weir_dct_reference(float *output, const float *input, uint32_t width);

#endif
