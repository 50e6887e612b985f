// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Limits and cache preferences of the device. The heap of device code's malloc is a limit here, and so is the stack of a
// kernel whose calls may recurse, once a program sets it (without recursion a stack is as large as a kernel needs), the L2's persisting
// lines and what it fetches where a sector misses; and the cache preference is that of kernels that have none. Printf's text is written at once: the other values are kept for those who ask
// for them again.
#include "cudart/runtime.h"

// A thread has 512 KiB of local memory (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"), of
// which half is left to frames that do not recurse.
enum { LIMITS = cudaLimitPersistingL2CacheSize + 1, DEFAULT_HEAP = 8 << 20, MOST_STACK = 256 << 10, MOST_FETCH = 128 };

static const size_t defaults[LIMITS] = {
  [cudaLimitStackSize] = 1024,           [cudaLimitPrintfFifoSize] = 1 << 20,
  [cudaLimitDevRuntimeSyncDepth] = 2,    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
  [cudaLimitMaxL2FetchGranularity] = 64,
};
static size_t kept[LIMITS];
static bool is_kept[LIMITS];
static enum cudaFuncCache cache_config;
static enum cudaSharedMemConfig shared_config;

void weir_cuda_forget_limits(struct weir_device *d) {
  for (unsigned k = 0; k < LIMITS; k++) is_kept[k] = false;
  weir_device_set_heap_bytes(d, DEFAULT_HEAP);
  weir_device_set_stack_bytes(d, 0);
  weir_device_limit_persisting(d, weir_device_facts(d).persisting_bytes);
  weir_device_limit_fetch(d, weir_device_facts(d).fetch_bytes);
  cache_config = cudaFuncCachePreferNone;
  shared_config = cudaSharedMemBankSizeDefault;
}

// "A value between 0 and 128 that indicates the maximum fetch granularity of L2 (in bytes). This is a hint" (CUDA's driver_types.h).
static cudaError_t limit_fetch(struct weir_device *d, size_t bytes) {
  if (bytes > MOST_FETCH) return cudaErrorInvalidValue;
  if (!weir_device_limit_fetch(d, bytes))
    weir_device_say(
      "cudaDeviceSetLimit: what this chip's L2 fetches is not known to depend on cudaLimitMaxL2FetchGranularity");
  else if (bytes != 32 && bytes != 64 && bytes != MOST_FETCH)
    weir_device_say(
      "cudaDeviceSetLimit: a fetch granularity of %zu bytes is taken for the next of 32, 64 and 128 below it", bytes);
  return cudaSuccess;
}

static cudaError_t set_limit(struct weir_device *d, enum cudaLimit limit, size_t value) {
  if ((unsigned)limit >= LIMITS) return cudaErrorUnsupportedLimit;
  if (limit == cudaLimitStackSize && value > MOST_STACK) {
    weir_device_say("cudaDeviceSetLimit: a stack of %zu bytes a thread; %d are the most", value, MOST_STACK);
    return cudaErrorInvalidValue;
  }
  if (limit == cudaLimitPersistingL2CacheSize) {
    if (value > weir_device_facts(d).persisting_bytes) return cudaErrorInvalidValue;
    weir_device_limit_persisting(d, value);
  }
  if (limit == cudaLimitMaxL2FetchGranularity) {
    const cudaError_t e = limit_fetch(d, value);
    if (e) return e;
  }
  if (limit == cudaLimitMallocHeapSize) weir_device_set_heap_bytes(d, value);
  if (limit == cudaLimitStackSize) weir_device_set_stack_bytes(d, (uint32_t)value);
  kept[limit] = value;
  is_kept[limit] = true;
  return cudaSuccess;
}

static cudaError_t get_limit(const struct weir_device *d, size_t *value, enum cudaLimit limit) {
  if (!value) return cudaErrorInvalidValue;
  if ((unsigned)limit >= LIMITS) return cudaErrorUnsupportedLimit;
  if (limit == cudaLimitMallocHeapSize)
    *value = weir_device_heap_bytes(d);
  else if (limit == cudaLimitPersistingL2CacheSize && !is_kept[limit])
    *value = weir_device_facts(d).persisting_bytes;
  else if (limit == cudaLimitMaxL2FetchGranularity && !is_kept[limit] && weir_device_facts(d).fetch_bytes)
    *value = weir_device_facts(d).fetch_bytes;
  else
    *value = is_kept[limit] ? kept[limit] : defaults[limit];
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceSetLimit, enum cudaLimit limit, size_t value) {
  return WEIR_CUDA_CALL(set_limit(d, limit, value));
}
WEIR_CUDA_ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit);

WEIR_CUDA_API(cudaError_t, cudaDeviceGetLimit, size_t *value, enum cudaLimit limit) {
  return WEIR_CUDA_CALL(get_limit(d, value, limit));
}
WEIR_CUDA_ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit);

// ---- how memory is to be split --------------------------------------------------------------------------------------

static cudaError_t set_cache_config(enum cudaFuncCache config) {
  if ((unsigned)config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
  cache_config = config;
  return cudaSuccess;
}

enum cudaFuncCache weir_cuda_cache_config(void) {
  return cache_config;
}

static cudaError_t get_cache_config(enum cudaFuncCache *config) {
  if (!config) return cudaErrorInvalidValue;
  *config = cache_config;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceSetCacheConfig, enum cudaFuncCache config) {
  return WEIR_CUDA_CALL(set_cache_config(config));
}
WEIR_CUDA_ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);

WEIR_CUDA_API(cudaError_t, cudaDeviceGetCacheConfig, enum cudaFuncCache *config) {
  return WEIR_CUDA_CALL(get_cache_config(config));
}
WEIR_CUDA_ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);

static cudaError_t set_shared_config(enum cudaSharedMemConfig config) {
  if ((unsigned)config > cudaSharedMemBankSizeEightByte) return cudaErrorInvalidValue;
  shared_config = config;
  return cudaSuccess;
}

static cudaError_t get_shared_config(enum cudaSharedMemConfig *config) {
  if (!config) return cudaErrorInvalidValue;
  *config = shared_config;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceSetSharedMemConfig, enum cudaSharedMemConfig config) {
  return WEIR_CUDA_CALL(set_shared_config(config));
}

WEIR_CUDA_API(cudaError_t, cudaDeviceGetSharedMemConfig, enum cudaSharedMemConfig *config) {
  return WEIR_CUDA_CALL(get_shared_config(config));
}
