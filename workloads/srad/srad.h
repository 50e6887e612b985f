// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of srad, in double precision.
#ifndef WEIR_WORKLOADS_SRAD_H
#define WEIR_WORKLOADS_SRAD_H

#include <stdint.h>

// Diffuses the column-major image (grey levels, 255 × ln of the values diffused) in place.
void weir_srad_reference(double *image, uint32_t rows, uint32_t columns, unsigned iterations, double lambda);

#endif
