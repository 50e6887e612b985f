// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// mma and wmma.mma, by the sums of products.h. Those of f64 are fused, one product after the other, from C on.
#include "exec/ops/fill.h"
#include "exec/ops/products.h"

enum { MOST = WEIR_MATRIX_ELEMENTS, MOST_SUMS = 256, QUADS = 4 };

// ---- elements of 64 bits ------------------------------------------------------------------------------------------------------

static void gather64(const struct weir_warp *w, const struct weir_fragment *f, unsigned group, uint32_t mask,
                     struct steps s, double *to) {
  for (unsigned k = 0; k < f->distinct; k++) {
    const double *v = (const double *)weir_at(w, f->data[k].bank, f->data[k].offset) + 32 * (size_t)group;
    for (unsigned l = 0; l < 32; l++)
      to[(f->at[k].row + l / 4) * s.row + (f->at[k].column + l % 4 * f->width) * s.column] = mask >> l & 1 ? v[l] : 0;
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

static struct extent whole(const struct weir_matrix_op *op) {
  return (struct extent){op->m, op->n, op->k};
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
  sum_floats(whole(op), a, b, sum);
  for (unsigned k = 0; k < sums; k++) bits[k] = rounded(f[WEIR_MATRIX_D].type, sum[k] + c[k]);
  scatter(w, &f[WEIR_MATRIX_D], group, mask, bits);
}

static void multiply_doubles(struct weir_warp *w, const struct weir_matrix_op *op, unsigned group, uint32_t mask) {
  const struct weir_fragment *f = op->part;
  double a[MOST_SUMS], b[MOST_SUMS], sum[MOST_SUMS];
  gather64(w, &f[WEIR_MATRIX_A], group, mask, (struct steps){op->k, 1}, a);
  gather64(w, &f[WEIR_MATRIX_B], group, mask, (struct steps){1, op->n}, b);
  gather64(w, &f[WEIR_MATRIX_C], group, mask, (struct steps){op->n, 1}, sum);
  sum_doubles(whole(op), a, b, sum);
  for (unsigned k = 0; k < op->m * op->n; k++) sum[k] = sum[k] != sum[k] ? float64(WEIR_NAN64) : sum[k];
  scatter64(w, &f[WEIR_MATRIX_D], group, mask, sum);
}

// Bits are words of 32, of which a product is how many the two have in common, or not.
static void multiply_integers(struct weir_warp *w, const struct weir_matrix_op *op, unsigned group, uint32_t mask) {
  const struct weir_fragment *f = op->part;
  const bool single = f[WEIR_MATRIX_A].type == WEIR_T_B1;
  const unsigned depth = f[WEIR_MATRIX_A].columns, sums = op->m * op->n;
  const struct extent e = {op->m, op->n, depth};
  uint32_t bits_a[MOST], bits_b[MOST], c[MOST_SUMS];
  int32_t a[MOST], b[MOST], sum[MOST_SUMS] = {0};
  gather(w, &f[WEIR_MATRIX_A], group, mask, (struct steps){depth, 1}, bits_a);
  gather(w, &f[WEIR_MATRIX_B], group, mask, (struct steps){1, op->n}, bits_b);
  gather(w, &f[WEIR_MATRIX_C], group, mask, (struct steps){op->n, 1}, c);
  if (single) {
    (op->ands ? sum_ands : sum_xors)(e, bits_a, bits_b, sum);
  } else {
    to_integers(f[WEIR_MATRIX_A].type, bits_a, op->m * depth, a);
    to_integers(f[WEIR_MATRIX_B].type, bits_b, op->n * depth, b);
    sum_integers(e, a, b, sum);
  }
  for (unsigned k = 0; k < sums; k++) c[k] = held(op->saturates, (int64_t)sum[k] + (int32_t)c[k]);
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
  return f16_value(half_of(w, f, group, mask, quad_lane(quad, eighth), e));
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
  if (halves) return f16_value(half_of(w, f, group, mask, lane, e));
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
