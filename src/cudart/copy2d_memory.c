// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Pitched memory: allocated and filled.
#include "cudart/capture.h"
#include "cudart/copy3d.h"
#include "cudart/memory.h"
#include "cudart/properties.h"
#include "cudart/stream.h"

static cudaError_t allocate(struct weir_device *d, const char *call, void **pointer, size_t *pitch,
                            struct cudaExtent bytes) {
  size_t rows, all;
  if (!pointer || !pitch) return cudaErrorInvalidValue;
  if (bytes.width > SIZE_MAX - WEIR_CUDA_ROW_ALIGN) return cudaErrorMemoryAllocation;
  *pitch = (bytes.width + WEIR_CUDA_ROW_ALIGN - 1) & ~(size_t)(WEIR_CUDA_ROW_ALIGN - 1);
  if (__builtin_mul_overflow(bytes.height, bytes.depth, &rows) || __builtin_mul_overflow(rows, *pitch, &all))
    return cudaErrorMemoryAllocation;
  return weir_cuda_allocate(d, call, pointer, all);
}

WEIR_CUDA_API(cudaError_t, cudaMallocPitch, void **pointer, size_t *pitch, size_t width, size_t height) {
  const struct cudaExtent bytes = {width, height, 1};
  return WEIR_CUDA_UNSAFE_CALL(allocate(d, "cudaMallocPitch", pointer, pitch, bytes));
}

WEIR_CUDA_API(cudaError_t, cudaMalloc3D, struct cudaPitchedPtr *pitched, struct cudaExtent bytes) {
  if (!pitched) return weir_cuda_error(cudaErrorInvalidValue);
  pitched->xsize = bytes.width;
  pitched->ysize = bytes.height;
  return WEIR_CUDA_UNSAFE_CALL(allocate(d, "cudaMalloc3D", &pitched->ptr, &pitched->pitch, bytes));
}

static cudaError_t fill(struct weir_device *d, const char *call, struct cudaPitchedPtr p, int value,
                        struct cudaExtent bytes, cudaStream_t stream) {
  if (!weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  if ((bytes.height > 1 || bytes.depth > 1) && p.pitch < bytes.width) return cudaErrorInvalidValue;
  const struct weir_cuda_box box = {p.ptr, WEIR_CUDA_DEVICE, p.pitch, p.pitch * p.ysize};
  return weir_cuda_fill_box(d, call, &box, (uint8_t)value, 1, bytes, stream);
}

static struct cudaPitchedPtr rows(void *pointer, size_t pitch) {
  return (struct cudaPitchedPtr){.ptr = pointer, .pitch = pitch};
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemset2D, (void *at, size_t pitch, int value, size_t width, size_t height),
                   (at, pitch, value, width, height)) {
  const struct cudaExtent bytes = {width, height, 1};
  return WEIR_CUDA_CALL(fill(d, "cudaMemset2D", rows(at, pitch), value, bytes, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemset2DAsync,
                   (void *at, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
                   (at, pitch, value, width, height, stream)) {
  const struct cudaExtent bytes = {width, height, 1};
  return WEIR_CUDA_CALL(fill(d, "cudaMemset2DAsync", rows(at, pitch), value, bytes, stream));
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemset3D, (struct cudaPitchedPtr p, int value, struct cudaExtent bytes),
                   (p, value, bytes)) {
  return WEIR_CUDA_CALL(fill(d, "cudaMemset3D", p, value, bytes, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemset3DAsync,
                   (struct cudaPitchedPtr p, int value, struct cudaExtent bytes, cudaStream_t stream),
                   (p, value, bytes, stream)) {
  return WEIR_CUDA_CALL(fill(d, "cudaMemset3DAsync", p, value, bytes, stream));
}
