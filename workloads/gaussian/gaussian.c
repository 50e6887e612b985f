// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "base/rng.h"
#include "footprint.h"
#include "gau/gau.h"

enum { COLUMN_GROUP = 256, GROUP = 8, VECTOR = 4, ROWS = 4 }; // work-groups, and a work-item's columns and rows

struct gaussian {
  uint32_t n, columns;
  uint64_t matrix, right; // device addresses
  float *want_matrix, *want_right;
};

static void make_reference(struct gaussian *s, const float *matrix, const float *right) {
  uint64_t count = (uint64_t)s->n * s->n;
  double *m = weir_gau_widened(matrix, count), *r = weir_gau_widened(right, s->n);
  double *multiplier = weir_new_array(double, count);
  weir_gau_reference(m, multiplier, r, s->n, s->columns);
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < i && j < s->columns; j++) m[i * s->n + j] = multiplier[i * s->n + j];
  weir_free(multiplier);
  s->want_matrix = weir_gau_narrowed(m, count);
  s->want_right = weir_gau_narrowed(r, s->n);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct gaussian *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  const uint32_t kib = weir_host_shape(h).footprint_kib;
  *s =
    size == WEIR_SIZE_SMALL ? (struct gaussian){.n = 640, .columns = 24} : (struct gaussian){.n = 1024, .columns = 128};
  if (kib) s->n = weir_square_side(h, "gaussian", kib, 1, GROUP * VECTOR);
  if (!s->n) return false;
  if (s->columns >= s->n) s->columns = s->n - 1;
  uint64_t count = (uint64_t)s->n * s->n, bytes = count * sizeof(float);
  s->matrix = weir_host_alloc(h, "matrix", bytes);
  s->right = weir_host_alloc(h, "right", s->n * sizeof(float));
  weir_host_result(h, "matrix", s->matrix, bytes);
  weir_host_result(h, "right", s->right, s->n * sizeof(float));
  float *matrix = weir_host_bytes(h, s->matrix, bytes), *right = weir_host_bytes(h, s->right, s->n * sizeof(float));
  weir_gau_make_matrix(matrix, s->n, &rng);
  for (uint32_t i = 0; i < s->n; i++) right[i] = (float)weir_rng_unit(&rng);
  weir_host_wrote(h, s->matrix, bytes);
  weir_host_wrote(h, s->right, s->n * sizeof(float));
  make_reference(s, matrix, right);
  return true;
}

static bool eliminate(struct weir_host *h, const struct gaussian *s, uint32_t t) {
  const uint32_t below = s->n - 1 - t;
  const struct weir_dim column = {(uint32_t)weir_div_up(below, COLUMN_GROUP), 1, 1};
  const struct weir_dim rest = {(uint32_t)weir_div_up(s->n, GROUP * VECTOR) - t / (GROUP * VECTOR),
                                (uint32_t)weir_div_up(below, GROUP * ROWS), 1};
  return weir_launch_args(h, "gaussian_multipliers", column, ((struct weir_dim){COLUMN_GROUP, 1, 1}),
                          WEIR_ARG(s->matrix), WEIR_ARG(s->n), WEIR_ARG(t)) &&
    weir_launch_args(h, "gaussian_eliminate", rest, ((struct weir_dim){GROUP, GROUP, 1}), WEIR_ARG(s->matrix),
                     WEIR_ARG(s->right), WEIR_ARG(s->n), WEIR_ARG(t));
}

static bool run(struct weir_host *h, void *state) {
  struct gaussian *s = state;
  for (uint32_t t = 0; t < s->columns; t++)
    if (!eliminate(h, s, t)) return false;
  return true;
}

// The bound of gau's check (workloads/gau): the same arithmetic on such a matrix of another size, of which it is
// independent.
static bool check_one(struct weir_host *h, const char *what, uint64_t address, const float *want, uint64_t count) {
  return weir_check_f32(h, what, weir_host_bytes(h, address, count * sizeof(float)), want, count, 16 * 0x1p-24,
                        16 * 0x1p-24);
}

static bool check(struct weir_host *h, void *state) {
  struct gaussian *s = state;
  return check_one(h, "matrix", s->matrix, s->want_matrix, (uint64_t)s->n * s->n) &&
    check_one(h, "right", s->right, s->want_right, s->n);
}

static void release(void *state) {
  struct gaussian *s = state;
  weir_free(s->want_matrix);
  weir_free(s->want_right);
}

const struct weir_workload weir_workload_gaussian = {
  .name = "gaussian",
  .summary = "Gaussian elimination in place, one pass over the rest of the matrix per column",
  .citation = "Holey et al., TACO 2014, Table III",
  .small_text = "640 × 640 matrix, the first 24 columns",
  .paper_text = "1024 × 1024 matrix, the first 128 columns",
  .takes = WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct gaussian),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
