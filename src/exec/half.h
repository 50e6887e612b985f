// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Half-precision formats as doubles. Every f16 and bf16 value is a double, and so are sums and products of two; one
// more rounding then gives the IEEE result.
#ifndef WEIR_EXEC_HALF_H
#define WEIR_EXEC_HALF_H

#include <stdint.h>

struct weir_half_format {
  int mantissa_bits, exponent_bits;
};

extern const struct weir_half_format weir_f16, weir_bf16;

double weir_half_value(const struct weir_half_format *f, uint32_t bits);
// Rounds in the given direction (enum weir_rounding); NaN is 0x7fff.
uint32_t weir_half_bits(const struct weir_half_format *f, double x, int mode);
// x, or its neighbour with an odd mantissa if x + error is not x: so that rounding once more rounds the exact value.
double weir_round_odd(double x, double error);

#endif
