// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The kernels of stream-kernels, of which `triad` reads two arrays.
#define TRIAD_OF_TWO
#include "../stream-kernels/stream-kernels.cl"
