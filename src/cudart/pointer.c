// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a pointer points to.
#include "cudart/memory.h"

#include <string.h>

static struct cudaPointerAttributes attributes_of(struct weir_device *d, const void *pointer) {
  const uint64_t address = (uintptr_t)pointer;
  const struct weir_allocation *a = weir_memory_find(weir_device_memory(d), address);
  const struct weir_cuda_host_block *b = weir_cuda_host_block(d, pointer);
  void *own = (void *)(uintptr_t)pointer;
  if (!a || address - a->base >= a->bytes)
    return (struct cudaPointerAttributes){cudaMemoryTypeUnregistered, cudaInvalidDeviceId, NULL, own, {0}};
  if (!a->mapped) return (struct cudaPointerAttributes){cudaMemoryTypeDevice, 0, own, NULL, {0}};
  const bool managed = !b || b->kind == WEIR_CUDA_MANAGED; // no block: a __managed__ variable
  return (struct cudaPointerAttributes){managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost, 0, own, own, {0}};
}

static cudaError_t get(struct weir_device *d, struct cudaPointerAttributes *attributes, const void *pointer) {
  if (!attributes || !pointer) return cudaErrorInvalidValue;
  const struct cudaPointerAttributes found = attributes_of(d, pointer);
  const size_t before_13 = offsetof(struct cudaPointerAttributes, reserved);
  memcpy(attributes, &found, weir_cuda_version >= 13000 ? sizeof found : before_13);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaPointerGetAttributes, struct cudaPointerAttributes *attributes, const void *pointer) {
  return WEIR_CUDA_CALL(get(d, attributes, pointer));
}
