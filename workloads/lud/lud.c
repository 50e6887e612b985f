// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "lud/lud.h"

#include "base/alloc.h"
#include "base/rng.h"

enum { TILE = 16 };

void weir_lud_reference(double *matrix, uint32_t n) {
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++) {
      const double *pivot = matrix + k * n;
      double factor = matrix[i * n + k] /= pivot[k];
      for (size_t j = k + 1; j < n; j++) matrix[i * n + j] -= factor * pivot[j];
    }
}

// Diagonally dominant by rows and columns, so that it needs no pivoting: 1 to 2 on the diagonal, at most 1 / 2n off it.
static void make_matrix(float *matrix, uint32_t n, struct weir_rng *rng) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++)
      matrix[i * n + j] = (float)(i == j ? 1 + weir_rng_unit(rng) : (weir_rng_unit(rng) - 0.5) / n);
}

bool weir_lud_prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct weir_lud *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->n = size == WEIR_SIZE_SMALL ? 320 : 1024;
  uint64_t count = (uint64_t)s->n * s->n, bytes = count * sizeof(float);
  s->matrix = weir_host_alloc(h, "matrix", bytes);
  float *matrix = weir_host_bytes(h, s->matrix, bytes);
  make_matrix(matrix, s->n, &rng);
  weir_host_wrote(h, s->matrix, bytes);
  weir_host_result(h, "matrix", s->matrix, bytes);

  double *exact = weir_new_array(double, count);
  for (uint64_t i = 0; i < count; i++) exact[i] = (double)matrix[i];
  weir_lud_reference(exact, s->n);
  s->want = weir_new_array(float, count);
  for (uint64_t i = 0; i < count; i++) s->want[i] = (float)exact[i];
  weir_free(exact);
  return true;
}

bool weir_lud_run(struct weir_host *h, void *state) {
  struct weir_lud *s = state;
  for (uint32_t offset = 0; offset < s->n; offset += TILE) {
    uint32_t tiles = (s->n - offset) / TILE - 1; // to the right of the diagonal tile, and below it
    if (!weir_launch_args(h, "diagonal", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){TILE, 1, 1}),
                          WEIR_ARG(s->matrix), WEIR_ARG(s->n), WEIR_ARG(offset)))
      return false;
    if (tiles == 0) break;
    if (!weir_launch_args(h, "perimeter", ((struct weir_dim){tiles, 1, 1}), ((struct weir_dim){2 * TILE, 1, 1}),
                          WEIR_ARG(s->matrix), WEIR_ARG(s->n), WEIR_ARG(offset)) ||
        !weir_launch_args(h, "internal", ((struct weir_dim){tiles, tiles, 1}), ((struct weir_dim){TILE, TILE, 1}),
                          WEIR_ARG(s->matrix), WEIR_ARG(s->n), WEIR_ARG(offset)))
      return false;
  }
  return true;
}

// Rounding errors are those of factoring A + D with |D| <= n u |L| |U|, u = 2⁻²⁴ (Higham, Accuracy and Stability of
// Numerical Algorithms, theorem 9.3). Elimination keeps the dominance (theorem 9.9), so elements off the diagonal stay
// below 1 / n, those of |L| |U| below 3 / n, hence |D| <= 3 u. Solving for the change of the factors takes the inverses
// of L and U, each of norm at most 2: 12 u. On the diagonal the last roundings count, relative to its own size.
bool weir_lud_check(struct weir_host *h, void *state) {
  struct weir_lud *s = state;
  uint64_t count = (uint64_t)s->n * s->n;
  return weir_check_f32(h, "matrix", weir_host_bytes(h, s->matrix, count * sizeof(float)), s->want, count, 16 * 0x1p-24,
                        12 * 0x1p-24);
}

void weir_lud_release(void *state) {
  weir_free(((struct weir_lud *)state)->want);
}

const struct weir_workload weir_workload_lud = {
  .name = "lud",
  .summary = "LU decomposition in 16 × 16 tiles through local memory",
  .citation = "Rodinia lud (Che et al., IISWC 2009); Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "320 × 320 matrix",
  .paper_text = "1024 × 1024 matrix",
  .state_bytes = sizeof(struct weir_lud),
  .prepare = weir_lud_prepare,
  .run = weir_lud_run,
  .check = weir_lud_check,
  .release = weir_lud_release,
};
