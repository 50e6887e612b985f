// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // pthread_timedjoin_np

// Waiting for streams, and the functions of the host that they are given.
#include "cudart/capture.h"
#include "cudart/host_call.h"
#include "cudart/stream.h"

#include <pthread.h>
#include <time.h>

// Of what the stream was given; of the legacy default stream also of what was given to blocking streams before.
static struct weir_item *open_item(struct weir_device *d, cudaStream_t stream) {
  struct weir_timeline *t = weir_device_timeline(d);
  return t ? weir_timeline_open(t, weir_cuda_stream_line(stream)) : NULL;
}

static cudaError_t ask(struct weir_device *d, cudaStream_t stream) {
  const cudaError_t e = weir_cuda_capture_forbids(stream);
  if (e) return e;
  return weir_device_host_asks(d, open_item(d, stream), weir_cuda_stream_asking(stream)) ? cudaSuccess
                                                                                         : cudaErrorNotReady;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamQuery, (cudaStream_t stream), (stream)) {
  return WEIR_CUDA_CALL(ask(d, stream));
}

static cudaError_t synchronize(struct weir_device *d, cudaStream_t stream) {
  const cudaError_t e = weir_cuda_capture_forbids(stream);
  if (e) return e;
  for (const struct weir_item *i; (i = open_item(d, stream));) weir_device_host_waits_for(d, i);
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamSynchronize, (cudaStream_t stream), (stream)) {
  return WEIR_CUDA_CALL(synchronize(d, stream));
}

// ---- functions of the host ------------------------------------------------------------------------------------------

enum { STUCK_SECONDS = 5 }; // of the clock on the wall, after which one that has not returned is named

static void *run(void *call) {
  const struct weir_cuda_host_call *c = call;
  if (c->function)
    c->function(c->data);
  else
    c->callback(c->stream, cudaSuccess, c->data);
  return NULL;
}

void weir_cuda_call_host(struct weir_cuda_host_call *c) {
  pthread_t thread;
  struct timespec until;
  if (pthread_create(&thread, NULL, run, c)) {
    run(c);
    return;
  }
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += STUCK_SECONDS;
  if (!pthread_timedjoin_np(thread, NULL, &until)) return;
  weir_device_lock();
  weir_device_say(
    "stream %llu waits for the function of the host that it was given by %s, which has run for %d s. Under weir the "
    "call returns when the function does: what the program does after the call it must not wait for",
    c->stream_id, c->call, STUCK_SECONDS);
  weir_device_unlock();
  pthread_join(thread, NULL);
}

// What was given before it is done, so that it may run at once. *captured: not now.
static cudaError_t give(struct weir_device *d, struct weir_cuda_host_call *c, bool *captured) {
  cudaGraphNode_t node;
  struct weir_timeline *t = weir_device_timeline(d);
  const cudaError_t e = weir_cuda_capture(c->stream, cudaGraphNodeTypeHost, &node);
  *captured = node;
  if (e) return e;
  if (node)
    node->what.host = (struct cudaHostNodeParams){c->function, c->data};
  else if (t)
    weir_timeline_place(t, weir_cuda_stream_line(c->stream), WEIR_ENGINE_NONE, 0);
  c->stream_id = weir_cuda_stream_id(c->stream);
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data),
                   (stream, function, data)) {
  struct weir_cuda_host_call c = {.function = function, .stream = stream, .data = data, .call = "cudaLaunchHostFunc"};
  bool captured = false;
  const cudaError_t e = WEIR_CUDA_CALL(function ? give(d, &c, &captured) : cudaErrorInvalidValue);
  if (!e && !captured) weir_cuda_call_host(&c);
  return e;
}

// Graphs have no such nodes.
static cudaError_t give_callback(struct weir_device *d, struct weir_cuda_host_call *c) {
  const struct weir_cuda_capturing *s = weir_cuda_stream_capturing(c->stream);
  bool captured;
  return s && s->of ? weir_cuda_capture_forbids(c->stream) : give(d, c, &captured);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamAddCallback,
                   (cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags),
                   (stream, function, data, flags)) {
  struct weir_cuda_host_call c = {
    .callback = function, .stream = stream, .data = data, .call = "cudaStreamAddCallback"};
  const cudaError_t e = WEIR_CUDA_CALL(function && !flags ? give_callback(d, &c) : cudaErrorInvalidValue);
  if (!e) weir_cuda_call_host(&c);
  return e;
}
