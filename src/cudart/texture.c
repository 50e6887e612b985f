// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Texture objects.
#include "cudart/texture.h"

#include "base/alloc.h"
#include "cudart/set.h"

#include <string.h>

struct object {
  struct cudaResourceDesc resource;
  struct cudaTextureDesc texture;
};

static struct weir_cuda_set objects; // by handle

static const void *key(cudaTextureObject_t handle) {
  return (const void *)(uintptr_t)handle;
}

// A view changes format or extent of an array; one without a format changes nothing.
static cudaError_t check_view(const char *call, const struct cudaResourceViewDesc *view) {
  if (!view || !view->format) return cudaSuccess;
  weir_device_say("%s: weir does not provide resource views", call);
  return cudaErrorNotSupported;
}

static cudaError_t create(struct weir_device *d, cudaTextureObject_t *handle, const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *texture, size_t texture_bytes,
                          const struct cudaResourceViewDesc *view) {
  static const char call[] = "cudaCreateTextureObject";
  struct weir_texture t;
  struct object o = {0};
  if (!handle || !resource || !texture) return cudaErrorInvalidValue;
  memcpy(&o.resource, resource, weir_cuda_resource_bytes());
  memcpy(&o.texture, texture, texture_bytes);
  cudaError_t e = check_view(call, view);
  if (!e) e = weir_cuda_describe_resource(d, call, &o.resource, &t);
  if (!e) e = weir_cuda_describe_reading(call, &o.texture, &t);
  if (e) return e;
  struct object *kept = weir_new(struct object);
  *kept = o;
  *handle = weir_texture_add(weir_device_memory(d), &t);
  weir_cuda_set_add(&objects, key(*handle), kept);
  return cudaSuccess;
}

// CUDA 11's first form of the call knew a shorter description.
static size_t texture_bytes(void) {
  return weir_cuda_version < 12000 ? offsetof(struct cudaTextureDesc, seamlessCubemap) : sizeof(struct cudaTextureDesc);
}

WEIR_CUDA_API(cudaError_t, cudaCreateTextureObject, cudaTextureObject_t *handle,
              const struct cudaResourceDesc *resource, const struct cudaTextureDesc *texture,
              const struct cudaResourceViewDesc *view) {
  return WEIR_CUDA_CALL(create(d, handle, resource, texture, texture_bytes(), view));
}

WEIR_CUDA_API(cudaError_t, cudaCreateTextureObject_v2, cudaTextureObject_t *handle,
              const struct cudaResourceDesc *resource, const struct cudaTextureDesc *texture,
              const struct cudaResourceViewDesc *view) {
  return WEIR_CUDA_CALL(create(d, handle, resource, texture, sizeof *texture, view));
}

static cudaError_t destroy(struct weir_device *d, cudaTextureObject_t handle) {
  struct object *o = weir_cuda_set_find(&objects, key(handle));
  if (!handle) return cudaSuccess;
  if (!o) return cudaErrorInvalidResourceHandle;
  weir_texture_remove(weir_device_memory(d), handle);
  weir_cuda_set_remove(&objects, key(handle));
  weir_free(o);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDestroyTextureObject, cudaTextureObject_t handle) {
  return WEIR_CUDA_CALL(destroy(d, handle));
}

// ---- what they were made of -----------------------------------------------------------------------------------------------

static cudaError_t give_resource(void *to, cudaTextureObject_t handle) {
  const struct object *o = weir_cuda_set_find(&objects, key(handle));
  if (!to || !o) return cudaErrorInvalidValue;
  memcpy(to, &o->resource, weir_cuda_resource_bytes());
  return cudaSuccess;
}

static cudaError_t give_texture(void *to, cudaTextureObject_t handle, size_t bytes) {
  const struct object *o = weir_cuda_set_find(&objects, key(handle));
  if (!to || !o) return cudaErrorInvalidValue;
  memcpy(to, &o->texture, bytes);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGetTextureObjectResourceDesc, struct cudaResourceDesc *to, cudaTextureObject_t handle) {
  return WEIR_CUDA_CALL(give_resource(to, handle));
}

WEIR_CUDA_API(cudaError_t, cudaGetTextureObjectTextureDesc, struct cudaTextureDesc *to, cudaTextureObject_t handle) {
  return WEIR_CUDA_CALL(give_texture(to, handle, texture_bytes()));
}

WEIR_CUDA_API(cudaError_t, cudaGetTextureObjectTextureDesc_v2, struct cudaTextureDesc *to, cudaTextureObject_t handle) {
  return WEIR_CUDA_CALL(give_texture(to, handle, sizeof *to));
}

// No object has a view.
WEIR_CUDA_API(cudaError_t, cudaGetTextureObjectResourceViewDesc, struct cudaResourceViewDesc *to,
              cudaTextureObject_t handle) {
  (void)to, (void)handle;
  return weir_cuda_error(cudaErrorInvalidValue);
}

void weir_cuda_forget_textures(void) {
  weir_cuda_set_clear(&objects, weir_free);
}
