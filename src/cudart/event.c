// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Events: marks in simulated time. On a chip without a time line it passes in kernels alone, and copies take none.
#include "cudart/set.h"
#include "cudart/stream.h"

#include "base/alloc.h"

struct CUevent_st {
  unsigned flags;
  bool recorded;
  weir_time at_ps;
};

static struct weir_cuda_set events;

static struct CUevent_st *find(cudaEvent_t event) {
  return weir_cuda_set_find(&events, event);
}

bool weir_cuda_event_is_valid(cudaEvent_t event) {
  return find(event) != NULL;
}

weir_time weir_cuda_event_at(cudaEvent_t event) {
  const struct CUevent_st *e = find(event);
  return e ? e->at_ps : 0;
}

void weir_cuda_forget_events(void) {
  weir_cuda_set_clear(&events, weir_free);
}

static cudaError_t create(cudaEvent_t *event, unsigned flags) {
  const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (!event || flags & ~known) return cudaErrorInvalidValue;
  if (flags & cudaEventInterprocess) {
    if (!(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
    weir_device_say("weir does not share events between processes");
    return cudaErrorNotSupported;
  }
  *event = weir_new(struct CUevent_st);
  (*event)->flags = flags;
  weir_cuda_set_add(&events, *event, *event);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaEventCreate, cudaEvent_t *event) {
  return WEIR_CUDA_CALL(create(event, 0));
}

WEIR_CUDA_API(cudaError_t, cudaEventCreateWithFlags, cudaEvent_t *event, unsigned flags) {
  return WEIR_CUDA_CALL(create(event, flags));
}

static cudaError_t destroy(cudaEvent_t event) {
  if (!weir_cuda_set_remove(&events, event)) return cudaErrorInvalidResourceHandle;
  weir_free(event);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaEventDestroy, cudaEvent_t event) {
  return WEIR_CUDA_CALL(destroy(event));
}

static cudaError_t record(struct weir_device *d, cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  struct CUevent_st *e = find(event);
  if (!e || !weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
  e->recorded = true;
  struct weir_timeline *t = weir_device_timeline(d);
  e->at_ps =
    t ? weir_timeline_place(t, weir_cuda_stream_line(stream), WEIR_ENGINE_NONE, 0).ended : weir_device_now_ps(d);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaEventRecord, cudaEvent_t event, cudaStream_t stream) {
  return WEIR_CUDA_CALL(record(d, event, stream, 0));
}
WEIR_CUDA_PTSZ(cudaEventRecord);

WEIR_CUDA_API(cudaError_t, cudaEventRecordWithFlags, cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return WEIR_CUDA_CALL(record(d, event, stream, flags));
}
WEIR_CUDA_PTSZ(cudaEventRecordWithFlags);

static cudaError_t check(cudaEvent_t event) {
  return find(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

WEIR_CUDA_API(cudaError_t, cudaEventQuery, cudaEvent_t event) {
  return WEIR_CUDA_CALL(check(event));
}

static cudaError_t synchronize(struct weir_device *d, cudaEvent_t event) {
  weir_device_host_waits(d, weir_cuda_event_at(event));
  return check(event);
}

WEIR_CUDA_API(cudaError_t, cudaEventSynchronize, cudaEvent_t event) {
  return WEIR_CUDA_CALL(synchronize(d, event));
}

static cudaError_t elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const struct CUevent_st *s = find(start), *e = find(end);
  if (!milliseconds) return cudaErrorInvalidValue;
  if (!s || !e || !s->recorded || !e->recorded || (s->flags | e->flags) & cudaEventDisableTiming)
    return cudaErrorInvalidResourceHandle;
  *milliseconds = (float)(((double)e->at_ps - (double)s->at_ps) / 1e9);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaEventElapsedTime, float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return WEIR_CUDA_CALL(elapsed(milliseconds, start, end));
}
WEIR_CUDA_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
