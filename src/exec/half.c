// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/half.h"

#include "exec/ops/halves.h"
#include "exec/rounding.h"
#include "ptx/ir.h"

#include <math.h>

const struct weir_half_format weir_f16 = {10, 5}, weir_bf16 = {7, 8};

// Of a finite number without its sign.
static double magnitude_of(int mantissa_bits, int exponent_bits, uint32_t bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, exponent = (int)(bits >> mantissa_bits);
  const double fraction = (double)(bits & ((1u << mantissa_bits) - 1));
  if (!exponent) return ldexp(fraction, 1 - bias - mantissa_bits);
  return ldexp(fraction + (double)(1 << mantissa_bits), exponent - bias - mantissa_bits);
}

double weir_half_value(const struct weir_half_format *f, uint32_t bits) {
  return (double)(f == &weir_f16 ? f16_value(bits) : bf16_value(bits));
}

// The magnitude's largest finite number, for roundings that do not reach infinity.
static uint32_t overflow(const struct weir_half_format *f, bool negative, int mode) {
  const uint32_t infinity = ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
  const bool away = (mode == WEIR_ROUND_RP && !negative) || (mode == WEIR_ROUND_RM && negative);
  return away ? infinity : infinity - 1;
}

uint32_t weir_half_bits(const struct weir_half_format *f, double x, int mode) {
  const bool negative = bits64(x) >> 63;
  const uint32_t sign = negative ? 0x8000 : 0;
  const int bias = (1 << (f->exponent_bits - 1)) - 1;
  if (mode == WEIR_ROUND_RN || mode == WEIR_ROUND_NONE)
    return f == &weir_f16 ? f16_bits(narrow_odd(x)) : bf16_bits(narrow_odd(x));
  if (x != x) return HALF_NAN;
  if (x == 0) return sign;
  if (x - x != 0) return sign | ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
  int exponent = ilogb(x);
  if (exponent < 1 - bias) exponent = 1 - bias;                                     // subnormal: the last place stays
  const double scaled = weir_integral(ldexp(x, f->mantissa_bits - exponent), mode); // exact but for the rounding
  uint32_t mantissa = (uint32_t)fabs(scaled);
  if (mantissa >> (f->mantissa_bits + 1)) {
    mantissa >>= 1;
    exponent++;
  }
  if (exponent > bias) return sign | overflow(f, negative, mode);
  const bool normal = mantissa >> f->mantissa_bits;
  const uint32_t biased = normal ? (uint32_t)(exponent + bias) : 0;
  return sign | biased << f->mantissa_bits | (mantissa & ((1u << f->mantissa_bits) - 1));
}

const struct weir_byte_format weir_e4m3 = {3, 4, 448}, weir_e5m2 = {2, 5, 57344};

double weir_byte_value(const struct weir_byte_format *f, uint32_t bits) {
  double x = magnitude_of(f->mantissa_bits, f->exponent_bits, bits & 0x7f);
  if (x > f->greatest) x = f == &weir_e5m2 && (bits & 0x7f) == 0x7c ? INFINITY : NAN;
  return bits & 0x80 ? -x : x;
}

uint32_t weir_byte_bits(const struct weir_byte_format *f, double x) {
  const int bias = (1 << (f->exponent_bits - 1)) - 1;
  const uint32_t sign = bits64(x) >> 63 ? 0x80 : 0;
  double magnitude = fabs(x);
  if (x != x) return 0x7f;
  if (magnitude > f->greatest) magnitude = f->greatest;
  int exponent = magnitude > 0 ? ilogb(magnitude) : 1 - bias;
  if (exponent < 1 - bias) exponent = 1 - bias; // subnormal: the last place stays
  const double scaled = weir_integral(ldexp(magnitude, f->mantissa_bits - exponent), WEIR_ROUND_RN);
  // A mantissa that rounds up to the next power of two goes on into the exponent.
  const uint32_t mantissa = (uint32_t)scaled, whole = 1u << f->mantissa_bits;
  return sign | (mantissa < whole ? mantissa : mantissa - whole + ((uint32_t)(exponent + bias) << f->mantissa_bits));
}
