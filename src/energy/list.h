// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Parts being written into a caller's array. Invariant: no more than it has room for.
#ifndef WEIR_ENERGY_LIST_H
#define WEIR_ENERGY_LIST_H

#include "energy/energy.h"

struct weir_energy_list {
  struct weir_energy_part *parts;
  unsigned count, capacity;
};

// "level_name", or "name" if `level` is empty.
void weir_energy_add(struct weir_energy_list *l, const char *level, const char *name, double picojoules);

#endif
