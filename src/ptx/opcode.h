// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is true of a PTX opcode whatever its operands, one row each, from ptx/opcodes.def. Invariant: every opcode has a
// row with every column, or nothing compiles; who needs to know what an instruction does to memory, or to whom it is
// bound, asks the row and has no default.
#ifndef WEIR_PTX_OPCODE_H
#define WEIR_PTX_OPCODE_H

#include <stdint.h>

enum weir_opcode {
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, forms) WEIR_OP_##name,
#include "ptx/opcodes.def"
#undef OPCODE
  WEIR_OPCODE_COUNT
};

enum weir_effect { // on memory
  WEIR_EFFECT_NONE,
  WEIR_EFFECT_LOAD,          // reads at the address that it names
  WEIR_EFFECT_UNIFORM,       // the same, of data that no thread writes
  WEIR_EFFECT_STORE,         // writes there
  WEIR_EFFECT_ATOMIC,        // reads and writes there
  WEIR_EFFECT_COPY,          // from one place to another
  WEIR_EFFECT_HINT,          // changes no value: which lines to fetch or to keep
  WEIR_EFFECT_DISCARD,       // the lines' values are lost
  WEIR_EFFECT_TEXTURE,       // reads an image through its sampler
  WEIR_EFFECT_SURFACE_LOAD,  // reads an image as it is
  WEIR_EFFECT_SURFACE_STORE, // writes it
  WEIR_EFFECT_QUERY,         // asks for an image's properties and touches no memory
  WEIR_EFFECT_SHARED,        // shared memory alone
  WEIR_EFFECT_FENCE,         // puts accesses in order
  WEIR_EFFECT_WAIT,          // none, while others write what its thread may read next
  WEIR_EFFECT_BARRIER,       // puts the accesses of threads that meet in order
  WEIR_EFFECT_CALLEE,        // its function's
  WEIR_EFFECT_ANY,           // whatever its form says
};

enum weir_convergence {    // who must execute it together
  WEIR_CONVERGENCE_LANE,   // each lane by itself
  WEIR_CONVERGENCE_WARP,   // lanes of a warp
  WEIR_CONVERGENCE_BLOCK,  // threads of a block
  WEIR_CONVERGENCE_CALLEE, // as its function
};

enum weir_flow { // what its thread executes after it
  WEIR_FLOW_NEXT,
  WEIR_FLOW_JUMP, // what one of its labels stands before
  WEIR_FLOW_END,  // nothing in this function
  WEIR_FLOW_STOP, // the next, once a debugger lets it go on
};

enum weir_writes { // the operands that it writes
  WEIR_WRITES_FIRST,
  WEIR_WRITES_NOTHING,
  WEIR_WRITES_TYPED, // the first, of forms with a type
  WEIR_WRITES_LIST,  // the first, if it is a list in parentheses
  WEIR_WRITES_VALUE, // the first, unless it is an address
};

struct weir_opcode_row {
  const char *name;    // "bar" for both bar.sync and bar.red: the word before the first dot
  uint8_t effect;      // enum weir_effect
  uint8_t convergence; // enum weir_convergence
  uint8_t flow;        // enum weir_flow
  uint8_t writes;      // enum weir_writes
};

extern const struct weir_opcode_row weir_opcode_rows[WEIR_OPCODE_COUNT];

const char *weir_opcode_name(enum weir_opcode op);

static inline enum weir_effect weir_opcode_effect(unsigned op) {
  return weir_opcode_rows[op].effect;
}

static inline enum weir_convergence weir_opcode_convergence(unsigned op) {
  return weir_opcode_rows[op].convergence;
}

static inline enum weir_flow weir_opcode_flow(unsigned op) {
  return weir_opcode_rows[op].flow;
}

#endif
