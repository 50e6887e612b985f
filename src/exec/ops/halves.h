// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Halves (f16, bf16: the low 16 bits of what is given) as numbers and back, without branches, so that bodies become vectors.
// exec/half.h has the same for any rounding.
#ifndef WEIR_EXEC_OPS_HALVES_H
#define WEIR_EXEC_OPS_HALVES_H

#include "exec/ops/types.h"

enum { HALF_NAN = 0x7fff }; // the one NaN that units deliver, of either format

// Exact. The exponent's bias is 15, not 127: the pattern, moved to single precision's place, is 2^112 times too small, subnormals included.
static inline float f16_value(uint32_t h) {
  const uint32_t magnitude = h & 0x7fff, sign = (h & 0x8000) << 16;
  const float finite = float32(magnitude << 13 | sign) * 0x1p112f;
  const float other = float32(magnitude == 0x7c00 ? UINT32_C(0x7f800000) | sign : UINT32_C(0x7fffffff));
  return magnitude < 0x7c00 ? finite : other;
}

// Exact.
static inline float bf16_value(uint32_t h) {
  return nan32(float32(h << 16));
}

// The nearest, ties to even. Half of the last place that stays is added, less one bit if that is even; below 2^-14, where the last place
// no longer moves, adding 1/2 rounds to it, for the last place of 1/2 is 2^-24.
static inline uint32_t f16_bits(float x) {
  const uint32_t b = bits32(x), magnitude = b & UINT32_C(0x7fffffff), sign = b >> 16 & 0x8000;
  const uint32_t normal = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (112u << 10);
  const uint32_t small = bits32(float32(magnitude) + 0.5f) - bits32(0.5f);
  const uint32_t finite = magnitude < UINT32_C(0x38800000) ? small : normal;
  const uint32_t number = magnitude < UINT32_C(0x477ff000) ? finite : 0x7c00; // from 65,520 on: infinity
  return magnitude > UINT32_C(0x7f800000) ? HALF_NAN : number | sign;
}

static inline uint32_t bf16_bits(float x) {
  const uint32_t b = bits32(x), number = (b + 0x7fff + (b >> 16 & 1)) >> 16;
  return (b & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000) ? HALF_NAN : number;
}

// x, and what it is off by, in so many bits that a later rounding to fewer sees every digit: its last bit is made odd.
static inline float odd32(float x, float error) {
  const uint32_t b = bits32(x), step = (error > 0) == !(b >> 31) ? b + 1 : b - 1;
  return float32((b & 1) || !(error < 0 || error > 0) ? b : step);
}

static inline double odd64(double x, double error) {
  const uint64_t b = bits64(x), step = (error > 0) == !(b >> 63) ? b + 1 : b - 1;
  return float64((b & 1) || !(error < 0 || error > 0) ? b : step);
}

// The sum so; its error is what Knuth's TwoSum finds.
static inline double sum_odd(double x, double y) {
  const double s = x + y, t = s - x;
  return odd64(s, (x - (s - t)) + (y - t));
}

// A double to single precision so; what overflows is infinite.
static inline float narrow_odd(double x) {
  const float r = (float)x;
  return r - r == 0 ? odd32(r, (float)((x - (double)r) * 0x1p160)) : r; // the sign counts alone, and must not underflow
}

#endif
