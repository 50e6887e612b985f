// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// calculix [SIDE] [STEPS]: an elastic beam of 4 × 4 × SIDE hexahedra (14): the stiffness of each by eight Gauss
// points, summed into a banded matrix, which is factored (Cholesky) and solved, STEPS times (3) with a stiffer
// material each. Prints how far it bends.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 8, FREEDOMS = 3 * NODES, WIDTH = 5, BAND = 3 * (WIDTH * WIDTH + WIDTH + 2) };

static int side, unknowns;
static double (*matrix)[BAND], *solution; // row i holds columns i − BAND + 1 … i

static int node_of(int x, int y, int z) {
  return (z * WIDTH + y) * WIDTH + x;
}

// How the shape functions of a unit cube change at a point.
static void shapes(const double at[3], double change[NODES][3]) {
  for (int n = 0; n < NODES; n++) {
    double part[3], sign[3];
    for (int d = 0; d < 3; d++) {
      sign[d] = n >> d & 1 ? 1 : -1;
      part[d] = n >> d & 1 ? at[d] : 1 - at[d];
    }
    for (int d = 0; d < 3; d++) change[n][d] = sign[d] * part[(d + 1) % 3] * part[(d + 2) % 3];
  }
}

static void stiffness(double young, double k[FREEDOMS][FREEDOMS]) {
  const double poisson = 0.3, shear = young / (2 + 2 * poisson);
  const double lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  memset(k, 0, FREEDOMS * sizeof *k);
  for (int g = 0; g < 8; g++) {
    double at[3], change[NODES][3];
    for (int d = 0; d < 3; d++) at[d] = 0.5 + (g >> d & 1 ? 0.5 : -0.5) / sqrt(3);
    shapes(at, change);
    for (int a = 0; a < FREEDOMS; a++)
      for (int b = 0; b < FREEDOMS; b++) {
        const double *ca = change[a / 3], *cb = change[b / 3];
        double sum = lame * ca[a % 3] * cb[b % 3] + shear * ca[b % 3] * cb[a % 3];
        if (a % 3 == b % 3) sum += shear * (ca[0] * cb[0] + ca[1] * cb[1] + ca[2] * cb[2]);
        k[a][b] += sum / 8;
      }
  }
}

static void assemble(double young) {
  double k[FREEDOMS][FREEDOMS];
  memset(matrix, 0, (size_t)unknowns * sizeof *matrix);
  for (int e = 0; e < side * (WIDTH - 1) * (WIDTH - 1); e++) {
    const int x = e % (WIDTH - 1), y = e / (WIDTH - 1) % (WIDTH - 1), z = e / (WIDTH - 1) / (WIDTH - 1);
    stiffness(young * (1 + 0.01 * (e % 7)), k);
    for (int a = 0; a < FREEDOMS; a++)
      for (int b = 0; b < FREEDOMS; b++) {
        const int i = 3 * node_of(x + (a / 3 & 1), y + (a / 6 & 1), z + a / 12) + a % 3;
        const int j = 3 * node_of(x + (b / 3 & 1), y + (b / 6 & 1), z + b / 12) + b % 3;
        if (j <= i) matrix[i][j - i + BAND - 1] += k[a][b];
      }
  }
  for (int i = 0; i < 3 * WIDTH * WIDTH; i++) matrix[i][BAND - 1] += 1e6 * young; // one end is held
}

static void factor(void) {
  for (int i = 0; i < unknowns; i++)
    for (int j = i < BAND ? 0 : i - BAND + 1; j <= i; j++) {
      double sum = matrix[i][j - i + BAND - 1];
      for (int k = i < BAND ? 0 : i - BAND + 1; k < j; k++)
        sum -= matrix[i][k - i + BAND - 1] * matrix[j][k - j + BAND - 1];
      matrix[i][j - i + BAND - 1] = i == j ? sqrt(sum) : sum / matrix[j][BAND - 1];
    }
}

static void solve(void) {
  for (int i = 0; i < unknowns; i++) {
    for (int j = i < BAND ? 0 : i - BAND + 1; j < i; j++) solution[i] -= matrix[i][j - i + BAND - 1] * solution[j];
    solution[i] /= matrix[i][BAND - 1];
  }
  for (int i = unknowns - 1; i >= 0; i--) {
    solution[i] /= matrix[i][BAND - 1];
    for (int j = i < BAND ? 0 : i - BAND + 1; j < i; j++) solution[j] -= matrix[i][j - i + BAND - 1] * solution[i];
  }
}

int main(int count, char **arguments) {
  side = count > 1 ? atoi(arguments[1]) : 14;
  const int steps = count > 2 ? atoi(arguments[2]) : 3;
  if (side < 1) return 1;
  unknowns = 3 * WIDTH * WIDTH * (side + 1);
  matrix = calloc((size_t)unknowns, sizeof *matrix);
  solution = calloc((size_t)unknowns, sizeof *solution);
  if (!matrix || !solution) return 1;
  for (int s = 0; s < steps; s++) {
    assemble(1000.0 * (s + 1));
    factor();
    memset(solution, 0, (size_t)unknowns * sizeof *solution);
    solution[unknowns - 2] = -1;
    solve();
    printf("%.9f\n", solution[unknowns - 2]);
  }
  return 0;
}
