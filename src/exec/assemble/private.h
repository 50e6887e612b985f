// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A function that is being assembled, private to exec/assemble.
#ifndef WEIR_EXEC_ASSEMBLE_PRIVATE_H
#define WEIR_EXEC_ASSEMBLE_PRIVATE_H

#include "exec/assembler.h"
#include "ptx/cfg.h"

struct weir_assembly {
  struct weir_arena *arena; // the new module's
  enum weir_assembler assembler;
  const struct weir_function *from;
  struct weir_cfg cfg;        // of `from`
  struct weir_function *to;   // whose registers are those of `from`, and new ones behind them
  struct weir_symbol **label; // [statement of `from`] → the label of `to` that stands for the one there
  uint32_t statement_capacity, register_capacity, labels;
};

// Appends to what `to` has so far.
void weir_assembly_put(struct weir_assembly *a, struct weir_instruction *in);
void weir_assembly_put_label(struct weir_assembly *a, struct weir_symbol *label);
struct weir_symbol *weir_assembly_new_label(struct weir_assembly *a);
// A register like number `like`: its number.
uint32_t weir_assembly_new_register(struct weir_assembly *a, uint32_t like);
// `o` names register `number` of `to`.
void weir_assembly_name(const struct weir_assembly *a, struct weir_operand *o, uint32_t number);
// An instruction of its own like `in`, with operands of its own. A branch goes to the labels of `to`.
struct weir_instruction *weir_assembly_copy(struct weir_assembly *a, const struct weir_instruction *in);

// The statement's instruction, as one of its own: it is no longer the written function's.
struct weir_instruction *weir_assembly_own(struct weir_assembly *a, uint32_t statement);

// A loop of one block in which a register moves by the same amount each time, and is compared with what does not change.
struct weir_counted {
  uint32_t counter;          // register number
  int64_t step;              // that it moves by, of 32 bits, not 0
  int64_t tested;            // the comparison is of the counter at the block's begin and this
  struct weir_operand bound; // with this: a register or an immediate
  enum weir_compare compare; // the loop goes on while it holds: NE, or towards which the counter moves: LT, LE, GT, GE
  enum weir_type type;       // of the comparison
  const struct weir_instruction *comparison, *branch;
  bool leaves; // the branch leaves the loop, where its predicate holds; an unconditional one behind it goes on
};

// counted.c: false: block b is none.
bool weir_find_counted(const struct weir_cfg *cfg, uint32_t b, struct weir_counted *loop);
// unroll.c: puts block b, which is `loop`: four copies as long as four are to run, two, and one.
void weir_assembly_unroll(struct weir_assembly *a, uint32_t b, const struct weir_counted *loop);
// guard.c: short branches of `to` become guards.
void weir_assembly_guard(struct weir_assembly *a);
// order.c: brings the instructions of each block of `to` into the assembler's order.
void weir_assembly_order(struct weir_assembly *a);
// machine.c: says of each instruction of `to` how many machine instructions it becomes.
void weir_assembly_count(struct weir_assembly *a);

#endif
