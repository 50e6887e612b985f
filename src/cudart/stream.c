// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/stream.h"

#include "cudart/set.h"

#include "base/alloc.h"

struct CUstream_st {
  unsigned flags;
  unsigned long long id;
  struct cudaAccessPolicyWindow window;
  struct weir_stream line;
  struct weir_asking asking;
  struct weir_cuda_capturing capturing;
};

// What GPUs of most generations answer to cudaDeviceGetStreamPriorityRange: 0 is the least, −5 the greatest.
enum { GREATEST_PRIORITY = -5 };

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

// What a node of a graph does is in a stream of its own, while it is launched.
static _Thread_local struct CUstream_st *node_stream;

static struct CUstream_st *find(cudaStream_t stream) {
  if (stream && stream == node_stream) return node_stream;
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

struct weir_cuda_capturing *weir_cuda_stream_capturing(cudaStream_t stream) {
  struct CUstream_st *s = find(stream);
  return s ? &s->capturing : NULL;
}

struct weir_asking *weir_cuda_stream_asking(cudaStream_t stream) {
  struct CUstream_st *s = find(stream);
  return s ? &s->asking : NULL;
}

unsigned long long weir_cuda_stream_id(cudaStream_t stream) {
  const struct CUstream_st *s = find(stream);
  return s ? s->id : 0;
}

cudaStream_t weir_cuda_open_node_stream(cudaStream_t launched_in) {
  const struct weir_stream *l = weir_cuda_stream_line(launched_in);
  node_stream = weir_new(struct CUstream_st);
  node_stream->line =
    (struct weir_stream){.kind = WEIR_STREAM_NON_BLOCKING, .number = l->number, .priority = l->priority};
  return node_stream;
}

struct weir_item *weir_cuda_close_node_stream(void) {
  struct weir_item *last = node_stream->line.last; // which the caller holds now
  weir_free(node_stream);
  node_stream = NULL;
  return last;
}

bool weir_cuda_is_node_stream(cudaStream_t stream) {
  return stream && stream == node_stream;
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

int weir_cuda_priority(int priority) {
  return priority > 0 ? 0 : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

static cudaError_t create(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream || flags & ~(unsigned)cudaStreamNonBlocking) return cudaErrorInvalidValue;
  *stream = weir_new(struct CUstream_st);
  **stream = (struct CUstream_st){.flags = flags, .id = new_id(), .line.priority = weir_cuda_priority(priority)};
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
  if (!weir_cuda_set_find(&streams, stream)) return cudaErrorInvalidResourceHandle;
  if (stream->capturing.of) return cudaErrorStreamCaptureUnsupported;
  weir_cuda_set_remove(&streams, stream);
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

// ---- what is done when it is asked for ------------------------------------------------------------------------------

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
