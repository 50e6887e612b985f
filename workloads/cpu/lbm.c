// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// lbm [SIDE] [LENGTH] [STEPS]: a lattice-Boltzmann fluid in a closed channel of SIDE² × LENGTH cells (20, 400), 19
// speeds (D3Q19) and one relaxation time (Bhatnagar, Gross and Krook), between two grids. Prints the mass, which stays,
// and the fluid's kinetic energy.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SPEEDS = 19 };

static const int ways[SPEEDS][3] = {{0, 0, 0},   {1, 0, 0},  {-1, 0, 0}, {0, 1, 0},  {0, -1, 0},
                                    {0, 0, 1},   {0, 0, -1}, {1, 1, 0},  {-1, 1, 0}, {1, -1, 0},
                                    {-1, -1, 0}, {1, 0, 1},  {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
                                    {0, 1, 1},   {0, -1, 1}, {0, 1, -1}, {0, -1, -1}};

static double directions[SPEEDS][3], weights[SPEEDS];

struct cell {
  double parts[SPEEDS];
};

static int side, length;
static long offsets[SPEEDS]; // of the neighbour in that direction

static size_t place(int x, int y, int z) {
  return ((size_t)z * (size_t)side + (size_t)y) * (size_t)side + (size_t)x;
}

static void collide(struct cell *c) {
  double mass = 0, u[3] = {0};
  for (int s = 0; s < SPEEDS; s++) {
    const double *way = directions[s], part = c->parts[s];
    mass += part;
    u[0] += way[0] * part, u[1] += way[1] * part, u[2] += way[2] * part;
  }
  u[0] /= mass, u[1] /= mass, u[2] /= mass;
  const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  for (int s = 0; s < SPEEDS; s++) {
    const double *way = directions[s], along = way[0] * u[0] + way[1] * u[1] + way[2] * u[2];
    const double rest = weights[s] * mass * (1 + 3 * along + 4.5 * along * along - 1.5 * square);
    c->parts[s] += (rest - c->parts[s]) * (1 / 1.95);
  }
}

// Each part moves to its neighbour, or is turned round by a wall.
static void stream(const struct cell *from, struct cell *to) {
  for (int z = 0; z < length; z++)
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++) {
        struct cell c = from[place(x, y, z)];
        collide(&c);
        const int inside = x && y && z && x + 1 < side && y + 1 < side && z + 1 < length;
        struct cell *here = &to[place(x, y, z)];
        for (int s = 0; inside && s < SPEEDS; s++) here[offsets[s]].parts[s] = c.parts[s];
        for (int s = 0; !inside && s < SPEEDS; s++) {
          const int tx = x + ways[s][0], ty = y + ways[s][1], tz = z + ways[s][2];
          const int wall = tx < 0 || ty < 0 || tz < 0 || tx >= side || ty >= side || tz >= length;
          if (!wall)
            to[place(tx, ty, tz)].parts[s] = c.parts[s];
          else
            here->parts[s == 0     ? 0
                          : s < 7  ? ((s - 1) ^ 1) + 1
                          : s < 11 ? 17 - s
                          : s < 15 ? 25 - s
                                   : 33 - s] = c.parts[s];
        }
      }
}

int main(int count, char **arguments) {
  side = count > 1 ? atoi(arguments[1]) : 20;
  length = count > 2 ? atoi(arguments[2]) : 400;
  const int steps = count > 3 ? atoi(arguments[3]) : 3;
  const size_t cells = side > 0 && length > 0 ? (size_t)side * (size_t)side * (size_t)length : 0;
  struct cell *now = calloc(cells, sizeof *now), *next = calloc(cells, sizeof *next);
  if (!cells || !now || !next) return 1;
  for (int s = 0; s < SPEEDS; s++) {
    weights[s] = s == 0 ? 1.0 / 3 : s < 7 ? 1.0 / 18 : 1.0 / 36;
    for (int d = 0; d < 3; d++) directions[s][d] = ways[s][d];
    offsets[s] = ((long)ways[s][2] * side + ways[s][1]) * side + ways[s][0];
  }
  for (size_t i = 0; i < cells; i++)
    for (int s = 0; s < SPEEDS; s++) now[i].parts[s] = weights[s] * (1 + 0.01 * (double)(i % 7) * ways[s][0]);
  for (int i = 0; i < steps; i++) {
    stream(now, next);
    struct cell *last = now;
    now = next;
    next = last;
  }
  double mass = 0, energy = 0;
  for (size_t i = 0; i < cells; i++) {
    double u[3] = {0};
    for (int s = 0; s < SPEEDS; s++) {
      mass += now[i].parts[s];
      for (int d = 0; d < 3; d++) u[d] += ways[s][d] * now[i].parts[s];
    }
    energy += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  }
  printf("%.6f %.9f\n", mass, energy);
  return 0;
}
