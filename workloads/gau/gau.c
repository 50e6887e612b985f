// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gau/gau.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/rng.h"
#include "host/workload.h"

enum { N = 208, ROW_BLOCK = 512, TILE = 4 }; // one of Rodinia's matrices, and its blocks

struct gau {
  uint32_t n, columns;
  uint64_t matrix, multiplier, right; // device addresses
  float *want_matrix, *want_multiplier, *want_right;
};

void weir_gau_reference(double *matrix, double *multiplier, double *right, uint32_t n, uint32_t columns) {
  for (size_t t = 0; t < columns; t++)
    for (size_t i = t + 1; i < n; i++) {
      double factor = multiplier[i * n + t] = matrix[i * n + t] / matrix[t * n + t];
      for (size_t j = t; j < n; j++) matrix[i * n + j] -= factor * matrix[t * n + j];
      right[i] -= factor * right[t];
    }
}

void weir_gau_make_matrix(float *matrix, uint32_t n, struct weir_rng *rng) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++)
      matrix[i * n + j] = (float)(i == j ? 1 + weir_rng_unit(rng) : (weir_rng_unit(rng) - 0.5) / n);
}

double *weir_gau_widened(const float *from, uint64_t count) {
  double *to = weir_new_array(double, count);
  for (uint64_t i = 0; i < count; i++) to[i] = (double)from[i];
  return to;
}

float *weir_gau_narrowed(double *from, uint64_t count) {
  float *to = weir_new_array(float, count);
  for (uint64_t i = 0; i < count; i++) to[i] = (float)from[i];
  weir_free(from);
  return to;
}

static void make_reference(struct gau *s, const float *matrix, const float *right) {
  uint64_t count = (uint64_t)s->n * s->n;
  double *m = weir_gau_widened(matrix, count), *r = weir_gau_widened(right, s->n);
  double *multiplier = weir_new_array(double, count);
  weir_gau_reference(m, multiplier, r, s->n, s->columns);
  s->want_matrix = weir_gau_narrowed(m, count);
  s->want_multiplier = weir_gau_narrowed(multiplier, count);
  s->want_right = weir_gau_narrowed(r, s->n);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct gau *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  *s = (struct gau){.n = N, .columns = size == WEIR_SIZE_SMALL ? 4 : 32};
  uint64_t bytes = (uint64_t)N * N * sizeof(float);
  float *matrix = weir_new_array(float, (uint64_t)N *N), right[N];
  weir_gau_make_matrix(matrix, N, &rng);
  for (uint32_t i = 0; i < N; i++) right[i] = (float)weir_rng_unit(&rng);
  s->matrix = weir_host_upload(h, "matrix", matrix, bytes);
  s->multiplier = weir_host_alloc(h, "multiplier", bytes);
  s->right = weir_host_upload(h, "right", right, sizeof right);
  weir_host_result(h, "matrix", s->matrix, bytes);
  weir_host_result(h, "multiplier", s->multiplier, bytes);
  weir_host_result(h, "right", s->right, sizeof right);
  make_reference(s, matrix, right);
  weir_free(matrix);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct gau *s = state;
  const uint32_t groups = (uint32_t)weir_div_up(s->n, ROW_BLOCK), tiles = (uint32_t)weir_div_up(s->n, TILE);
  for (uint32_t t = 0; t < s->columns; t++)
    if (!weir_launch_args(h, "gau_multipliers", ((struct weir_dim){groups, 1, 1}), ((struct weir_dim){ROW_BLOCK, 1, 1}),
                          WEIR_ARG(s->multiplier), WEIR_ARG(s->matrix), WEIR_ARG(s->n), WEIR_ARG(t)) ||
        !weir_launch_args(h, "gau_eliminate", ((struct weir_dim){tiles, tiles, 1}), ((struct weir_dim){TILE, TILE, 1}),
                          WEIR_ARG(s->multiplier), WEIR_ARG(s->matrix), WEIR_ARG(s->right), WEIR_ARG(s->n),
                          WEIR_ARG(t)))
      return false;
  return true;
}

static bool check_one(struct weir_host *h, const char *what, uint64_t address, const float *want, uint64_t count) {
  return weir_check_f32(h, what, weir_host_bytes(h, address, count * sizeof(float)), want, count, 16 * 0x1p-24,
                        16 * 0x1p-24);
}

// The bound of lud's check (workloads/lud): the same matrix, and the same factors as far as elimination went; what is
// left to eliminate is bounded like them. The place of an eliminated element keeps the error of one multiplication. The
// right side is one more column: its elements are below 1, a row's multipliers below 1 in sum, so that its roundings
// add up to 2 u, u = 2⁻²⁴, and grow through the inverse of the lower factor to at most 4 u.
static bool check(struct weir_host *h, void *state) {
  struct gau *s = state;
  uint64_t count = (uint64_t)s->n * s->n;
  return check_one(h, "matrix", s->matrix, s->want_matrix, count) &&
    check_one(h, "multiplier", s->multiplier, s->want_multiplier, count) &&
    check_one(h, "right", s->right, s->want_right, s->n);
}

static void release(void *state) {
  struct gau *s = state;
  weir_free(s->want_matrix);
  weir_free(s->want_multiplier);
  weir_free(s->want_right);
}

const struct weir_workload weir_workload_gau = {
  .name = "gau",
  .summary = "Gaussian elimination, two kernels per column, neighbouring work-items in neighbouring rows",
  .citation = "Rodinia gaussian (Che et al., IISWC 2009); Zhao et al., Table I",
  .small_text = "208 × 208 matrix, the first 4 columns",
  .paper_text = "208 × 208 matrix, the first 32 columns",
  .state_bytes = sizeof(struct gau),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
