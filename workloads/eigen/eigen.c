// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "eigen/eigen.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

#include <math.h>

enum { GROUP = 64 };

// How wide an interval may be in the end: the SDK's.
static const float width = 0.001F;

struct eigen {
  uint32_t n;
  uint64_t diagonal, below, counts, intervals, narrower; // device addresses
  float *want;                                           // each eigenvalue twice: for both ends of its interval
};

static uint32_t eigenvalues_below(double x, const float *diagonal, const float *below, uint32_t n) {
  double term = (double)diagonal[0] - x;
  uint32_t count = term < 0;
  for (uint32_t i = 1; i < n; i++) {
    term = (double)diagonal[i] - x - (double)below[i - 1] * (double)below[i - 1] / term;
    count += term < 0;
  }
  return count;
}

void weir_eigen_bounds(const float *diagonal, const float *below, uint32_t n, float *lower, float *upper) {
  double least = INFINITY, most = -INFINITY;
  for (uint32_t i = 0; i < n; i++) {
    double radius = (i ? fabs((double)below[i - 1]) : 0) + (i + 1 < n ? fabs((double)below[i]) : 0);
    least = fmin(least, (double)diagonal[i] - radius);
    most = fmax(most, (double)diagonal[i] + radius);
  }
  double margin = 1e-5 * (fabs(least) + fabs(most));
  *lower = (float)(least - margin);
  *upper = (float)(most + margin);
}

// The k-th eigenvalue, by halving [lower, upper] until there is no number in between.
static double eigenvalue(uint32_t k, const float *diagonal, const float *below, uint32_t n, double lower,
                         double upper) {
  for (;;) {
    double middle = (lower + upper) / 2;
    if (middle <= lower || middle >= upper) return middle;
    if (eigenvalues_below(middle, diagonal, below, n) > k)
      upper = middle;
    else
      lower = middle;
  }
}

void weir_eigen_reference(double *values, const float *diagonal, const float *below, uint32_t n) {
  float lower, upper;
  weir_eigen_bounds(diagonal, below, n, &lower, &upper);
  for (uint32_t k = 0; k < n; k++) values[k] = eigenvalue(k, diagonal, below, n, (double)lower, (double)upper);
}

// Numbers in [0, 10).
static uint64_t random_numbers(struct weir_host *h, const char *name, uint32_t count, struct weir_rng *rng) {
  uint64_t bytes = count * sizeof(float), address = weir_host_alloc(h, name, bytes);
  float *numbers = weir_host_bytes(h, address, bytes);
  for (uint32_t i = 0; i < count; i++) numbers[i] = (float)(10 * weir_rng_unit(rng));
  weir_host_wrote(h, address, bytes);
  return address;
}

// All eigenvalues are in the first interval; the others are empty.
static void first_intervals(struct weir_host *h, struct eigen *s, const float *diagonal, const float *below) {
  uint64_t bytes = s->n * 2 * sizeof(float);
  float *intervals = weir_host_bytes(h, s->intervals, bytes), lower, upper;
  weir_eigen_bounds(diagonal, below, s->n, &lower, &upper);
  for (uint32_t i = 0; i < 2 * s->n; i++) intervals[i] = i ? upper : lower;
  weir_host_wrote(h, s->intervals, bytes);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct eigen *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->n = size == WEIR_SIZE_SMALL ? 256 : 1024;
  uint64_t intervals = s->n * 2 * sizeof(float);
  s->diagonal = random_numbers(h, "diagonal", s->n, &rng);
  s->below = random_numbers(h, "below", s->n - 1, &rng);
  s->counts = weir_host_alloc(h, "counts", s->n * sizeof(uint32_t));
  s->intervals = weir_host_alloc(h, "intervals", intervals);
  s->narrower = weir_host_alloc(h, "narrower", intervals);
  weir_host_result(h, "intervals", s->intervals, intervals);

  const float *diagonal = weir_host_bytes(h, s->diagonal, s->n * sizeof(float));
  const float *below = weir_host_bytes(h, s->below, (s->n - 1) * sizeof(float));
  first_intervals(h, s, diagonal, below);
  double *values = weir_new_array(double, s->n);
  weir_eigen_reference(values, diagonal, below, s->n);
  s->want = weir_new_array(float, 2 * s->n);
  for (uint32_t i = 0; i < 2 * s->n; i++) s->want[i] = (float)values[i / 2];
  weir_free(values);
  return true;
}

static bool narrow(struct weir_host *h, const struct eigen *s, uint64_t from, uint64_t to) {
  const struct weir_dim grid = {s->n / GROUP, 1, 1}, group = {GROUP, 1, 1};
  return weir_launch_args(h, "count_eigenvalues", grid, group, WEIR_ARG(s->counts), WEIR_ARG(from),
                          WEIR_ARG(s->diagonal), WEIR_ARG(s->below), WEIR_ARG(s->n)) &&
    weir_launch_args(h, "narrow_intervals", grid, group, WEIR_ARG(to), WEIR_ARG(from), WEIR_ARG(s->counts),
                     WEIR_ARG(s->diagonal), WEIR_ARG(s->below), WEIR_ARG(s->n), WEIR_ARG(width));
}

static bool all_narrow(struct weir_host *h, const struct eigen *s) {
  const float *intervals = weir_host_bytes(h, s->intervals, s->n * 2 * sizeof(float));
  for (uint32_t i = 0; i < s->n; i++)
    if (intervals[2 * i + 1] - intervals[2 * i] > width) return false;
  return true;
}

// Two rounds at a time, so that the intervals end where they began. A round at least halves what is too wide.
static bool run(struct weir_host *h, void *state) {
  struct eigen *s = state;
  do {
    if (!narrow(h, s, s->intervals, s->narrower) || !narrow(h, s, s->narrower, s->intervals)) return false;
  } while (!all_narrow(h, s));
  return true;
}

// Sturm's sequence in single precision counts the eigenvalues of a matrix whose elements, of at most 10, are off by at
// most 3 × 2⁻²⁴ of their sizes and x, of at most 40 (Kahan 1966; Demmel, Applied Numerical Linear Algebra, §5.3.4): a
// shift of at most (40 + 3 × 30) × 2⁻²⁴ < 10⁻⁵.
static bool check(struct weir_host *h, void *state) {
  struct eigen *s = state;
  const float *intervals = weir_host_bytes(h, s->intervals, s->n * 2 * sizeof(float));
  return weir_check_f32(h, "intervals", intervals, s->want, 2 * s->n, 0, (double)width + 1e-5);
}

static void release(void *state) {
  weir_free(((struct eigen *)state)->want);
}

const struct weir_workload weir_workload_eigen = {
  .name = "eigen",
  .summary = "eigenvalues of a symmetric tridiagonal matrix by bisection",
  .citation = "AMD APP SDK EigenValue; Holey et al., Table III",
  .small_text = "256 × 256 matrix",
  .paper_text = "1024 × 1024 matrix",
  .state_bytes = sizeof(struct eigen),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
