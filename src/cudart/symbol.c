// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Device variables by their shadows in host code. A constant is read-only for kernels alone.
#include "cudart/copy.h"
#include "cudart/modules.h"
#include "cudart/stream.h"

WEIR_CUDA_API(cudaError_t, cudaGetSymbolAddress, void **pointer, const void *symbol) {
  uint64_t address = 0, bytes;
  const cudaError_t e =
    WEIR_CUDA_CALL(pointer ? weir_cuda_variable(d, symbol, &address, &bytes) : cudaErrorInvalidValue);
  if (!e) *pointer = (void *)(uintptr_t)address;
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaGetSymbolSize, size_t *size, const void *symbol) {
  uint64_t address, bytes = 0;
  const cudaError_t e = WEIR_CUDA_CALL(size ? weir_cuda_variable(d, symbol, &address, &bytes) : cudaErrorInvalidValue);
  if (!e) *size = bytes;
  return e;
}

struct symbol_copy {
  const char *call;
  const void *symbol;
  size_t count, offset;
  enum cudaMemcpyKind kind;
  cudaStream_t stream;
};

// Where in the variable the copy begins.
static cudaError_t locate(struct weir_device *d, const struct symbol_copy *c, enum cudaMemcpyKind only, void **at) {
  uint64_t address, bytes;
  if (!weir_cuda_stream_is_valid(c->stream)) return cudaErrorInvalidResourceHandle;
  const cudaError_t e = weir_cuda_variable(d, c->symbol, &address, &bytes);
  if (e) return e;
  if (c->kind != only && c->kind != cudaMemcpyDeviceToDevice && c->kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  *at = (void *)(uintptr_t)(address + c->offset);
  if (c->offset <= bytes && c->count <= bytes - c->offset) return cudaSuccess;
  weir_device_say("%s: %zu bytes at offset %zu reach past the end of '%s' (%llu bytes)", c->call, c->count, c->offset,
                  weir_memory_find(weir_device_memory(d), address)->name, (unsigned long long)bytes);
  return cudaErrorInvalidValue;
}

static cudaError_t copy_to(struct weir_device *d, const struct symbol_copy *c, const void *from) {
  void *at;
  const cudaError_t e = locate(d, c, cudaMemcpyHostToDevice, &at);
  return e ? e : weir_cuda_copy(d, c->call, at, from, c->count, c->kind, c->stream);
}

static cudaError_t copy_from(struct weir_device *d, const struct symbol_copy *c, void *to) {
  void *at;
  const cudaError_t e = locate(d, c, cudaMemcpyDeviceToHost, &at);
  return e ? e : weir_cuda_copy(d, c->call, to, at, c->count, c->kind, c->stream);
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpyToSymbol,
                   (const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind),
                   (symbol, from, count, offset, kind)) {
  const struct symbol_copy c = {"cudaMemcpyToSymbol", symbol, count, offset, kind, NULL};
  return WEIR_CUDA_CALL(copy_to(d, &c, from));
}

WEIR_CUDA_API_PTDS(cudaError_t, cudaMemcpyFromSymbol,
                   (void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
                   (to, symbol, count, offset, kind)) {
  const struct symbol_copy c = {"cudaMemcpyFromSymbol", symbol, count, offset, kind, NULL};
  return WEIR_CUDA_CALL(copy_from(d, &c, to));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpyToSymbolAsync,
                   (const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind,
                    cudaStream_t stream),
                   (symbol, from, count, offset, kind, stream)) {
  const struct symbol_copy c = {"cudaMemcpyToSymbolAsync", symbol, count, offset, kind, stream};
  return WEIR_CUDA_CALL(copy_to(d, &c, from));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemcpyFromSymbolAsync,
                   (void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                    cudaStream_t stream),
                   (to, symbol, count, offset, kind, stream)) {
  const struct symbol_copy c = {"cudaMemcpyFromSymbolAsync", symbol, count, offset, kind, stream};
  return WEIR_CUDA_CALL(copy_from(d, &c, to));
}
