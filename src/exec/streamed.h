// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs without code: what each of their warps does is read, not executed. Such a program knows what its instructions are, and a
// launch of it has one stream for each warp of each block, which says what each execution did. Invariant: a stream is the same
// whatever the order in which warps step, so that any chip and scheme may choose it; what is in device memory plays no part.
#ifndef WEIR_EXEC_STREAMED_H
#define WEIR_EXEC_STREAMED_H

#include "exec/program.h"

struct weir_streamed_function {
  const char *name, *path; // path: the file that it is from
};

// Borrowed by the program that is made of it.
struct weir_streamed_program {
  const char *path;
  unsigned lanes;
  uint32_t registers;         // scoreboard numbers are below this
  uint32_t instruction_count; // in the order of their PCs
  const struct weir_static *statics;
  const char *const *arrays; // per instruction: what its address is computed from (run/access.h); NULL: unknown
  uint32_t function_count, file_count, kernel_count;
  const struct weir_streamed_function *functions;
  const char *const *files;          // files[0] is no file
  const struct weir_kernel *kernels; // entry: an index of an instruction
};

struct weir_program *weir_program_streamed(const struct weir_streamed_program *s, struct weir_memory *memory);

// What its address is computed from, of an instruction by its number in the program; NULL: that is not known.
const char *weir_program_array(const struct weir_program *p, uint32_t index);

enum { WEIR_STREAM_END = 0xFFFFFFFF }; // the warp has exited

// Where the streams of a launch come from. Blocks are opened one at a time; what is open may be read by several threads, each
// block by one.
struct weir_streams {
  void *context;
  // What the block's warps do, block counted in the order of their indices; NULL: it cannot be read.
  void *(*open)(void *context, uint64_t block);
  void (*close)(void *block);
  // Which instruction the warp executes next; WEIR_STREAM_END: none.
  uint32_t (*next)(void *block, unsigned warp);
  // What that does: all of a weir_winstr but `what` and `pc`; the one after it is next. False: it is none that can be.
  bool (*step)(void *block, unsigned warp, struct weir_winstr *out);
};

#endif
