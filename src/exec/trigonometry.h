// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Argument reduction for large single-precision angles.
#ifndef WEIR_EXEC_TRIGONOMETRY_H
#define WEIR_EXEC_TRIGONOMETRY_H

// |x| > 2^19: x less a multiple of 2 pi, exact to a double (Payne and Hanek). x must be a float's value.
double weir_reduce_far(double x);

static inline double weir_reduce_large(double x) {
  return x > 0x1p19 || x < -0x1p19 ? weir_reduce_far(x) : x;
}

#endif
