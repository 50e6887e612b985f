// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/capture.h"

#include "cudart/stream.h"

#include "base/alloc.h"

struct weir_cuda_capture {
  unsigned long long id;
  cudaGraph_t graph;
  struct weir_cuda_capturing *origin;   // the stream that it was begun in
  struct weir_cuda_capturing **streams; // all that belong to it
  unsigned stream_count, stream_capacity;
  enum cudaStreamCaptureMode mode;
  const void *thread; // that began it: the address of its `exchanged`
  bool blocking;      // one of them is a blocking stream, which the legacy stream would wait for
  bool invalid;
};

// What a thread is held to by captures: its own mode, which it may exchange.
static _Thread_local enum cudaStreamCaptureMode exchanged;

static struct weir_cuda_capture **captures; // those that have not ended
static unsigned capture_count, capture_capacity;

static void join(struct weir_cuda_capture *c, cudaStream_t stream) {
  struct weir_cuda_capturing *s = weir_cuda_stream_capturing(stream);
  if (s->of) return;
  s->of = c;
  c->blocking |= weir_cuda_stream_line(stream)->kind == WEIR_STREAM_BLOCKING;
  *weir_push(c->streams, c->stream_count, c->stream_capacity) = s;
}

// Its streams go on without it.
static void end(struct weir_cuda_capture *c) {
  for (unsigned i = 0; i < c->stream_count; i++) {
    c->streams[i]->of = NULL;
    weir_cuda_nodes_free(&c->streams[i]->ends);
  }
  unsigned kept = 0;
  for (unsigned i = 0; i < capture_count; i++)
    if (captures[i] != c) captures[kept++] = captures[i];
  capture_count = kept;
  weir_free(c->streams);
  weir_free(c);
}

void weir_cuda_forget_captures(void) {
  while (capture_count) end(captures[0]); // their graphs go with all others
}

// ---- what streams are given ---------------------------------------------------------------------------------------------

// The legacy default stream would wait for blocking streams, and what they capture does not happen now.
static cudaError_t check_implicit(cudaStream_t stream) {
  if (weir_cuda_stream_line(stream)->kind != WEIR_STREAM_LEGACY) return cudaSuccess;
  cudaError_t e = cudaSuccess;
  for (unsigned i = 0; i < capture_count; i++)
    if (captures[i]->blocking) {
      captures[i]->invalid = true;
      e = cudaErrorStreamCaptureImplicit;
    }
  return e;
}

cudaError_t weir_cuda_capture(cudaStream_t stream, enum cudaGraphNodeType type, cudaGraphNode_t *node) {
  struct weir_cuda_capturing *s = weir_cuda_stream_capturing(stream);
  *node = NULL;
  if (!s) return cudaErrorInvalidResourceHandle;
  if (!s->of) return check_implicit(stream);
  if (s->of->invalid) return cudaErrorStreamCaptureInvalidated;
  const cudaError_t e = weir_cuda_node_add(s->of->graph, type, s->ends.items, s->ends.count, node);
  weir_cuda_nodes_free(&s->ends);
  weir_cuda_nodes_add(&s->ends, *node);
  return e;
}

cudaError_t weir_cuda_capture_forbids(cudaStream_t stream) {
  const struct weir_cuda_capturing *s = weir_cuda_stream_capturing(stream);
  if (!s) return cudaErrorInvalidResourceHandle;
  if (!s->of) return check_implicit(stream);
  s->of->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

// CUDA Runtime API, cudaThreadExchangeStreamCaptureMode: a capture of the thread's own forbids such calls, unless it was begun relaxed, and
// one of another thread if it and this thread's mode are global. Which calls these are it does not say: those in which programs found it.
static bool forbids(const struct weir_cuda_capture *c) {
  if (exchanged == cudaStreamCaptureModeRelaxed) return false;
  if (c->thread == &exchanged) return c->mode != cudaStreamCaptureModeRelaxed;
  return exchanged == cudaStreamCaptureModeGlobal && c->mode == cudaStreamCaptureModeGlobal;
}

cudaError_t weir_cuda_capture_endangered(void) {
  cudaError_t e = cudaSuccess;
  for (unsigned i = 0; i < capture_count; i++) {
    if (!forbids(captures[i])) continue;
    captures[i]->invalid = true;
    e = cudaErrorStreamCaptureUnsupported;
  }
  return e;
}

static void add_all(struct weir_cuda_nodes *to, const struct weir_cuda_nodes *from) {
  for (size_t i = 0; i < from->count; i++) weir_cuda_nodes_add(to, from->items[i]);
}

cudaError_t weir_cuda_capture_record(cudaStream_t stream, struct weir_cuda_captured *event, bool *captured) {
  const struct weir_cuda_capturing *s = weir_cuda_stream_capturing(stream);
  weir_cuda_nodes_free(&event->ends);
  event->id = s->of ? s->of->id : 0;
  *captured = s->of;
  if (!s->of) return check_implicit(stream);
  add_all(&event->ends, &s->ends);
  return s->of->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

cudaError_t weir_cuda_capture_wait(cudaStream_t stream, const struct weir_cuda_captured *event, bool *captured) {
  struct weir_cuda_capturing *s = weir_cuda_stream_capturing(stream);
  struct weir_cuda_capture *c = NULL;
  for (unsigned i = 0; i < capture_count; i++)
    if (captures[i]->id == event->id) c = captures[i];
  *captured = s->of || event->id;
  if (!*captured) return check_implicit(stream);
  if (event->id && !c) return cudaErrorCapturedEvent; // of a capture that has ended
  if (!c || (s->of && s->of != c)) {
    s->of->invalid = true;
    return c ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation;
  }
  if (c->invalid) return cudaErrorStreamCaptureInvalidated;
  if (weir_cuda_stream_line(stream)->kind == WEIR_STREAM_LEGACY) {
    c->invalid = true;
    return cudaErrorStreamCaptureImplicit;
  }
  join(c, stream);
  add_all(&s->ends, &event->ends);
  return cudaSuccess;
}

// ---- begun and ended ----------------------------------------------------------------------------------------------------

static cudaError_t begin(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  static unsigned long long ids;
  struct weir_cuda_capturing *s = weir_cuda_stream_capturing(stream);
  if (!s) return cudaErrorInvalidResourceHandle;
  if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (weir_cuda_stream_line(stream)->kind == WEIR_STREAM_LEGACY) return cudaErrorStreamCaptureUnsupported;
  if (s->of) return cudaErrorIllegalState;
  struct weir_cuda_capture *c = weir_new(struct weir_cuda_capture);
  *c = (struct weir_cuda_capture){
    .id = ++ids, .graph = weir_cuda_graph_new(), .origin = s, .mode = mode, .thread = &exchanged};
  *weir_push(captures, capture_count, capture_capacity) = c;
  join(c, stream);
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
                   (stream, mode)) {
  return WEIR_CUDA_CALL(begin(stream, mode));
}

// Does the stream in which the capture began follow, in the end, all that the others were given?
static bool is_joined(const struct weir_cuda_capture *c) {
  struct weir_cuda_nodes reached = {0};
  for (size_t i = 0; i < c->graph->nodes.count; i++) c->graph->nodes.items[i]->marked = false;
  add_all(&reached, &c->origin->ends);
  for (size_t i = 0; i < reached.count; i++) reached.items[i]->marked = true;
  for (size_t i = 0; i < reached.count; i++)
    for (size_t k = 0; k < reached.items[i]->after.count; k++) {
      cudaGraphNode_t n = reached.items[i]->after.items[k];
      if (n->marked) continue;
      n->marked = true;
      *weir_push(reached.items, reached.count, reached.capacity) = n;
    }
  weir_cuda_nodes_free(&reached);
  for (unsigned i = 0; i < c->stream_count; i++)
    for (size_t k = 0; k < c->streams[i]->ends.count; k++)
      if (!c->streams[i]->ends.items[k]->marked) return false;
  return true;
}

static cudaError_t finish(cudaStream_t stream, cudaGraph_t *graph) {
  struct weir_cuda_capturing *s = weir_cuda_stream_capturing(stream);
  if (!s) return cudaErrorInvalidResourceHandle;
  if (!graph) return cudaErrorInvalidValue;
  *graph = NULL;
  struct weir_cuda_capture *c = s->of;
  if (!c) return cudaErrorIllegalState;
  if (c->origin != s) {
    c->invalid = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  if (c->mode != cudaStreamCaptureModeRelaxed && c->thread != &exchanged) return cudaErrorStreamCaptureWrongThread;
  const cudaError_t e = c->invalid ? cudaErrorStreamCaptureInvalidated
    : is_joined(c)                 ? cudaSuccess
                                   : cudaErrorStreamCaptureUnjoined;
  if (e)
    weir_cuda_graph_free(c->graph);
  else
    *graph = c->graph;
  end(c);
  return e;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), (stream, graph)) {
  return WEIR_CUDA_CALL(finish(stream, graph));
}

WEIR_CUDA_API(cudaError_t, cudaThreadExchangeStreamCaptureMode, enum cudaStreamCaptureMode *mode) {
  if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return weir_cuda_error(cudaErrorInvalidValue);
  const enum cudaStreamCaptureMode before = exchanged;
  exchanged = *mode;
  *mode = before;
  return cudaSuccess;
}

// ---- asked --------------------------------------------------------------------------------------------------------------

struct answer {
  unsigned long long *id;
  cudaGraph_t *graph;
  const cudaGraphNode_t **ends;
  size_t *count;
};

static cudaError_t info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, const struct answer *a) {
  const struct weir_cuda_capturing *s = weir_cuda_stream_capturing(stream);
  if (!s) return cudaErrorInvalidResourceHandle;
  if (!status) return cudaErrorInvalidValue;
  *status = !s->of   ? cudaStreamCaptureStatusNone
    : s->of->invalid ? cudaStreamCaptureStatusInvalidated
                     : cudaStreamCaptureStatusActive;
  if (!s->of) return check_implicit(stream);
  if (a->id) *a->id = s->of->id;
  if (a->graph) *a->graph = s->of->graph;
  if (a->ends) *a->ends = s->ends.items;
  if (a->count) *a->count = s->ends.count;
  return cudaSuccess;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
                   (stream, status)) {
  return WEIR_CUDA_CALL(info(stream, status, &(struct answer){.id = NULL}));
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetCaptureInfo_v2,
                   (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                    cudaGraph_t *graph, const cudaGraphNode_t **ends, size_t *count),
                   (stream, status, id, graph, ends, count)) {
  return WEIR_CUDA_CALL(info(stream, status, &(struct answer){id, graph, ends, count}));
}

// Edges have no data here.
WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetCaptureInfo_v3,
                   (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                    cudaGraph_t *graph, const cudaGraphNode_t **ends, const void **edges, size_t *count),
                   (stream, status, id, graph, ends, edges, count)) {
  if (edges) *edges = NULL;
  return WEIR_CUDA_CALL(info(stream, status, &(struct answer){id, graph, ends, count}));
}

// The third form under the name of the first, since CUDA 13.
WEIR_CUDA_API_PTSZ(cudaError_t, cudaStreamGetCaptureInfo,
                   (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                    cudaGraph_t *graph, const cudaGraphNode_t **ends, const void **edges, size_t *count),
                   (stream, status, id, graph, ends, edges, count)) {
  if (weir_cuda_version >= 13000) return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, ends, edges, count);
  return WEIR_CUDA_CALL(info(stream, status, &(struct answer){.id = id}));
}
