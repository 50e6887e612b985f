// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // process_vm_readv

// Linear copies and fills. The modelled device and the host share one process: a copy is a memmove.
#include "cudart/copy.h"

#include "cudart/capture.h"
#include "cudart/stream.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool weir_cuda_sides(enum cudaMemcpyKind kind, enum weir_cuda_side *to, enum weir_cuda_side *from) {
  static const enum weir_cuda_side sides[][2] = {
    [cudaMemcpyHostToHost] = {WEIR_CUDA_HOST, WEIR_CUDA_HOST},
    [cudaMemcpyHostToDevice] = {WEIR_CUDA_DEVICE, WEIR_CUDA_HOST},
    [cudaMemcpyDeviceToHost] = {WEIR_CUDA_HOST, WEIR_CUDA_DEVICE},
    [cudaMemcpyDeviceToDevice] = {WEIR_CUDA_DEVICE, WEIR_CUDA_DEVICE},
    [cudaMemcpyDefault] = {WEIR_CUDA_EITHER, WEIR_CUDA_EITHER},
  };
  if ((unsigned)kind > cudaMemcpyDefault) return false;
  *to = sides[kind][0];
  *from = sides[kind][1];
  return true;
}

// The device's addresses and this process's can be the same numbers (a small program's heap lies low): then the byte
// itself tells.
static bool is_in_process(uint64_t address) {
  char byte;
  const struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

static cudaError_t refuse(const char *call, const void *pointer, size_t count, const struct weir_allocation *a) {
  const uint64_t address = (uintptr_t)pointer;
  if (!a)
    weir_device_say("%s: %p is no address of the device", call, pointer);
  else if (address - a->base < a->bytes)
    weir_device_say("%s: %zu bytes at %p reach %llu bytes past the end of '%s' (%llu bytes)", call, count, pointer,
                    (unsigned long long)(address - a->base + count - a->bytes), a->name, (unsigned long long)a->bytes);
  else
    weir_device_say("%s: %p is no address of the device; the nearest below it is '%s', which ends %llu bytes before",
                    call, pointer, a->name, (unsigned long long)(address - a->base - a->bytes));
  return cudaErrorInvalidValue;
}

cudaError_t weir_cuda_span(struct weir_device *d, const char *call, const void *pointer, size_t count,
                           enum weir_cuda_side side, struct weir_cuda_span *span) {
  const uint64_t address = (uintptr_t)pointer;
  const struct weir_allocation *a = weir_memory_find(weir_device_memory(d), address);
  const bool within = a && address - a->base < a->bytes;
  const bool mapped = within && a->mapped;
  *span = (struct weir_cuda_span){.bytes = mapped ? a->host + (address - a->base) : (void *)(uintptr_t)pointer,
                                  .pinned = mapped};
  if (!pointer) return cudaErrorInvalidValue;
  if (side == WEIR_CUDA_HOST) {
    if (!within || a->mapped || is_in_process(address)) return cudaSuccess;
    weir_device_say("%s: the host's side of the copy is '%s', which is the device's", call, a->name);
    return cudaErrorInvalidValue;
  }
  if (!within && side == WEIR_CUDA_EITHER && is_in_process(address)) return cudaSuccess;
  if (!within || a->bytes - (address - a->base) < count) return refuse(call, pointer, count, a);
  if (a->mapped) return cudaSuccess;
  *span = (struct weir_cuda_span){.bytes = a->host + (address - a->base), .device = address};
  return cudaSuccess;
}

void weir_cuda_wrote(struct weir_device *d, const struct weir_cuda_span *span, size_t count) {
  if (span->device) weir_device_wrote(d, span->device, count);
}

static bool returns_at_once(const char *call) {
  static const char end[] = "Async";
  const size_t length = strlen(call);
  return length >= sizeof end - 1 && !strcmp(call + length - (sizeof end - 1), end);
}

// What stays in the host's memory, managed memory included, crosses no link.
void weir_cuda_copied(struct weir_device *d, const char *call, cudaStream_t stream, const struct weir_cuda_span *to,
                      const struct weir_cuda_span *from, size_t count) {
  if (!to->device && !from->device) return;
  const struct weir_cuda_span *host = to->device ? from : to;
  const bool within = to->device && from->device;
  weir_device_copied(d, weir_cuda_stream_line(stream),
                     within         ? WEIR_COPY_WITHIN
                       : to->device ? WEIR_COPY_TO_DEVICE
                                    : WEIR_COPY_TO_HOST,
                     !within && !host->pinned, count,
                     !weir_cuda_is_node_stream(stream) && (!returns_at_once(call) || !host->pinned));
}

void weir_cuda_filled(struct weir_device *d, cudaStream_t stream, const struct weir_cuda_span *span, size_t count) {
  if (span->device) weir_device_filled(d, weir_cuda_stream_line(stream), count);
}

struct cudaMemcpy3DParms weir_cuda_copy_params(void *to, const void *from, size_t count, enum cudaMemcpyKind kind) {
  return (struct cudaMemcpy3DParms){.dstPtr = {to, count, count, 1},
                                    .srcPtr = {(void *)(uintptr_t)from, count, count, 1},
                                    .extent = {count, 1, 1},
                                    .kind = kind};
}

cudaError_t weir_cuda_copy(struct weir_device *d, const char *call, void *to, const void *from, size_t count,
                           enum cudaMemcpyKind kind, cudaStream_t stream) {
  enum weir_cuda_side to_side, from_side;
  struct weir_cuda_span to_span, from_span;
  if (!weir_cuda_sides(kind, &to_side, &from_side)) return cudaErrorInvalidMemcpyDirection;
  if (!count) return cudaSuccess;
  cudaError_t e = weir_cuda_span(d, call, to, count, to_side, &to_span);
  if (!e) e = weir_cuda_span(d, call, from, count, from_side, &from_span);
  cudaGraphNode_t node = NULL;
  if (!e) e = weir_cuda_capture(stream, cudaGraphNodeTypeMemcpy, &node);
  if (node) node->what.copy = weir_cuda_copy_params(to, from, count, kind);
  if (e || node) return e;
  memmove(to_span.bytes, from_span.bytes, count);
  weir_cuda_wrote(d, &to_span, count);
  weir_cuda_copied(d, call, stream, &to_span, &from_span, count);
  return cudaSuccess;
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpy, (void *to, const void *from, size_t count, enum cudaMemcpyKind kind),
                   (to, from, count, kind)) {
  return WEIR_CUDA_CALL(weir_cuda_copy(d, "cudaMemcpy", to, from, count, kind, NULL));
}

static cudaError_t copy_async(struct weir_device *d, const char *call, void *to, const void *from, size_t count,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  return weir_cuda_copy(d, call, to, from, count, kind, stream);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpyAsync,
                   (void *to, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
                   (to, from, count, kind, stream)) {
  return WEIR_CUDA_CALL(copy_async(d, "cudaMemcpyAsync", to, from, count, kind, stream));
}

static cudaError_t copy_peer(struct weir_device *d, const char *call, void *to, int to_device, const void *from,
                             int from_device, size_t count, cudaStream_t stream) {
  if (to_device || from_device) return cudaErrorInvalidDevice;
  return copy_async(d, call, to, from, count, cudaMemcpyDeviceToDevice, stream);
}

WEIR_CUDA_API(cudaError_t, cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t count) {
  return WEIR_CUDA_CALL(copy_peer(d, "cudaMemcpyPeer", to, to_device, from, from_device, count, NULL));
}

WEIR_CUDA_API(cudaError_t, cudaMemcpyPeerAsync, void *to, int to_device, const void *from, int from_device,
              size_t count, cudaStream_t stream) {
  return WEIR_CUDA_CALL(copy_peer(d, "cudaMemcpyPeerAsync", to, to_device, from, from_device, count, stream));
}

static cudaError_t fill(struct weir_device *d, const char *call, void *at, int value, size_t count,
                        cudaStream_t stream) {
  struct weir_cuda_span span;
  if (!weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  if (!count) return cudaSuccess;
  cudaGraphNode_t node = NULL;
  cudaError_t e = weir_cuda_span(d, call, at, count, WEIR_CUDA_DEVICE, &span);
  if (!e) e = weir_cuda_capture(stream, cudaGraphNodeTypeMemset, &node);
  if (node)
    node->what.fill = (struct cudaMemsetParams){
      .dst = at, .pitch = count, .value = (uint8_t)value, .elementSize = 1, .width = count, .height = 1};
  if (e || node) return e;
  memset(span.bytes, value, count);
  weir_cuda_wrote(d, &span, count);
  weir_cuda_filled(d, stream, &span, count);
  return cudaSuccess;
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemset, (void *at, int value, size_t count), (at, value, count)) {
  return WEIR_CUDA_CALL(fill(d, "cudaMemset", at, value, count, NULL));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemsetAsync, (void *at, int value, size_t count, cudaStream_t stream),
                   (at, value, count, stream)) {
  return WEIR_CUDA_CALL(fill(d, "cudaMemsetAsync", at, value, count, stream));
}
