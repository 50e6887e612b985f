// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stream-ordered allocation. A pool counts what was taken from it; it keeps nothing back, so that what is reserved is
// what is used, and there is nothing to trim.
#include "cudart/capture.h"
#include "cudart/graph_node.h"
#include "cudart/memory.h"
#include "cudart/set.h"
#include "cudart/stream.h"

#include "base/alloc.h"

struct CUmemPoolHandle_st {
  int reuse[cudaMemPoolReuseAllowInternalDependencies + 1]; // by attribute
  uint64_t threshold, used, high;
};

struct taken {
  struct CUmemPoolHandle_st *pool;
  uint64_t bytes;
};

static struct CUmemPoolHandle_st default_pool = {.reuse = {0, 1, 1, 1}};
static struct CUmemPoolHandle_st *current_pool = &default_pool;
static struct weir_cuda_set pools, allocations; // by handle; by address

static struct CUmemPoolHandle_st *find(cudaMemPool_t pool) {
  return pool == &default_pool ? &default_pool : weir_cuda_set_find(&pools, pool);
}

void weir_cuda_forget_pools(void) {
  weir_cuda_set_clear(&pools, weir_free);
  weir_cuda_set_clear(&allocations, weir_free);
  default_pool.used = default_pool.high = 0;
  current_pool = &default_pool;
}

// ---- allocations ----------------------------------------------------------------------------------------------------

// Of a capturing stream the memory is the graph's. *node: it captures. A node that cannot do what it should ends the capture.
static cudaError_t capture_allocation(struct weir_device *d, void **pointer, size_t bytes, cudaStream_t stream,
                                      cudaGraphNode_t *node) {
  cudaError_t e = weir_cuda_capture(stream, cudaGraphNodeTypeMemAlloc, node);
  if (e || !*node) return e;
  e = weir_cuda_node_set_memory(d, *node, bytes);
  *pointer = e ? NULL : (*node)->what.memory->address;
  if (e) (void)weir_cuda_capture_forbids(stream);
  return e;
}

static cudaError_t capture_free(void *pointer, cudaStream_t stream, cudaGraphNode_t *node) {
  cudaError_t e = weir_cuda_capture(stream, cudaGraphNodeTypeMemFree, node);
  if (e || !*node) return e;
  e = weir_cuda_node_set_free(*node, pointer);
  if (e) (void)weir_cuda_capture_forbids(stream);
  return e;
}

static cudaError_t allocate(struct weir_device *d, void **pointer, size_t bytes, cudaMemPool_t handle,
                            cudaStream_t stream) {
  struct CUmemPoolHandle_st *pool = find(handle);
  if (!pointer || !pool) return cudaErrorInvalidValue;
  cudaGraphNode_t node;
  cudaError_t e = capture_allocation(d, pointer, bytes, stream, &node);
  if (!e && !node) e = weir_cuda_allocate(d, "cudaMallocAsync", pointer, bytes);
  if (e || node || !*pointer) return e;
  struct taken *t = weir_new(struct taken);
  *t = (struct taken){pool, bytes};
  weir_cuda_set_add(&allocations, *pointer, t);
  pool->used += bytes;
  if (pool->used > pool->high) pool->high = pool->used;
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMallocAsync, (void **pointer, size_t bytes, cudaStream_t stream),
                   (pointer, bytes, stream)) {
  return WEIR_CUDA_CALL(allocate(d, pointer, bytes, current_pool, stream));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMallocFromPoolAsync,
                   (void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                   (pointer, bytes, pool, stream)) {
  return WEIR_CUDA_CALL(allocate(d, pointer, bytes, pool, stream));
}

void weir_cuda_pool_gave_back(const void *pointer) {
  struct taken *t = weir_cuda_set_find(&allocations, pointer);
  if (!t) return;
  t->pool->used -= t->bytes;
  weir_cuda_set_remove(&allocations, pointer);
  weir_free(t);
}

static cudaError_t release(struct weir_device *d, void *pointer, cudaStream_t stream) {
  cudaGraphNode_t node;
  const cudaError_t e = capture_free(pointer, stream, &node);
  return e || node ? e : weir_cuda_release(d, "cudaFreeAsync", pointer);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaFreeAsync, (void *pointer, cudaStream_t stream), (pointer, stream)) {
  return WEIR_CUDA_CALL(release(d, pointer, stream));
}

// ---- pools ----------------------------------------------------------------------------------------------------------

static cudaError_t give(cudaMemPool_t *at, cudaMemPool_t pool, int device) {
  if (!at) return cudaErrorInvalidValue;
  if (device) return cudaErrorInvalidDevice;
  *at = pool;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceGetDefaultMemPool, cudaMemPool_t *pool, int device) {
  return WEIR_CUDA_CALL(give(pool, &default_pool, device));
}

WEIR_CUDA_API(cudaError_t, cudaDeviceGetMemPool, cudaMemPool_t *pool, int device) {
  return WEIR_CUDA_CALL(give(pool, current_pool, device));
}

static cudaError_t choose(int device, cudaMemPool_t pool) {
  if (device) return cudaErrorInvalidDevice;
  if (!find(pool)) return cudaErrorInvalidValue;
  current_pool = pool;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceSetMemPool, int device, cudaMemPool_t pool) {
  return WEIR_CUDA_CALL(choose(device, pool));
}

static cudaError_t create(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
  if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  if (properties->location.type != cudaMemLocationTypeDevice || properties->handleTypes) {
    weir_device_say("cudaMemPoolCreate: weir's pools are in device memory, and are not shared between processes");
    return cudaErrorNotSupported;
  }
  if (properties->location.id) return cudaErrorInvalidDevice;
  *pool = weir_new(struct CUmemPoolHandle_st);
  **pool = (struct CUmemPoolHandle_st){.reuse = {0, 1, 1, 1}};
  weir_cuda_set_add(&pools, *pool, *pool);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMemPoolCreate, cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
  return WEIR_CUDA_CALL(create(pool, properties));
}

static void move_to_default(void *value) {
  struct taken *t = value;
  if (!weir_cuda_set_find(&pools, t->pool)) t->pool = &default_pool;
}

// What is still allocated stays, until it is freed.
static cudaError_t destroy(cudaMemPool_t pool) {
  if (!weir_cuda_set_remove(&pools, pool)) return cudaErrorInvalidValue;
  default_pool.used += pool->used;
  weir_cuda_set_each(&allocations, move_to_default);
  if (current_pool == pool) current_pool = &default_pool;
  weir_free(pool);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMemPoolDestroy, cudaMemPool_t pool) {
  return WEIR_CUDA_CALL(destroy(pool));
}

WEIR_CUDA_API(cudaError_t, cudaMemPoolTrimTo, cudaMemPool_t pool, size_t keep) {
  (void)keep;
  return WEIR_CUDA_CALL(find(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t set_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, const void *value) {
  struct CUmemPoolHandle_st *pool = find(handle);
  if (!pool || !value) return cudaErrorInvalidValue;
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies: pool->reuse[attribute] = *(const int *)value; return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold: pool->threshold = *(const uint64_t *)value; return cudaSuccess;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh: // it can only be started anew
    if (*(const uint64_t *)value) return cudaErrorInvalidValue;
    pool->high = pool->used;
    return cudaSuccess;
  default: return cudaErrorInvalidValue;
  }
}

WEIR_CUDA_API(cudaError_t, cudaMemPoolSetAttribute, cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  return WEIR_CUDA_CALL(set_attribute(pool, attribute, value));
}

static cudaError_t get_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute, void *value) {
  const struct CUmemPoolHandle_st *pool = find(handle);
  if (!pool || !value) return cudaErrorInvalidValue;
  switch (attribute) {
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies: *(int *)value = pool->reuse[attribute]; return cudaSuccess;
  case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->threshold; return cudaSuccess;
  case cudaMemPoolAttrReservedMemCurrent:
  case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; return cudaSuccess;
  case cudaMemPoolAttrReservedMemHigh:
  case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->high; return cudaSuccess;
  default: return cudaErrorInvalidValue;
  }
}

WEIR_CUDA_API(cudaError_t, cudaMemPoolGetAttribute, cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  return WEIR_CUDA_CALL(get_attribute(pool, attribute, value));
}

// There is one device, which owns its pools.
static cudaError_t set_access(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count) {
  if (!find(pool) || (count && !access)) return cudaErrorInvalidValue;
  for (size_t k = 0; k < count; k++) {
    if (access[k].location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
    if (access[k].location.id) return cudaErrorInvalidDevice;
    // An owner's rights are not taken away.
    if (access[k].flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMemPoolSetAccess, cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
              size_t count) {
  return WEIR_CUDA_CALL(set_access(pool, access, count));
}

static cudaError_t get_access(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                              const struct cudaMemLocation *location) {
  if (!flags || !find(pool) || !location || location->type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
  if (location->id) return cudaErrorInvalidDevice;
  *flags = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMemPoolGetAccess, enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
              struct cudaMemLocation *location) {
  return WEIR_CUDA_CALL(get_access(flags, pool, location));
}
