// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of dwthaar, in double precision.
#ifndef WEIR_WORKLOADS_DWTHAAR_H
#define WEIR_WORKLOADS_DWTHAAR_H

#include <stdint.h>

// The orthonormal Haar transform of the signal divided by √count, a power of two. out[0] is the average; the details of
// the finest level are the second half of out, those of the next the second quarter, and so on.
void weir_haar_reference(float *out, const float *signal, uint32_t count);

#endif
