// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// leslie3d [SIDE] [STEPS]: a compressible gas in a periodic box of SIDE³ cells (72): density, momentum and energy by
// MacCormack's predictor (differences forward) and corrector (backward), a row of cells at a time. Prints mass and
// energy.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 5, ENERGY = 4, MOST_SIDE = 512 }; // density, three momenta, energy

typedef double rows[FIELDS][MOST_SIDE];

static int side;

static double *row_of(double *field, int y, int z) {
  y = (y + side) % side;
  z = (z + side) % side;
  return field + ((size_t)z * (size_t)side + (size_t)y) * (size_t)side;
}

// What flows through the cells of one row in direction d.
static void flux(double *const state[FIELDS], int y, int z, int d, rows out) {
  const double *at[FIELDS];
  for (int f = 0; f < FIELDS; f++) at[f] = row_of(state[f], y, z);
  for (int x = 0; x < side; x++) {
    const double speed = at[1 + d][x] / at[0][x];
    const double square = at[1][x] * at[1][x] + at[2][x] * at[2][x] + at[3][x] * at[3][x];
    const double pressure = 0.4 * (at[ENERGY][x] - 0.5 * square / at[0][x]);
    for (int f = 0; f < ENERGY; f++) out[f][x] = at[f][x] * speed;
    out[1 + d][x] += pressure;
    out[ENERGY][x] = (at[ENERGY][x] + pressure) * speed;
  }
}

// The sum over the directions of how fluxes differ between a cell and the next one (step 1) or the one before (-1).
static void divergence(double *const state[FIELDS], int y, int z, int step, rows sum) {
  static rows here, there;
  memset(sum, 0, sizeof(rows));
  for (int d = 0; d < 3; d++) {
    flux(state, y, z, d, here);
    if (d) flux(state, d == 1 ? y + step : y, d == 2 ? z + step : z, d, there);
    for (int f = 0; f < FIELDS; f++)
      for (int x = 0; x < side; x++)
        sum[f][x] += step * ((d ? there[f][x] : here[f][(x + step + side) % side]) - here[f][x]);
  }
}

static void advance(double *state[FIELDS], double *predicted[FIELDS], double time) {
  static rows sum;
  for (int z = 0; z < side; z++)
    for (int y = 0; y < side; y++) {
      divergence(state, y, z, 1, sum);
      for (int f = 0; f < FIELDS; f++) {
        const double *from = row_of(state[f], y, z);
        double *to = row_of(predicted[f], y, z);
        for (int x = 0; x < side; x++) to[x] = from[x] - time * sum[f][x];
      }
    }
  for (int z = 0; z < side; z++)
    for (int y = 0; y < side; y++) {
      divergence(predicted, y, z, -1, sum);
      for (int f = 0; f < FIELDS; f++) {
        const double *from = row_of(predicted[f], y, z);
        double *to = row_of(state[f], y, z);
        for (int x = 0; x < side; x++) to[x] = 0.5 * (to[x] + from[x] - time * sum[f][x]);
      }
    }
}

int main(int count, char **arguments) {
  side = count > 1 ? atoi(arguments[1]) : 72;
  const int steps = count > 2 ? atoi(arguments[2]) : 4;
  if (side < 1 || side > MOST_SIDE) return 1;
  const size_t cells = (size_t)side * (size_t)side * (size_t)side;
  double *state[FIELDS], *predicted[FIELDS], sums[FIELDS] = {0};
  for (int f = 0; f < FIELDS; f++) {
    state[f] = calloc(cells, sizeof(double));
    predicted[f] = calloc(cells, sizeof(double));
    if (!state[f] || !predicted[f]) return 1;
  }
  for (size_t i = 0; i < cells; i++) {
    state[0][i] = 1 + 0.01 * (double)(i % (size_t)side) / side;
    state[1][i] = 0.1;
    state[ENERGY][i] = 2.5;
  }
  for (int i = 0; i < steps; i++) advance(state, predicted, 0.05);
  for (int f = 0; f < FIELDS; f++)
    for (size_t i = 0; i < cells; i++) sums[f] += state[f][i];
  printf("%.9g %.9g\n", sums[0], sums[ENERGY]);
  return 0;
}
