// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernel objects and their arguments. Invariant: there is one argument per `.param` of the kernel; what a command needs
// of them is copied when it is enqueued, so that they may be set anew at once.
#ifndef WEIR_OPENCL_KERNEL_H
#define WEIR_OPENCL_KERNEL_H

#include "opencl/mem.h"
#include "opencl/program.h"
#include "opencl/sampler.h"

struct weir_cl_set_arg {
  bool set;
  cl_mem mem;     // of a buffer or an image; NULL: a null pointer
  uint32_t bytes; // of a value or of local memory
  uint8_t *value; // `bytes` bytes; NULL: local memory
};

struct _cl_kernel {
  struct weir_cl_head object;
  cl_program program;
  const struct weir_kernel *kernel;
  const struct weir_cl_kernel *info; // NULL: the PTX does not describe it
  struct weir_cl_set_arg *args;      // kernel->param_count of them
};

void weir_cl_kernel_retain(cl_kernel k);
void weir_cl_kernel_release(cl_kernel k);

// The work-group size that attributes of the source, or .reqntid, ask for; zeros: none do.
void weir_cl_kernel_required(cl_kernel k, size_t required[3]);
// Static, and what the arguments set so far add.
uint64_t weir_cl_kernel_local_bytes(cl_kernel k);
// The largest work-group that a core has room for.
size_t weir_cl_kernel_group_size(cl_kernel k);

#endif
