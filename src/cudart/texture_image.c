// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/texture.h"

#include "cudart/properties.h"

#include <string.h>

size_t weir_cuda_resource_bytes(void) {
  if (weir_cuda_version >= 13000) return sizeof(struct cudaResourceDesc);
  return offsetof(struct cudaResourceDesc, res) + sizeof((struct cudaResourceDesc *)NULL)->res.pitch2D;
}

static unsigned or_one(size_t n) {
  return n ? (unsigned)n : 1;
}

static void set_texel(struct weir_texture *t, const struct weir_cuda_texel *texel) {
  t->channels = texel->channels;
  t->channel_bytes = texel->channel_bytes;
  t->kind = (uint8_t)texel->kind;
}

// ---- resources ----------------------------------------------------------------------------------------------------------

static cudaError_t describe_array(cudaArray_const_t a, struct weir_texture *t) {
  if (!weir_cuda_array_is_alive(a)) return cudaErrorInvalidResourceHandle;
  const bool layered = a->flags & cudaArrayLayered;
  *t = (struct weir_texture){
    .base = a->base,
    .pitch_bytes = a->pitch,
    .slice_bytes = a->slice,
    .width = (unsigned)a->extent.width,
    .height = or_one(a->extent.height),
    .depth = or_one(a->extent.depth),
    .dimensions = a->extent.depth && !layered ? 3
      : a->extent.height                      ? 2
                                              : 1,
    .layered = layered,
  };
  set_texel(t, &a->texel);
  return cudaSuccess;
}

// Texels in ordinary memory: within one allocation, and beginning where a texture may.
static cudaError_t check_memory(struct weir_device *d, const char *call, const void *pointer, uint64_t bytes) {
  if (!pointer || (uintptr_t)pointer % WEIR_CUDA_TEXTURE_ALIGN) {
    weir_device_say("%s: a texture's memory begins at a multiple of %d bytes; %p does not", call,
                    WEIR_CUDA_TEXTURE_ALIGN, pointer);
    return cudaErrorInvalidValue;
  }
  if (weir_device_at(d, (uintptr_t)pointer, bytes)) return cudaSuccess;
  weir_device_say("%s: %llu bytes at %p are not all inside one allocation of the device", call,
                  (unsigned long long)bytes, pointer);
  return cudaErrorInvalidValue;
}

static cudaError_t describe_linear(struct weir_device *d, const char *call, const struct cudaResourceDesc *r,
                                   struct weir_texture *t) {
  struct weir_cuda_texel texel;
  const size_t bytes = r->res.linear.sizeInBytes;
  cudaError_t e = weir_cuda_texel(&r->res.linear.desc, &texel);
  if (!e) e = check_memory(d, call, r->res.linear.devPtr, bytes);
  if (e) return e;
  const size_t width = bytes / ((size_t)texel.channels * texel.channel_bytes);
  int a[WEIR_CUDA_ATTRIBUTES];
  weir_cuda_attributes(d, a);
  if (!width || width > (size_t)a[WEIR_CUDA_ATTRIBUTE_MaxTexture1DLinearWidth]) return cudaErrorInvalidValue;
  *t = (struct weir_texture){.base = (uintptr_t)r->res.linear.devPtr,
                             .pitch_bytes = bytes,
                             .slice_bytes = bytes,
                             .width = (unsigned)width,
                             .height = 1,
                             .depth = 1,
                             .dimensions = 1,
                             .linear_memory = true};
  set_texel(t, &texel);
  return cudaSuccess;
}

static cudaError_t describe_pitched(struct weir_device *d, const char *call, const struct cudaResourceDesc *r,
                                    struct weir_texture *t) {
  struct weir_cuda_texel texel;
  const size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height, pitch = r->res.pitch2D.pitchInBytes;
  cudaError_t e = weir_cuda_texel(&r->res.pitch2D.desc, &texel);
  if (e) return e;
  const size_t row = width * texel.channels * texel.channel_bytes;
  int a[WEIR_CUDA_ATTRIBUTES];
  weir_cuda_attributes(d, a);
  if (!width || width > (size_t)a[WEIR_CUDA_ATTRIBUTE_MaxTexture2DLinearWidth] || !height ||
      height > (size_t)a[WEIR_CUDA_ATTRIBUTE_MaxTexture2DLinearHeight] ||
      pitch > (size_t)a[WEIR_CUDA_ATTRIBUTE_MaxTexture2DLinearPitch])
    return cudaErrorInvalidValue;
  if (pitch < row || pitch % WEIR_CUDA_PITCH_ALIGN) {
    weir_device_say("%s: a pitch of %zu bytes for rows of %zu: it must be a multiple of %d and no less", call, pitch,
                    row, WEIR_CUDA_PITCH_ALIGN);
    return cudaErrorInvalidValue;
  }
  e = check_memory(d, call, r->res.pitch2D.devPtr, (height - 1) * pitch + row);
  *t = (struct weir_texture){.base = (uintptr_t)r->res.pitch2D.devPtr,
                             .pitch_bytes = pitch,
                             .slice_bytes = pitch * height,
                             .width = (unsigned)width,
                             .height = (unsigned)height,
                             .depth = 1,
                             .dimensions = 2};
  set_texel(t, &texel);
  return e;
}

cudaError_t weir_cuda_describe_resource(struct weir_device *d, const char *call, const struct cudaResourceDesc *r,
                                        struct weir_texture *t) {
  cudaError_t e;
  switch (r->resType) {
  case cudaResourceTypeArray: e = describe_array(r->res.array.array, t); break;
  case cudaResourceTypeLinear: e = describe_linear(d, call, r, t); break;
  case cudaResourceTypePitch2D: e = describe_pitched(d, call, r, t); break;
  case cudaResourceTypeMipmappedArray:
    weir_device_say("%s: weir does not provide mipmaps", call);
    return cudaErrorNotSupported;
  default: return cudaErrorInvalidValue;
  }
  for (uint8_t i = 0; i < 4; i++) t->swizzle[i] = (uint8_t)(WEIR_FROM_0 + i);
  return e;
}

cudaError_t weir_cuda_check_surface(struct weir_device *d, const struct cudaResourceDesc *r) {
  if (r->resType != cudaResourceTypeArray) return cudaErrorInvalidChannelDescriptor;
  if (!(r->res.array.array->flags & cudaArraySurfaceLoadStore)) return cudaErrorInvalidValue;
  const struct cudaExtent *e = &r->res.array.array->extent;
  int a[WEIR_CUDA_ATTRIBUTES];
  weir_cuda_attributes(d, a);
  const int most = e->depth ? a[WEIR_CUDA_ATTRIBUTE_MaxSurface3DWidth]
    : e->height             ? a[WEIR_CUDA_ATTRIBUTE_MaxSurface2DWidth]
                            : a[WEIR_CUDA_ATTRIBUTE_MaxSurface1DWidth];
  return e->width > (size_t)most ? cudaErrorInvalidValue : cudaSuccess;
}

// ---- reading --------------------------------------------------------------------------------------------------------------

static cudaError_t set_address(const struct cudaTextureDesc *s, struct weir_texture *t) {
  static const uint8_t modes[] = {
    [cudaAddressModeWrap] = WEIR_ADDRESS_WRAP,
    [cudaAddressModeClamp] = WEIR_ADDRESS_CLAMP,
    [cudaAddressModeMirror] = WEIR_ADDRESS_MIRROR,
    [cudaAddressModeBorder] = WEIR_ADDRESS_BORDER,
  };
  for (unsigned i = 0; i < 3; i++) {
    if ((unsigned)s->addressMode[i] > cudaAddressModeBorder) return cudaErrorInvalidValue;
    t->sampler.address[i] = modes[s->addressMode[i]];
  }
  return cudaSuccess;
}

// Bits, whatever the texels are: programs reinterpret an integer border as floats.
static void set_border(const struct cudaTextureDesc *s, struct weir_texture *t) {
  memcpy(t->border, s->borderColor, sizeof t->border);
}

// Integers are filtered only where they are read as floats, and that is only for those of up to 16 bits (errors 26 and 27).
static cudaError_t set_filter(const struct cudaTextureDesc *s, struct weir_texture *t) {
  if ((unsigned)s->filterMode > cudaFilterModeLinear || (unsigned)s->readMode > cudaReadModeNormalizedFloat)
    return cudaErrorInvalidValue;
  const bool is_float = t->kind == WEIR_TEXEL_FLOAT;
  t->normalized_float = s->readMode == cudaReadModeNormalizedFloat && !is_float;
  if (t->normalized_float && t->channel_bytes == 4) return cudaErrorInvalidNormSetting;
  t->sampler.filter = s->filterMode == cudaFilterModeLinear ? WEIR_FILTER_LINEAR : WEIR_FILTER_POINT;
  if (s->filterMode == cudaFilterModeLinear && !is_float && !t->normalized_float) return cudaErrorInvalidFilterSetting;
  return cudaSuccess;
}

cudaError_t weir_cuda_describe_reading(const char *call, const struct cudaTextureDesc *s, struct weir_texture *t) {
  if (s->sRGB) {
    weir_device_say("%s: weir does not convert sRGB", call);
    return cudaErrorNotSupported;
  }
  cudaError_t e = set_address(s, t);
  if (!e) e = set_filter(s, t);
  t->sampler.normalized = s->normalizedCoords != 0;
  set_border(s, t);
  if (t->linear_memory) { // all of these are ignored for it
    t->sampler.filter = WEIR_FILTER_POINT;
    t->sampler.normalized = false;
  }
  return e;
}
