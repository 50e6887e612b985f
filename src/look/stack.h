// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// LRU stack distances (Mattson et al., IBM Systems Journal 9(2), 1970): how many other lines have been used since a line was used
// last. Invariant: a line on the stack has one mark, in the slot of its last use; a Fenwick tree over the slots counts marks in
// O(log n). A line that is removed leaves a hole, which has a mark, too: it is a place that no cache has filled, and the next line that
// comes from below takes the topmost (Thompson and Smith, ACM Transactions on Computer Systems 7(1), 1989). Slots that are free of marks are squeezed out when they run short, so that the tree is as large as the stack.
#ifndef WEIR_LOOK_STACK_H
#define WEIR_LOOK_STACK_H

#include "base/map.h"

struct weir_stack {
  struct weir_map slots; // line → 1 + slot of its last use; 0: it is not on the stack
  uint32_t *tree;        // Fenwick tree over slots, from 1
  uint64_t *line_of;     // by slot: 1 + line, or a hole; 0: no mark
  size_t capacity, next; // slots
  size_t marks;
  size_t *holes, hole_count, hole_capacity; // their slots, a heap: the topmost first
};

#define WEIR_STACK_NEVER UINT64_MAX

void weir_stack_free(struct weir_stack *s); // zeroed it is empty

// The line is used: how many other places lie above it, which is now the topmost; NEVER: it was not on the stack.
uint64_t weir_stack_use(struct weir_stack *s, uint64_t line);

// It will be used.
static inline void weir_stack_expect(const struct weir_stack *s, uint64_t line) {
  weir_map_expect(&s->slots, line);
}

// The line leaves the stack, or all do.
void weir_stack_remove(struct weir_stack *s, uint64_t line);
void weir_stack_clear(struct weir_stack *s);

#endif
