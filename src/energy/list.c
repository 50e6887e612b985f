// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "energy/list.h"

#include <stdio.h>

void weir_energy_add(struct weir_energy_list *l, const char *level, const char *name, double picojoules) {
  if (l->count == l->capacity) return;
  struct weir_energy_part *p = &l->parts[l->count++];
  snprintf(p->name, sizeof p->name, "%s%s%s", level, *level ? "_" : "", name);
  p->picojoules = picojoules;
}
