// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Values left open: "best:LIST" in place of a value stands for each value of the list, one run each, of which the fastest is
// kept; "best-ipc:LIST" keeps the one with the highest IPC. A list is values and ranges LOW..HIGH[/STEP], separated by '|'. Invariant: no value is in a list twice.
#ifndef WEIR_SCHEME_VALUES_H
#define WEIR_SCHEME_VALUES_H

#include <stdbool.h>
#include <stddef.h>

enum { WEIR_MAX_COMBINATIONS = 4096 }; // of one scheme's open values

enum weir_objective { WEIR_FEWEST_CYCLES, WEIR_HIGHEST_IPC };

struct weir_values {
  char **text;
  unsigned count, capacity;
  bool open;                     // said as a list; otherwise one plain value
  enum weir_objective objective; // of a list
};

// What `text` stands for. NULL if that is well-formed, else what is wrong with it; free it in either case.
const char *weir_values_read(struct weir_values *v, const char *text, char *message, size_t size);
void weir_values_free(struct weir_values *v);

#endif
