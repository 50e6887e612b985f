// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is known of the kernels of a trace while it is read: their instructions, found one by one. Invariant: an instruction is the same
// wherever its kernel executes it.
#ifndef WEIR_WARPTRACE_ACCELSIM_PROGRAM_H
#define WEIR_WARPTRACE_ACCELSIM_PROGRAM_H

#include "exec/streamed.h"
#include "warptrace/text.h"

enum { WEIR_SASS_REGISTERS = 256, WEIR_SASS_ZERO = 255 }; // R0 to R254, and the one that is 0

struct weir_traced_instruction {
  char *opcode; // NULL: no warp has executed it so far
  bool known;   // to the table of opcodes
  uint64_t executions;
};

struct weir_traced_kernel {
  char *name;
  uint32_t number, registers, count, capacity; // count: of instructions
  struct weir_static *statics;
  struct weir_traced_instruction *instructions;
};

struct weir_traced_program {
  struct weir_traced_kernel *all;
  size_t count, capacity;
};

// The kernel of that name, new if need be; until the next call.
struct weir_traced_kernel *weir_traced_kernel(struct weir_traced_program *p, const char *name, uint32_t registers);

// A line's instruction: its place, opcode and registers.
struct weir_traced_line {
  uint64_t offset;
  unsigned version;
  const char *opcode;
  uint32_t source_line;
  uint8_t destinations, sources;
  uint8_t destination[WEIR_STATIC_MAX_DST], source[WEIR_STATIC_MAX_SRC];
};

// Its number among the kernel's. False and a diagnostic: none can be there, or another one is.
bool weir_traced_find(struct weir_traced_kernel *k, const struct weir_traced_line *l, const struct weir_text *t,
                      uint32_t *index);

// The whole, in the order of the kernels; its arrays are freed by weir_traced_close.
struct weir_streamed_program weir_traced_program(const struct weir_traced_program *p, const char *path);
void weir_traced_close(struct weir_streamed_program *s);
void weir_traced_free(struct weir_traced_program *p);

// Names what runs as class DEFAULT, if anything does.
void weir_traced_tell(const struct weir_traced_program *p, const char *path, struct weir_sink *sink);

#endif
