// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// mma and wmma.mma. What the units of a device do with a sum's bits beyond its last, PTX leaves open: here a sum of products of narrow
// floating-point numbers, each of which is exact, is made in double precision in the order of k, and then C is added and the sum rounded
// to D's type, to the nearest even. Sums of f64 are fused, one product after the other, from C on.
#include "exec/matrix/matrix.h"
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"

#include <math.h>

enum { MOST = WEIR_MATRIX_ELEMENTS, MOST_SUMS = 256, QUADS = 4 };

// ---- formats ------------------------------------------------------------------------------------------------------------

// A number of `exponent` and `mantissa` bits without its sign, the sign apart: the bits of a float that is 2^bias times too small.
static inline float small(uint32_t magnitude, uint32_t sign, unsigned mantissa) {
  return float32(magnitude << (23 - mantissa) | sign << 31);
}

static inline float from_f16(uint32_t x) {
  const uint32_t magnitude = x & 0x7fff;
  const float value = small(magnitude, x >> 15 & 1, 10) * 0x1p112f;
  return magnitude >= 0x7c00 ? float32((x >> 15 & 1) << 31 | 0x7f800000 | (magnitude & 0x3ff) << 13) : value;
}

// E4M3 has no infinities, and one NaN of each sign (Micikevicius et al., FP8 formats for deep learning, 2022).
static inline float from_e4m3(uint32_t x) {
  const float value = small(x & 0x7f, x >> 7 & 1, 3) * 0x1p120f;
  return (x & 0x7f) == 0x7f ? float32(0x7fffffff) : value;
}

static inline float from_e5m2(uint32_t x) {
  return from_f16((x & 0xff) << 8);
}

static inline float from_bf16(uint32_t x) {
  return float32((x & 0xffff) << 16);
}

// The last 13 bits of a tf32 are not read.
static inline float from_tf32(uint32_t x) {
  return float32(x & UINT32_C(0xffffe000));
}

// To the nearest even; NaN is 0x7fff.
static inline uint32_t to_f16(double x) {
  const uint64_t b = bits64(x);
  const uint32_t sign = (uint32_t)(b >> 48) & 0x8000;
  const int exponent = (int)(b >> 52 & 0x7ff) - 1023;
  if (x != x) return 0x7fff;
  if (exponent >= 16) return sign | 0x7c00;
  if (exponent < -25) return sign;
  // Below 2^-14 the last place stays, and more goes away.
  const unsigned gone = 42 + (exponent < -14 ? (unsigned)(-14 - exponent) : 0);
  const uint64_t whole = (b & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
  const uint64_t kept = (whole + (UINT64_C(1) << (gone - 1)) - 1 + (whole >> gone & 1)) >> gone;
  // A carry out of the mantissa goes to the exponent.
  return sign | (uint32_t)(exponent < -14 ? kept : kept + ((uint64_t)(exponent + 14) << 10));
}

// ---- registers to elements ------------------------------------------------------------------------------------------------

// Where an element of a fragment is put: of A and C row after row, of B, whose rows are its columns, likewise as the matrix has them.
struct steps {
  unsigned row, column;
};

// As bits, 32 or 64 each.
static void gather(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
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

static void gather64(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
                     struct steps s, double *to) {
  for (unsigned k = 0; k < f->distinct; k++) {
    const double *v = (const double *)weir_at(w, f->data[k].bank, f->data[k].offset) + 32 * (size_t)group;
    for (unsigned l = 0; l < 32; l++)
      to[(f->at[k].row + l / 4) * s.row + (f->at[k].column + l % 4 * f->width) * s.column] = mask >> l & 1 ? v[l] : 0;
  }
}

#define CONVERT(value)                                                                                                 \
  for (unsigned k = 0; k < count; k++) {                                                                               \
    const uint32_t x = bits[k];                                                                                        \
    to[k] = value;                                                                                                     \
  }                                                                                                                    \
  break

static void to_floats(unsigned type, const uint32_t *bits, unsigned count, double *to) {
  switch (type) {
  case WEIR_T_F16: CONVERT(from_f16(x));
  case WEIR_T_BF16: CONVERT(from_bf16(x));
  case WEIR_T_TF32: CONVERT(from_tf32(x));
  case WEIR_T_E4M3: CONVERT(from_e4m3(x));
  case WEIR_T_E5M2: CONVERT(from_e5m2(x));
  default: CONVERT(float32(x));
  }
}

static void to_integers(unsigned type, const uint32_t *bits, unsigned count, int32_t *to) {
  switch (type) {
  case WEIR_T_S8: CONVERT((int8_t)x);
  case WEIR_T_S4: CONVERT((int32_t)(x << 28) >> 28);
  default: CONVERT((int32_t)x);
  }
}
#undef CONVERT

// ---- elements to registers ------------------------------------------------------------------------------------------------

static void scatter(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
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

static void scatter64(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
                      const double *from) {
  for (unsigned k = 0; k < f->distinct; k++) {
    double *v = (double *)weir_at(w, WEIR_BANK_FRAME, f->data[k].offset) + 32 * (size_t)group;
    for (unsigned l = 0; l < 32; l++)
      if (mask >> l & 1) v[l] = from[(f->at[k].row + l / 4) * f->columns + f->at[k].column + l % 4 * f->width];
  }
}

// ---- products ---------------------------------------------------------------------------------------------------------------

// sum[m][n] of a[m][k] * b[k][n] over k, in its order; the sums begin with what is there.
#define SUM(name, T, S, step)                                                                                          \
  static void name(const struct weir_matrix_op *op, unsigned depth, const T *a, const T *b, S *sum) {                  \
    for (unsigned m = 0; m < op->m; m++, sum += op->n)                                                                 \
      for (unsigned k = 0; k < depth; k++) {                                                                           \
        const T x = a[m * depth + k], *y = b + k * op->n;                                                              \
        WEIR_IVDEP for (unsigned n = 0; n < op->n; n++) step;                                                          \
      }                                                                                                                \
  }
SUM(sum_doubles, double, double, sum[n] = fma(x, y[n], sum[n]))
SUM(sum_integers, int32_t, int32_t, sum[n] += x * y[n])
SUM(sum_xors, uint32_t, int32_t, sum[n] += __builtin_popcount(x ^ y[n]))
SUM(sum_ands, uint32_t, int32_t, sum[n] += __builtin_popcount(x & y[n]))
#undef SUM

// Four sums side by side, twice: left to themselves, compilers go along k.
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

static void sum_floats(const struct weir_matrix_op *op, const double *a, const double *b, double *sums) {
  const unsigned n = op->n, depth = op->k;
  for (unsigned m = 0; m < op->m; m++, a += depth)
    for (unsigned column = 0; column < n; column += 8) {
      four low = {0}, high = {0};
      for (unsigned k = 0; k < depth; k++) {
        const four *line = (const four *)(b + k * n + column);
        low += a[k] * line[0];
        high += a[k] * line[1];
      }
      four *to = (four *)(sums + m * n + column);
      to[0] = low;
      to[1] = high;
    }
}

static uint32_t rounded(unsigned type, double sum) {
  return type == WEIR_T_F16 ? to_f16(sum) : bits32(nan32((float)sum));
}

static void multiply_floats(struct weir_warp *w, const struct weir_matrix_op *op, unsigned group, uint32_t mask) {
  const struct weir_fragment *f = op->part;
  uint32_t bits[MOST];
  double a[MOST], b[MOST], c[MOST_SUMS], sum[MOST_SUMS];
  const unsigned sums = op->m * op->n;
  gather(w, &f[WEIR_MATRIX_A], group, mask, (struct steps){op->k, 1}, bits);
  to_floats(f[WEIR_MATRIX_A].type, bits, op->m * op->k, a);
  gather(w, &f[WEIR_MATRIX_B], group, mask, (struct steps){1, op->n}, bits);
  to_floats(f[WEIR_MATRIX_B].type, bits, op->n * op->k, b);
  gather(w, &f[WEIR_MATRIX_C], group, mask, (struct steps){op->n, 1}, bits);
  to_floats(f[WEIR_MATRIX_C].type, bits, sums, c);
  sum_floats(op, a, b, sum);
  for (unsigned k = 0; k < sums; k++) bits[k] = rounded(f[WEIR_MATRIX_D].type, sum[k] + c[k]);
  scatter(w, &f[WEIR_MATRIX_D], group, mask, bits);
}

static void multiply_doubles(struct weir_warp *w, const struct weir_matrix_op *op, unsigned group, uint32_t mask) {
  const struct weir_fragment *f = op->part;
  double a[MOST_SUMS], b[MOST_SUMS], sum[MOST_SUMS];
  gather64(w, &f[WEIR_MATRIX_A], group, mask, (struct steps){op->k, 1}, a);
  gather64(w, &f[WEIR_MATRIX_B], group, mask, (struct steps){1, op->n}, b);
  gather64(w, &f[WEIR_MATRIX_C], group, mask, (struct steps){op->n, 1}, sum);
  sum_doubles(op, op->k, a, b, sum);
  for (unsigned k = 0; k < op->m * op->n; k++) sum[k] = sum[k] != sum[k] ? float64(WEIR_NAN64) : sum[k];
  scatter64(w, &f[WEIR_MATRIX_D], group, mask, sum);
}

static uint32_t held(const struct weir_matrix_op *op, int64_t sum) {
  if (op->saturates && sum > INT32_MAX) return INT32_MAX;
  if (op->saturates && sum < INT32_MIN) return (uint32_t)INT32_MIN;
  return (uint32_t)sum;
}

// Bits are words of 32, of which a product is how many the two have in common, or not.
static void multiply_integers(struct weir_warp *w, const struct weir_matrix_op *op, unsigned group, uint32_t mask) {
  const struct weir_fragment *f = op->part;
  const bool single = f[WEIR_MATRIX_A].type == WEIR_T_B1;
  const unsigned depth = f[WEIR_MATRIX_A].columns, sums = op->m * op->n;
  uint32_t bits_a[MOST], bits_b[MOST], c[MOST_SUMS];
  int32_t a[MOST], b[MOST], sum[MOST_SUMS] = {0};
  gather(w, &f[WEIR_MATRIX_A], group, mask, (struct steps){depth, 1}, bits_a);
  gather(w, &f[WEIR_MATRIX_B], group, mask, (struct steps){1, op->n}, bits_b);
  gather(w, &f[WEIR_MATRIX_C], group, mask, (struct steps){op->n, 1}, c);
  if (single) {
    (op->ands ? sum_ands : sum_xors)(op, depth, bits_a, bits_b, sum);
  } else {
    to_integers(f[WEIR_MATRIX_A].type, bits_a, op->m * depth, a);
    to_integers(f[WEIR_MATRIX_B].type, bits_b, op->n * depth, b);
    sum_integers(op, depth, a, b, sum);
  }
  for (unsigned k = 0; k < sums; k++) c[k] = held(op, (int64_t)sum[k] + (int32_t)c[k]);
  scatter(w, &f[WEIR_MATRIX_D], group, mask, c);
}

// ---- mma.m8n8k4 of half precision -----------------------------------------------------------------------------------------

// Quad q is lanes 4q to 4q + 3 and those 16 behind them, which have rows and columns from 4 on. `line` is the lane's, `along` what it has
// in a line of A or B (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16").
static unsigned quad_lane(unsigned quad, unsigned eighth) {
  return quad * 4 + eighth % 4 + eighth / 4 * 16;
}

static uint32_t half_of(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
                        unsigned lane, unsigned e) {
  const struct weir_ref r = f->data[e / 2];
  const uint32_t *v = (const uint32_t *)weir_at(w, r.bank, r.offset) + 32 * (size_t)group;
  return mask >> lane & 1 ? v[lane] >> e % 2 * 16 & 0xffff : 0;
}

// Line `line`, of eight, at `depth`, of four, of A (its rows) or B (its columns). With the elements of one line in a thread, or
// with those of four lines.
static double quad_element(const struct weir_warp *w, const struct weir_fragment *f, bool lines, unsigned group,
                           uint32_t mask, unsigned quad, unsigned line, unsigned depth) {
  const unsigned eighth = lines ? line : line / 4 * 4 + depth, e = lines ? depth : line % 4;
  return from_f16(half_of(w, f, group, mask, quad_lane(quad, eighth), e));
}

// Of C and D: the thread's register of (row, column), and which half of it.
static unsigned quad_place(bool halves, unsigned quad, unsigned row, unsigned column, unsigned *e) {
  if (halves) {
    *e = column;
    return quad_lane(quad, row);
  }
  // A thread has row (lane & 1) + (e & 2), column (e & 4) + (lane & 2) + (e & 1).
  *e = (row & 2) | (column & 4) | (column & 1);
  return quad_lane(quad, (row & 4) | (column & 2) | (row & 1));
}

static double quad_sum(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
                       unsigned quad, unsigned row, unsigned column) {
  unsigned e;
  const bool halves = f->type == WEIR_T_F16;
  const unsigned lane = quad_place(halves, quad, row, column, &e);
  if (halves) return from_f16(half_of(w, f, group, mask, lane, e));
  const uint32_t *v = (const uint32_t *)weir_at(w, f->data[e].bank, f->data[e].offset) + 32 * (size_t)group;
  return mask >> lane & 1 ? float32(v[lane]) : 0;
}

static void put_quad(struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask, unsigned quad,
                     const double *sums) {
  const bool halves = f->type == WEIR_T_F16;
  for (unsigned row = 0; row < 8; row++)
    for (unsigned column = 0; column < 8; column++) {
      unsigned e;
      const unsigned lane = quad_place(halves, quad, row, column, &e);
      uint32_t *v = (uint32_t *)weir_at(w, WEIR_BANK_FRAME, f->data[halves ? e / 2 : e].offset) + 32 * (size_t)group;
      const uint32_t x = rounded(f->type, sums[row * 8 + column]);
      if (!(mask >> lane & 1)) continue;
      if (halves)
        v[lane] = e % 2 ? (v[lane] & 0xffff) | x << 16 : (v[lane] & 0xffff0000) | x;
      else
        v[lane] = x;
    }
}

static void multiply_quads(struct weir_warp *w, const struct weir_matrix_op *op, unsigned group, uint32_t mask) {
  const struct weir_fragment *f = op->part, *a = &f[WEIR_MATRIX_A], *b = &f[WEIR_MATRIX_B];
  double sums[QUADS][64];
  for (unsigned q = 0; q < QUADS; q++)
    for (unsigned s = 0; s < 64; s++) {
      double sum = 0;
      for (unsigned k = 0; k < 4; k++)
        sum += quad_element(w, a, !op->by_columns[WEIR_MATRIX_A], group, mask, q, s / 8, k) *
          quad_element(w, b, op->by_columns[WEIR_MATRIX_B], group, mask, q, s % 8, k);
      sums[q][s] = sum + quad_sum(w, &f[WEIR_MATRIX_C], group, mask, q, s / 8, s % 8);
    }
  for (unsigned q = 0; q < QUADS; q++) put_quad(w, &f[WEIR_MATRIX_D], group, mask, q, sums[q]);
}

// ---------------------------------------------------------------------------------------------------------------------------

// What lanes that do not execute it hold counts as zero. Each 32 lanes are a warp of CUDA's.
static void multiply_matrix(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const struct weir_matrix_op *op = i->matrix;
  const unsigned sums = op->part[WEIR_MATRIX_D].type;
  for (unsigned g = 0; g < w->groups; g++, mask >>= 32) {
    if (!(uint32_t)mask) continue;
    if (op->quad)
      multiply_quads(w, op, g, (uint32_t)mask);
    else if (sums == WEIR_T_F64)
      multiply_doubles(w, op, g, (uint32_t)mask);
    else if (sums == WEIR_T_S32)
      multiply_integers(w, op, g, (uint32_t)mask);
    else
      multiply_floats(w, op, g, (uint32_t)mask);
  }
}

void WEIR_FILL(matrix)(struct weir_ops *t) {
  t->alu[WEIR_X_multiply_matrix] = multiply_matrix;
}
