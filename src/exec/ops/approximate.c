// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"
#include "exec/approximate.h"

static inline float divide_approximately(float a, float b) {
  const uint32_t magnitude = bits32(b) & UINT32_C(0x7fffffff), sign = (bits32(a) ^ bits32(b)) & UINT32_C(0x80000000);
  const bool huge = magnitude > UINT32_C(0x7e800000) && magnitude < UINT32_C(0x7f800000);
  const float zero = (bits32(a) & UINT32_C(0x7fffffff)) < UINT32_C(0x7f800000) ? float32(sign) : __builtin_nanf("");
  return nan32(huge ? zero : a / b);
}

static inline double flush64(double x) {
  const uint64_t b = bits64(x);
  return float64(b & UINT64_C(0x7ff0000000000000) ? b : b & UINT64_C(0x8000000000000000));
}

// Only the upper word of the operand counts, and only it is delivered (PTX ISA, rcp.approx.ftz.f64).
#define UPPER_WORD UINT64_C(0xffffffff00000000)
static inline double reciprocal_gross(double a) {
  const double x = flush64(float64(bits64(a) & UPPER_WORD));
  const double r = flush64(nan64_1(1.0 / x, x));
  return a != a ? nan64_1(a, a) : float64(bits64(r) & UPPER_WORD);
}

static inline double reciprocal_root_gross(double a) {
  const double x = flush64(float64(bits64(a) & UPPER_WORD));
  const double r = nan64_1(1.0 / __builtin_sqrt(x), x);
  return a != a ? nan64_1(a, a) : float64(bits64(r) & UPPER_WORD);
}

#include "exec/ops/approximate.def"
#include "exec/ops/enter.h"
void WEIR_FILL(approximate)(struct weir_ops *t) {
#include "exec/ops/approximate.def"
}
