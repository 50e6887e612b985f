// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Clang's PTX as weir reads it.
#ifndef WEIR_OPENCL_COMPILE_PTX_H
#define WEIR_OPENCL_COMPILE_PTX_H

#include "opencl/compile/options.h"

// Appends the PTX without its DWARF sections, each .file with one path, and the host's variable defined.
void weir_cl_ptx_clean(struct weir_cl_text *to, const char *ptx);

// Whether each function that the textual LLVM IR `ir` calls has a body or is the platform's; else an error in the log.
bool weir_cl_ptx_is_whole(const char *ir, struct weir_cl_text *log);

#endif
