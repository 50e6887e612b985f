// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The compiler: clang ($CLANG, else clang-21 … clang-16, clang in $PATH), libclc's library for NVIDIA's OpenCL
// ($LIBCLC, else where distributions install it) and our own builtins beside it, compiled once. Invariant: a compiler
// that is found has compiled our builtins against that libclc; what was found is remembered until one of those
// variables changes.
#ifndef WEIR_OPENCL_COMPILE_TOOLS_H
#define WEIR_OPENCL_COMPILE_TOOLS_H

#include "base/hash.h"
#include "opencl/compile/options.h"

struct weir_cl_tools {
  const char *clang, *libclc; // paths
  const char *builtins;       // LLVM bitcode
  size_t builtins_bytes;
  weir_hash identity; // of all three
};

// Valid until the process ends. NULL: the reason is in the log.
const struct weir_cl_tools *weir_cl_tools_find(struct weir_cl_text *log);

// What clang is told of target and language, whatever it makes of what.
void weir_cl_tools_target(struct weir_cl_arguments *to);
void weir_cl_tools_language(struct weir_cl_arguments *to);

// Links the two libraries into what is being compiled.
void weir_cl_tools_libraries(struct weir_cl_arguments *to, const char *builtins_path, const char *libclc);

#endif
