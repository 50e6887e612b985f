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

// Of 8 bits: E4M3 has no infinities, and one NaN of each sign (Micikevicius et al., FP8 formats for deep learning, 2022).
struct weir_byte_format {
  int mantissa_bits, exponent_bits;
  double greatest; // finite number
};

extern const struct weir_byte_format weir_e4m3, weir_e5m2;

double weir_byte_value(const struct weir_byte_format *f, uint32_t bits);
// Rounds to the nearest even; what is beyond the greatest number becomes that (PTX ISA, cvt.satfinite); NaN is 0x7f.
uint32_t weir_byte_bits(const struct weir_byte_format *f, double x);

double weir_half_value(const struct weir_half_format *f, uint32_t bits);
// Rounds in the given direction (enum weir_rounding); NaN is 0x7fff.
uint32_t weir_half_bits(const struct weir_half_format *f, double x, int mode);

#endif
