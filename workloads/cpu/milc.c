// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// milc [SIDE] [SWEEPS]: on a lattice of SIDE⁴ sites (22), each with four 3 × 3 complex matrices (links to its
// neighbours) and a vector of three, sums over the eight neighbours the matrix times their vector, as the inner loop of
// lattice QCD with staggered quarks does. Prints the square of what results.
#include "random.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = 4 };

struct site {
  double complex links[DIMENSIONS][3][3];
};

struct vector {
  double complex at[3];
};

static size_t side, sites;

static size_t neighbour(size_t site, int dimension, int step) {
  size_t stride = 1;
  for (int d = 0; d < dimension; d++) stride *= side;
  const size_t at = site / stride % side, to = (at + (size_t)((int)side + step)) % side;
  return site + to * stride - at * stride;
}

static void add_product(struct vector *to, double complex link[3][3], const struct vector *v) {
  for (int row = 0; row < 3; row++)
    for (int k = 0; k < 3; k++) to->at[row] += link[row][k] * v->at[k];
}

static void subtract_adjoint(struct vector *to, double complex link[3][3], const struct vector *v) {
  for (int row = 0; row < 3; row++)
    for (int k = 0; k < 3; k++) to->at[row] -= conj(link[k][row]) * v->at[k];
}

static void sweep(struct site *lattice, const struct vector *from, struct vector *to) {
  for (size_t s = 0; s < sites; s++) {
    struct vector sum = {{0}};
    for (int d = 0; d < DIMENSIONS; d++) {
      const size_t back = neighbour(s, d, -1);
      add_product(&sum, lattice[s].links[d], &from[neighbour(s, d, 1)]);
      subtract_adjoint(&sum, lattice[back].links[d], &from[back]);
    }
    to[s] = sum;
  }
}

int main(int count, char **arguments) {
  side = count > 1 ? (size_t)atoi(arguments[1]) : 22;
  const int sweeps = count > 2 ? atoi(arguments[2]) : 2;
  sites = side * side * side * side;
  struct site *lattice = calloc(sites, sizeof *lattice);
  struct vector *from = calloc(sites, sizeof *from), *to = calloc(sites, sizeof *to);
  if (!sites || !lattice || !from || !to) return 1;
  for (size_t s = 0; s < sites; s++)
    for (int i = 0; i < DIMENSIONS * 9; i++)
      lattice[s].links[i / 9][i / 3 % 3][i % 3] = 0.1 * (double)random_below(100) / 99 - 0.05;
  for (size_t s = 0; s < sites; s++) from[s].at[s % 3] = 1;
  for (int i = 0; i < sweeps; i++) {
    sweep(lattice, from, to);
    struct vector *last = from;
    from = to;
    to = last;
  }
  double square = 0;
  for (size_t s = 0; s < sites; s++)
    for (int k = 0; k < 3; k++) square += creal(from[s].at[k] * conj(from[s].at[k]));
  printf("%.9g\n", square);
  return 0;
}
