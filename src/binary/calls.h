// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which functions of the CUDA runtime weir provides. Invariant: binary/cuda_calls.def is the one list of them.
#ifndef WEIR_BINARY_CALLS_H
#define WEIR_BINARY_CALLS_H

enum weir_cuda_call {
  WEIR_CUDA_NONE,    // no function of the CUDA runtime
  WEIR_CUDA_MISSING, // one, by the list or (of a version newer than the list) by its name
  WEIR_CUDA_PROVIDED,
};

enum weir_cuda_call weir_cuda_call(const char *name);

#endif
