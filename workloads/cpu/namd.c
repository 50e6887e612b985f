// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// namd [CELLS] [STEPS]: molecular dynamics by pairs of neighbouring cells of a periodic box of CELLS³ cells (5), each
// with up to 24 atoms, whose forces are interpolated from a table in the distance's square. Prints the sum of the
// virial.
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATOMS = 24, TABLE = 512 };

struct cell {
  double at[3][ATOMS], force[3][ATOMS], charge[ATOMS];
};

static struct cell *cells;
static int side;
static double table[TABLE + 1][2]; // force by the distance's square: of charges, and of the rest
static const double width = 4, reach = 3.5;

static void make_table(void) {
  for (int i = 0; i <= TABLE; i++) {
    const double square = fmax(0.8, reach * reach * i / TABLE), inverse = 1 / square;
    const double sixth = inverse * inverse * inverse;
    table[i][0] = inverse * sqrt(inverse) * erfc(0.4 * sqrt(square));
    table[i][1] = 24 * sixth * (2 * sixth - 1) * inverse;
  }
}

// The forces of one atom of a on those of b, which lies `shift` away.
static double atom_with_cell(struct cell *a, int i, struct cell *b, const double shift[3], int from) {
  double total[3] = {0}, virial = 0;
  for (int j = from; j < ATOMS; j++) {
    const double x = a->at[0][i] - b->at[0][j] - shift[0], y = a->at[1][i] - b->at[1][j] - shift[1],
                 z = a->at[2][i] - b->at[2][j] - shift[2];
    const double square = x * x + y * y + z * z;
    if (square >= reach * reach) continue;
    const double place = square * (TABLE / (reach * reach));
    const int entry = (int)place;
    const double part = place - entry, *low = table[entry], *high = table[entry + 1];
    const double force =
      a->charge[i] * b->charge[j] * (low[0] + part * (high[0] - low[0])) + 0.01 * (low[1] + part * (high[1] - low[1]));
    virial += force * square;
    total[0] += force * x, total[1] += force * y, total[2] += force * z;
    b->force[0][j] -= force * x, b->force[1][j] -= force * y, b->force[2][j] -= force * z;
  }
  for (int d = 0; d < 3; d++) a->force[d][i] += total[d];
  return virial;
}

// Each pair of cells once: the thirteen neighbours that are ahead, and the cell itself.
static double forces_of(int x, int y, int z) {
  struct cell *a = &cells[(z * side + y) * side + x];
  double virial = 0;
  for (int n = 13; n < 27; n++) {
    const int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    const int bx = (x + step[0] + side) % side, by = (y + step[1] + side) % side, bz = (z + step[2] + side) % side;
    const double shift[3] = {width * step[0], width * step[1], width * step[2]};
    for (int i = 0; i < ATOMS; i++)
      virial += atom_with_cell(a, i, &cells[(bz * side + by) * side + bx], shift, n == 13 ? i + 1 : 0);
  }
  return virial;
}

// Atoms stay in their cells: a wall of the table's force is left out, so they are put back when they leave.
static void move(struct cell *c) {
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < ATOMS; i++) {
      double to = c->at[d][i] + 1e-4 * c->force[d][i];
      if (to < 0 || to >= width) to = c->at[d][i];
      c->at[d][i] = to;
      c->force[d][i] = 0;
    }
}

int main(int count, char **arguments) {
  side = count > 1 ? atoi(arguments[1]) : 5;
  const int steps = count > 2 ? atoi(arguments[2]) : 10, all = side * side * side;
  cells = calloc((size_t)all, sizeof *cells);
  if (side < 3 || !cells) return 1;
  make_table();
  for (int c = 0; c < all; c++)
    for (int i = 0; i < ATOMS; i++) {
      for (int d = 0; d < 3; d++) cells[c].at[d][i] = width * random_below(1000) / 1000;
      cells[c].charge[i] = i % 2 ? 0.4 : -0.4;
    }
  double virial = 0;
  for (int s = 0; s < steps; s++) {
    for (int c = 0; c < all; c++) virial += forces_of(c % side, c / side % side, c / side / side);
    for (int c = 0; c < all; c++) move(&cells[c]);
  }
  printf("%.6g\n", virial);
  return 0;
}
