// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels as handles, and what is known of one by its name and parameters.
#include "cudart/modules.h"

static cudaError_t handle_of(void **handle, const void *function) {
  if (!handle) return cudaErrorInvalidValue;
  struct weir_cuda_function *f = weir_cuda_function_known(function);
  *handle = f;
  return f ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

// Asked for before every launch; what is wrong with the module is said by the launch.
static cudaError_t handle_now(void **handle, const void *function) {
  weir_device_lock();
  return weir_cuda_leave(handle_of(handle, function));
}

WEIR_CUDA_API(cudaError_t, __cudaGetKernel, cudaKernel_t *kernel, const void *function) {
  return handle_now((void **)kernel, function);
}

WEIR_CUDA_API(cudaError_t, cudaGetKernel, cudaKernel_t *kernel, const void *function) {
  return handle_now((void **)kernel, function);
}

WEIR_CUDA_API(cudaError_t, cudaGetFuncBySymbol, cudaFunction_t *handle, const void *function) {
  return handle_now((void **)handle, function);
}

static cudaError_t name_of(struct weir_device *d, const char **name, const void *function) {
  struct weir_cuda_function *f;
  if (!name) return cudaErrorInvalidValue;
  const cudaError_t e = weir_cuda_function(d, function, &f);
  if (!e) *name = f->name;
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaFuncGetName, const char **name, const void *function) {
  return WEIR_CUDA_CALL(name_of(d, name, function));
}

static cudaError_t param_of(struct weir_device *d, const void *function, size_t index, size_t *offset, size_t *bytes) {
  struct weir_cuda_function *f;
  if (!offset) return cudaErrorInvalidValue;
  const cudaError_t e = weir_cuda_function(d, function, &f);
  if (e) return e;
  if (index >= f->kernel->param_count) return cudaErrorInvalidValue;
  *offset = f->kernel->params[index].offset;
  if (bytes) *bytes = f->kernel->params[index].bytes;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaFuncGetParamInfo, const void *function, size_t index, size_t *offset, size_t *bytes) {
  return WEIR_CUDA_CALL(param_of(d, function, index, offset, bytes));
}
