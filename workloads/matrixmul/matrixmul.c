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
static float *multiply(const float *a, const float *b, uint32_t n) {
  float *c = weir_new_array(float, (size_t)n *n);
  double *row = weir_new_array(double, n);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) row[j] = 0;
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t j = 0; j < n; j++) row[j] += (double)a[i * n + k] * (double)b[k * n + j];
    for (uint32_t j = 0; j < n; j++) c[i * n + j] = (float)row[j];
  }
  weir_free(row);
  return c;
}

void weir_matrixmul_prepare(struct weir_host *h, struct weir_matrixmul *m, uint32_t n, struct weir_rng *rng) {
  uint64_t count = (uint64_t)n * n, bytes = count * sizeof(float);
  m->n = n;
  m->a = random_matrix(h, "a", count, rng);
  m->b = random_matrix(h, "b", count, rng);
  m->c = weir_host_alloc(h, "c", bytes);
  weir_host_result(h, "c", m->c, bytes);
  m->want = multiply(weir_host_bytes(h, m->a, bytes), weir_host_bytes(h, m->b, bytes), n);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  weir_matrixmul_prepare(h, state, size == WEIR_SIZE_SMALL ? 256 : 512, &rng);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct weir_matrixmul *s = state;
  return weir_launch_args(h, "matrixmul", ((struct weir_dim){s->n / TILE, s->n / TILE, 1}),
                          ((struct weir_dim){TILE, TILE, 1}), WEIR_ARG(s->a), WEIR_ARG(s->b), WEIR_ARG(s->c),
                          WEIR_ARG(s->n));
}

// A sum of n non-negative products, rounded n times: relative error at most n × 2⁻²⁴ (Higham, Accuracy and Stability of
// Numerical Algorithms, §3.1); twice that also covers the reference's own rounding to single precision.
bool weir_matrixmul_check(struct weir_host *h, void *m) {
  struct weir_matrixmul *s = m;
  uint64_t count = (uint64_t)s->n * s->n;
  return weir_check_f32(h, "c", weir_host_bytes(h, s->c, count * sizeof(float)), s->want, count, 2.0 * s->n * 0x1p-24,
                        0);
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
