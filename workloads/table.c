// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/workload.h"

#include <string.h>

#define WORKLOAD(name) extern const struct weir_workload weir_workload_##name;
#include "table.def"
#undef WORKLOAD

static const struct weir_workload *const table[] = {
#define WORKLOAD(name) &weir_workload_##name,
#include "table.def"
#undef WORKLOAD
};

const struct weir_workload *const *weir_workloads(unsigned *count) {
  *count = sizeof table / sizeof table[0];
  return table;
}

const struct weir_workload *weir_workload_find(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (!strcmp(table[i]->name, name)) return table[i];
  return NULL;
}

// Those whose kernels have the text as their first parameter, and only read it (sl1/interleave.h).
static const char *const interleaved[] = {"affinity", "dna", "opinion", "wc"};

// Of these, those whose threads read what their text does not decide (sl1/gather.h).
static const char *const gathered[] = {"opinion", "wc"};

unsigned weir_workload_takes(const struct weir_workload *w) {
  unsigned takes = w->takes;
  for (size_t i = 0; i < sizeof interleaved / sizeof *interleaved; i++)
    if (!strcmp(w->name, interleaved[i])) takes |= WEIR_TAKES_INTERLEAVE;
  for (size_t i = 0; i < sizeof gathered / sizeof *gathered; i++)
    if (!strcmp(w->name, gathered[i])) takes |= WEIR_TAKES_GATHER;
  return takes;
}
