// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What NVIDIA's runtime has and weir's has not: a program that is linked with it starts, and hears of it when it calls.
#include "cudart/runtime.h"

static cudaError_t missing(const char *name) {
  weir_device_say("weir does not provide %s", name);
  return weir_cuda_error(cudaErrorNotSupported);
}

#define PROVIDED(name)
#define MISSING(name)                                                                                                  \
  cudaError_t name(void);                                                                                              \
  cudaError_t name(void) {                                                                                             \
    return missing(#name);                                                                                             \
  }
#define X(name, state) state(name)
#include "binary/cuda_calls.def"
