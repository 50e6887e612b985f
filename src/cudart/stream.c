// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/stream.h"

#include "cudart/set.h"

#include "base/alloc.h"

#include <pthread.h>
#include <time.h>

struct CUstream_st {
  unsigned flags;
  unsigned long long id;
  struct cudaAccessPolicyWindow window;
  struct weir_stream line;
  struct weir_asking asking;
};

// What GPUs of most generations answer to cudaDeviceGetStreamPriorityRange: 0 is the least, −5 the greatest.
enum { GREATEST_PRIORITY = -5 };

enum {
  STUCK_SECONDS = 5
}; // of the clock on the wall, after which a function of the host that has not returned is named

static struct weir_cuda_set streams;
static struct CUstream_st legacy = {.id = 1, .line.kind = WEIR_STREAM_LEGACY};

// Of each thread the default stream of its own, made when it is first used. They live until the device is reset.
static struct weir_cuda_set own_streams;
static unsigned resets;

static unsigned long long new_id(void) {
  static unsigned long long id = 2;
  return ++id;
}

static struct CUstream_st *own_stream(void) {
  static _Thread_local struct CUstream_st *own;
  static _Thread_local unsigned resets_then;
  if (own && resets_then == resets) return own;
  own = weir_new(struct CUstream_st);
  own->id = own_streams.root || resets ? new_id() : 2; // CUDA's number of the first
  own->line.number = (unsigned)own->id;
  resets_then = resets;
  weir_cuda_set_add(&own_streams, own, own);
  return own;
}

static struct CUstream_st *find(cudaStream_t stream) {
  if (stream == cudaStreamPerThread || (!stream && weir_cuda_default_is_own)) return own_stream();
  if (!stream || stream == cudaStreamLegacy) return &legacy;
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
  struct CUstream_st *s = find(stream);
  return s ? &s->line : NULL;
}

static void release(void *stream) {
  weir_stream_close(&((struct CUstream_st *)stream)->line);
  weir_free(stream);
}

void weir_cuda_forget_streams(void) {
  legacy.window = (struct cudaAccessPolicyWindow){0};
  weir_stream_close(&legacy.line);
  weir_cuda_set_clear(&streams, release);
  weir_cuda_set_clear(&own_streams, release);
  resets++;
}

// ---- made and destroyed ---------------------------------------------------------------------------------------------

static int clamp_priority(int priority) {
  return priority > 0 ? 0 : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

static cudaError_t create(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream || flags & ~(unsigned)cudaStreamNonBlocking) return cudaErrorInvalidValue;
  *stream = weir_new(struct CUstream_st);
  **stream = (struct CUstream_st){.flags = flags, .id = new_id(), .line.priority = clamp_priority(priority)};
  (*stream)->line.number = (unsigned)(*stream)->id;
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
  release(stream); // what it was given goes on
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

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), (stream, flags)) {
  return ASK(stream, flags, s->flags);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetPriority, (cudaStream_t stream, int *priority), (stream, priority)) {
  return ASK(stream, priority, s->line.priority);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), (stream, id)) {
  return ASK(stream, id, s->id);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetDevice, (cudaStream_t stream, int *device), (stream, device)) {
  return ASK(stream, device, 0);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamIsCapturing, (cudaStream_t stream, int *status), (stream, status)) {
  return ASK(stream, status, 0);
}

// Its newer forms have more results, of which nothing is written unless the stream is capturing.
WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetCaptureInfo, (cudaStream_t stream, int *status, unsigned long long *id),
                   (stream, status, id)) {
  (void)id;
  return ASK(stream, status, 0);
}
WEIR_CUDA_ALIAS(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo);
WEIR_CUDA_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo);
WEIR_CUDA_ALIAS(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo);
WEIR_CUDA_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo);

// Of what the stream was given; of the legacy default stream also of what was given to blocking streams before.
static struct weir_item *open_item(struct weir_device *d, const struct CUstream_st *s) {
  struct weir_timeline *t = weir_device_timeline(d);
  return t ? weir_timeline_open(t, &s->line) : NULL;
}

static cudaError_t ask(struct weir_device *d, struct CUstream_st *s) {
  if (!s) return cudaErrorInvalidResourceHandle;
  return weir_device_host_asks(d, open_item(d, s), &s->asking) ? cudaSuccess : cudaErrorNotReady;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamQuery, (cudaStream_t stream), (stream)) {
  return WEIR_CUDA_CALL(ask(d, find(stream)));
}

static cudaError_t synchronize(struct weir_device *d, const struct CUstream_st *s) {
  if (!s) return cudaErrorInvalidResourceHandle;
  for (const struct weir_item *i; (i = open_item(d, s));) weir_device_host_waits_for(d, i);
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamSynchronize, (cudaStream_t stream), (stream)) {
  return WEIR_CUDA_CALL(synchronize(d, find(stream)));
}

// ---- what is done when it is asked for ------------------------------------------------------------------------------

static cudaError_t wait_event(struct weir_device *d, cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  struct weir_timeline *t = weir_device_timeline(d);
  if (!find(stream) || !weir_cuda_event_is_valid(event)) return cudaErrorInvalidResourceHandle;
  if (flags > 1) return cudaErrorInvalidValue;
  if (t) weir_timeline_wait(t, weir_cuda_stream_line(stream), weir_cuda_event_mark(event));
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                   (stream, event, flags)) {
  return WEIR_CUDA_CALL(wait_event(d, stream, event, flags));
}

static cudaError_t attach(cudaStream_t stream, unsigned flags) {
  if (!find(stream)) return cudaErrorInvalidResourceHandle;
  const bool one = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
  return one ? cudaSuccess : cudaErrorInvalidValue;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamAttachMemAsync,
                   (cudaStream_t stream, void *pointer, size_t bytes, unsigned flags),
                   (stream, pointer, bytes, flags)) {
  (void)pointer, (void)bytes;
  return WEIR_CUDA_CALL(attach(stream, flags));
}

// A function of the program's that the stream was given. What was given before it is done, so that it runs at once, in a thread of its own,
// as CUDA's do, and the call returns when it does: then what comes later in the stream finds it done. It holds no lock.
struct host_call {
  cudaHostFn_t function;
  cudaStreamCallback_t callback;
  cudaStream_t stream;
  void *data;
};

static void *run_host_call(void *call) {
  const struct host_call *c = call;
  if (c->function)
    c->function(c->data);
  else
    c->callback(c->stream, cudaSuccess, c->data);
  return NULL;
}

static void name_stuck(const struct host_call *c, const char *call) {
  weir_device_lock();
  const struct CUstream_st *s = find(c->stream);
  weir_device_say(
    "stream %llu waits for the function of the host that %s gave it, which has run for %d s; what the program does after "
    "that call it waits for in vain, as under weir the call returns when the function does",
    s ? s->id : 0, call, STUCK_SECONDS);
  weir_device_unlock();
}

static void call_host(struct host_call *c, const char *call) {
  pthread_t thread;
  struct timespec until;
  if (pthread_create(&thread, NULL, run_host_call, c)) {
    run_host_call(c);
    return;
  }
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += STUCK_SECONDS;
  if (pthread_timedjoin_np(thread, NULL, &until)) {
    name_stuck(c, call);
    pthread_join(thread, NULL);
  }
}

static cudaError_t give_host_call(struct weir_device *d, cudaStream_t stream) {
  struct CUstream_st *s = find(stream);
  struct weir_timeline *t = weir_device_timeline(d);
  if (!s) return cudaErrorInvalidResourceHandle;
  if (t) weir_timeline_place(t, &s->line, WEIR_ENGINE_NONE, 0);
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data),
                   (stream, function, data)) {
  const cudaError_t e = WEIR_CUDA_CALL(function ? give_host_call(d, stream) : cudaErrorInvalidValue);
  if (!e) call_host(&(struct host_call){.function = function, .stream = stream, .data = data}, "cudaLaunchHostFunc");
  return e;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamAddCallback,
                   (cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags),
                   (stream, function, data, flags)) {
  const cudaError_t e = WEIR_CUDA_CALL(function && !flags ? give_host_call(d, stream) : cudaErrorInvalidValue);
  if (!e) call_host(&(struct host_call){.callback = function, .stream = stream, .data = data}, "cudaStreamAddCallback");
  return e;
}
