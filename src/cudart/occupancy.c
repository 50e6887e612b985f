// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How many blocks of a kernel are on a core at a time.
#include "cudart/modules.h"

enum { FLAGS = 1 }; // cudaOccupancyDisableCachingOverride: caching does not depend on occupancy here

static cudaError_t active_blocks(struct weir_device *d, int *blocks, const void *function, int threads, size_t shared,
                                 unsigned flags) {
  struct weir_cuda_function *f;
  if (!blocks || threads <= 0 || flags & ~(unsigned)FLAGS) return cudaErrorInvalidValue;
  const cudaError_t e = weir_cuda_function(d, function, &f);
  if (!e) *blocks = (int)weir_device_occupancy(d, f->kernel, (unsigned)threads, shared, weir_cuda_shared_preference(f));
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *function,
              int threads, size_t shared) {
  return WEIR_CUDA_CALL(active_blocks(d, blocks, function, threads, shared, 0));
}

WEIR_CUDA_API(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *function,
              int threads, size_t shared, unsigned flags) {
  return WEIR_CUDA_CALL(active_blocks(d, blocks, function, threads, shared, flags));
}

// The most dynamic shared memory with which so many blocks are on a core: occupancy falls with it.
static cudaError_t available(struct weir_device *d, size_t *bytes, const void *function, int blocks, int threads) {
  struct weir_cuda_function *f;
  if (!bytes || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
  const cudaError_t e = weir_cuda_function(d, function, &f);
  if (e) return e;
  const struct weir_device_facts facts = weir_device_facts(d);
  const uint8_t preference = weir_cuda_shared_preference(f);
  if (weir_device_occupancy(d, f->kernel, (unsigned)threads, 0, preference) < (unsigned)blocks)
    return cudaErrorInvalidValue;
  uint64_t fits = 0, too_much = (uint64_t)facts.shared_bytes + 1;
  while (too_much - fits > 1) {
    const uint64_t middle = fits + (too_much - fits) / 2;
    if (weir_device_occupancy(d, f->kernel, (unsigned)threads, middle, preference) >= (unsigned)blocks)
      fits = middle;
    else
      too_much = middle;
  }
  *bytes = fits;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *function, int blocks,
              int threads) {
  return WEIR_CUDA_CALL(available(d, bytes, function, blocks, threads));
}
