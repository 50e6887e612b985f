// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// dealii [SIDE] [CYCLES]: Poisson's equation with a coefficient that changes, by finite elements on a square of SIDE²
// of them (96), by cycles of multigrid; each level has its sparse matrix, assembled element by element, and renumbered
// at random within blocks, as adaptive meshes are. Prints the norm of the solution.
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 5, ROW = 9, BLOCK = 64, CORNERS = 4 };

struct entry {
  double value;
  int column;
};

struct level {
  int side, unknowns; // nodes
  int *number;        // of the node at y × (side + 1) + x
  struct entry (*rows)[ROW];
  double *solution, *right, *residual;
};

static struct level levels[LEVELS];

static int number_at(const struct level *l, int x, int y) {
  return l->number[y * (l->side + 1) + x];
}

static void make_level(struct level *l, int side) {
  l->side = side;
  l->unknowns = (side + 1) * (side + 1);
  const size_t n = (size_t)l->unknowns;
  l->number = calloc(n, sizeof *l->number);
  l->rows = calloc(n, sizeof *l->rows);
  l->solution = calloc(n, sizeof(double));
  l->right = calloc(n, sizeof(double));
  l->residual = calloc(n, sizeof(double));
  if (!l->number || !l->rows || !l->solution || !l->right || !l->residual) exit(1);
  for (int i = 0; i < l->unknowns; i++) l->number[i] = i;
  for (int i = 0; i < l->unknowns; i++) {
    const int from = i - i % BLOCK, size = from + BLOCK > l->unknowns ? l->unknowns - from : BLOCK;
    const int other = from + (int)random_below((uint32_t)size), was = l->number[i];
    l->number[i] = l->number[other];
    l->number[other] = was;
  }
}

static void add(struct level *l, int row, int column, double value) {
  for (struct entry *e = l->rows[row];; e++)
    if (e->value == 0 || e->column == column) {
      e->column = column;
      e->value += value;
      return;
    }
}

// Bilinear elements, the coefficient taken at their middles; the edge is held at zero.
static void assemble(struct level *l, double wave) {
  static const double stiffness[CORNERS] = {4.0 / 6, -1.0 / 6, -1.0 / 6, -2.0 / 6}; // by where corners differ
  memset(l->rows, 0, (size_t)l->unknowns * sizeof *l->rows);
  for (int y = 0; y < l->side; y++)
    for (int x = 0; x < l->side; x++) {
      const double coefficient = 1.1 + sin(wave * (x + 0.5) / l->side) * cos(wave * (y + 0.5) / l->side);
      for (int a = 0; a < CORNERS; a++)
        for (int b = 0; b < CORNERS; b++)
          add(l, number_at(l, x + (a & 1), y + a / 2), number_at(l, x + (b & 1), y + b / 2),
              coefficient * stiffness[a ^ b]);
    }
  for (int i = 0; i <= l->side; i++) {
    const int edge[] = {number_at(l, i, 0), number_at(l, i, l->side), number_at(l, 0, i), number_at(l, l->side, i)};
    for (int k = 0; k < 4; k++) add(l, edge[k], edge[k], 1e6);
  }
}

static void smooth(struct level *l) { // Gauss and Seidel
  for (int i = 0; i < l->unknowns; i++) {
    double sum = l->right[i], diagonal = 1;
    for (const struct entry *e = l->rows[i]; e < l->rows[i] + ROW && e->value != 0; e++) {
      if (e->column == i)
        diagonal = e->value;
      else
        sum -= e->value * l->solution[e->column];
    }
    l->solution[i] = sum / diagonal;
  }
}

static void find_residual(struct level *l) {
  for (int i = 0; i < l->unknowns; i++) {
    double sum = l->right[i];
    for (const struct entry *e = l->rows[i]; e < l->rows[i] + ROW && e->value != 0; e++)
      sum -= e->value * l->solution[e->column];
    l->residual[i] = sum;
  }
}

// What a node of the finer level has of one of the coarser: bilinear; then back.
static void between(struct level *fine, struct level *coarse, int down) {
  if (down) memset(coarse->right, 0, (size_t)coarse->unknowns * sizeof(double));
  for (int y = 1; y < fine->side; y++)
    for (int x = 1; x < fine->side; x++)
      for (int corner = 0; corner < CORNERS; corner++) {
        const int cx = x / 2 + (corner & x & 1), cy = y / 2 + (corner / 2 & y & 1);
        const double part = (x & 1 ? 0.5 : !(corner & 1)) * (y & 1 ? 0.5 : !(corner / 2));
        const int f = number_at(fine, x, y), c = number_at(coarse, cx, cy);
        if (down)
          coarse->right[c] += part * fine->residual[f];
        else
          fine->solution[f] += part * coarse->solution[c];
      }
}

static void cycle(int at) {
  struct level *l = &levels[at];
  for (int i = 0; i < 2; i++) smooth(l);
  if (at + 1 < LEVELS) {
    find_residual(l);
    between(l, l + 1, 1);
    memset(l[1].solution, 0, (size_t)l[1].unknowns * sizeof(double));
    cycle(at + 1);
    between(l, l + 1, 0);
  }
  for (int i = 0; i < 2; i++) smooth(l);
}

int main(int count, char **arguments) {
  const int side = count > 1 ? atoi(arguments[1]) : 96, cycles = count > 2 ? atoi(arguments[2]) : 24;
  if (side < 1 << LEVELS || side % (1 << (LEVELS - 1))) return 1;
  for (int i = 0; i < LEVELS; i++) make_level(&levels[i], side >> i);
  for (int i = 0; i < levels[0].unknowns; i++) levels[0].right[i] = 1.0 / side / side;
  for (int c = 0; c < cycles; c++) {
    if (c % 4 == 0)
      for (int i = 0; i < LEVELS; i++) assemble(&levels[i], 3 + 0.1 * c);
    cycle(0);
  }
  double square = 0;
  for (int i = 0; i < levels[0].unknowns; i++) square += levels[0].solution[i] * levels[0].solution[i];
  printf("%.9g\n", sqrt(square));
  return 0;
}
