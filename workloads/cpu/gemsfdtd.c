// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// gemsfdtd [SIDE] [STEPS]: electric and magnetic fields on Yee's staggered grid (1966) of SIDE³ cells (80), by finite
// differences in time. Prints the fields' energy.
#include <stdio.h>
#include <stdlib.h>

enum { COMPONENTS = 6 }; // electric, then magnetic

static size_t side, cells;

// Each component of `to` changes by the curl of `from`, whose neighbours are those behind (-1) or before (1).
static void curl(double *const to[3], double *const from[3], long way, double time) {
  const long dx = way, dy = way * (long)side, dz = way * (long)(side * side);
  const size_t margin = side * side + side + 1;
  const double *restrict fx = from[0], *restrict fy = from[1], *restrict fz = from[2];
  double *restrict tx = to[0], *restrict ty = to[1], *restrict tz = to[2];
  for (size_t i = margin; i < cells - margin; i++) {
    const long at = (long)i;
    tx[at] += time * ((fz[at + dy] - fz[at]) - (fy[at + dz] - fy[at]));
    ty[at] += time * ((fx[at + dz] - fx[at]) - (fz[at + dx] - fz[at]));
    tz[at] += time * ((fy[at + dx] - fy[at]) - (fx[at + dy] - fx[at]));
  }
}

int main(int count, char **arguments) {
  side = count > 1 ? (size_t)atoi(arguments[1]) : 80;
  const int steps = count > 2 ? atoi(arguments[2]) : 8;
  cells = side * side * side;
  double *fields[COMPONENTS];
  if (side < 3) return 1;
  for (int c = 0; c < COMPONENTS; c++)
    if (!(fields[c] = calloc(cells, sizeof(double)))) return 1;
  for (size_t i = 0; i < cells; i++) fields[2][i] = i % side == side / 2 ? 1 : 0;
  for (int s = 0; s < steps; s++) {
    curl(fields + 3, fields, 1, -0.5);
    curl(fields, fields + 3, -1, -0.5);
  }
  double energy = 0;
  for (int c = 0; c < COMPONENTS; c++)
    for (size_t i = 0; i < cells; i++) energy += fields[c][i] * fields[c][i];
  printf("%.9g\n", energy);
  return 0;
}
