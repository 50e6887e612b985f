// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// libcuda.so.1, opened when it is first needed. Invariant: of an open library every needed function is there, and the
// optional ones are NULL or there.
#ifndef WEIR_DRIVER_LIBRARY_H
#define WEIR_DRIVER_LIBRARY_H

#include "base/diag.h"
#include "driver/cuda.h"

struct weir_cuda {
#define NEEDED(name, parameters) CUresult(*name) parameters;
#define OPTIONAL NEEDED
#include "driver/functions.def"
#undef OPTIONAL
#undef NEEDED
};

// False and a diagnostic if there is no such library on this machine, or it lacks a needed function. It stays open: the
// driver cannot be closed and opened again in one process.
bool weir_cuda_open(struct weir_cuda *cuda, struct weir_sink *sink);

// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"; valid until the next call.
const char *weir_cuda_error(const struct weir_cuda *cuda, CUresult error);

#endif
