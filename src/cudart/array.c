// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/array.h"

#include "base/alloc.h"
#include "cudart/capture.h"
#include "cudart/memory.h"
#include "cudart/properties.h"
#include "cudart/set.h"

enum { KNOWN_FLAGS = cudaArrayLayered | cudaArraySurfaceLoadStore };

static struct weir_cuda_set alive;

bool weir_cuda_array_is_alive(cudaArray_const_t array) {
  return weir_cuda_set_find(&alive, array) != NULL;
}

void weir_cuda_forget_arrays(void) {
  weir_cuda_set_clear(&alive, weir_free);
}

// The largest extents of the kind of array that this is (of textures; a surface's limit is found when it is made).
static bool fits(const struct weir_device *d, const struct cudaExtent *e, bool layered) {
  int a[WEIR_CUDA_ATTRIBUTES];
  weir_cuda_attributes(d, a);
#define MOST(attribute) ((size_t)a[WEIR_CUDA_ATTRIBUTE_##attribute])
  if (layered)
    return e->depth && e->width <= MOST(MaxTexture2DLayeredWidth) && e->height <= MOST(MaxTexture2DLayeredHeight) &&
      e->depth <= MOST(MaxTexture2DLayeredLayers);
  if (!e->depth) {
    if (!e->height) return e->width <= MOST(MaxTexture1DWidth);
    return e->width <= MOST(MaxTexture2DWidth) && e->height <= MOST(MaxTexture2DHeight);
  }
  return e->height &&
    ((e->width <= MOST(MaxTexture3DWidth) && e->height <= MOST(MaxTexture3DHeight) &&
      e->depth <= MOST(MaxTexture3DDepth)) ||
     (e->width <= MOST(MaxTexture3DWidthAlt) && e->height <= MOST(MaxTexture3DHeightAlt) &&
      e->depth <= MOST(MaxTexture3DDepthAlt)));
#undef MOST
}

static cudaError_t refuse(const char *call, unsigned flags) {
  const char *what = flags & cudaArrayCubemap ? "cubemaps"
    : flags & cudaArraySparse                 ? "sparse arrays"
    : flags & cudaArrayTextureGather          ? "arrays for texture gathers"
                                              : NULL;
  if (!what) return cudaErrorInvalidValue;
  weir_device_say("%s: weir does not provide %s", call, what);
  return cudaErrorNotSupported;
}

static cudaError_t allocate(struct weir_device *d, const char *call, cudaArray_t *array,
                            const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned flags) {
  struct weir_cuda_texel texel;
  if (!array || !desc) return cudaErrorInvalidValue;
  cudaError_t e = weir_cuda_texel(desc, &texel);
  if (e) return e;
  if (flags & ~(unsigned)KNOWN_FLAGS) return refuse(call, flags);
  if (!extent.width || !fits(d, &extent, flags & cudaArrayLayered)) return cudaErrorInvalidValue;
  const size_t texel_bytes = (size_t)texel.channels * texel.channel_bytes;
  const size_t pitch = (extent.width * texel_bytes + WEIR_CUDA_PITCH_ALIGN - 1) & ~(size_t)(WEIR_CUDA_PITCH_ALIGN - 1);
  const size_t slice = pitch * (extent.height ? extent.height : 1);
  void *base;
  e = weir_cuda_allocate(d, call, &base, slice * (extent.depth ? extent.depth : 1));
  if (e) return e;
  cudaArray_t made = weir_new(struct cudaArray);
  *made = (struct cudaArray){.desc = *desc,
                             .texel = texel,
                             .extent = extent,
                             .flags = flags,
                             .base = (uintptr_t)base,
                             .texel_bytes = texel_bytes,
                             .pitch = pitch,
                             .slice = slice};
  weir_cuda_set_add(&alive, made, made);
  *array = made;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMallocArray, cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
              size_t height, unsigned flags) {
  const struct cudaExtent extent = {width, height, 0};
  if (flags & cudaArrayLayered) return weir_cuda_error(cudaErrorInvalidValue);
  return WEIR_CUDA_UNSAFE_CALL(allocate(d, "cudaMallocArray", array, desc, extent, flags));
}

WEIR_CUDA_API(cudaError_t, cudaMalloc3DArray, cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
              struct cudaExtent extent, unsigned flags) {
  return WEIR_CUDA_UNSAFE_CALL(allocate(d, "cudaMalloc3DArray", array, desc, extent, flags));
}

static cudaError_t release(struct weir_device *d, cudaArray_t array) {
  if (!array) return cudaSuccess;
  if (!weir_cuda_set_remove(&alive, array)) return cudaErrorInvalidResourceHandle;
  const cudaError_t e = weir_cuda_release(d, "cudaFreeArray", (void *)(uintptr_t)array->base);
  weir_free(array);
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaFreeArray, cudaArray_t array) {
  return WEIR_CUDA_UNSAFE_CALL(release(d, array));
}

static cudaError_t info(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                        cudaArray_const_t array) {
  if (!weir_cuda_array_is_alive(array)) return cudaErrorInvalidResourceHandle;
  if (desc) *desc = array->desc;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaArrayGetInfo, struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
              unsigned *flags, cudaArray_t array) {
  return WEIR_CUDA_CALL(info(desc, extent, flags, array));
}
