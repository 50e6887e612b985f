// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The device code embedded in the program: modules as they registered themselves before main, their kernels and
// variables by the host address that stands for each. Invariant: registering only records; a module's PTX is read when
// something in it is first used, and read again after cudaDeviceReset.
#ifndef WEIR_CUDART_MODULES_H
#define WEIR_CUDART_MODULES_H

#include "cudart/runtime.h"

struct weir_cuda_module;

struct weir_cuda_function {
  struct weir_cuda_module *module;
  const void *host;                       // the stub that stands for it in host code
  const char *name;                       // in the PTX
  const struct weir_kernel *kernel;       // NULL: not looked up yet
  int max_dynamic_shared, carveout;       // what cudaFuncSetAttribute asked for (bytes, percent); -1: nothing
  enum cudaFuncCache cache;               // what cudaFuncSetCacheConfig asked for
  int cluster[3];                         // what cudaFuncSetAttribute asked for; zeros: nothing, as the kernel requires
  bool must_have_cluster, large_clusters; // likewise
  int cluster_policy;                     // likewise: a hint, kept for those that ask
};

// Of a launch of it: what that gives, else what the function has; zeros: nothing. cudaErrorInvalidClusterSize: that may not be, and a message
// said why.
cudaError_t weir_cuda_cluster(const struct weir_cuda_function *f, struct weir_dim given, struct weir_dim *cluster);

uint8_t weir_cuda_shared_preference(const struct weir_cuda_function *f); // of its launches: weir_device_launch's

// What a call means by `function`: the stub's address or a handle of cudaGetKernel and its like; its module is read if
// it was not. cudaErrorInvalidDeviceFunction: no such kernel; others: the module cannot be run, and a diagnostic said
// why.
cudaError_t weir_cuda_function(struct weir_device *d, const void *function, struct weir_cuda_function **f);
const struct weir_program *weir_cuda_function_program(const struct weir_cuda_function *f);
unsigned weir_cuda_function_arch(const struct weir_cuda_function *f); // that its PTX was compiled for: 75 of sm_75

// The same without reading the module; NULL: no such kernel.
struct weir_cuda_function *weir_cuda_function_known(const void *function);

// A device variable by its shadow in host code. cudaErrorInvalidSymbol: no such variable.
cudaError_t weir_cuda_variable(struct weir_device *d, const void *symbol, uint64_t *address, uint64_t *bytes);

// Whether that is a registered texture or surface reference (CUDA 11), which is a variable, too; and how it reads
// integers.
bool weir_cuda_reference(const void *reference, bool *normalized_float);

#endif
