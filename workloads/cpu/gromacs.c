// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// gromacs [ATOMS] [STEPS]: molecular dynamics of a liquid in a periodic box: Lennard-Jones and Coulomb forces over a
// list of neighbours, made anew every tenth step, and leap-frog moves of ATOMS atoms (1200). Prints the potential
// energy.
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIST_OF_ATOM = 80, REBUILT = 10 };

struct atom {
  double at[3], speed[3], force[3], charge;
};

static struct atom *atoms;
static int (*lists)[LIST_OF_ATOM];
static int atom_count, *listed;
static double box;
static const double reach = 2.5, skin = 0.3;

static double apart(const struct atom *a, const struct atom *b, double way[3]) {
  double square = 0;
  for (int d = 0; d < 3; d++) {
    way[d] = a->at[d] - b->at[d];
    if (way[d] > box / 2)
      way[d] -= box;
    else if (way[d] < -box / 2)
      way[d] += box;
    square += way[d] * way[d];
  }
  return square;
}

static void make_lists(void) {
  double way[3];
  for (int i = 0; i < atom_count; i++) {
    listed[i] = 0;
    for (int j = i + 1; j < atom_count && listed[i] < LIST_OF_ATOM; j++)
      if (apart(&atoms[i], &atoms[j], way) < (reach + skin) * (reach + skin)) lists[i][listed[i]++] = j;
  }
}

static double forces(void) {
  double energy = 0, way[3];
  for (int i = 0; i < atom_count; i++)
    for (int k = 0; k < listed[i]; k++) {
      struct atom *a = &atoms[i], *b = &atoms[lists[i][k]];
      const double square = apart(a, b, way);
      if (square > reach * reach) continue;
      const double inverse = 1 / square, sixth = inverse * inverse * inverse;
      const double charges = a->charge * b->charge * sqrt(inverse);
      const double force = (48 * sixth * (sixth - 0.5) + charges) * inverse;
      energy += 4 * sixth * (sixth - 1) + charges;
      for (int d = 0; d < 3; d++) a->force[d] += force * way[d], b->force[d] -= force * way[d];
    }
  return energy;
}

static void move(double time) {
  for (int i = 0; i < atom_count; i++)
    for (int d = 0; d < 3; d++) {
      struct atom *a = &atoms[i];
      a->speed[d] += time * a->force[d];
      a->at[d] += time * a->speed[d];
      if (a->at[d] < 0)
        a->at[d] += box;
      else if (a->at[d] >= box)
        a->at[d] -= box;
      a->force[d] = 0;
    }
}

int main(int count, char **arguments) {
  atom_count = count > 1 ? atoi(arguments[1]) : 1200;
  const int steps = count > 2 ? atoi(arguments[2]) : 100;
  atoms = calloc((size_t)atom_count, sizeof *atoms);
  lists = calloc((size_t)atom_count, sizeof *lists);
  listed = calloc((size_t)atom_count, sizeof *listed);
  if (atom_count < 1 || !atoms || !lists || !listed) return 1;
  const int side = (int)ceil(cbrt(atom_count));
  box = 1.15 * side;
  for (int i = 0; i < atom_count; i++) {
    const int at[3] = {i % side, i / side % side, i / side / side};
    for (int d = 0; d < 3; d++) {
      atoms[i].at[d] = 1.15 * at[d] + 0.1;
      atoms[i].speed[d] = 0.001 * ((int)random_below(1000) - 500);
    }
    atoms[i].charge = i & 1 ? 0.3 : -0.3;
  }
  double energy = 0;
  for (int s = 0; s < steps; s++) {
    if (s % REBUILT == 0) make_lists();
    energy = forces();
    move(0.002);
  }
  printf("%.6f\n", energy);
  return 0;
}
