// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a recording says of programs that have code. Invariant: an instruction's number in the recording is its PC, which is unique among
// all programs in one memory (exec/program.h).
#ifndef WEIR_WARPTRACE_KNOWN_H
#define WEIR_WARPTRACE_KNOWN_H

#include "exec/streamed.h"

struct weir_known_program {
  struct weir_streamed_program program; // with what follows
  struct weir_static *statics;
  struct weir_kernel *kernels; // of the programs in their order
  struct weir_streamed_function *functions;
  const char **files;
  char **arrays; // NULL, until the caller knows some: freed with the rest
};

// The programs must outlive it.
void weir_know_programs(struct weir_known_program *k, const struct weir_program *const *programs, size_t count);
void weir_known_free(struct weir_known_program *k);

#endif
