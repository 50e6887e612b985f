// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// CUDA arrays. Invariant: an array's texels lie in one allocation of device memory, row after row and slice after slice
// (what NVIDIA's lie like is not published); its handle points here and is in the set of those alive.
#ifndef WEIR_CUDART_ARRAY_H
#define WEIR_CUDART_ARRAY_H

#include "cudart/channel.h"
#include "cudart/runtime.h"

struct cudaArray {
  struct cudaChannelFormatDesc desc;
  struct weir_cuda_texel texel;
  struct cudaExtent
    extent; // as asked for: height and depth are 0 where it has none; a layered one's layers are its depth
  unsigned flags;
  uint64_t base; // device address
  size_t texel_bytes;
  size_t pitch, slice; // bytes
};

bool weir_cuda_array_is_alive(cudaArray_const_t array);

#endif
