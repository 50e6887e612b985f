// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "srad/srad.h"

#include "base/alloc.h"

#include <math.h>
#include <stddef.h>

struct plane {
  uint32_t rows, columns;
  double *image, *coefficient;
};

// The pixel `down` rows below and `right` columns to the right, or the nearest one inside.
static size_t neighbour(const struct plane *p, uint32_t row, uint32_t column, int down, int right) {
  int64_t r = (int64_t)row + down, c = (int64_t)column + right;
  if (r < 0 || r >= p->rows) r = row;
  if (c < 0 || c >= p->columns) c = column;
  return (size_t)r + (size_t)p->rows * (size_t)c;
}

// The square of the coefficient of variation of the whole image.
static double noise_of(const struct plane *p) {
  size_t count = (size_t)p->rows * p->columns;
  double sum = 0, squares = 0;
  for (size_t e = 0; e < count; e++) {
    sum += p->image[e];
    squares += p->image[e] * p->image[e];
  }
  double mean = sum / (double)count;
  return (squares / (double)count - mean * mean) / (mean * mean);
}

// Yu and Acton (2002), equations 31 to 33 and 57.
static double coefficient_of(const struct plane *p, uint32_t row, uint32_t column, double noise) {
  static const int directions[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  double here = p->image[neighbour(p, row, column, 0, 0)], squares = 0, sum = 0;
  for (unsigned i = 0; i < 4; i++) {
    double d = p->image[neighbour(p, row, column, directions[i][0], directions[i][1])] - here;
    squares += d * d;
    sum += d;
  }
  double laplacian = sum / here, scale = 1 + laplacian / 4;
  double variation = (squares / (here * here) / 2 - laplacian * laplacian / 16) / (scale * scale);
  double c = 1 / (1 + (variation - noise) / (noise * (1 + noise)));
  return fmin(fmax(c, 0), 1);
}

// Each border between two pixels carries a flow with the coefficient of the one below or to the right.
static double divergence_at(const struct plane *p, const double *old, uint32_t row, uint32_t column) {
  size_t e = neighbour(p, row, column, 0, 0);
  size_t n = neighbour(p, row, column, -1, 0), s = neighbour(p, row, column, 1, 0);
  size_t w = neighbour(p, row, column, 0, -1), o = neighbour(p, row, column, 0, 1);
  const double *c = p->coefficient;
  return c[e] * (old[n] - old[e]) + c[s] * (old[s] - old[e]) + c[e] * (old[w] - old[e]) + c[o] * (old[o] - old[e]);
}

static void iterate(struct plane *p, double *next, double lambda) {
  double noise = noise_of(p);
  for (uint32_t column = 0; column < p->columns; column++)
    for (uint32_t row = 0; row < p->rows; row++)
      p->coefficient[neighbour(p, row, column, 0, 0)] = coefficient_of(p, row, column, noise);
  for (uint32_t column = 0; column < p->columns; column++)
    for (uint32_t row = 0; row < p->rows; row++) {
      size_t e = neighbour(p, row, column, 0, 0);
      next[e] = p->image[e] + lambda / 4 * divergence_at(p, p->image, row, column);
    }
}

void weir_srad_reference(double *image, uint32_t rows, uint32_t columns, unsigned iterations, double lambda) {
  size_t count = (size_t)rows * columns;
  struct plane p = {rows, columns, image, weir_new_array(double, count)};
  double *next = weir_new_array(double, count);
  for (size_t e = 0; e < count; e++) image[e] = exp(image[e] / 255);
  for (unsigned i = 0; i < iterations; i++) {
    iterate(&p, next, lambda);
    for (size_t e = 0; e < count; e++) image[e] = next[e];
  }
  for (size_t e = 0; e < count; e++) image[e] = log(image[e]) * 255;
  weir_free(next);
  weir_free(p.coefficient);
}
