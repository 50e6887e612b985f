// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Device memory.
#include "cudart/memory.h"

#include "cudart/capture.h"
#include "cudart/graph_memory.h"

cudaError_t weir_cuda_allocate(struct weir_device *d, const char *call, void **pointer, size_t bytes) {
  static unsigned long number;
  char name[64];
  *pointer = NULL;
  if (!bytes) return cudaSuccess;
  snprintf(name, sizeof name, "%s %lu", call, ++number);
  *pointer = (void *)(uintptr_t)weir_device_alloc(d, name, bytes);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t weir_cuda_release(struct weir_device *d, const char *call, void *pointer) {
  if (!pointer || weir_cuda_host_release(pointer, WEIR_CUDA_MANAGED)) return cudaSuccess;
  if (!weir_cuda_graph_memory_at(pointer) && weir_device_release(d, (uintptr_t)pointer))
    return weir_cuda_pool_gave_back(pointer), cudaSuccess;
  struct weir_cuda_graph_memory *m = weir_cuda_graph_memory_at(pointer);
  if (m && weir_cuda_graph_memory_free(m)) return cudaSuccess;
  weir_device_say("%s: no allocation begins at %p", call, pointer);
  return cudaErrorInvalidValue;
}

WEIR_CUDA_API(cudaError_t, cudaMalloc, void **pointer, size_t bytes) {
  return WEIR_CUDA_UNSAFE_CALL(pointer ? weir_cuda_allocate(d, "cudaMalloc", pointer, bytes) : cudaErrorInvalidValue);
}

// CUDA Runtime API, "API synchronization behavior", and cudaFree: it waits for the device.
WEIR_CUDA_API(cudaError_t, cudaFree, void *pointer) {
  return WEIR_CUDA_UNSAFE_CALL(({
    weir_device_host_waits_for_all(d);
    weir_cuda_release(d, "cudaFree", pointer);
  }));
}

static cudaError_t info(const struct weir_device *d, size_t *free_bytes, size_t *total_bytes) {
  const struct weir_device_facts f = weir_device_facts(d);
  if (!free_bytes || !total_bytes) return cudaErrorInvalidValue;
  *total_bytes = f.memory_bytes;
  *free_bytes = f.memory_bytes > f.memory_used_bytes ? f.memory_bytes - f.memory_used_bytes : 0;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMemGetInfo, size_t *free_bytes, size_t *total_bytes) {
  return WEIR_CUDA_CALL(info(d, free_bytes, total_bytes));
}
