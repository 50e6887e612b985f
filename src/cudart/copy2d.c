// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Copies of rectangles, between pitched memory and arrays.
#include "cudart/copy3d.h"
#include "cudart/stream.h"

// What every form of a 2D copy comes down to.
struct copy {
  const char *call;
  struct weir_cuda_box to, from;
  size_t width, height;
  cudaStream_t stream;
};

static cudaError_t run(struct weir_device *d, const struct copy *c) {
  if (!weir_cuda_stream_is_valid(c->stream)) return cudaErrorInvalidResourceHandle;
  if (c->to.pitch < c->width || c->from.pitch < c->width) return cudaErrorInvalidPitchValue;
  return weir_cuda_copy_box(d, c->call, &c->to, &c->from, (struct cudaExtent){c->width, c->height, 1}, c->stream);
}

static struct weir_cuda_box pitched(const void *pointer, size_t pitch, enum weir_cuda_side side) {
  return (struct weir_cuda_box){(void *)(uintptr_t)pointer, side, pitch, 0};
}

static cudaError_t part_of(cudaArray_const_t array, size_t x, size_t y, const struct copy *c, enum weir_cuda_side side,
                           struct weir_cuda_box *box) {
  if (side == WEIR_CUDA_HOST) return cudaErrorInvalidMemcpyDirection;
  return weir_cuda_array_box(array, (struct cudaPos){x, y, 0}, (struct cudaExtent){c->width, c->height, 1}, box);
}

// ---- pitched memory -------------------------------------------------------------------------------------------------------

static cudaError_t copy(struct weir_device *d, const char *call, void *to, size_t to_pitch, const void *from,
                        size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  enum weir_cuda_side to_side, from_side;
  if (!weir_cuda_sides(kind, &to_side, &from_side)) return cudaErrorInvalidMemcpyDirection;
  return run(
    d,
    &(struct copy){call, pitched(to, to_pitch, to_side), pitched(from, from_pitch, from_side), width, height, stream});
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpy2D,
                   (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                    enum cudaMemcpyKind kind),
                   (to, to_pitch, from, from_pitch, width, height, kind)) {
  return WEIR_CUDA_CALL(copy(d, "cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpy2DAsync,
                   (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                    enum cudaMemcpyKind kind, cudaStream_t stream),
                   (to, to_pitch, from, from_pitch, width, height, kind, stream)) {
  return WEIR_CUDA_CALL(copy(d, "cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind, stream));
}

// ---- memory to array --------------------------------------------------------------------------------------------------------

static cudaError_t to_array(struct weir_device *d, const char *call, cudaArray_t to, size_t x, size_t y,
                            const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  enum weir_cuda_side to_side, from_side;
  if (!weir_cuda_sides(kind, &to_side, &from_side)) return cudaErrorInvalidMemcpyDirection;
  struct copy c = {
    .call = call, .from = pitched(from, from_pitch, from_side), .width = width, .height = height, .stream = stream};
  const cudaError_t e = part_of(to, x, y, &c, to_side, &c.to);
  return e ? e : run(d, &c);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpy2DToArray,
                   (cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch, size_t width,
                    size_t height, enum cudaMemcpyKind kind),
                   (to, x, y, from, from_pitch, width, height, kind)) {
  return WEIR_CUDA_CALL(to_array(d, "cudaMemcpy2DToArray", to, x, y, from, from_pitch, width, height, kind, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpy2DToArrayAsync,
                   (cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch, size_t width,
                    size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
                   (to, x, y, from, from_pitch, width, height, kind, stream)) {
  return WEIR_CUDA_CALL(
    to_array(d, "cudaMemcpy2DToArrayAsync", to, x, y, from, from_pitch, width, height, kind, stream));
}

// ---- array to memory --------------------------------------------------------------------------------------------------------

static cudaError_t from_array(struct weir_device *d, const char *call, void *to, size_t to_pitch,
                              cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  enum weir_cuda_side to_side, from_side;
  if (!weir_cuda_sides(kind, &to_side, &from_side)) return cudaErrorInvalidMemcpyDirection;
  struct copy c = {
    .call = call, .to = pitched(to, to_pitch, to_side), .width = width, .height = height, .stream = stream};
  const cudaError_t e = part_of(from, x, y, &c, from_side, &c.from);
  return e ? e : run(d, &c);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpy2DFromArray,
                   (void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                    enum cudaMemcpyKind kind),
                   (to, to_pitch, from, x, y, width, height, kind)) {
  return WEIR_CUDA_CALL(from_array(d, "cudaMemcpy2DFromArray", to, to_pitch, from, x, y, width, height, kind, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpy2DFromArrayAsync,
                   (void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                    enum cudaMemcpyKind kind, cudaStream_t stream),
                   (to, to_pitch, from, x, y, width, height, kind, stream)) {
  return WEIR_CUDA_CALL(
    from_array(d, "cudaMemcpy2DFromArrayAsync", to, to_pitch, from, x, y, width, height, kind, stream));
}

// ---- array to array -----------------------------------------------------------------------------------------------------------

static cudaError_t between(struct weir_device *d, cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                           size_t from_x, size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  enum weir_cuda_side to_side, from_side;
  if (!weir_cuda_sides(kind, &to_side, &from_side)) return cudaErrorInvalidMemcpyDirection;
  struct copy c = {.call = "cudaMemcpy2DArrayToArray", .width = width, .height = height};
  cudaError_t e = part_of(to, to_x, to_y, &c, to_side, &c.to);
  if (!e) e = part_of(from, from_x, from_y, &c, from_side, &c.from);
  return e ? e : run(d, &c);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpy2DArrayToArray,
                   (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
                    size_t width, size_t height, enum cudaMemcpyKind kind),
                   (to, to_x, to_y, from, from_x, from_y, width, height, kind)) {
  return WEIR_CUDA_CALL(between(d, to, to_x, to_y, from, from_x, from_y, width, height, kind));
}
