// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Functions that a module declares and the platform provides: CUDA's "system calls" (CUDA's PTX interoperability guide),
// and printf as clang compiles it from OpenCL C, with the same argument buffer as vprintf. Invariant: a function is one
// of these by its name, its parameters' sizes and having no body; a body in the module wins.
#ifndef WEIR_PTX_BUILTIN_H
#define WEIR_PTX_BUILTIN_H

#include "ptx/ir.h"

// name, spelling, bytes of the result, bytes of each parameter
// clang-format off
#define WEIR_PTX_BUILTINS(X)                                                                                         \
  X(VPRINTF, "vprintf", 4, "88")            /* format, argument buffer → how many arguments */                       \
  X(PRINTF, "printf", 4, "88")              /* the same → 0 */                                                       \
  X(ASSERTFAIL, "__assertfail", 0, "88488") /* message, file, line, function, bytes of a character */                \
  X(MALLOC, "malloc", 8, "8")                                                                                        \
  X(FREE, "free", 0, "8")                                                                                            \
  X(GRAPH_CONDITION, "cudaGraphSetConditional", 0, "84") /* the address of the value, and the value */
// clang-format on

enum weir_builtin {
  WEIR_BUILTIN_NONE,
#define X(name, spelling, result, parameters) WEIR_BUILTIN_##name,
  WEIR_PTX_BUILTINS(X)
#undef X
};

enum weir_builtin weir_builtin_of(const struct weir_function *f);

#endif
