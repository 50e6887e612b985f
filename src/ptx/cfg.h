// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A function's control-flow graph over its instructions, and the point at which each branch's paths meet again.
#ifndef WEIR_PTX_CFG_H
#define WEIR_PTX_CFG_H

#include "ptx/ir.h"

// Instructions numbered 0..instruction_count-1 in text order; a basic block is a run of them.
struct weir_block {
  uint32_t first, count; // instructions
  const uint32_t *next;  // successor blocks; the exit block (index block_count) for ret, exit and trap
  uint32_t next_count;
  uint32_t post_dominator; // immediate post-dominator; block_count = the exit
};

struct weir_cfg {
  struct weir_arena arena;
  struct weir_instruction **instructions;
  uint32_t instruction_count;
  struct weir_block *blocks; // in text order
  uint32_t block_count;
  uint32_t *block_of;     // [instruction] → block
  uint32_t *at_statement; // [statement of the function] → the instruction there, or the next one behind it
};

#define WEIR_CFG_EXIT UINT32_MAX

void weir_cfg_build(struct weir_cfg *cfg, const struct weir_function *f);
void weir_cfg_free(struct weir_cfg *cfg);

// The instruction at which threads that diverge at instruction i (a branch) meet again, or WEIR_CFG_EXIT if only the
// function's end is common to them. (Immediate post-dominator: Fung et al., MICRO 2007, section 3.2.)
uint32_t weir_cfg_reconvergence(const struct weir_cfg *cfg, uint32_t i);

// The instruction that a label stands before (instruction_count if at the end).
uint32_t weir_cfg_label(const struct weir_cfg *cfg, const struct weir_symbol *label);

#endif
