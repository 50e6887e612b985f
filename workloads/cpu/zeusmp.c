// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// zeusmp [SIDE] [STEPS]: carries density, energy and momentum through a box of SIDE³ cells (88), direction after
// direction, with van Leer's second-order upwind fluxes (1977), as codes of astrophysical gas do. Prints the sums of
// all, which stay.
#include <stdio.h>
#include <stdlib.h>

enum { QUANTITIES = 5 };

static size_t side, cells;

// How much crosses each cell's lower face in the direction whose neighbours are `step` cells apart.
static void fluxes(const double *q, const double *speed, size_t step, double *flux) {
  for (size_t i = 2 * step; i < cells - step; i++) {
    const double left = q[i - 2 * step], near = q[i - step], far = q[i], right = q[i + step];
    const double before = near - left, here = far - near, after = right - far;
    const double v = speed[i];
    double face = v > 0 ? near : far;
    const double other = v > 0 ? before : after, product = here * other;
    if (product > 0) face += (v > 0 ? 1 - v : -1 - v) * product / (here + other);
    flux[i] = v * face;
  }
}

static void carry(double *q, const double *speed, size_t step, double *flux) {
  fluxes(q, speed, step, flux);
  for (size_t i = 2 * step; i < cells - 2 * step; i++) q[i] -= flux[i + step] - flux[i];
}

int main(int count, char **arguments) {
  side = count > 1 ? (size_t)atoi(arguments[1]) : 88;
  const int steps = count > 2 ? atoi(arguments[2]) : 2;
  cells = side * side * side;
  double *quantities[QUANTITIES], *speeds[3], *flux = calloc(cells + 1, sizeof *flux);
  if (side < 5 || !flux) return 1;
  for (int q = 0; q < QUANTITIES; q++)
    if (!(quantities[q] = calloc(cells, sizeof(double)))) return 1;
  for (int d = 0; d < 3; d++)
    if (!(speeds[d] = calloc(cells, sizeof(double)))) return 1;
  for (size_t i = 0; i < cells; i++) {
    for (int q = 0; q < QUANTITIES; q++) quantities[q][i] = 1 + (double)(i / 5 % 17) / 17;
    for (int d = 0; d < 3; d++) speeds[d][i] = 0.2 * ((double)(i / side % 31) / 31 - 0.3);
  }
  for (int s = 0; s < steps; s++)
    for (int d = 0; d < 3; d++)
      for (int q = 0; q < QUANTITIES; q++)
        carry(quantities[q], speeds[d], d == 0 ? 1 : d == 1 ? side : side * side, flux);
  for (int q = 0; q < QUANTITIES; q++) {
    double sum = 0;
    for (size_t i = 0; i < cells; i++) sum += quantities[q][i];
    printf("%.9g%c", sum, q + 1 < QUANTITIES ? ' ' : '\n');
  }
  return 0;
}
