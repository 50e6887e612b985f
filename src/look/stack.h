// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// LRU stack distances (Mattson et al., IBM Systems Journal 9(2), 1970): how many other lines have been used since a line was used
// last. Invariant: a line on the stack has one mark, in the slot of its last use; a Fenwick tree over the slots counts marks in
// O(log n). Slots that are free of marks are squeezed out when they run short, so that the tree is as large as the stack.
#ifndef WEIR_LOOK_STACK_H
#define WEIR_LOOK_STACK_H

#include "base/map.h"

struct weir_stack {
  struct weir_map slots; // line → 1 + slot of its last use; 0: it is not on the stack
  uint32_t *tree;        // Fenwick tree over slots, from 1
  uint64_t *line_of;     // by slot: 1 + line; 0: no mark
  size_t capacity, next; // slots
  size_t lines;          // on the stack
};

#define WEIR_STACK_NEVER UINT64_MAX

void weir_stack_free(struct weir_stack *s); // zeroed it is empty

// The line is used: how many others have been since its last use; NEVER: it was not on the stack.
uint64_t weir_stack_use(struct weir_stack *s, uint64_t line);

// The line leaves the stack, or all do.
void weir_stack_remove(struct weir_stack *s, uint64_t line);
void weir_stack_clear(struct weir_stack *s);

#endif
