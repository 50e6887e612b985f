// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Events: marks in simulated time. On a chip without a time line it passes in kernels alone, and copies take none.
#include "cudart/event.h"

#include "cudart/capture.h"
#include "cudart/set.h"
#include "cudart/stream.h"

#include "base/alloc.h"

struct CUevent_st {
  unsigned flags;
  bool recorded;
  struct weir_item *mark; // in its stream; NULL: the chip has no time line, or it was not recorded
  weir_time at_ps;        // without a time line
  struct weir_asking asking;
  struct weir_cuda_captured captured;
};

static struct weir_cuda_set events;

static struct CUevent_st *find(cudaEvent_t event) {
  return weir_cuda_set_find(&events, event);
}

bool weir_cuda_event_is_valid(cudaEvent_t event) {
  return find(event) != NULL;
}

static void release(void *event) {
  weir_item_release(((struct CUevent_st *)event)->mark);
  weir_cuda_nodes_free(&((struct CUevent_st *)event)->captured.ends);
  weir_free(event);
}

void weir_cuda_forget_events(void) {
  weir_cuda_set_clear(&events, release);
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
  release(event);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaEventDestroy, cudaEvent_t event) {
  return WEIR_CUDA_CALL(destroy(event));
}

// Of a capturing stream: in each launch of the graph.
static cudaError_t capture_node(cudaStream_t stream, enum cudaGraphNodeType type, cudaEvent_t event, bool *captured) {
  cudaGraphNode_t node;
  const cudaError_t e = weir_cuda_capture(stream, type, &node);
  *captured = node;
  if (node) node->what.event = event;
  return e;
}

cudaError_t weir_cuda_event_record(struct weir_device *d, cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  struct CUevent_st *e = find(event);
  if (!e || !weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
  bool captured;
  const cudaError_t error = flags == cudaEventRecordExternal
    ? capture_node(stream, cudaGraphNodeTypeEventRecord, event, &captured)
    : weir_cuda_capture_record(stream, &e->captured, &captured);
  if (error || captured) return error;
  e->recorded = true;
  e->at_ps = weir_device_now_ps(d);
  weir_item_release(e->mark);
  struct weir_timeline *t = weir_device_timeline(d);
  e->mark = t ? weir_item_hold(weir_timeline_place(t, weir_cuda_stream_line(stream), WEIR_ENGINE_NONE, 0)) : NULL;
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream)) {
  return WEIR_CUDA_CALL(weir_cuda_event_record(d, event, stream, 0));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
                   (event, stream, flags)) {
  return WEIR_CUDA_CALL(weir_cuda_event_record(d, event, stream, flags));
}

cudaError_t weir_cuda_event_wait(struct weir_device *d, cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  struct weir_timeline *t = weir_device_timeline(d);
  const struct CUevent_st *e = find(event);
  bool captured;
  if (!e || !weir_cuda_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
  if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
  const cudaError_t error = flags == cudaEventWaitExternal
    ? capture_node(stream, cudaGraphNodeTypeWaitEvent, event, &captured)
    : weir_cuda_capture_wait(stream, &e->captured, &captured);
  if (error || captured) return error;
  if (t) weir_timeline_wait(t, weir_cuda_stream_line(stream), e->mark);
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                   (stream, event, flags)) {
  return WEIR_CUDA_CALL(weir_cuda_event_wait(d, stream, event, flags));
}

static cudaError_t ask(struct weir_device *d, struct CUevent_st *e) {
  if (!e) return cudaErrorInvalidResourceHandle;
  if (e->captured.id) return cudaErrorCapturedEvent;
  const cudaError_t unsafe = weir_cuda_capture_endangered();
  if (unsafe) return unsafe;
  return weir_device_host_asks(d, e->mark, &e->asking) ? cudaSuccess : cudaErrorNotReady;
}

WEIR_CUDA_API(cudaError_t, cudaEventQuery, cudaEvent_t event) {
  return WEIR_CUDA_CALL(ask(d, find(event)));
}

static cudaError_t synchronize(struct weir_device *d, cudaEvent_t event) {
  const struct CUevent_st *e = find(event);
  if (!e) return cudaErrorInvalidResourceHandle;
  if (e->captured.id) return cudaErrorCapturedEvent;
  weir_device_host_waits_for(d, e->mark);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaEventSynchronize, cudaEvent_t event) {
  return WEIR_CUDA_CALL(synchronize(d, event));
}

static weir_time time_of(const struct CUevent_st *e) {
  return e->mark ? weir_item_span(e->mark).ended : e->at_ps;
}

static cudaError_t elapsed(struct weir_device *d, float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  struct CUevent_st *s = find(start), *e = find(end);
  if (!milliseconds) return cudaErrorInvalidValue;
  if (!s || !e || !s->recorded || !e->recorded || (s->flags | e->flags) & cudaEventDisableTiming)
    return cudaErrorInvalidResourceHandle;
  cudaError_t error = ask(d, s);
  if (!error) error = ask(d, e);
  if (error) return error;
  *milliseconds = (float)(((double)time_of(e) - (double)time_of(s)) / 1e9);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaEventElapsedTime, float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return WEIR_CUDA_CALL(elapsed(d, milliseconds, start, end));
}
WEIR_CUDA_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
