// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Capturing streams: what they are given becomes nodes of a graph. Invariant: a stream belongs to at most one capture at a time; the next
// node of it follows its `ends`; a capture that something forbidden was tried in yields no graph.
#ifndef WEIR_CUDART_CAPTURE_H
#define WEIR_CUDART_CAPTURE_H

#include "cudart/graph.h"

// A node of what the stream is given next, if it captures: the caller says what it does. NULL: it does not. An error: it must not be
// given anything.
cudaError_t weir_cuda_capture(cudaStream_t stream, enum cudaGraphNodeType type, cudaGraphNode_t *node);

// The stream is waited for or asked, which a capture forbids.
cudaError_t weir_cuda_capture_forbids(cudaStream_t stream);

// The call that this thread makes may be unsafe while a stream captures: what allocates memory or frees it, and asks for events. A capture
// whose mode forbids that ends without a graph.
cudaError_t weir_cuda_capture_endangered(void);

// A whole entry's body of such a call (WEIR_CUDA_CALL).
#define WEIR_CUDA_UNSAFE_CALL(expression)                                                                              \
  WEIR_CUDA_CALL(({                                                                                                    \
    const cudaError_t unsafe_ = weir_cuda_capture_endangered();                                                        \
    unsafe_ ? unsafe_ : (expression);                                                                                  \
  }))

// The event is recorded in the stream. *captured: this captures, and the event stands for what it was given so far.
cudaError_t weir_cuda_capture_record(cudaStream_t stream, struct weir_cuda_captured *event, bool *captured);

// The stream waits for the event, if this was recorded in a capturing stream or the stream captures itself: *captured.
cudaError_t weir_cuda_capture_wait(cudaStream_t stream, const struct weir_cuda_captured *event, bool *captured);

#endif
