// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/copy3d.h"

#include "cudart/capture.h"
#include "cudart/stream.h"

#include <string.h>

// Bytes from the first to the last, or 0 if that does not fit 64 bits.
static size_t reach(const struct weir_cuda_box *box, const struct cudaExtent *e) {
  size_t rows, slices, bytes;
  if (__builtin_mul_overflow(e->height - 1, box->pitch, &rows) ||
      __builtin_mul_overflow(e->depth - 1, box->slice, &slices) || __builtin_add_overflow(rows, slices, &bytes) ||
      __builtin_add_overflow(bytes, e->width, &bytes))
    return 0;
  return bytes;
}

static cudaError_t span_of(struct weir_device *d, const char *call, const struct weir_cuda_box *box,
                           const struct cudaExtent *e, struct weir_cuda_span *span) {
  const size_t bytes = reach(box, e);
  return bytes ? weir_cuda_span(d, call, box->first, bytes, box->side, span) : cudaErrorInvalidValue;
}

static bool is_empty(const struct cudaExtent *e) {
  return !e->width || !e->height || !e->depth;
}

static void wrote_row(struct weir_device *d, const struct weir_cuda_span *span, size_t offset, size_t bytes) {
  const struct weir_cuda_span row = {.bytes = (char *)span->bytes + offset,
                                     .device = span->device ? span->device + offset : 0};
  weir_cuda_wrote(d, &row, bytes);
}

static struct cudaPitchedPtr pitched_of(const struct weir_cuda_box *box) {
  return (struct cudaPitchedPtr){box->first, box->pitch, box->pitch, box->pitch ? box->slice / box->pitch : 1};
}

// The same as a node of a graph says it: an array is memory of the device.
static struct cudaMemcpy3DParms params_of(const struct weir_cuda_box *to, const struct weir_cuda_box *from,
                                          struct cudaExtent bytes) {
  const bool in = to->side == WEIR_CUDA_DEVICE, out = from->side == WEIR_CUDA_DEVICE;
  const bool told = to->side != WEIR_CUDA_EITHER && from->side != WEIR_CUDA_EITHER;
  return (struct cudaMemcpy3DParms){.dstPtr = pitched_of(to),
                                    .srcPtr = pitched_of(from),
                                    .extent = bytes,
                                    .kind = !told ? cudaMemcpyDefault
                                      : in && out ? cudaMemcpyDeviceToDevice
                                      : in        ? cudaMemcpyHostToDevice
                                      : out       ? cudaMemcpyDeviceToHost
                                                  : cudaMemcpyHostToHost};
}

cudaError_t weir_cuda_copy_box(struct weir_device *d, const char *call, const struct weir_cuda_box *to,
                               const struct weir_cuda_box *from, struct cudaExtent bytes, cudaStream_t stream) {
  struct weir_cuda_span to_span, from_span;
  if (is_empty(&bytes)) return cudaSuccess;
  cudaError_t e = span_of(d, call, to, &bytes, &to_span);
  if (!e) e = span_of(d, call, from, &bytes, &from_span);
  cudaGraphNode_t node = NULL;
  if (!e) e = weir_cuda_capture(stream, cudaGraphNodeTypeMemcpy, &node);
  if (node) node->what.copy = params_of(to, from, bytes);
  if (e || node) return e;
  for (size_t z = 0; z < bytes.depth; z++)
    for (size_t y = 0; y < bytes.height; y++) {
      const size_t at = z * to->slice + y * to->pitch;
      memmove((char *)to_span.bytes + at, (const char *)from_span.bytes + z * from->slice + y * from->pitch,
              bytes.width);
      wrote_row(d, &to_span, at, bytes.width);
    }
  weir_cuda_copied(d, call, stream, &to_span, &from_span, bytes.width * bytes.height * bytes.depth);
  return cudaSuccess;
}

static struct cudaMemsetParams fill_params(const struct weir_cuda_box *to, unsigned value, unsigned element_bytes,
                                           struct cudaExtent bytes) {
  return (struct cudaMemsetParams){.dst = to->first,
                                   .pitch = to->pitch,
                                   .value = value,
                                   .elementSize = element_bytes,
                                   .width = bytes.width / element_bytes,
                                   .height = bytes.height * bytes.depth};
}

static void fill_row(char *at, unsigned value, unsigned element_bytes, size_t bytes) {
  for (size_t i = 0; element_bytes > 1 && i < bytes; i += element_bytes) memcpy(at + i, &value, element_bytes);
  if (element_bytes == 1) memset(at, (int)value, bytes);
}

cudaError_t weir_cuda_fill_box(struct weir_device *d, const char *call, const struct weir_cuda_box *to, unsigned value,
                               unsigned element_bytes, struct cudaExtent bytes, cudaStream_t stream) {
  struct weir_cuda_span span;
  if (is_empty(&bytes)) return cudaSuccess;
  cudaGraphNode_t node = NULL;
  cudaError_t e = span_of(d, call, to, &bytes, &span);
  if (!e) e = weir_cuda_capture(stream, cudaGraphNodeTypeMemset, &node);
  if (node && bytes.depth > 1 && to->slice != to->pitch * bytes.height) e = weir_cuda_capture_forbids(stream);
  if (node) node->what.fill = fill_params(to, value, element_bytes, bytes);
  if (e || node) return e;
  for (size_t z = 0; z < bytes.depth; z++)
    for (size_t y = 0; y < bytes.height; y++) {
      const size_t at = z * to->slice + y * to->pitch;
      fill_row((char *)span.bytes + at, value, element_bytes, bytes.width);
      wrote_row(d, &span, at, bytes.width);
    }
  weir_cuda_filled(d, stream, &span, bytes.width * bytes.height * bytes.depth);
  return cudaSuccess;
}

static bool within(size_t at, size_t count, size_t all) {
  return at <= all && count <= all - at;
}

cudaError_t weir_cuda_array_box(cudaArray_const_t array, struct cudaPos at, struct cudaExtent bytes,
                                struct weir_cuda_box *box) {
  if (!weir_cuda_array_is_alive(array)) return cudaErrorInvalidResourceHandle;
  const struct cudaExtent *e = &array->extent;
  if (!within(at.x, bytes.width, e->width * array->texel_bytes) ||
      !within(at.y, bytes.height, e->height ? e->height : 1) || !within(at.z, bytes.depth, e->depth ? e->depth : 1))
    return cudaErrorInvalidValue;
  const uint64_t first = array->base + at.z * array->slice + at.y * array->pitch + at.x;
  *box = (struct weir_cuda_box){(void *)(uintptr_t)first, WEIR_CUDA_DEVICE, array->pitch, array->slice};
  return cudaSuccess;
}

// ---- cudaMemcpy3D -------------------------------------------------------------------------------------------------------

struct end { // one end of a 3D copy, as its parameters say it
  cudaArray_t array;
  struct cudaPos at;
  const struct cudaPitchedPtr *pitched;
  enum weir_cuda_side side;
};

// Positions and widths are in texels where an array takes part, and in bytes otherwise; memory beside an array counts bytes
// by the array's texel.
static cudaError_t box_of(const struct end *end, size_t texel_bytes, struct cudaExtent bytes,
                          struct weir_cuda_box *box) {
  struct cudaPos at = end->at;
  at.x *= end->array ? texel_bytes : 1;
  if (end->array)
    return end->side == WEIR_CUDA_HOST ? cudaErrorInvalidMemcpyDirection
                                       : weir_cuda_array_box(end->array, at, bytes, box);
  const struct cudaPitchedPtr *p = end->pitched;
  if ((bytes.height > 1 || bytes.depth > 1) && !within(at.x, bytes.width, p->pitch)) return cudaErrorInvalidPitchValue;
  const size_t slice = p->pitch * p->ysize;
  if (bytes.depth > 1 && !within(at.y, bytes.height, p->ysize)) return cudaErrorInvalidValue;
  *box = (struct weir_cuda_box){(char *)p->ptr + at.z * slice + at.y * p->pitch + at.x, end->side, p->pitch, slice};
  return cudaSuccess;
}

static cudaError_t copy_ends(struct weir_device *d, const char *call, const struct end *to, const struct end *from,
                             struct cudaExtent extent, cudaStream_t stream) {
  struct weir_cuda_box to_box, from_box;
  if (!to->array == !to->pitched->ptr || !from->array == !from->pitched->ptr) return cudaErrorInvalidValue;
  if ((to->array && !weir_cuda_array_is_alive(to->array)) || (from->array && !weir_cuda_array_is_alive(from->array)))
    return cudaErrorInvalidResourceHandle;
  if (to->array && from->array && to->array->texel_bytes != from->array->texel_bytes) return cudaErrorInvalidValue;
  const size_t texel_bytes = to->array ? to->array->texel_bytes : from->array ? from->array->texel_bytes : 1;
  if (__builtin_mul_overflow(extent.width, texel_bytes, &extent.width)) return cudaErrorInvalidValue;
  cudaError_t e = box_of(to, texel_bytes, extent, &to_box);
  if (!e) e = box_of(from, texel_bytes, extent, &from_box);
  return e ? e : weir_cuda_copy_box(d, call, &to_box, &from_box, extent, stream);
}

cudaError_t weir_cuda_copy3d(struct weir_device *d, const char *call, const struct cudaMemcpy3DParms *p,
                             cudaStream_t stream) {
  enum weir_cuda_side to, from;
  if (!p) return cudaErrorInvalidValue;
  if (!weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  if (!weir_cuda_sides(p->kind, &to, &from)) return cudaErrorInvalidMemcpyDirection;
  return copy_ends(d, call, &(struct end){p->dstArray, p->dstPos, &p->dstPtr, to},
                   &(struct end){p->srcArray, p->srcPos, &p->srcPtr, from}, p->extent, stream);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p)) {
  return WEIR_CUDA_CALL(weir_cuda_copy3d(d, "cudaMemcpy3D", p, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t stream),
                   (p, stream)) {
  return WEIR_CUDA_CALL(weir_cuda_copy3d(d, "cudaMemcpy3DAsync", p, stream));
}

static cudaError_t copy_peer(struct weir_device *d, const char *call, const struct cudaMemcpy3DPeerParms *p,
                             cudaStream_t stream) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcDevice || p->dstDevice) return cudaErrorInvalidDevice;
  const struct cudaMemcpy3DParms local = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                          p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  return weir_cuda_copy3d(d, call, &local, stream);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), (p)) {
  return WEIR_CUDA_CALL(copy_peer(d, "cudaMemcpy3DPeer", p, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream),
                   (p, stream)) {
  return WEIR_CUDA_CALL(copy_peer(d, "cudaMemcpy3DPeerAsync", p, stream));
}
