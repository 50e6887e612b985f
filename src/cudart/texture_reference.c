// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Texture and surface references, which CUDA 12 removed: global objects of the program that are bound to memory. Binding
// writes the image's handle into the module's variable of that name.
#include "base/alloc.h"
#include "cudart/modules.h"
#include "cudart/properties.h"
#include "cudart/set.h"
#include "cudart/texture.h"

#include <string.h>

struct binding {
  uint64_t handle;
  size_t offset; // bytes from where the texture begins to what the program bound
};

static struct weir_cuda_set bound; // bindings, by reference

void weir_cuda_forget_references(void) {
  weir_cuda_set_clear(&bound, weir_free);
}

static cudaError_t write_handle(struct weir_device *d, const void *reference, uint64_t handle) {
  uint64_t address, bytes;
  const cudaError_t e = weir_cuda_variable(d, reference, &address, &bytes);
  void *at = e ? NULL : weir_device_at(d, address, sizeof handle);
  if (!at) return e ? e : cudaErrorInvalidTexture;
  memcpy(at, &handle, sizeof handle);
  return cudaSuccess;
}

static cudaError_t unbind(struct weir_device *d, const void *reference) {
  struct binding *b = weir_cuda_set_find(&bound, reference);
  if (!b) return cudaSuccess;
  weir_texture_remove(weir_device_memory(d), b->handle);
  weir_cuda_set_remove(&bound, reference);
  weir_free(b);
  return write_handle(d, reference, 0);
}

static cudaError_t bind_image(struct weir_device *d, const void *reference, const struct weir_texture *t,
                              size_t offset) {
  const cudaError_t e = unbind(d, reference);
  if (e) return e;
  struct binding *b = weir_new(struct binding);
  *b = (struct binding){weir_texture_add(weir_device_memory(d), t), offset};
  weir_cuda_set_add(&bound, reference, b);
  return write_handle(d, reference, b->handle);
}

// The reading is what the reference's members say now.
static cudaError_t bind_texture(struct weir_device *d, const char *call, const struct textureReference *reference,
                                const struct cudaResourceDesc *r, size_t offset) {
  struct weir_texture t;
  bool normalized_float;
  if (!weir_cuda_reference(reference, &normalized_float)) return cudaErrorInvalidTexture;
  cudaError_t e = weir_cuda_describe_resource(d, call, r, &t);
  if (e) return e;
  struct cudaTextureDesc s = {
    .filterMode = reference->filterMode,
    .readMode = normalized_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
    .sRGB = reference->sRGB,
    .normalizedCoords = reference->normalized,
  };
  memcpy(s.addressMode, reference->addressMode, sizeof s.addressMode);
  e = weir_cuda_describe_reading(call, &s, &t);
  return e ? e : bind_image(d, reference, &t, offset);
}

// What is not aligned is bound from the aligned address below; the program adds the offset to its coordinates.
static cudaError_t align(const void **pointer, size_t *offset) {
  const size_t past = (uintptr_t)*pointer % WEIR_CUDA_TEXTURE_ALIGN;
  if (past && !offset) return cudaErrorInvalidValue;
  *pointer = (const char *)*pointer - past;
  if (offset) *offset = past;
  return cudaSuccess;
}

// Programs that do not know how much there is bind as much as there can be (the call's default).
static size_t bytes_within(struct weir_device *d, const void *pointer, size_t bytes) {
  const uint64_t address = (uintptr_t)pointer;
  const struct weir_allocation *a = weir_memory_find(weir_device_memory(d), address);
  const uint64_t left = a && address - a->base < a->bytes ? a->bytes - (address - a->base) : 0;
  return bytes < left ? bytes : left;
}

static cudaError_t bind_linear(struct weir_device *d, size_t *offset, const struct textureReference *reference,
                               const void *pointer, const struct cudaChannelFormatDesc *desc, size_t bytes) {
  struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
  if (!reference || !desc) return cudaErrorInvalidValue;
  const cudaError_t e = align(&pointer, offset);
  if (e) return e;
  const size_t past = offset ? *offset : 0;
  r.res.linear.devPtr = (void *)(uintptr_t)pointer;
  r.res.linear.desc = *desc;
  r.res.linear.sizeInBytes = bytes_within(d, pointer, bytes > SIZE_MAX - past ? bytes : bytes + past);
  return bind_texture(d, "cudaBindTexture", reference, &r, past);
}

WEIR_CUDA_API(cudaError_t, cudaBindTexture, size_t *offset, const struct textureReference *reference,
              const void *pointer, const struct cudaChannelFormatDesc *desc, size_t bytes) {
  return WEIR_CUDA_CALL(bind_linear(d, offset, reference, pointer, desc, bytes));
}

static cudaError_t bind_pitched(struct weir_device *d, size_t *offset, const struct textureReference *reference,
                                const void *pointer, const struct cudaChannelFormatDesc *desc, size_t width,
                                size_t height, size_t pitch) {
  struct cudaResourceDesc r = {.resType = cudaResourceTypePitch2D};
  if (!reference || !desc) return cudaErrorInvalidValue;
  const cudaError_t e = align(&pointer, offset);
  if (e) return e;
  r.res.pitch2D.devPtr = (void *)(uintptr_t)pointer;
  r.res.pitch2D.desc = *desc;
  r.res.pitch2D.width = width;
  r.res.pitch2D.height = height;
  r.res.pitch2D.pitchInBytes = pitch;
  return bind_texture(d, "cudaBindTexture2D", reference, &r, offset ? *offset : 0);
}

WEIR_CUDA_API(cudaError_t, cudaBindTexture2D, size_t *offset, const struct textureReference *reference,
              const void *pointer, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
              size_t pitch) {
  return WEIR_CUDA_CALL(bind_pitched(d, offset, reference, pointer, desc, width, height, pitch));
}

static bool same_format(const struct cudaChannelFormatDesc *a, const struct cudaChannelFormatDesc *b) {
  return a->x == b->x && a->y == b->y && a->z == b->z && a->w == b->w && a->f == b->f;
}

static cudaError_t array_resource(cudaArray_const_t array, const struct cudaChannelFormatDesc *desc,
                                  struct cudaResourceDesc *r) {
  if (!desc) return cudaErrorInvalidValue;
  if (!weir_cuda_array_is_alive(array)) return cudaErrorInvalidResourceHandle;
  if (!same_format(&array->desc, desc)) return cudaErrorInvalidChannelDescriptor;
  *r = (struct cudaResourceDesc){.resType = cudaResourceTypeArray};
  r->res.array.array = (cudaArray_t)(uintptr_t)array;
  return cudaSuccess;
}

static cudaError_t bind_array(struct weir_device *d, const struct textureReference *reference, cudaArray_const_t array,
                              const struct cudaChannelFormatDesc *desc) {
  struct cudaResourceDesc r;
  const cudaError_t e = array_resource(array, desc, &r);
  return e ? e : bind_texture(d, "cudaBindTextureToArray", reference, &r, 0);
}

WEIR_CUDA_API(cudaError_t, cudaBindTextureToArray, const struct textureReference *reference, cudaArray_const_t array,
              const struct cudaChannelFormatDesc *desc) {
  return WEIR_CUDA_CALL(bind_array(d, reference, array, desc));
}

static cudaError_t bind_surface(struct weir_device *d, const struct surfaceReference *reference,
                                cudaArray_const_t array, const struct cudaChannelFormatDesc *desc) {
  struct cudaResourceDesc r;
  struct weir_texture t;
  bool normalized_float;
  if (!weir_cuda_reference(reference, &normalized_float)) return cudaErrorInvalidSurface;
  cudaError_t e = array_resource(array, desc, &r);
  if (!e) e = weir_cuda_describe_resource(d, "cudaBindSurfaceToArray", &r, &t);
  if (!e) e = weir_cuda_check_surface(d, &r);
  return e ? e : bind_image(d, reference, &t, 0);
}

WEIR_CUDA_API(cudaError_t, cudaBindSurfaceToArray, const struct surfaceReference *reference, cudaArray_const_t array,
              const struct cudaChannelFormatDesc *desc) {
  return WEIR_CUDA_CALL(bind_surface(d, reference, array, desc));
}

static cudaError_t unbind_texture(struct weir_device *d, const struct textureReference *reference) {
  bool normalized_float;
  return weir_cuda_reference(reference, &normalized_float) ? unbind(d, reference) : cudaErrorInvalidTexture;
}

WEIR_CUDA_API(cudaError_t, cudaUnbindTexture, const struct textureReference *reference) {
  return WEIR_CUDA_CALL(unbind_texture(d, reference));
}

static cudaError_t offset_of(size_t *offset, const struct textureReference *reference) {
  bool normalized_float;
  if (!offset) return cudaErrorInvalidValue;
  if (!weir_cuda_reference(reference, &normalized_float)) return cudaErrorInvalidTexture;
  const struct binding *b = weir_cuda_set_find(&bound, reference);
  if (!b) return cudaErrorInvalidTextureBinding;
  *offset = b->offset;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGetTextureAlignmentOffset, size_t *offset, const struct textureReference *reference) {
  return WEIR_CUDA_CALL(offset_of(offset, reference));
}

// The program's own object is what stands for the reference.
static cudaError_t find(const void **reference, const void *symbol, cudaError_t missing) {
  bool normalized_float;
  if (!reference) return cudaErrorInvalidValue;
  if (!weir_cuda_reference(symbol, &normalized_float)) return missing;
  *reference = symbol;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGetTextureReference, const void **reference, const void *symbol) {
  return WEIR_CUDA_CALL(find(reference, symbol, cudaErrorInvalidTexture));
}

WEIR_CUDA_API(cudaError_t, cudaGetSurfaceReference, const void **reference, const void *symbol) {
  return WEIR_CUDA_CALL(find(reference, symbol, cudaErrorInvalidSurface));
}
