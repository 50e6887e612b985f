// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Copies of boxes: rows of bytes at one pitch, slices of rows. Every pitched, 2D, 3D and array copy is one.
#ifndef WEIR_CUDART_COPY3D_H
#define WEIR_CUDART_COPY3D_H

#include "cudart/array.h"
#include "cudart/copy.h"

struct weir_cuda_box {
  void *first; // the byte at (0, 0, 0); of device memory, its address there
  enum weir_cuda_side side;
  size_t pitch, slice; // bytes between rows, between slices
};

// Copies width × height × depth bytes. `call` is named in diagnostics.
cudaError_t weir_cuda_copy_box(struct weir_device *d, const char *call, const struct weir_cuda_box *to,
                               const struct weir_cuda_box *from, struct cudaExtent bytes, cudaStream_t stream);

// Sets them to `value`, element by element.
cudaError_t weir_cuda_fill_box(struct weir_device *d, const char *call, const struct weir_cuda_box *to, unsigned value,
                               unsigned element_bytes, struct cudaExtent bytes, cudaStream_t stream);

// The box of an array that begins at byte x of row y of slice z. cudaErrorInvalidValue: the extent (bytes) reaches outside.
cudaError_t weir_cuda_array_box(cudaArray_const_t array, struct cudaPos at, struct cudaExtent bytes,
                                struct weir_cuda_box *box);

// As cudaMemcpy3DAsync does.
cudaError_t weir_cuda_copy3d(struct weir_device *d, const char *call, const struct cudaMemcpy3DParms *p,
                             cudaStream_t stream);

#endif
