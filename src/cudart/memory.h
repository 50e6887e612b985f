// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Memory of the host that kernels may touch, at its own address: pinned, registered and managed. Invariant: each block
// is mapped into the device's memory for as long as it is in this table.
#ifndef WEIR_CUDART_MEMORY_H
#define WEIR_CUDART_MEMORY_H

#include "cudart/runtime.h"

enum weir_cuda_host_kind { WEIR_CUDA_PINNED, WEIR_CUDA_REGISTERED, WEIR_CUDA_MANAGED };

struct weir_cuda_host_block {
  struct weir_device *device; // that it is mapped into
  void *base;
  size_t bytes;
  struct weir_pages pages; // of managed memory
  enum weir_cuda_host_kind kind;
  unsigned flags;
};

// The block that `pointer` points into; NULL: none.
const struct weir_cuda_host_block *weir_cuda_host_block(struct weir_device *d, const void *pointer);
// Releases a block of that kind that begins there. False: there is none.
bool weir_cuda_host_release(void *base, enum weir_cuda_host_kind kind);

// Device memory, named after the call that asked for it. cudaErrorMemoryAllocation: the chip has not that much left.
cudaError_t weir_cuda_allocate(struct weir_device *d, const char *call, void **pointer, size_t bytes);
// Device or managed memory, at its beginning. cudaErrorInvalidValue: nothing begins there.
cudaError_t weir_cuda_release(struct weir_device *d, const char *call, void *pointer);

// A pointer that may have come out of a pool was released.
void weir_cuda_pool_gave_back(const void *pointer);

#endif
