// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/rounding.h"

#include "exec/ops/types.h"
#include "ptx/ir.h"

#include <math.h>

#if defined(__x86_64__) || defined(__i386__)
typedef __float128 wide64;
#else
typedef long double wide64; // binary128 on AArch64, RISC-V and the like
_Static_assert(__LDBL_MANT_DIG__ == 113, "needs a type that holds the product of two doubles exactly");
#endif
typedef double wide32;

// One step towards zero, or away from it; infinity steps down to the largest number and zero up to the smallest.
static float step32(float x, bool up) {
  const uint32_t b = bits32(x);
  if (!(b << 1)) return float32(up ? 1 : UINT32_C(0x80000001));
  return float32((b >> 31) == up ? b - 1 : b + 1);
}

static double step64(double x, bool up) {
  const uint64_t b = bits64(x);
  if (!(b << 1)) return float64(up ? 1 : UINT64_C(0x8000000000000001));
  return float64((b >> 63) == up ? b - 1 : b + 1);
}

// r is the nearest to an exact value that is above it (error > 0), below it, or r itself.
#define ADJUST(F, W)                                                                                                   \
  static F adjust##W(F r, int error, int mode) {                                                                       \
    if (error == 0 || r != r) return r;                                                                                \
    bool negative = r < 0 || (r == 0 && error < 0);                                                                    \
    switch (mode) {                                                                                                    \
    case WEIR_ROUND_RM:                                                                                                \
    case WEIR_ROUND_RMI: return error < 0 ? step##W(r, false) : r;                                                     \
    case WEIR_ROUND_RP:                                                                                                \
    case WEIR_ROUND_RPI: return error > 0 ? step##W(r, true) : r;                                                      \
    case WEIR_ROUND_RZ:                                                                                                \
    case WEIR_ROUND_RZI:                                                                                               \
      if (negative) return error > 0 ? step##W(r, true) : r;                                                           \
      return error < 0 ? step##W(r, false) : r;                                                                        \
    default: return r;                                                                                                 \
    }                                                                                                                  \
  }

#define SIGN(x) (((x) > 0) - ((x) < 0))

// The exact value is s + e with |e| at most half an ulp of s in the wide format, and r its nearest.
#define SPLIT_ERROR(s, e, r) ((s) == (r) ? SIGN(e) : SIGN((s) - (r)))

// A sum's error in the wide format (Knuth's TwoSum).
#define TWO_SUM(W, s, e, x, y)                                                                                         \
  const W s = (x) + (y);                                                                                               \
  const W s##_y = s - (x);                                                                                             \
  const W e = ((x) - (s - s##_y)) + ((y)-s##_y)

static bool finite32(float x) {
  return (bits32(x) & UINT32_C(0x7f800000)) != UINT32_C(0x7f800000);
}

static bool finite64(double x) {
  return (bits64(x) & UINT64_C(0x7ff0000000000000)) != UINT64_C(0x7ff0000000000000);
}

#define ARITHMETIC(F, W, WIDE, SQRT)                                                                                   \
  ADJUST(F, W)                                                                                                         \
  F weir_mul##W(F a, F b, int mode) {                                                                                  \
    const F r = a * b;                                                                                                 \
    if (!finite##W(a) || !finite##W(b)) return r;                                                                      \
    return adjust##W(r, SIGN((WIDE)a * (WIDE)b - (WIDE)r), mode);                                                      \
  }                                                                                                                    \
  F weir_div##W(F a, F b, int mode) {                                                                                  \
    const F r = a / b;                                                                                                 \
    if (!finite##W(a) || !finite##W(b) || b == 0) return r;                                                            \
    const WIDE e = (WIDE)a - (WIDE)r * (WIDE)b;                                                                        \
    return adjust##W(r, b > 0 ? SIGN(e) : -SIGN(e), mode);                                                             \
  }                                                                                                                    \
  F weir_sqrt##W(F a, int mode) {                                                                                      \
    const F r = SQRT(a);                                                                                               \
    if (!finite##W(a) || !(a > 0)) return r;                                                                           \
    return adjust##W(r, SIGN((WIDE)a - (WIDE)r * (WIDE)r), mode);                                                      \
  }

ARITHMETIC(float, 32, wide32, __builtin_sqrtf)
ARITHMETIC(double, 64, wide64, __builtin_sqrt)

// An exact zero from operands that are not both zeros of one sign is -0 when rounding down, else +0.
double weir_fma64(double a, double b, double c, int mode) {
  const double r = __builtin_fma(a, b, c);
  if (!finite64(a) || !finite64(b) || !finite64(c)) return r;
  const wide64 p = (wide64)a * (wide64)b;
  TWO_SUM(wide64, s, e, p, (wide64)c);
  if (s == 0 && e == 0) {
    const bool product = !__builtin_signbit(a) != !__builtin_signbit(b);
    const bool both = !__builtin_signbit(c) == !product;
    return p == 0 && both ? r : mode == WEIR_ROUND_RM ? -0.0 : 0.0;
  }
  return adjust64(r, SPLIT_ERROR(s, e, (wide64)r), mode);
}

double weir_add64(double a, double b, int mode) {
  return weir_fma64(a, 1, b, mode);
}

float weir_narrow32(double x, int mode) {
  const float r = (float)x;
  return finite64(x) ? adjust32(r, SIGN(x - (double)r), mode) : r;
}

float weir_integer32(__int128 x, int mode) {
  const float r = (float)x;
  return adjust32(r, SIGN((wide64)x - (wide64)r), mode);
}

double weir_integer64(__int128 x, int mode) {
  const double r = (double)x;
  return adjust64(r, SIGN((wide64)x - (wide64)r), mode);
}

double weir_integral(double x, int mode) {
  switch (mode) {
  case WEIR_ROUND_RZ:
  case WEIR_ROUND_RZI: return trunc(x);
  case WEIR_ROUND_RM:
  case WEIR_ROUND_RMI: return floor(x);
  case WEIR_ROUND_RP:
  case WEIR_ROUND_RPI: return ceil(x);
  default: return rint(x);
  }
}
