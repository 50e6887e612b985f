// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Machine code inside fat binaries ("cubin"): an ELF file per architecture, of which weir reads how many registers the
// assembler gave each kernel. Invariant: nothing is read outside the bytes given, whatever they say.
#ifndef WEIR_BINARY_CUBIN_H
#define WEIR_BINARY_CUBIN_H

#include "base/diag.h"

#include <stddef.h>
#include <stdint.h>

struct weir_cubin_kernel {
  char *name;
  uint32_t registers; // 32-bit registers per thread, 1 to 65535
};

// The kernels and functions whose registers the section .nv.info tells (EIATTR_REGCOUNT), in its order; freed by
// weir_cubin_free. NULL and a diagnostic if the bytes are no such ELF file or the section is malformed; no such section:
// *count is 0 and the result is not NULL.
struct weir_cubin_kernel *weir_cubin_kernels(const void *data, size_t bytes, struct weir_place place, unsigned *count,
                                             struct weir_sink *sink);
void weir_cubin_free(struct weir_cubin_kernel *kernels, unsigned count);

#endif
