// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "matrixmul/matrixmul.h"

#include "base/alloc.h"

enum { TILE = 16 };

static uint64_t random_matrix(struct weir_host *h, const char *name, uint64_t count, struct weir_rng *rng) {
  uint64_t address = weir_host_alloc(h, name, count * sizeof(float));
  float *m = weir_host_bytes(h, address, count * sizeof(float));
  for (uint64_t i = 0; i < count; i++) m[i] = (float)weir_rng_unit(rng);
  weir_host_wrote(h, address, count * sizeof(float));
  return address;
}

// In double precision; k in the middle loop so that the compiler vectorises the inner one.
static float *multiply(const float *a, const float *b, const struct weir_matrixmul *m) {
  const uint32_t inner = m->inner, columns = m->columns;
  float *c = weir_new_array(float, (size_t)m->rows *columns);
  double *row = weir_new_array(double, columns);
  for (uint32_t i = 0; i < m->rows; i++) {
    for (uint32_t j = 0; j < columns; j++) row[j] = 0;
    for (uint32_t k = 0; k < inner; k++)
      for (uint32_t j = 0; j < columns; j++) row[j] += (double)a[i * inner + k] * (double)b[k * columns + j];
    for (uint32_t j = 0; j < columns; j++) c[i * columns + j] = (float)row[j];
  }
  weir_free(row);
  return c;
}

static uint64_t elements(const struct weir_matrixmul *m) {
  return (uint64_t)m->rows * m->columns;
}

void weir_matrixmul_prepare(struct weir_host *h, struct weir_matrixmul *m, struct weir_rng *rng) {
  uint64_t of_a = (uint64_t)m->rows * m->inner, of_b = (uint64_t)m->inner * m->columns;
  m->a = random_matrix(h, "a", of_a, rng);
  m->b = random_matrix(h, "b", of_b, rng);
  m->c = weir_host_alloc(h, "c", elements(m) * sizeof(float));
  weir_host_result(h, "c", m->c, elements(m) * sizeof(float));
  const float *a = weir_host_bytes(h, m->a, of_a * sizeof(float)), *b = weir_host_bytes(h, m->b, of_b * sizeof(float));
  m->want = multiply(a, b, m);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct weir_matrixmul *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->rows = s->inner = s->columns = size == WEIR_SIZE_SMALL ? 256 : 512;
  weir_matrixmul_prepare(h, s, &rng);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct weir_matrixmul *s = state;
  return weir_launch_args(h, "matrixmul", ((struct weir_dim){s->columns / TILE, s->rows / TILE, 1}),
                          ((struct weir_dim){TILE, TILE, 1}), WEIR_ARG(s->a), WEIR_ARG(s->b), WEIR_ARG(s->c),
                          WEIR_ARG(s->columns));
}

// A sum of n = inner products that are not negative, rounded n times: relative error at most n × 2⁻²⁴ (Higham, Accuracy
// and Stability of Numerical Algorithms, §3.1); twice that also covers the reference's own rounding to single precision.
bool weir_matrixmul_check(struct weir_host *h, void *m) {
  struct weir_matrixmul *s = m;
  return weir_check_f32(h, "c", weir_host_bytes(h, s->c, elements(s) * sizeof(float)), s->want, elements(s),
                        2.0 * s->inner * 0x1p-24, 0);
}

void weir_matrixmul_release(void *m) {
  weir_free(((struct weir_matrixmul *)m)->want);
}

const struct weir_workload weir_workload_matrixmul = {
  .name = "matrixmul",
  .summary = "dense matrix multiplication from global memory",
  .citation = "AMD APP SDK MatrixMultiplication (without local memory); Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "256 × 256 matrices",
  .paper_text = "512 × 512 matrices",
  .state_bytes = sizeof(struct weir_matrixmul),
  .prepare = prepare,
  .run = run,
  .check = weir_matrixmul_check,
  .release = weir_matrixmul_release,
};
