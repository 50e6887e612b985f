// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// tonto [SIDE] [ROUNDS]: self-consistent rounds on dense matrices of SIDE² numbers (72): products, a transformation
// there and back, and all eigenvectors by Jacobi's rotations, as in quantum crystallography. Prints the least
// eigenvalue of the last round.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 128 };
typedef double matrix[MOST][MOST];

static int side;

static void multiply(const matrix a, const matrix b, matrix to) {
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      double sum = 0;
      for (int k = 0; k < side; k++) sum += a[i][k] * b[j][k]; // b transposed
      to[i][j] = sum;
    }
}

static void rotate(double *a, double *b, double c, double s) {
  const double x = *a, y = *b;
  *a = c * x - s * y;
  *b = s * x + c * y;
}

// One sweep over all pairs; what was rotated away.
static double sweep(matrix a, matrix vectors) {
  double away = 0;
  for (int p = 0; p < side; p++)
    for (int q = p + 1; q < side; q++) {
      if (fabs(a[p][q]) < 1e-12) continue;
      away += a[p][q] * a[p][q];
      const double ratio = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const double t = (ratio >= 0 ? 1 : -1) / (fabs(ratio) + sqrt(ratio * ratio + 1)), c = 1 / sqrt(t * t + 1);
      for (int k = 0; k < side; k++) rotate(&a[k][p], &a[k][q], c, t * c);
      for (int k = 0; k < side; k++) rotate(&a[p][k], &a[q][k], c, t * c);
      for (int k = 0; k < side; k++) rotate(&vectors[p][k], &vectors[q][k], c, t * c);
    }
  return away;
}

static matrix hamiltonian, density, product, vectors;

static double round_of(void) {
  double least = INFINITY;
  multiply(hamiltonian, density, product);
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      vectors[i][j] = i == j;
      density[i][j] = hamiltonian[i][j] + 0.05 * (product[i][j] + product[j][i]);
    }
  for (int s = 0; s < 8 && sweep(density, vectors) > 1e-9; s++) continue;
  for (int i = 0; i < side; i++) least = fmin(least, density[i][i]);
  multiply(vectors, vectors, density);
  return least;
}

int main(int count, char **arguments) {
  side = count > 1 ? atoi(arguments[1]) : 72;
  const int rounds = count > 2 ? atoi(arguments[2]) : 12;
  if (side < 2 || side > MOST) return 1;
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      hamiltonian[i][j] = i == j ? -2 - 0.01 * i : 1.0 / (1 + abs(i - j));
      density[i][j] = i == j;
    }
  double least = 0;
  for (int r = 0; r < rounds; r++) least = round_of();
  printf("%.9f\n", least);
  return 0;
}
