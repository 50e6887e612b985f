// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of sobel.
#ifndef WEIR_WORKLOADS_SOBEL_H
#define WEIR_WORKLOADS_SOBEL_H

#include <stdint.h>

// Pixels of four bytes, row by row; writes all but the border. In integers: half of the gradient's length, at most 255,
// rounded down. Equal to the kernel's, whose sums and squares are integers below 2²⁴, and whose root is rounded
// correctly: the root of an integer less than (2k)² does not round to 2k.
void weir_sobel_reference(uint8_t *out, const uint8_t *in, uint32_t width, uint32_t height);

#endif
