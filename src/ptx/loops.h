// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The natural loops of a control-flow graph (Aho, Lam, Sethi and Ullman, section 9.6.6): one per block that dominates the
// source of an edge to it, its header. Invariant: two loops are nested or have no block in common. Cycles that are entered
// at more than one place are none.
#ifndef WEIR_PTX_LOOPS_H
#define WEIR_PTX_LOOPS_H

#include "ptx/cfg.h"

#define WEIR_NO_LOOP UINT32_MAX

struct weir_loop {
  uint32_t header; // block
  uint32_t parent; // the loop around it, or WEIR_NO_LOOP
};

struct weir_loops {
  struct weir_arena arena;
  struct weir_loop *loops; // inner ones before those around them
  uint32_t loop_count;
  uint32_t *loop_of;     // [block] → its innermost loop, or WEIR_NO_LOOP
  uint32_t *dominator;   // [block] → its immediate dominator; of what nothing leads to: WEIR_CFG_EXIT
  uint32_t *irreducible; // blocks that cycles go back to without being entered there alone
  uint32_t irreducible_count;
};

void weir_loops_find(struct weir_loops *l, const struct weir_cfg *cfg);
void weir_loops_free(struct weir_loops *l);

// Whether every way to block `b` leads over `a`. O(depth of the dominator tree).
bool weir_loops_dominates(const struct weir_loops *l, uint32_t a, uint32_t b);

#endif
