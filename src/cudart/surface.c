// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Surface objects.
#include "base/alloc.h"
#include "cudart/set.h"
#include "cudart/texture.h"

#include <string.h>

static struct weir_cuda_set objects; // resources, by handle

static const void *key(cudaSurfaceObject_t handle) {
  return (const void *)(uintptr_t)handle;
}

static cudaError_t create(struct weir_device *d, cudaSurfaceObject_t *handle, const struct cudaResourceDesc *resource) {
  struct weir_texture t;
  struct cudaResourceDesc r = {0};
  if (!handle || !resource) return cudaErrorInvalidValue;
  memcpy(&r, resource, weir_cuda_resource_bytes());
  cudaError_t e = weir_cuda_describe_resource(d, "cudaCreateSurfaceObject", &r, &t);
  if (!e) e = weir_cuda_check_surface(d, &r);
  if (e) return e;
  struct cudaResourceDesc *kept = weir_new(struct cudaResourceDesc);
  *kept = r;
  *handle = weir_texture_add(weir_device_memory(d), &t);
  weir_cuda_set_add(&objects, key(*handle), kept);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaCreateSurfaceObject, cudaSurfaceObject_t *handle,
              const struct cudaResourceDesc *resource) {
  return WEIR_CUDA_CALL(create(d, handle, resource));
}

static cudaError_t destroy(struct weir_device *d, cudaSurfaceObject_t handle) {
  struct cudaResourceDesc *r = weir_cuda_set_find(&objects, key(handle));
  if (!handle) return cudaSuccess;
  if (!r) return cudaErrorInvalidResourceHandle;
  weir_texture_remove(weir_device_memory(d), handle);
  weir_cuda_set_remove(&objects, key(handle));
  weir_free(r);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDestroySurfaceObject, cudaSurfaceObject_t handle) {
  return WEIR_CUDA_CALL(destroy(d, handle));
}

static cudaError_t give_resource(void *to, cudaSurfaceObject_t handle) {
  const struct cudaResourceDesc *r = weir_cuda_set_find(&objects, key(handle));
  if (!to || !r) return cudaErrorInvalidValue;
  memcpy(to, r, weir_cuda_resource_bytes());
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGetSurfaceObjectResourceDesc, struct cudaResourceDesc *to, cudaSurfaceObject_t handle) {
  return WEIR_CUDA_CALL(give_resource(to, handle));
}

void weir_cuda_forget_surfaces(void) {
  weir_cuda_set_clear(&objects, weir_free);
}
