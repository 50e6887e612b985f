// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/ops/fill.h"
#include "exec/ops/halves.h"
#include "exec/ops/lanes.h"

// As a number that grows with the half's value, -0 below +0.
static inline int32_t rank(uint32_t h) {
  const int32_t x = (int16_t)h;
  return x < 0 ? x ^ 0x7fff : x;
}

// A NaN loses to a number.
static inline uint32_t extreme(uint32_t a, uint32_t b, bool a_first, uint32_t infinity) {
  const bool a_nan = (a & 0x7fff) > infinity, b_nan = (b & 0x7fff) > infinity;
  const uint32_t number = a_first ? a : b, either = a_nan ? b : b_nan ? a : number;
  return a_nan && b_nan ? HALF_NAN : either & 0xffff;
}

// Single precision has more than twice an f16's 11 bits, and two more: the sum of two, rounded to it, rounds to the same f16 as the
// exact one does, and a product is exact. So it is of bf16's 8 bits; the 16 of a product that single precision does not have down to the
// last come to less than half of the least bf16.
#define ARITHMETIC(T, INFINITE)                                                                                        \
  static inline uint32_t add_##T(uint32_t a, uint32_t b) {                                                             \
    return T##_bits(T##_value(a) + T##_value(b));                                                                      \
  }                                                                                                                    \
  static inline uint32_t sub_##T(uint32_t a, uint32_t b) {                                                             \
    return T##_bits(T##_value(a) - T##_value(b));                                                                      \
  }                                                                                                                    \
  static inline uint32_t mul_##T(uint32_t a, uint32_t b) {                                                             \
    return T##_bits(T##_value(a) * T##_value(b));                                                                      \
  }                                                                                                                    \
  static inline uint32_t min_##T(uint32_t a, uint32_t b) {                                                             \
    return extreme(a, b, rank(a) < rank(b), INFINITE);                                                                 \
  }                                                                                                                    \
  static inline uint32_t max_##T(uint32_t a, uint32_t b) {                                                             \
    return extreme(a, b, rank(a) > rank(b), INFINITE);                                                                 \
  }
ARITHMETIC(f16, 0x7c00)
ARITHMETIC(bf16, 0x7f80)
#undef ARITHMETIC

// In single precision, which has every f16's product: lanes are half as wide.
static inline uint32_t fma_f16(uint32_t a, uint32_t b, uint32_t c) {
  const float p = f16_value(a) * f16_value(b), z = f16_value(c), s = p + z, t = s - p;
  return f16_bits(odd32(s, (p - (s - t)) + (z - t)));
}

static inline uint32_t fma_bf16(uint32_t a, uint32_t b, uint32_t c) {
  const double p = (double)bf16_value(a) * (double)bf16_value(b);
  return bf16_bits(narrow_odd(sum_odd(p, (double)bf16_value(c))));
}

static inline uint32_t abs_half(uint32_t a) {
  return a & 0x7fff;
}

static inline uint32_t neg_half(uint32_t a) {
  return (a & 0xffff) ^ 0x8000;
}

#include "exec/ops/half.def"
#include "exec/ops/enter.h"
void WEIR_FILL(half)(struct weir_ops *t) {
#include "exec/ops/half.def"
}
