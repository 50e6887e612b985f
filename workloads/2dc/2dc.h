// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of 2dc.
#ifndef WEIR_WORKLOADS_2DC_H
#define WEIR_WORKLOADS_2DC_H

#include <stdint.h>

// The filter, row by row, as it lies over the pixel's neighbourhood.
extern const float weir_2dc_filter[3][3];

// Writes all but the border. Fused multiply-adds in the kernel's order: equal to the last bit.
void weir_2dc_reference(float *out, const float *in, uint32_t rows, uint32_t columns);

#endif
