// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What mma and wgmma have in common: elements of fragments as numbers, and sums of their products. What the units of a device do with a sum's bits
// beyond its last, PTX leaves open: here a sum of products of narrow floating-point numbers, each of which is exact, is made in double
// precision in the order of k, and then C is added and the sum rounded to D's type, to the nearest even.
#ifndef WEIR_EXEC_OPS_PRODUCTS_H
#define WEIR_EXEC_OPS_PRODUCTS_H

#include "exec/matrix/matrix.h"
#include "exec/ops/halves.h"
#include "exec/ops/lanes.h"

#include <math.h>

// ---- formats ------------------------------------------------------------------------------------------------------------

// A number of `exponent` and `mantissa` bits without its sign, the sign apart: the bits of a float that is 2^bias times too small.
static inline float small(uint32_t magnitude, uint32_t sign, unsigned mantissa) {
  return float32(magnitude << (23 - mantissa) | sign << 31);
}

// E4M3 has no infinities, and one NaN of each sign (Micikevicius et al., FP8 formats for deep learning, 2022).
static inline float from_e4m3(uint32_t x) {
  const float value = small(x & 0x7f, x >> 7 & 1, 3) * 0x1p120f;
  return (x & 0x7f) == 0x7f ? float32(0x7fffffff) : value;
}

static inline float from_e5m2(uint32_t x) {
  return f16_value((x & 0xff) << 8);
}

// The last 13 bits of a tf32 are not read.
static inline float from_tf32(uint32_t x) {
  return float32(x & UINT32_C(0xffffe000));
}

// ---- registers to elements ------------------------------------------------------------------------------------------------

// Where an element of a fragment is put: of A and C row after row, of B, whose rows are its columns, likewise as the matrix has them.
struct steps {
  unsigned row, column;
};

// As bits, 32 or 64 each.
static inline void gather(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
                          struct steps s, uint32_t *to) {
  const uint32_t ones = f->bits == 32 ? UINT32_MAX : (UINT32_C(1) << f->bits) - 1;
  for (unsigned k = 0; k < f->distinct; k++) {
    const uint32_t *v = (const uint32_t *)weir_at(w, f->data[k].bank, f->data[k].offset) + 32 * (size_t)group;
    for (unsigned l = 0; l < 32; l++) {
      const uint32_t word = mask >> l & 1 ? v[l] : 0;
      uint32_t *at = to + (f->at[k].row + l / 4) * s.row + (f->at[k].column + l % 4 * f->width) * s.column;
      for (unsigned e = 0; e < f->units; e++) at[e * s.column] = word >> e * f->bits & ones;
    }
  }
}

#define CONVERT(value)                                                                                                 \
  for (unsigned k = 0; k < count; k++) {                                                                               \
    const uint32_t x = bits[k];                                                                                        \
    to[k] = value;                                                                                                     \
  }                                                                                                                    \
  break

static inline void to_floats(unsigned type, const uint32_t *bits, unsigned count, double *to) {
  switch (type) {
  case WEIR_T_F16: CONVERT(f16_value(x));
  case WEIR_T_BF16: CONVERT(bf16_value(x));
  case WEIR_T_TF32: CONVERT(from_tf32(x));
  case WEIR_T_E4M3: CONVERT(from_e4m3(x));
  case WEIR_T_E5M2: CONVERT(from_e5m2(x));
  default: CONVERT(float32(x));
  }
}

static inline void to_integers(unsigned type, const uint32_t *bits, unsigned count, int32_t *to) {
  switch (type) {
  case WEIR_T_S8: CONVERT((int8_t)x);
  case WEIR_T_S4: CONVERT((int32_t)(x << 28) >> 28);
  default: CONVERT((int32_t)x);
  }
}
#undef CONVERT

// ---- elements to registers ------------------------------------------------------------------------------------------------

static inline void scatter(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
                           const uint32_t *from) {
  for (unsigned k = 0; k < f->distinct; k++) {
    uint32_t *v = (uint32_t *)weir_at(w, WEIR_BANK_FRAME, f->data[k].offset) + 32 * (size_t)group;
    for (unsigned l = 0; l < 32; l++) {
      const uint32_t *at = from + (f->at[k].row + l / 4) * f->columns + f->at[k].column + l % 4 * f->width;
      const uint32_t word = f->units == 2 ? at[0] | at[1] << 16 : at[0];
      v[l] = mask >> l & 1 ? word : v[l];
    }
  }
}

// ---- products ---------------------------------------------------------------------------------------------------------------

struct extent {
  unsigned m, n, k;
};

// sum[m][n] of a[m][k] * b[k][n] over k, in its order; the sums begin with what is there.
#define SUM(name, T, S, step)                                                                                          \
  static inline void name(struct extent e, const T *a, const T *b, S *sum) {                                           \
    for (unsigned m = 0; m < e.m; m++, sum += e.n)                                                                     \
      for (unsigned k = 0; k < e.k; k++) {                                                                             \
        const T x = a[m * e.k + k], *y = b + k * e.n;                                                                  \
        WEIR_IVDEP for (unsigned n = 0; n < e.n; n++) step;                                                            \
      }                                                                                                                \
  }
SUM(sum_doubles, double, double, sum[n] = fma(x, y[n], sum[n]))
SUM(sum_integers, int32_t, int32_t, sum[n] += x * y[n])
SUM(sum_xors, uint32_t, int32_t, sum[n] += __builtin_popcount(x ^ y[n]))
SUM(sum_ands, uint32_t, int32_t, sum[n] += __builtin_popcount(x & y[n]))
#undef SUM

// Four sums side by side, twice: left to themselves, compilers go along k.
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

static inline void sum_floats(struct extent e, const double *a, const double *b, double *sums) {
  for (unsigned m = 0; m < e.m; m++, a += e.k)
    for (unsigned column = 0; column < e.n; column += 8) {
      four low = {0}, high = {0};
      for (unsigned k = 0; k < e.k; k++) {
        const four *line = (const four *)(b + k * e.n + column);
        low += a[k] * line[0];
        high += a[k] * line[1];
      }
      four *to = (four *)(sums + m * e.n + column);
      to[0] = low;
      to[1] = high;
    }
}

static inline uint32_t rounded(unsigned type, double sum) {
  return type == WEIR_T_F16 ? f16_bits(narrow_odd(sum)) : bits32(nan32((float)sum));
}

static inline uint32_t held(bool saturates, int64_t sum) {
  if (saturates && sum > INT32_MAX) return INT32_MAX;
  if (saturates && sum < INT32_MIN) return (uint32_t)INT32_MIN;
  return (uint32_t)sum;
}

#endif
