// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// gamess [FUNCTIONS] [ROUNDS]: two-electron integrals over contracted s-type Gaussians at random places, by Boys's
// function, and the Fock matrix that they make of a density, ROUNDS times (2) of FUNCTIONS functions (14). Prints the
// matrix's trace.
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, PRIMITIVES = 3 };

static const double exponents[PRIMITIVES] = {0.1688554, 0.6239137, 3.4252509}, // of hydrogen, STO-3G
  weights[PRIMITIVES] = {0.4446345, 0.5353281, 0.1543290};
static double places[MOST][3], density[MOST][MOST], fock[MOST][MOST];
static int functions;

static double square_apart(const double a[3], const double b[3]) {
  double sum = 0;
  for (int d = 0; d < 3; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

static double boys(double t) { // of order 0
  if (t < 1e-8) return 1 - t / 3;
  if (t > 30) return 0.5 * sqrt(M_PI / t);
  double term = 1, sum = 1;
  for (int n = 1; term > 1e-12 * sum; n++) sum += term *= 2 * t / (2 * n + 1);
  return exp(-t) * sum;
}

struct pair { // the product of two Gaussians is one in between
  double at[3], exponent, weight;
};

static struct pair pair_of(int i, int j, int p, int q) {
  const double a = exponents[p], b = exponents[q];
  struct pair r = {.exponent = a + b};
  for (int d = 0; d < 3; d++) r.at[d] = (a * places[i][d] + b * places[j][d]) / (a + b);
  r.weight = weights[p] * weights[q] * pow(4 * a * b / (M_PI * M_PI), 0.75) *
    exp(-a * b / (a + b) * square_apart(places[i], places[j]));
  return r;
}

static double integral(int i, int j, int k, int l) {
  double sum = 0;
  for (int pq = 0; pq < PRIMITIVES * PRIMITIVES; pq++) {
    const struct pair left = pair_of(i, j, pq / PRIMITIVES, pq % PRIMITIVES);
    for (int rs = 0; rs < PRIMITIVES * PRIMITIVES; rs++) {
      const struct pair right = pair_of(k, l, rs / PRIMITIVES, rs % PRIMITIVES);
      const double together = left.exponent + right.exponent, product = left.exponent * right.exponent;
      sum += left.weight * right.weight * 2 * pow(M_PI, 2.5) / (product * sqrt(together)) *
        boys(product / together * square_apart(left.at, right.at));
    }
  }
  return sum;
}

static void add_integrals(int i, int j) {
  for (int k = 0; k <= i; k++)
    for (int l = 0; l <= k; l++) {
      const double v = integral(i, j, k, l);
      fock[i][j] += 2 * density[k][l] * v;
      fock[k][l] += 2 * density[i][j] * v;
      fock[i][k] -= 0.5 * density[j][l] * v;
      fock[j][l] -= 0.5 * density[i][k] * v;
    }
}

int main(int count, char **arguments) {
  functions = count > 1 ? atoi(arguments[1]) : 14;
  const int rounds = count > 2 ? atoi(arguments[2]) : 2;
  if (functions < 1 || functions > MOST) return 1;
  for (int i = 0; i < functions; i++)
    for (int d = 0; d < 3; d++) places[i][d] = 6.0 * random_below(1000) / 1000;
  for (int i = 0; i < functions; i++)
    for (int j = 0; j < functions; j++) density[i][j] = i == j ? 1 : 0.1;
  double trace = 0;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < functions; i++)
      for (int j = 0; j <= i; j++) add_integrals(i, j);
    for (int i = 0; i < functions; i++) {
      trace += fock[i][i];
      for (int j = 0; j < functions; j++) density[i][j] = 0.9 * density[i][j] + 1e-3 * fock[i][j], fock[i][j] = 0;
    }
  }
  printf("%.9g\n", trace);
  return 0;
}
