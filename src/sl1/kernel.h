// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is known of one kernel before it is transformed; private to sl1. Invariant: nothing here changes the module. A set
// of structures is 64 bits: bit s for structures[s], and bit 63 for all that are beyond the 63rd.
#ifndef WEIR_SL1_KERNEL_H
#define WEIR_SL1_KERNEL_H

#include "ptx/loops.h"
#include "sl1/sl1.h"

enum { WEIR_SL1_MOST_STRUCTURES = 63, WEIR_SL1_OTHERS = 63, WEIR_SL1_MOST_CANDIDATES = 24, WEIR_SL1_WIDEST = 16 };

enum weir_sl1_effect { // of an instruction on global memory
  WEIR_SL1_NONE,
  WEIR_SL1_LOAD,
  WEIR_SL1_STORE,
  WEIR_SL1_ATOM,    // atom and red without an order
  WEIR_SL1_ORDERED, // volatile, relaxed, acquire, release: lines are flushed before
  WEIR_SL1_TOUCH,   // fences, calls, textures, …: the same
  WEIR_SL1_MEET,    // barriers
};

struct weir_sl1_access { // of one instruction
  uint8_t effect;        // enum weir_sl1_effect
  uint8_t bytes;         // loads, stores and atomics: that it touches
  int8_t candidate;      // the only structure that it can be to, if that one is a candidate; else -1
  uint64_t set;          // of structures that its address comes of; 0: not known
};

struct weir_sl1_main {    // a main loop
  uint32_t loop;          // of loops
  uint32_t first, last;   // statements that hold its blocks
  uint32_t scope;         // the innermost that all its instructions are in
  uint32_t start;         // statement that its header begins with
  uint32_t test;          // block before which monitoring may end: one that leaves the loop anyway, or the header
  uint32_t accesses;      // of candidates: instructions
  uint64_t used, dirty;   // candidates with accesses; and with stores
  bool convergent;        // has barriers, or instructions for whole warps
  const char *left_alone; // NULL: transformed
};

struct weir_sl1_candidate {
  uint32_t structure; // index
  bool written;       // for ranking: an instruction of the kernel may store to it
  bool dirty;         // main loops store to it: its lines have a bitmap
  bool non_coherent;  // only read by ld.global.nc: nobody writes it while the kernel runs
};

struct weir_sl1_analysis {
  struct weir_arena arena;
  const struct weir_module *m;
  const struct weir_function *f;
  const struct weir_sl1_options *o;
  struct weir_cfg cfg;
  struct weir_loops loops;
  uint64_t *origin;               // [register] → set of structures its value may be an address in
  struct weir_sl1_access *access; // [instruction]
  struct weir_sl1_structure *structures;
  uint32_t structure_count;
  struct weir_sl1_candidate *candidates;
  uint32_t candidate_count;
  struct weir_sl1_main *mains; // in the order of their headers
  uint32_t main_count;
  uint32_t *main_of;      // [block] → main loop, or WEIR_NO_LOOP
  uint32_t *scope;        // [statement] → innermost { around it: its statement + 1; 0: the body. Of { and }:
                          // what is around both
  uint32_t *statement_of; // [instruction] → its statement
  uint32_t *owner;        // [statement] → block that it belongs to, or block_count
  uint32_t untraced;
  const char *refused; // why the whole kernel stays as it is, or NULL
};

void weir_sl1_analyse(struct weir_sl1_analysis *a, const struct weir_module *m, const struct weir_function *f,
                      const struct weir_sl1_options *o);
void weir_sl1_analysis_free(struct weir_sl1_analysis *a);

// Its stages, in order: who is a structure and where addresses come from (trace.c), what each instruction does to global
// memory (effect.c), the main loops and whether they can be copied (main.c), the verdicts (verdict.c).
void weir_sl1_trace(struct weir_sl1_analysis *a);
void weir_sl1_find_effects(struct weir_sl1_analysis *a);
void weir_sl1_find_mains(struct weir_sl1_analysis *a);
void weir_sl1_judge(struct weir_sl1_analysis *a);

// The operand that holds a memory instruction's address, or NULL.
const struct weir_operand *weir_sl1_address(const struct weir_instruction *in);
enum weir_sl1_effect weir_sl1_effect_of(const struct weir_instruction *in);
bool weir_sl1_is_convergent(const struct weir_instruction *in);

// Proven, from how addresses advance, that in this loop no access of instruction `i` is to the line of the one before.
bool weir_sl1_strides(const struct weir_sl1_analysis *a, const struct weir_sl1_main *main, uint32_t i);

// Each register that an operand reads, or writes.
void weir_sl1_each_register(const struct weir_operand *o, void (*with)(void *, uint32_t), void *context);

// The labels that a branch may go to; 0 of other instructions.
uint32_t weir_sl1_targets(const struct weir_instruction *in, const struct weir_symbol *const **targets);
// The block that a label stands before; block_count: the end.
uint32_t weir_sl1_block_at(const struct weir_sl1_analysis *a, const struct weir_symbol *label);
// Whether the statement is not of the loop that it stands beside: the { and } around it, and what is declared before it.
bool weir_sl1_is_around(const struct weir_sl1_analysis *a, const struct weir_sl1_main *main, uint32_t s);
// Whether the instruction never goes on to the next.
bool weir_sl1_leaves(const struct weir_instruction *in);

#endif
