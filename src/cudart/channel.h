// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Channel descriptors: what a texel is made of.
#ifndef WEIR_CUDART_CHANNEL_H
#define WEIR_CUDART_CHANNEL_H

#include "cudart/cuda.h"
#include "exec/texture.h"

struct weir_cuda_texel {
  uint8_t channels, channel_bytes; // 1, 2 or 4 of 1, 2 or 4 bytes
  enum weir_texel_kind kind;
};

// cudaErrorInvalidChannelDescriptor: no texel is made like that.
cudaError_t weir_cuda_texel(const struct cudaChannelFormatDesc *desc, struct weir_cuda_texel *texel);

#endif
