// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Elementary functions for the approximate instructions, in double precision from plain additions, multiplications and
// divisions only, so that every compiler and instruction set gives the same bits.
#ifndef WEIR_EXEC_APPROXIMATE_H
#define WEIR_EXEC_APPROXIMATE_H

#include "exec/ops/types.h"
#include "exec/trigonometry.h"

// Adding and subtracting 1.5 × 2^52 rounds to the nearest integer with plain additions, which every vector unit has.
static inline double nearest(double x) {
  const double magic = 0x1.8p52;
  return (x + magic) - magic;
}

// e^y for |y| <= 0.35 by Taylor's series: the first term left out is below 2^-44.
static inline double exponential_small(double y) {
  double p = 1.0 / 39916800.0;
  p = p * y + 1.0 / 3628800.0;
  p = p * y + 1.0 / 362880.0;
  p = p * y + 1.0 / 40320.0;
  p = p * y + 1.0 / 5040.0;
  p = p * y + 1.0 / 720.0;
  p = p * y + 1.0 / 120.0;
  p = p * y + 1.0 / 24.0;
  p = p * y + 1.0 / 6.0;
  p = p * y + 0.5;
  p = p * y + 1.0;
  return p * y + 1.0;
}

// 2^x for |x| < 1000.
static inline double power_of_two(double x) {
  const double n = nearest(x);
  const double fraction = exponential_small((x - n) * 0x1.62e42fefa39efp-1);
  const uint64_t exponent = bits64(n + 0x1.8p52) << 52; // the integer sits in the low bits of the sum
  return float64(bits64(fraction) + exponent);
}

static inline double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static inline float approximate_ex2(float x) {
  const float r = (float)power_of_two(clamp((double)x, -200.0, 200.0));
  return nan32(x != x ? x : r);
}

// log2 of a positive normal number: m in [sqrt(1/2), sqrt(2)) by the series of atanh((m-1)/(m+1)).
static inline double logarithm(double x) {
  const uint64_t b = bits64(x);
  const uint64_t shifted = b - UINT64_C(0x3fe6a09e667f3bcd);
  const double n = float64(((shifted >> 52 ^ 0x800) & 0xfff) + UINT64_C(0x4330000000000000)) - (0x1p52 + 0x800);
  const double m = float64(b - (shifted & UINT64_C(0xfff0000000000000)));
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  p = p * z + 1.0;
  return n + p * s * 0x1.71547652b82fep+1; // 2 / ln 2
}

static inline float approximate_lg2(float x) {
  const float number = x > 0.0f && x <= 0x1.fffffep127f ? x : 1.0f;
  const float r = (float)logarithm((double)number);
  return nan32(x == 0.0f ? -__builtin_inff() : x > 0x1.fffffep127f ? x : x > 0.0f ? r : __builtin_nanf(""));
}

// x less the nearest multiple of pi/2, in three parts of 33 bits each so that the products are exact; the quadrant in
// the low bits of q. Larger arguments than this holds for are reduced lane by lane beforehand.
static inline double reduce(double x, uint64_t *q) {
  const double k = nearest(x * 0x1.45f306dc9c883p-1);
  *q = bits64(k + 0x1.8p52);
  return ((x - k * 0x1.921fb544p0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
}

static inline double sine_small(double x) {
  const double z = x * x;
  double p = 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return x + x * z * p;
}

static inline double cosine_small(double x) {
  const double z = x * x;
  double p = -1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  p = p * z - 0.5;
  return 1.0 + z * p;
}

// Quadrant 0 gives the sine, 1 the cosine, 2 and 3 their negatives.
static inline float circular(float x, uint64_t quadrants) {
  uint64_t q;
  const double number = x - x == 0.0f ? (double)x : 0.0;
  const double r = reduce(weir_reduce_large(number), &q);
  q += quadrants;
  const double v = q & 1 ? cosine_small(r) : sine_small(r);
  const float result = (float)(q & 2 ? -v : v);
  return nan32(x - x == 0.0f ? result : __builtin_nanf(""));
}

static inline float approximate_sin(float x) {
  return x == 0.0f ? x : circular(x, 0);
}

static inline float approximate_cos(float x) {
  return circular(x, 1);
}

// 1 - 2 / (e^2x + 1), or its series where that cancels.
static inline float approximate_tanh(float x) {
  const double y = clamp((double)x, -20.0, 20.0);
  const double large = 1.0 - 2.0 / (power_of_two(y * 0x1.71547652b82fep+1) + 1.0);
  const double small = y - y * y * y * (1.0 / 3.0);
  const float number = (float)(y * y < 0x1p-20 ? small : large);
  return nan32(x != x || x == 0.0f ? x : number);
}

#endif
