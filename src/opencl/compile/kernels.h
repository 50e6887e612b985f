// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program says of its kernels: from clang's metadata to lines of comment at the PTX's end, and back (the reading
// is weir_cl_kernels_read of compile.h). Invariant: a line is `//weir`, then fields with a tab before each; fields have
// neither tabs nor newlines:
//   //weir kernel NAME X Y Z ATTRIBUTES
//   //weir arg KIND ACCESS QUALIFIERS TYPE NAME      of the kernel before; numbers of the enumerations; some of "crv"
//   or -
#ifndef WEIR_OPENCL_COMPILE_KERNELS_H
#define WEIR_OPENCL_COMPILE_KERNELS_H

#include "opencl/compile/compile.h"
#include "opencl/compile/options.h"

// Appends the lines for all kernels in the textual LLVM IR `ir`.
void weir_cl_kernels_describe(struct weir_cl_text *to, const char *ir);

#endif
