// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Error codes: their names and texts, and a thread's last one.
#include "cudart/runtime.h"

static const struct error {
  cudaError_t value;
  const char *name, *text;
} errors[] = {
#define X(name, value, text) {name, #name, text},
#include "cudart/errors.def"
#undef X
};

static const struct error *find(cudaError_t e) {
  static const struct error unknown = {0, "unrecognized error code", "unrecognized error code"};
  for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
    if (errors[k].value == e) return &errors[k];
  return &unknown;
}

WEIR_CUDA_API(const char *, cudaGetErrorName, cudaError_t e) {
  return find(e)->name;
}

WEIR_CUDA_API(const char *, cudaGetErrorString, cudaError_t e) {
  return find(e)->text;
}

WEIR_CUDA_API(cudaError_t, cudaGetLastError, void) {
  return weir_cuda_last_error(true);
}

WEIR_CUDA_API(cudaError_t, cudaPeekAtLastError, void) {
  return weir_cuda_last_error(false);
}
