// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/rounding.h"
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"
#include "ptx/ir.h"

#define NAN32 float32(UINT32_C(0x7fffffff))
#define SIGN32 UINT32_C(0x80000000)
#define SIGN64 UINT64_C(0x8000000000000000)

static inline float magnitude(float x) {
  return float32(bits32(x) & ~SIGN32);
}

static inline float xorsign(float r, float a, float b) {
  const uint32_t sign = (bits32(a) ^ bits32(b)) & SIGN32;
  return nan32(float32(r != r ? bits32(r) : bits32(r) ^ sign));
}

// Equal operands differ at most in the sign of zero, which or and and settle.
static inline float min32(float a, float b) {
  const float equal = float32(bits32(a) | bits32(b));
  const float number = a < b ? a : b < a ? b : equal;
  return a != a ? nan32(b) : b != b ? a : number;
}

static inline float max32(float a, float b) {
  const float equal = float32(bits32(a) & bits32(b));
  const float number = a > b ? a : b > a ? b : equal;
  return a != a ? nan32(b) : b != b ? a : number;
}

static inline double min64(double a, double b) {
  const double equal = float64(bits64(a) | bits64(b));
  const double number = a < b ? a : b < a ? b : equal;
  return a != a ? (b != b ? nan64_1(a, a) : b) : b != b ? a : number;
}

static inline double max64(double a, double b) {
  const double equal = float64(bits64(a) & bits64(b));
  const double number = a > b ? a : b > a ? b : equal;
  return a != a ? (b != b ? nan64_1(a, a) : b) : b != b ? a : number;
}

// Without branches, so that it becomes vectors: the exact result is s + e (the product is exact in double precision, and of the sum the
// error is known), and the nearest is a step from it where it lies on the other side. Which side counts alone, and is scaled so that
// single precision has it. An exact zero whose parts are not both zeros of one sign is -0 when rounding down.
static inline float fma_towards(float a, float b, float c, unsigned mode) {
  const float nearest = __builtin_fmaf(a, b, c);
  const double p = (double)a * (double)b, z = (double)c, s = p + z, t = s - p, e = (p - (s - t)) + (z - t);
  const double off = s - (double)nearest;
  const float side = (float)((off == 0 ? e : off) * 0x1p200); // of the exact result
  const uint32_t bits = bits32(nearest), sign = bits & SIGN32, outwards = bits + 1, inwards = bits - 1;
  const uint32_t lower = sign ? outwards : inwards, upper = sign ? inwards : outwards;
  const uint32_t down = side < 0 ? lower : bits, up = side > 0 ? upper : bits, to_zero = sign ? up : down;
  const bool product_is_zero = (a == 0) | (b == 0), one_sign = !((bits32(a) ^ bits32(b) ^ bits32(c)) & SIGN32);
  const bool zero = (nearest == 0) & (side == 0) & !(product_is_zero & one_sign);
  const uint32_t when_down = zero ? SIGN32 : down, when_other = mode == WEIR_ROUND_RZ ? to_zero : bits;
  return float32(mode == WEIR_ROUND_RM ? when_down : mode == WEIR_ROUND_RP ? up : when_other);
}

#include "exec/ops/float.def"
#include "exec/ops/enter.h"
void WEIR_FILL(float)(struct weir_ops *t) {
#include "exec/ops/float.def"
}
