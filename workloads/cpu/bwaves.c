// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// bwaves [SIDE] [ROUNDS]: waves in a viscous gas, as the linear equations of an implicit step: seven coefficients per
// cell of a box of SIDE³ cells (56), alike for its five unknowns, solved by BiCGStab (van der Vorst 1992). Prints what
// is left.
#include <stdio.h>
#include <stdlib.h>

enum { UNKNOWNS = 5, BANDS = 7 };

static size_t side, cells;
static double (*bands)[BANDS]; // of each cell: itself, then its neighbours in x, y and z

static void multiply(double (*from)[UNKNOWNS], double (*to)[UNKNOWNS]) {
  const size_t steps[3] = {1, side, side * side};
  for (size_t i = 0; i < cells; i++)
    for (int u = 0; u < UNKNOWNS; u++) {
      double sum = bands[i][0] * from[i][u];
      for (int d = 0; d < 3; d++) {
        if (i >= steps[d]) sum += bands[i][1 + 2 * d] * from[i - steps[d]][u];
        if (i + steps[d] < cells) sum += bands[i][2 + 2 * d] * from[i + steps[d]][u];
      }
      to[i][u] = sum;
    }
}

static double dot(double (*a)[UNKNOWNS], double (*b)[UNKNOWNS]) {
  double sum = 0;
  for (size_t i = 0; i < cells; i++)
    for (int u = 0; u < UNKNOWNS; u++) sum += a[i][u] * b[i][u];
  return sum;
}

// to = a + f × b
static void add(double (*to)[UNKNOWNS], double (*a)[UNKNOWNS], double f, double (*b)[UNKNOWNS]) {
  for (size_t i = 0; i < cells; i++)
    for (int u = 0; u < UNKNOWNS; u++) to[i][u] = a[i][u] + f * b[i][u];
}

enum { X, R, SHADOW, P, V, T, VECTORS };

static double solve(double (*at[VECTORS])[UNKNOWNS], int rounds) {
  double rho = 1, alpha = 1, omega = 1;
  for (int k = 0; k < rounds; k++) {
    const double last = rho;
    rho = dot(at[SHADOW], at[R]);
    add(at[P], at[P], -omega, at[V]);
    add(at[P], at[R], rho / last * alpha / omega, at[P]);
    multiply(at[P], at[V]);
    alpha = rho / dot(at[SHADOW], at[V]);
    add(at[R], at[R], -alpha, at[V]);
    multiply(at[R], at[T]);
    omega = dot(at[T], at[R]) / dot(at[T], at[T]);
    add(at[X], at[X], alpha, at[P]);
    add(at[X], at[X], omega, at[R]);
    add(at[R], at[R], -omega, at[T]);
  }
  return dot(at[R], at[R]);
}

int main(int count, char **arguments) {
  side = count > 1 ? (size_t)atoi(arguments[1]) : 56;
  const int rounds = count > 2 ? atoi(arguments[2]) : 4;
  cells = side * side * side;
  double(*vectors[VECTORS])[UNKNOWNS];
  bands = calloc(cells, sizeof *bands);
  if (!cells || !bands) return 1;
  for (int v = 0; v < VECTORS; v++)
    if (!(vectors[v] = calloc(cells, sizeof *vectors[v]))) return 1;
  for (size_t i = 0; i < cells; i++) {
    bands[i][0] = 7;
    for (int b = 1; b < BANDS; b++) bands[i][b] = -1 + 0.1 * (double)((i + (size_t)b) % 5); // not symmetric: it flows
    for (int u = 0; u < UNKNOWNS; u++) vectors[R][i][u] = vectors[SHADOW][i][u] = (double)((i + (size_t)u) % 11);
  }
  printf("%.6g\n", solve(vectors, rounds));
  return 0;
}
