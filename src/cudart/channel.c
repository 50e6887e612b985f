// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/channel.h"

#include "cudart/array.h"

cudaError_t weir_cuda_texel(const struct cudaChannelFormatDesc *desc, struct weir_cuda_texel *texel) {
  const int bits = desc->x, all[] = {desc->x, desc->y, desc->z, desc->w};
  unsigned channels = 0;
  if (bits != 8 && bits != 16 && bits != 32) return cudaErrorInvalidChannelDescriptor;
  while (channels < 4 && all[channels] == bits) channels++;
  for (unsigned i = channels; i < 4; i++)
    if (all[i]) return cudaErrorInvalidChannelDescriptor;
  if (channels == 3) return cudaErrorInvalidChannelDescriptor;
  *texel = (struct weir_cuda_texel){.channels = (uint8_t)channels, .channel_bytes = (uint8_t)(bits / 8)};
  switch (desc->f) {
  case cudaChannelFormatKindSigned: texel->kind = WEIR_TEXEL_SIGNED; return cudaSuccess;
  case cudaChannelFormatKindUnsigned: texel->kind = WEIR_TEXEL_UNSIGNED; return cudaSuccess;
  case cudaChannelFormatKindFloat:
    texel->kind = WEIR_TEXEL_FLOAT;
    return bits == 8 ? cudaErrorInvalidChannelDescriptor : cudaSuccess;
  default: return cudaErrorInvalidChannelDescriptor;
  }
}

WEIR_CUDA_API(struct cudaChannelFormatDesc, cudaCreateChannelDesc, int x, int y, int z, int w,
              enum cudaChannelFormatKind kind) {
  return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

static cudaError_t channel_desc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  if (!desc) return cudaErrorInvalidValue;
  if (!weir_cuda_array_is_alive(array)) return cudaErrorInvalidResourceHandle;
  *desc = array->desc;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGetChannelDesc, struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  return WEIR_CUDA_CALL(channel_desc(desc, array));
}
