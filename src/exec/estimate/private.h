// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the estimate of a function's registers works on, private to estimate*.c: each basic block as the machine
// operations that are left of its PTX once addressing modes, constant operands and copies have swallowed the rest.
// Invariant: within a block every value is written once (a register that is written again is a new value), and an
// operation's uses come from values written before it or live at the block's begin.
#ifndef WEIR_EXEC_ESTIMATE_PRIVATE_H
#define WEIR_EXEC_ESTIMATE_PRIVATE_H

#include "exec/estimate/estimate.h"
#include "ptx/cfg.h"

#define WEIR_NO_OP UINT32_MAX

enum weir_fact {
  WEIR_FACT_NONE,    // takes registers wherever it is used
  WEIR_FACT_LITERAL, // an immediate
  WEIR_FACT_BANK,    // lies in the constant bank: parameters, sizes of block and grid
  WEIR_FACT_COPY,    // the same bits as `from`
  WEIR_FACT_OFFSET,  // `from` plus an immediate: part of an address
  WEIR_FACT_SCALED,  // `from` widened or times an immediate: part of a multiply-add
};

struct weir_sass_value {
  uint32_t reg;    // of PTX
  uint32_t from;   // a value
  uint32_t op;     // that writes it; WEIR_NO_OP: live at the block's begin
  uint32_t before; // the value of the same register that it replaces, or WEIR_NO_OP
  uint32_t uses;   // by operations that are alive; as these are scheduled, those to come
  uint32_t writer; // the operation that replaces it, or WEIR_NO_OP
  uint8_t width;   // 32-bit registers
  uint8_t fact;
  bool out;    // the register's last value in this block
  bool stays;  // and it is live at the block's end
  bool needed; // an operation that is alive uses it
};

enum weir_sass_memory { WEIR_SASS_PLAIN, WEIR_SASS_LOAD, WEIR_SASS_STORE, WEIR_SASS_FENCE };

struct weir_sass_op {
  uint32_t first_use, use_count; // in the block's `uses`
  uint32_t first_def, def_count; // values
  uint16_t latency;              // cycles until its results are there
  uint8_t extra;                 // registers that it needs for itself
  uint8_t memory;                // enum weir_sass_memory
  uint8_t spaces;                // bits, of the kinds of memory that it may touch
  bool effect;                   // more than its results
  bool alive;
  bool calls;           // a function
  bool splits;          // the block: nothing moves over it
  bool multiplies;      // and adds: the multiplication before an addition is part of it
  uint32_t base;        // value of its address, or WEIR_NO_OP
  uint32_t instruction; // that it was made of, in the graph; WEIR_NO_OP: for what an operand cannot be taken from
  int64_t offset;
  uint32_t bytes;
};

struct weir_sass_block {
  struct weir_sass_value *values;
  struct weir_sass_op *ops;
  uint32_t *uses;
  uint32_t value_count, value_capacity, op_count, op_capacity, use_count, use_capacity;
  uint32_t *order; // of operations, as they were scheduled
  uint32_t order_count;
  bool rolled; // .pragma "nounroll" stands before it
};

struct weir_sass_register { // of PTX
  uint32_t writes;          // instructions that write it
  uint32_t written_at;      // the last of them
  uint32_t from;            // a register, of what is written once
  uint32_t now;             // 1 + its value at this point of the block; 0: none yet
  uint8_t fact;             // enum weir_fact of what is written once
  uint8_t facts;            // that it stands on
  uint64_t factor;          // of what is SCALED by a multiplication; 0: another way
  bool number;              // ptxas knows which, and it is no address
  bool high;                // of 64 bits, and its high half is not known to be zero or unread
  bool set;                 // some instruction may set its high half
  bool wanted;              // some block reads it at its begin
  uint32_t member;          // of sets: which bit it is, if it is wanted
};

struct weir_sass {
  const struct weir_function *function;
  const struct weir_cfg *cfg;
  enum weir_assembler assembler;
  bool unrolled;   // the loops are unrolled already
  bool assembles;  // it is asked what exec/assemble shall write, as ptxas 13 does
  bool jumps_back; // blocks stand in another order than they are run in
  struct weir_sass_register *registers;
  struct weir_sass_block *blocks;
  uint32_t words;     // of a set of wanted registers
  uint32_t *members;  // [bit of a set]: of which register, in their order
  uint64_t *in, *out; // [block × words]: live registers
};

// How an assembler goes about it: what leads to a load goes first as long as no more registers than `target` are live, all
// else at most `window` operations ahead. By its calling convention the first `callee` registers are the called function's, and
// what outlives the call lies above; where nothing does, `least_caller` are used.
struct weir_sass_habits {
  uint32_t target, window, callee, least_caller;
};

// The instruction set of Volta and of all that came after it.
static inline bool weir_sass_is_volta(const struct weir_sass *s) {
  return s->assembler >= WEIR_ASSEMBLER_SM_70;
}

// From Volta on, registers that no PTX names hold what an operation cannot take from elsewhere (fold.c): their numbers follow
// those of PTX, first of one 32-bit register, then of two to four.
enum { WEIR_SASS_NAMELESS = 4 };

// fold.c: fills blocks with operations. weir_sass_width: 32-bit registers of one PTX register.
void weir_sass_fold(struct weir_sass *s);
uint32_t weir_sass_width(const struct weir_sass *s, uint32_t reg);
// subroutine.c: registers of the sequences and subroutines that an operation becomes, beyond its operands; and does the code
// leave the block for it, so that nothing moves over it?
uint8_t weir_sass_scratch(const struct weir_sass *s, const struct weir_instruction *in);
bool weir_sass_is_subroutine(const struct weir_sass *s, const struct weir_instruction *in);
// unroll.c: how often the body of block b stands in the code, once what says so of all loops has been found.
void weir_sass_find_loops(struct weir_sass *s);
uint32_t weir_sass_copies(const struct weir_sass *s, uint32_t b);
// From Volta on, of one that runs `runs` times.
struct weir_copies weir_sass_known_copies(const struct weir_sass *s, uint32_t b, uint64_t runs);
// schedule.c: the most registers that are live at once in block b, once its operations are scheduled, which fills `order`;
// *calls is raised to what the calls in it need.
uint32_t weir_sass_schedule(struct weir_sass *s, uint32_t b, const struct weir_sass_habits *habits, uint32_t *calls);
// machine.c: machine[instruction] of block b's instructions that are left: how many machine instructions each becomes, moves[instruction]
// (or NULL) of them to bring its operands into registers.
void weir_sass_count(const struct weir_sass *s, uint32_t b, uint8_t *machine, uint8_t *moves);
// allocate.c: how many registers an assembler of Volta or later names in the code as scheduled, if it can with no more than
// `limit`; WEIR_SASS_MANY: more than it is worth telling apart.
enum { WEIR_SASS_MANY = 1 << 24 };
uint32_t weir_sass_allocate(struct weir_sass *s, uint32_t limit);

// Whether ptxas knows which number it is.
static inline bool weir_sass_is_number(const struct weir_sass *s, const struct weir_operand *o) {
  return o->kind == WEIR_OPERAND_INTEGER || o->kind == WEIR_OPERAND_FLOAT ||
    (o->kind == WEIR_OPERAND_REGISTER && s->registers[weir_operand_register(o)].number);
}

static inline bool weir_sass_has(const struct weir_sass *s, const uint64_t *set, uint32_t reg) {
  const struct weir_sass_register *r = &s->registers[reg];
  return r->wanted && set[r->member / 64] >> (r->member % 64) & 1;
}

// Whether a value of block b is live at its end.
static inline bool weir_sass_stays(const struct weir_sass *s, uint32_t b, const struct weir_sass_value *v) {
  return v->out && weir_sass_has(s, s->out + (size_t)b * s->words, v->reg);
}

static inline bool weir_sass_is_integer(unsigned type) {
  const char c = weir_type_class((enum weir_type)type);
  return c == 'u' || c == 's' || c == 'b';
}

#endif
