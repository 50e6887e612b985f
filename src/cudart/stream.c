// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/stream.h"

#include "cudart/set.h"

#include "base/alloc.h"

struct CUstream_st {
  unsigned flags;
  int priority;
  unsigned long long id;
  struct cudaAccessPolicyWindow window;
  struct weir_stream line;
};

// What GPUs of most generations answer to cudaDeviceGetStreamPriorityRange: 0 is the least, −5 the greatest.
enum { GREATEST_PRIORITY = -5 };

static struct weir_cuda_set streams;
static struct CUstream_st default_streams[3] = {
  {.id = 0, .line.kind = WEIR_STREAM_LEGACY}, {.id = 1}, {.id = 2, .line.number = 2}};

static struct CUstream_st *find(cudaStream_t stream) {
  if (!stream) return &default_streams[0];
  if (stream == cudaStreamLegacy) return &default_streams[1];
  if (stream == cudaStreamPerThread) return &default_streams[2];
  return weir_cuda_set_find(&streams, stream);
}

bool weir_cuda_stream_is_valid(cudaStream_t stream) {
  return find(stream) != NULL;
}

struct cudaAccessPolicyWindow *weir_cuda_stream_window(cudaStream_t stream) {
  struct CUstream_st *s = find(stream);
  return s ? &s->window : NULL;
}

struct weir_stream *weir_cuda_stream_line(cudaStream_t stream) {
  struct CUstream_st *s = find(stream == cudaStreamLegacy ? NULL : stream);
  return s ? &s->line : NULL;
}

void weir_cuda_forget_streams(void) {
  for (unsigned k = 0; k < 3; k++) default_streams[k].window = (struct cudaAccessPolicyWindow){0};
  weir_cuda_set_clear(&streams, weir_free);
}

// ---- made and destroyed ---------------------------------------------------------------------------------------------

static int clamp_priority(int priority) {
  return priority > 0 ? 0 : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

static cudaError_t create(cudaStream_t *stream, unsigned flags, int priority) {
  static unsigned long long next_id = 3;
  if (!stream || flags & ~(unsigned)cudaStreamNonBlocking) return cudaErrorInvalidValue;
  *stream = weir_new(struct CUstream_st);
  **stream = (struct CUstream_st){.flags = flags, .priority = clamp_priority(priority), .id = next_id};
  (*stream)->line.number = (unsigned)next_id++;
  if (flags & cudaStreamNonBlocking) (*stream)->line.kind = WEIR_STREAM_NON_BLOCKING;
  weir_cuda_set_add(&streams, *stream, *stream);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaStreamCreate, cudaStream_t *stream) {
  return WEIR_CUDA_CALL(create(stream, cudaStreamDefault, 0));
}

WEIR_CUDA_API(cudaError_t, cudaStreamCreateWithFlags, cudaStream_t *stream, unsigned flags) {
  return WEIR_CUDA_CALL(create(stream, flags, 0));
}

WEIR_CUDA_API(cudaError_t, cudaStreamCreateWithPriority, cudaStream_t *stream, unsigned flags, int priority) {
  return WEIR_CUDA_CALL(create(stream, flags, priority));
}

static cudaError_t destroy(cudaStream_t stream) {
  if (!weir_cuda_set_remove(&streams, stream)) return cudaErrorInvalidResourceHandle;
  weir_free(stream);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaStreamDestroy, cudaStream_t stream) {
  return WEIR_CUDA_CALL(destroy(stream));
}

// ---- asked ----------------------------------------------------------------------------------------------------------

WEIR_CUDA_API(cudaError_t, cudaDeviceGetStreamPriorityRange, int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = GREATEST_PRIORITY;
  return WEIR_CUDA_CALL(cudaSuccess);
}

static cudaError_t answered(const struct CUstream_st *s, const void *result) {
  return !s ? cudaErrorInvalidResourceHandle : !result ? cudaErrorInvalidValue : cudaSuccess;
}

// Sets *result to an expression of the stream `s`.
#define ASK(stream, result, expression)                                                                                \
  WEIR_CUDA_CALL(({                                                                                                    \
    const struct CUstream_st *s = find(stream);                                                                        \
    if (s && (result)) *(result) = (expression);                                                                       \
    answered(s, result);                                                                                               \
  }))

WEIR_CUDA_API(cudaError_t, cudaStreamGetFlags, cudaStream_t stream, unsigned *flags) {
  return ASK(stream, flags, s->flags);
}
WEIR_CUDA_PTSZ(cudaStreamGetFlags);

WEIR_CUDA_API(cudaError_t, cudaStreamGetPriority, cudaStream_t stream, int *priority) {
  return ASK(stream, priority, s->priority);
}
WEIR_CUDA_PTSZ(cudaStreamGetPriority);

WEIR_CUDA_API(cudaError_t, cudaStreamGetId, cudaStream_t stream, unsigned long long *id) {
  return ASK(stream, id, s->id);
}
WEIR_CUDA_PTSZ(cudaStreamGetId);

WEIR_CUDA_API(cudaError_t, cudaStreamGetDevice, cudaStream_t stream, int *device) {
  return ASK(stream, device, 0);
}
WEIR_CUDA_PTSZ(cudaStreamGetDevice);

WEIR_CUDA_API(cudaError_t, cudaStreamIsCapturing, cudaStream_t stream, int *status) {
  return ASK(stream, status, 0);
}
WEIR_CUDA_PTSZ(cudaStreamIsCapturing);

// Its newer forms have more results, of which nothing is written unless the stream is capturing.
WEIR_CUDA_API(cudaError_t, cudaStreamGetCaptureInfo, cudaStream_t stream, int *status, unsigned long long *id) {
  (void)id;
  return ASK(stream, status, 0);
}
WEIR_CUDA_PTSZ(cudaStreamGetCaptureInfo);
WEIR_CUDA_ALIAS(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo);
WEIR_CUDA_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo);
WEIR_CUDA_ALIAS(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo);
WEIR_CUDA_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo);

static cudaError_t check(cudaStream_t stream) {
  return find(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

WEIR_CUDA_API(cudaError_t, cudaStreamQuery, cudaStream_t stream) {
  return WEIR_CUDA_CALL(check(stream));
}
WEIR_CUDA_PTSZ(cudaStreamQuery);

// Of the legacy default stream: also for what was given to blocking streams before.
static cudaError_t synchronize(struct weir_device *d, cudaStream_t stream) {
  struct weir_timeline *t = weir_device_timeline(d);
  struct weir_stream *s = weir_cuda_stream_line(stream);
  if (s && t) weir_device_host_waits(d, weir_timeline_place(t, s, WEIR_ENGINE_NONE, 0).ended);
  return check(stream);
}

WEIR_CUDA_API(cudaError_t, cudaStreamSynchronize, cudaStream_t stream) {
  return WEIR_CUDA_CALL(synchronize(d, stream));
}
WEIR_CUDA_PTSZ(cudaStreamSynchronize);

// ---- what is done when it is asked for ------------------------------------------------------------------------------

static cudaError_t wait_event(struct weir_device *d, cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  struct weir_timeline *t = weir_device_timeline(d);
  if (!find(stream) || !weir_cuda_event_is_valid(event)) return cudaErrorInvalidResourceHandle;
  if (flags > 1) return cudaErrorInvalidValue;
  if (t) weir_timeline_wait(t, weir_cuda_stream_line(stream), weir_cuda_event_at(event));
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaStreamWaitEvent, cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return WEIR_CUDA_CALL(wait_event(d, stream, event, flags));
}
WEIR_CUDA_PTSZ(cudaStreamWaitEvent);

static cudaError_t attach(cudaStream_t stream, unsigned flags) {
  if (!find(stream)) return cudaErrorInvalidResourceHandle;
  const bool one = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
  return one ? cudaSuccess : cudaErrorInvalidValue;
}

WEIR_CUDA_API(cudaError_t, cudaStreamAttachMemAsync, cudaStream_t stream, void *pointer, size_t bytes, unsigned flags) {
  (void)pointer, (void)bytes;
  return WEIR_CUDA_CALL(attach(stream, flags));
}
WEIR_CUDA_PTSZ(cudaStreamAttachMemAsync);

// The program's own function runs outside the lock: other threads may go on meanwhile.
WEIR_CUDA_API(cudaError_t, cudaLaunchHostFunc, cudaStream_t stream, cudaHostFn_t function, void *data) {
  const cudaError_t e = WEIR_CUDA_CALL(function ? check(stream) : cudaErrorInvalidValue);
  if (!e) function(data);
  return e;
}
WEIR_CUDA_PTSZ(cudaLaunchHostFunc);

WEIR_CUDA_API(cudaError_t, cudaStreamAddCallback, cudaStream_t stream, cudaStreamCallback_t function, void *data,
              unsigned flags) {
  const cudaError_t e = WEIR_CUDA_CALL(function && !flags ? check(stream) : cudaErrorInvalidValue);
  if (!e) function(stream, cudaSuccess, data);
  return e;
}
WEIR_CUDA_PTSZ(cudaStreamAddCallback);
