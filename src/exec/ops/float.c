// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/rounding.h"
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"

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

#include "exec/ops/float.def"
#include "exec/ops/enter.h"
void WEIR_FILL(float)(struct weir_ops *t) {
#include "exec/ops/float.def"
}
