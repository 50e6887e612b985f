// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A function that is being assembled, private to exec/assemble.
#ifndef WEIR_EXEC_ASSEMBLE_PRIVATE_H
#define WEIR_EXEC_ASSEMBLE_PRIVATE_H

#include "exec/assembler.h"
#include "ptx/cfg.h"

struct weir_locations;

struct weir_assembly {
  struct weir_arena *arena; // the new module's
  enum weir_assembler assembler;
  const struct weir_locations *shared; // the module's shared variables
  const struct weir_function *from;
  struct weir_cfg cfg;        // of `from`
  struct weir_function *to;   // whose registers are those of `from`, and new ones behind them
  struct weir_symbol **label; // [statement of `from`] → the label of `to` that stands for the one there
  uint32_t statement_capacity, register_capacity, labels;
  struct weir_loops *loops; // how `from`'s are written (exec/estimate)
  bool whole;               // a loop has been written without one
  // Of `from`: where blocks are come to from, and what is constant (counted.c).
  struct weir_ways *ways;          // [block]
  struct weir_constant *constants; // [register]
  struct weir_sum *sums;           // [register] of the block that is being looked at, by its stamp
  uint32_t stamp;
  bool *varying;           // [register] lanes of a warp may have different values (varying.c)
  bool *loaded, *computed; // [register] of the block that is being looked at (varying.c)
};

struct weir_ways {
  uint32_t count, all; // blocks that lead to it; the numbers of all of them, xored
};

struct weir_constant { // of a register
  uint32_t writes;     // instructions that write it
  bool known;          // to be `value`, if there is one
  uint64_t value;
};

// Appends to what `to` has so far.
void weir_assembly_put(struct weir_assembly *a, struct weir_instruction *in);
void weir_assembly_put_label(struct weir_assembly *a, struct weir_symbol *label);
void weir_assembly_put_rolled(struct weir_assembly *a); // the loop that begins here is not copied
struct weir_symbol *weir_assembly_new_label(struct weir_assembly *a);
// A register like number `like`: its number.
uint32_t weir_assembly_new_register(struct weir_assembly *a, uint32_t like);
// `o` names register `number` of `to`.
void weir_assembly_name(const struct weir_assembly *a, struct weir_operand *o, uint32_t number);
// An instruction of its own like `in`, with operands of its own. A branch goes to the labels of `to`.
struct weir_instruction *weir_assembly_copy(struct weir_assembly *a, const struct weir_instruction *in);

// The statement's instruction, as one of its own: it is no longer the written function's.
struct weir_instruction *weir_assembly_own(struct weir_assembly *a, uint32_t statement);

// Drops the statements of `to` that are marked: gone[statement].
void weir_assembly_drop(struct weir_assembly *a, const bool *gone);

// A loop of one block in which a register moves by the same amount each time, and is compared with what does not change.
struct weir_counted {
  uint32_t counter;          // register number
  int64_t step;              // that it moves by, not 0
  int64_t tested;            // the comparison is of the counter at the block's begin and this
  struct weir_operand bound; // with this: a register or an immediate
  enum weir_compare compare; // the loop goes on while it holds: NE, or towards which the counter moves: LT, LE, GT, GE
  enum weir_type type;       // of the comparison
  const struct weir_instruction *comparison, *branch;
  bool leaves;   // the branch leaves the loop; an unconditional one behind it goes on
  bool negated;  // the loop goes on where the branch's predicate does not hold
  uint64_t runs; // or 0: not known
};

// counted.c: what weir_find_counted wants to know of `from`.
void weir_counted_open(struct weir_assembly *a);
void weir_counted_close(struct weir_assembly *a);
// false: block b is none.
bool weir_find_counted(struct weir_assembly *a, uint32_t b, struct weir_counted *loop);
// varying.c: may lanes run the loop unequally often, and does it what then keeps it as it is?
void weir_varying_open(struct weir_assembly *a);
void weir_varying_close(struct weir_assembly *a);
bool weir_loop_stays(const struct weir_assembly *a, uint32_t b, const struct weir_counted *loop);
// unroll.c: puts block b, which is `loop`: four copies as long as four are to run, two, and one.
void weir_assembly_unroll(struct weir_assembly *a, uint32_t b, const struct weir_counted *loop);
// The same where its runs are known: `before` copies, and a loop of `copies`; or as many copies as it runs.
void weir_assembly_unroll_known(struct weir_assembly *a, uint32_t b, const struct weir_counted *loop, uint32_t copies,
                                uint32_t before);
// place.c: blocks of `to` that stand before what leads to them stand behind it; true: some have been moved.
bool weir_assembly_place(struct weir_assembly *a);
// guard.c: short branches of `to` become guards; true: some have.
bool weir_assembly_guard(struct weir_assembly *a);
// join.c: loads of `to` from shared memory side by side become one.
void weir_assembly_join(struct weir_assembly *a);
// order.c: brings the instructions of each block of `to` into the assembler's order.
void weir_assembly_order(struct weir_assembly *a);

// What an instruction does to memory that others may access, as far as their order goes; FENCE: it keeps its place among all.
enum weir_touch { WEIR_TOUCH_NOTHING, WEIR_TOUCH_LOAD, WEIR_TOUCH_STORE, WEIR_TOUCH_FENCE };
enum weir_touch weir_assembly_touch(const struct weir_instruction *in);
// Which memory it may be, a bit each.
enum { WEIR_MAY_BE_SHARED = 2 };
uint8_t weir_assembly_spaces(const struct weir_instruction *in);
bool weir_assembly_reads_clock(const struct weir_instruction *in);

// residue.c: the low `bits` bits are those of `value`.
struct weir_residue {
  uint8_t bits;
  uint32_t value;
};

struct weir_residues {
  const struct weir_locations *shared;
  struct weir_residue *of; // [register] of whatever the function writes to it
  struct weir_residue
    *here; // [register] of what it holds now, if block_of[register] is `block`, in which it has been written
  uint32_t *block_of, block;
};

// What holds at each block's begin. From there on weir_residues_pass goes from instruction to instruction; true: it knows less than before.
void weir_residues_find(struct weir_residues *r, const struct weir_cfg *cfg, uint32_t register_count);
void weir_residues_begin(struct weir_residues *r);
bool weir_residues_pass(struct weir_residues *r, const struct weir_instruction *in);
void weir_residues_free(struct weir_residues *r);
// Of a register, a number, a variable's address, or an address with its offset.
struct weir_residue weir_residue_of(const struct weir_residues *r, const struct weir_operand *o);
// machine.c: says of each instruction of `to` how many machine instructions the code has of it; executed: and for how many cores take it.
void weir_assembly_count(struct weir_assembly *a, bool executed);

#endif
