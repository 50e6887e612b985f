// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of boxfilter.
#ifndef WEIR_WORKLOADS_BOXFILTER_H
#define WEIR_WORKLOADS_BOXFILTER_H

#include <stdint.h>

// out[i] of a line of `count` values, `step` bytes apart: the mean of the 2 × reach + 1 around it, rounded down; 0
// where they are not all there.
void weir_box_line(uint8_t *out, const uint8_t *in, uint64_t count, uint64_t step, uint32_t reach);

// Pixels of four bytes, row by row: the mean along rows, then along columns.
void weir_box_reference(uint8_t *out, const uint8_t *in, uint32_t width, uint32_t height, uint32_t reach);

#endif
