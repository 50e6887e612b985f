// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs. Invariant: `binary` is what the last successful build, compilation or link made, or what the program was
// created with: PTX or LLVM bitcode; `loaded` is that PTX on the device, from a build or link until the next one, which
// is refused while kernels are attached.
#ifndef WEIR_OPENCL_PROGRAM_H
#define WEIR_OPENCL_PROGRAM_H

#include "opencl/compile/compile.h"
#include "opencl/context.h"

struct _cl_program {
  struct weir_cl_head object;
  cl_context context;
  char *source; // NULL: created from a binary, or linked
  char *binary; // NUL-terminated
  size_t binary_bytes;
  cl_program_binary_type type;
  cl_build_status status;
  char *options, *log;
  const struct weir_program *loaded;
  struct weir_cl_kernels kernels; // described by `binary`, none if `described` is false
  bool described;
  cl_uint attached; // kernel objects
};

cl_program weir_cl_program_new(cl_context context);
void weir_cl_program_retain(cl_program p);
void weir_cl_program_release(cl_program p);

bool weir_cl_is_bitcode(const char *bytes, size_t size);

// Replaces the binary (bytes are taken over, NUL-terminated) and forgets what was loaded.
void weir_cl_program_set_binary(cl_program p, char *bytes, size_t size);
void weir_cl_program_unload(cl_program p);
// Loads a PTX binary. False: the log says why.
bool weir_cl_program_load(cl_program p);

// Kernels in the order of the source, where it is known.
cl_uint weir_cl_program_kernel_count(cl_program p);
const char *weir_cl_program_kernel_name(cl_program p, cl_uint i);

#endif
