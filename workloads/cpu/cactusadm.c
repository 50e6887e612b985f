// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// cactusadm [SIDE] [LENGTH] [STEPS]: how a curved space of SIDE² × LENGTH points (32, 240) evolves: six components of
// its metric and six of their rates, by second derivatives in all pairs of directions and products of first ones, after
// the form that Arnowitt, Deser and Misner's equations have in harmonic coordinates. Prints the sums of metric and
// rates.
#include <stdio.h>
#include <stdlib.h>

enum { COMPONENTS = 6 };

static const int first_of[COMPONENTS] = {0, 0, 0, 1, 1, 2}, second_of[COMPONENTS] = {0, 1, 2, 1, 2, 2};
static size_t side;

struct space {
  double *metric[COMPONENTS], *rate[COMPONENTS];
};

// What speeds the component up that has these values, at a point with this inverse metric.
static double source(const double *g, const double inverse[COMPONENTS], double first[3]) {
  const long steps[3] = {1, (long)side, (long)(side * side)};
  double sum = 0;
  for (int d = 0; d < 3; d++) first[d] = 0.5 * (g[steps[d]] - g[-steps[d]]);
  for (int p = 0; p < COMPONENTS; p++) {
    const long a = steps[first_of[p]], b = steps[second_of[p]];
    if (a == b)
      sum += inverse[p] * (g[a] - 2 * g[0] + g[-a]);
    else
      sum += inverse[p] * 0.5 * (g[a + b] - g[a - b] - g[b - a] + g[-a - b]);
  }
  return sum;
}

static void invert(const double g[COMPONENTS], double inverse[COMPONENTS]) {
  const double a = g[3] * g[5] - g[4] * g[4], b = g[2] * g[4] - g[1] * g[5], c = g[1] * g[4] - g[2] * g[3];
  const double scale = 1 / (g[0] * a + g[1] * b + g[2] * c);
  inverse[0] = a * scale, inverse[1] = b * scale, inverse[2] = c * scale;
  inverse[3] = (g[0] * g[5] - g[2] * g[2]) * scale;
  inverse[4] = (g[1] * g[2] - g[0] * g[4]) * scale;
  inverse[5] = (g[0] * g[3] - g[1] * g[1]) * scale;
}

static void evolve_point(const struct space *now, struct space *next, size_t at, double time) {
  double g[COMPONENTS], inverse[COMPONENTS], sources[COMPONENTS], first[COMPONENTS][3];
  for (int c = 0; c < COMPONENTS; c++) g[c] = now->metric[c][at];
  invert(g, inverse);
  for (int c = 0; c < COMPONENTS; c++) sources[c] = source(&now->metric[c][at], inverse, first[c]);
  for (int c = 0; c < COMPONENTS; c++) {
    double quadratic = 0;
    for (int p = 0; p < COMPONENTS; p++)
      quadratic +=
        inverse[p] * (first[c][first_of[p]] * first[p][second_of[c]] + first[c][second_of[p]] * first[p][first_of[c]]);
    next->rate[c][at] = now->rate[c][at] + time * (0.5 * sources[c] + 0.25 * quadratic);
    next->metric[c][at] = g[c] + time * next->rate[c][at];
  }
}

int main(int count, char **arguments) {
  side = count > 1 ? (size_t)atoi(arguments[1]) : 32;
  const size_t length = count > 2 ? (size_t)atoi(arguments[2]) : 240, points = side * side * length;
  const int steps = count > 3 ? atoi(arguments[3]) : 3;
  struct space spaces[2];
  for (int s = 0; s < 2; s++)
    for (int c = 0; c < COMPONENTS; c++) {
      spaces[s].metric[c] = calloc(points, sizeof(double));
      spaces[s].rate[c] = calloc(points, sizeof(double));
      if (side < 3 || length < 3 || !spaces[s].metric[c] || !spaces[s].rate[c]) return 1;
      for (size_t i = 0; i < points; i++)
        spaces[s].metric[c][i] = (first_of[c] == second_of[c]) + 0.001 * (double)(i % 13);
    }
  for (int i = 0; i < steps; i++)
    for (size_t z = 1; z + 1 < length; z++)
      for (size_t y = 1; y + 1 < side; y++)
        for (size_t x = 1; x + 1 < side; x++)
          evolve_point(&spaces[i & 1], &spaces[(i & 1) ^ 1], (z * side + y) * side + x, 0.1);
  double metric = 0, rate = 0;
  for (int c = 0; c < COMPONENTS; c++)
    for (size_t i = 0; i < points; i++) metric += spaces[steps & 1].metric[c][i], rate += spaces[steps & 1].rate[c][i];
  printf("%.9g %.9g\n", metric, rate);
  return 0;
}
