// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Attributes of streams and launches that say how the L2 is to treat accesses: the access-policy window (CUDA C++ Programming
// Guide, "Device Memory L2 Access Management"). Synchronization policies, priorities and memory domains have no effect here, and
// are not kept.
#include "cudart/stream.h"

#include "exec/descriptor.h"

bool weir_cuda_window_is_valid(struct weir_device *d, const struct cudaAccessPolicyWindow *w) {
  if (!w->num_bytes) return true;
  const uint64_t most = weir_device_facts(d).window_bytes;
  return w->num_bytes <= most && w->hitRatio >= 0 && w->hitRatio <= 1 &&
    (unsigned)w->hitProp <= cudaAccessPropertyPersisting && (unsigned)w->missProp <= cudaAccessPropertyStreaming;
}

// A ratio of 0 asks for what the misses do.
struct weir_access_window weir_cuda_window(const struct cudaAccessPolicyWindow *w) {
  static const uint8_t hits[] = {[cudaAccessPropertyNormal] = WEIR_DESCRIPTOR_NORMAL,
                                 [cudaAccessPropertyStreaming] = WEIR_DESCRIPTOR_FIRST,
                                 [cudaAccessPropertyPersisting] = WEIR_DESCRIPTOR_LAST};
  const unsigned miss = w->missProp == cudaAccessPropertyStreaming ? WEIR_DESCRIPTOR_FIRST : WEIR_DESCRIPTOR_UNCHANGED;
  const unsigned hit = w->hitRatio > 0 ? hits[w->hitProp] : miss;
  return (struct weir_access_window){.address = (uint64_t)(uintptr_t)w->base_ptr,
                                     .bytes = w->num_bytes,
                                     .policy = weir_descriptor_fraction(hit, miss, w->hitRatio)};
}

static cudaError_t set_attribute(struct weir_device *d, cudaStream_t stream, enum cudaLaunchAttributeID id,
                                 const union cudaLaunchAttributeValue *value) {
  struct cudaAccessPolicyWindow *w = weir_cuda_stream_window(stream);
  if (!w) return cudaErrorInvalidResourceHandle;
  if (!value) return cudaErrorInvalidValue;
  if (id != cudaLaunchAttributeAccessPolicyWindow) return cudaSuccess;
  if (!weir_cuda_window_is_valid(d, &value->accessPolicyWindow)) return cudaErrorInvalidValue;
  *w = value->accessPolicyWindow;
  return cudaSuccess;
}

static cudaError_t get_attribute(cudaStream_t stream, enum cudaLaunchAttributeID id,
                                 union cudaLaunchAttributeValue *value) {
  const struct cudaAccessPolicyWindow *w = weir_cuda_stream_window(stream);
  if (!w) return cudaErrorInvalidResourceHandle;
  if (!value) return cudaErrorInvalidValue;
  *value = (union cudaLaunchAttributeValue){0};
  if (id == cudaLaunchAttributeAccessPolicyWindow) value->accessPolicyWindow = *w;
  return cudaSuccess;
}

static cudaError_t copy_attributes(cudaStream_t to, cudaStream_t from) {
  struct cudaAccessPolicyWindow *a = weir_cuda_stream_window(to);
  const struct cudaAccessPolicyWindow *b = weir_cuda_stream_window(from);
  if (!a || !b) return cudaErrorInvalidResourceHandle;
  *a = *b;
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamSetAttribute,
                   (cudaStream_t stream, enum cudaLaunchAttributeID id, const union cudaLaunchAttributeValue *value),
                   (stream, id, value)) {
  return WEIR_CUDA_CALL(set_attribute(d, stream, id, value));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetAttribute,
                   (cudaStream_t stream, enum cudaLaunchAttributeID id, union cudaLaunchAttributeValue *value),
                   (stream, id, value)) {
  return WEIR_CUDA_CALL(get_attribute(stream, id, value));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), (to, from)) {
  return WEIR_CUDA_CALL(copy_attributes(to, from));
}

static cudaError_t reset_persisting(struct weir_device *d) {
  weir_device_demote_persisting(d);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaCtxResetPersistingL2Cache, void) {
  return WEIR_CUDA_CALL(reset_persisting(d));
}
