// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The copies between arrays and linear memory that CUDA 10.1 deprecated: so many bytes, which fill an array's rows from
// (x, y) on, one after the other, each to its end.
#include "cudart/copy3d.h"
#include "cudart/stream.h"

struct cursor {
  cudaArray_const_t array; // NULL: linear memory
  char *pointer;           // of linear memory
  enum weir_cuda_side side;
  size_t x, y; // bytes, rows
};

static size_t row_bytes(cudaArray_const_t array) {
  return array->extent.width * array->texel_bytes;
}

// How many of `bytes` lie in the cursor's row.
static size_t in_row(const struct cursor *c, size_t bytes) {
  if (!c->array) return bytes;
  const size_t left = row_bytes(c->array) - c->x;
  return left < bytes ? left : bytes;
}

static void advance(struct cursor *c, size_t bytes) {
  if (!c->array) {
    c->pointer += bytes;
    return;
  }
  c->x += bytes;
  if (c->x < row_bytes(c->array)) return;
  c->x = 0;
  c->y++;
}

// The whole copy lies in the array, or nothing is copied.
static cudaError_t check(const struct cursor *c, size_t bytes) {
  if (!c->array) return cudaSuccess;
  if (c->side == WEIR_CUDA_HOST) return cudaErrorInvalidMemcpyDirection;
  if (!weir_cuda_array_is_alive(c->array)) return cudaErrorInvalidResourceHandle;
  const size_t rows = c->array->extent.height ? c->array->extent.height : 1, row = row_bytes(c->array);
  if (c->x >= row || c->y >= rows || bytes > (rows - c->y) * row - c->x) return cudaErrorInvalidValue;
  return cudaSuccess;
}

static cudaError_t box_at(const struct cursor *c, size_t bytes, struct weir_cuda_box *box) {
  if (c->array)
    return weir_cuda_array_box(c->array, (struct cudaPos){c->x, c->y, 0}, (struct cudaExtent){bytes, 1, 1}, box);
  *box = (struct weir_cuda_box){c->pointer, c->side, 0, 0};
  return cudaSuccess;
}

static cudaError_t run(struct weir_device *d, const char *call, struct cursor to, struct cursor from, size_t bytes,
                       enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  if (!weir_cuda_sides(kind, &to.side, &from.side)) return cudaErrorInvalidMemcpyDirection;
  cudaError_t e = check(&to, bytes);
  if (!e) e = check(&from, bytes);
  while (bytes && !e) {
    struct weir_cuda_box to_box, from_box;
    const size_t part = in_row(&from, in_row(&to, bytes));
    e = box_at(&to, part, &to_box);
    if (!e) e = box_at(&from, part, &from_box);
    if (!e) e = weir_cuda_copy_box(d, call, &to_box, &from_box, (struct cudaExtent){part, 1, 1}, stream);
    advance(&to, part);
    advance(&from, part);
    bytes -= part;
  }
  return e;
}

static cudaError_t to_array(struct weir_device *d, const char *call, cudaArray_t to, size_t x, size_t y,
                            const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!to || !from) return cudaErrorInvalidValue;
  return run(d, call, (struct cursor){.array = to, .x = x, .y = y}, (struct cursor){.pointer = (char *)(uintptr_t)from},
             bytes, kind, stream);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpyToArray,
                   (cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind),
                   (to, x, y, from, bytes, kind)) {
  return WEIR_CUDA_CALL(to_array(d, "cudaMemcpyToArray", to, x, y, from, bytes, kind, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpyToArrayAsync,
                   (cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                    cudaStream_t stream),
                   (to, x, y, from, bytes, kind, stream)) {
  return WEIR_CUDA_CALL(to_array(d, "cudaMemcpyToArrayAsync", to, x, y, from, bytes, kind, stream));
}

static cudaError_t from_array(struct weir_device *d, const char *call, void *to, cudaArray_const_t from, size_t x,
                              size_t y, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!to || !from) return cudaErrorInvalidValue;
  return run(d, call, (struct cursor){.pointer = to}, (struct cursor){.array = from, .x = x, .y = y}, bytes, kind,
             stream);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpyFromArray,
                   (void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind),
                   (to, from, x, y, bytes, kind)) {
  return WEIR_CUDA_CALL(from_array(d, "cudaMemcpyFromArray", to, from, x, y, bytes, kind, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpyFromArrayAsync,
                   (void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum cudaMemcpyKind kind,
                    cudaStream_t stream),
                   (to, from, x, y, bytes, kind, stream)) {
  return WEIR_CUDA_CALL(from_array(d, "cudaMemcpyFromArrayAsync", to, from, x, y, bytes, kind, stream));
}

static cudaError_t between(struct weir_device *d, cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                           size_t from_x, size_t from_y, size_t bytes, enum cudaMemcpyKind kind) {
  if (!to || !from) return cudaErrorInvalidValue;
  return run(d, "cudaMemcpyArrayToArray", (struct cursor){.array = to, .x = to_x, .y = to_y},
             (struct cursor){.array = from, .x = from_x, .y = from_y}, bytes, kind, NULL);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpyArrayToArray,
                   (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
                    size_t bytes, enum cudaMemcpyKind kind),
                   (to, to_x, to_y, from, from_x, from_y, bytes, kind)) {
  return WEIR_CUDA_CALL(between(d, to, to_x, to_y, from, from_x, from_y, bytes, kind));
}
