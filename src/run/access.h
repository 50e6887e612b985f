// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the PTX says of an instruction that accesses memory, beside where it stands. Invariant: an access is told as --hint
// takes it (ptx/hints.h): its array by that name, its number on its line by that count.
#ifndef WEIR_RUN_ACCESS_H
#define WEIR_RUN_ACCESS_H

#include "exec/program.h"
#include "ptx/arrays.h"

#include <jansson.h>

struct weir_access_finder { // zero at first; what it finds again and again of one function
  const struct weir_function *function;
  struct weir_arrays *arrays;
  const struct weir_program *program;
  uint32_t first; // index of its first instruction among the program's
};

void weir_access_finder_free(struct weir_access_finder *f);

struct weir_found_access {
  const struct weir_instruction *instruction; // NULL: its program is streamed, and has no PTX
  char *array;                                // NULL: unknown; lives until weir_found_access_free
  uint32_t number;                            // on its line; 0: it is no load or store that takes hints
};

// Of the program's PC.
struct weir_found_access weir_access_find(struct weir_access_finder *f, const struct weir_program *p, uint32_t pc);
void weir_found_access_free(struct weir_found_access *a);

// A list of the hints that can be put on it.
json_t *weir_access_takes(const struct weir_access_finder *f, const struct weir_found_access *a);

#endif
