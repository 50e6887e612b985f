// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/capture.h"
#include "cudart/copy.h"
#include "cudart/memory.h"
#include "cudart/set.h"
#include "cudart/stream.h"

#include "base/alloc.h"

#include <sys/mman.h>

static struct weir_cuda_set blocks; // by base

const struct weir_cuda_host_block *weir_cuda_host_block(struct weir_device *d, const void *pointer) {
  const uint64_t address = (uintptr_t)pointer;
  const struct weir_allocation *a = weir_memory_find(weir_device_memory(d), address);
  if (!a || !a->mapped || address - a->base >= a->bytes) return NULL;
  return weir_cuda_set_find(&blocks, (void *)(uintptr_t)a->base);
}

static void discard(void *block) {
  struct weir_cuda_host_block *b = block;
  weir_device_unmaps(b->device, (uintptr_t)b->base);
  weir_memory_release(weir_device_memory(b->device), (uintptr_t)b->base);
  if (b->kind == WEIR_CUDA_PINNED) munmap(b->base, b->bytes);
  if (b->kind == WEIR_CUDA_MANAGED) weir_device_unmap_pages(&b->pages);
  weir_free(b);
}

bool weir_cuda_host_release(void *base, enum weir_cuda_host_kind kind) {
  struct weir_cuda_host_block *b = weir_cuda_set_find(&blocks, base);
  if (!b || b->kind != kind) return false;
  weir_cuda_set_remove(&blocks, base);
  discard(b);
  return true;
}

void weir_cuda_forget_host_memory(void) {
  weir_cuda_set_clear(&blocks, discard);
}

static bool map(struct weir_device *d, const char *call, const struct weir_cuda_host_block *block) {
  static unsigned long number;
  char name[64];
  snprintf(name, sizeof name, "%s %lu", call, ++number);
  const bool managed = block->kind == WEIR_CUDA_MANAGED;
  if (!weir_memory_map(weir_device_memory(d), name, (uintptr_t)block->base, managed ? block->pages.own : block->base,
                       block->bytes))
    return false;
  struct weir_cuda_host_block *b = weir_new(struct weir_cuda_host_block);
  *b = *block;
  weir_device_maps(d, (uintptr_t)b->base, b->bytes, managed);
  weir_cuda_set_add(&blocks, b->base, b);
  return true;
}

// ---- pinned ---------------------------------------------------------------------------------------------------------

// Pages of their own: what lies beside them is not the device's to see.
static cudaError_t allocate_pinned(struct weir_device *d, const char *call, void **pointer, size_t bytes,
                                   unsigned flags) {
  const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if (!pointer || flags & ~known) return cudaErrorInvalidValue;
  *pointer = NULL;
  if (!bytes) return cudaSuccess;
  void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return cudaErrorMemoryAllocation;
  const struct weir_cuda_host_block block = {
    .device = d, .base = base, .bytes = bytes, .kind = WEIR_CUDA_PINNED, .flags = flags};
  if (!map(d, call, &block)) {
    munmap(base, bytes);
    return cudaErrorMemoryAllocation;
  }
  *pointer = base;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMallocHost, void **pointer, size_t bytes) {
  return WEIR_CUDA_UNSAFE_CALL(allocate_pinned(d, "cudaMallocHost", pointer, bytes, 0));
}

WEIR_CUDA_API(cudaError_t, cudaHostAlloc, void **pointer, size_t bytes, unsigned flags) {
  return WEIR_CUDA_UNSAFE_CALL(allocate_pinned(d, "cudaHostAlloc", pointer, bytes, flags));
}

static cudaError_t free_pinned(void *pointer) {
  if (!pointer || weir_cuda_host_release(pointer, WEIR_CUDA_PINNED)) return cudaSuccess;
  weir_device_say("cudaFreeHost: no pinned memory begins at %p", pointer);
  return cudaErrorInvalidValue;
}

WEIR_CUDA_API(cudaError_t, cudaFreeHost, void *pointer) {
  return WEIR_CUDA_UNSAFE_CALL(free_pinned(pointer));
}

// ---- registered -----------------------------------------------------------------------------------------------------

static cudaError_t add(struct weir_device *d, void *pointer, size_t bytes, unsigned flags) {
  const unsigned known =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if (!pointer || !bytes || flags & ~known) return cudaErrorInvalidValue;
  if (weir_cuda_host_block(d, pointer) || weir_cuda_host_block(d, (char *)pointer + bytes - 1))
    return cudaErrorHostMemoryAlreadyRegistered;
  const struct weir_cuda_host_block block = {
    .device = d, .base = pointer, .bytes = bytes, .kind = WEIR_CUDA_REGISTERED, .flags = flags};
  if (map(d, "cudaHostRegister", &block)) return cudaSuccess;
  weir_device_say("cudaHostRegister: %zu bytes at %p lie where addresses of the modelled device are; allocate them by "
                  "cudaMallocHost, or build the program with -pie",
                  bytes, pointer);
  return cudaErrorNotSupported;
}

WEIR_CUDA_API(cudaError_t, cudaHostRegister, void *pointer, size_t bytes, unsigned flags) {
  return WEIR_CUDA_UNSAFE_CALL(add(d, pointer, bytes, flags));
}

WEIR_CUDA_API(cudaError_t, cudaHostUnregister, void *pointer) {
  return WEIR_CUDA_UNSAFE_CALL(
    weir_cuda_host_release(pointer, WEIR_CUDA_REGISTERED) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

static cudaError_t device_pointer(struct weir_device *d, void **device, void *host, unsigned flags) {
  if (!device || flags || !weir_cuda_host_block(d, host)) return cudaErrorInvalidValue;
  *device = host;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaHostGetDevicePointer, void **device, void *host, unsigned flags) {
  return WEIR_CUDA_CALL(device_pointer(d, device, host, flags));
}

static cudaError_t flags_of(struct weir_device *d, unsigned *flags, const void *host) {
  const struct weir_cuda_host_block *b = weir_cuda_host_block(d, host);
  if (!flags || !b || b->kind == WEIR_CUDA_MANAGED) return cudaErrorInvalidValue;
  *flags = b->flags | cudaHostAllocMapped; // as with unified addressing
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaHostGetFlags, unsigned *flags, void *host) {
  return WEIR_CUDA_CALL(flags_of(d, flags, host));
}

// ---- managed --------------------------------------------------------------------------------------------------------

static cudaError_t allocate_managed(struct weir_device *d, void **pointer, size_t bytes, unsigned flags) {
  if (!pointer || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return cudaErrorInvalidValue;
  *pointer = NULL;
  if (!bytes) return cudaErrorInvalidValue;
  struct weir_cuda_host_block block = {.device = d, .bytes = bytes, .kind = WEIR_CUDA_MANAGED, .flags = flags};
  if (!weir_device_map_pages(d, bytes, &block.pages)) return cudaErrorMemoryAllocation;
  block.base = block.pages.base;
  if (!map(d, "cudaMallocManaged", &block)) {
    weir_device_unmap_pages(&block.pages);
    return cudaErrorMemoryAllocation;
  }
  *pointer = block.base;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMallocManaged, void **pointer, size_t bytes, unsigned flags) {
  return WEIR_CUDA_UNSAFE_CALL(allocate_managed(d, pointer, bytes, flags));
}

static cudaError_t check_managed(struct weir_device *d, const char *call, const void *pointer, size_t bytes,
                                 cudaStream_t stream) {
  struct weir_cuda_span span;
  if (!weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  if (!bytes) return cudaErrorInvalidValue;
  const cudaError_t e = weir_cuda_span(d, call, pointer, bytes, WEIR_CUDA_DEVICE, &span);
  return e ? e : span.device ? cudaErrorInvalidValue : cudaSuccess;
}

// Before CUDA 13 a device's number (cudaCpuDeviceId: -1); since, and in _v2, a struct cudaMemLocation in one register: its type, then its
// number.
static bool is_host(uint64_t where, bool location) {
  enum { CPU_DEVICE = -1, LOCATION_DEVICE = 1 };
  return location ? (uint32_t)where != LOCATION_DEVICE : (int32_t)where == CPU_DEVICE;
}

// The device is the only one, so that its memory is preferred by whoever does not prefer the host's.
static cudaError_t advise(struct weir_device *d, const void *pointer, size_t bytes, int advice, uint64_t where,
                          bool location) {
  if (advice < 1 || advice > 6) return cudaErrorInvalidValue;
  const cudaError_t e = check_managed(d, "cudaMemAdvise", pointer, bytes, NULL);
  if (e) return e;
  const bool given = advice % 2, host = is_host(where, location);
  const uint64_t address = (uintptr_t)pointer;
  switch ((advice + 1) / 2) {
  case 1: weir_device_advised(d, address, bytes, WEIR_DEVICE_READ_MOSTLY, given); break;
  case 2: weir_device_advised(d, address, bytes, WEIR_DEVICE_AT_HOST, given && host); break;
  default:
    if (!host) weir_device_advised(d, address, bytes, WEIR_DEVICE_MAPPED, given);
  }
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaMemAdvise, const void *pointer, size_t bytes, int advice, uint64_t where) {
  return WEIR_CUDA_CALL(advise(d, pointer, bytes, advice, where, weir_cuda_version >= 13000));
}

WEIR_CUDA_API(cudaError_t, cudaMemAdvise_v2, const void *pointer, size_t bytes, int advice, uint64_t where) {
  return WEIR_CUDA_CALL(advise(d, pointer, bytes, advice, where, true));
}

static cudaError_t prefetch(struct weir_device *d, const void *pointer, size_t bytes, bool to_device,
                            cudaStream_t stream) {
  const cudaError_t e = check_managed(d, "cudaMemPrefetchAsync", pointer, bytes, stream);
  if (!e) weir_device_prefetched(d, weir_cuda_stream_line(stream), (uintptr_t)pointer, bytes, to_device);
  return e;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemPrefetchAsync_v2,
                   (const void *pointer, size_t bytes, uint64_t where, unsigned flags, cudaStream_t stream),
                   (pointer, bytes, where, flags, stream)) {
  (void)flags;
  return WEIR_CUDA_CALL(prefetch(d, pointer, bytes, !is_host(where, true), stream));
}

// Before CUDA 13 the stream came in the place of the flags.
WEIR_CUDA_API_PTSZ(cudaError_t, cudaMemPrefetchAsync,
                   (const void *pointer, size_t bytes, uint64_t where, uintptr_t fourth, cudaStream_t fifth),
                   (pointer, bytes, where, fourth, fifth)) {
  const bool location = weir_cuda_version >= 13000;
  return WEIR_CUDA_CALL(
    prefetch(d, pointer, bytes, !is_host(where, location), location ? fifth : (cudaStream_t)fourth));
}
