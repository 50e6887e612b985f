// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Streams. Every call is done when it returns, so that a stream orders no results; it orders times, on chips that have a time line
// (device/device.h). Invariant: a handle is one of
// CUDA's three default streams or of a stream that was created and not destroyed; anything else is refused.
#ifndef WEIR_CUDART_STREAM_H
#define WEIR_CUDART_STREAM_H

#include "cudart/graph.h"

bool weir_cuda_stream_is_valid(cudaStream_t stream);
struct cudaAccessPolicyWindow *weir_cuda_stream_window(cudaStream_t stream); // NULL: there is no such stream
// Can the device have it? One of 0 bytes is none. And what a launch makes of it.
bool weir_cuda_window_is_valid(struct weir_device *d, const struct cudaAccessPolicyWindow *w);
struct weir_access_window weir_cuda_window(const struct cudaAccessPolicyWindow *w);
// What the device's time line keeps of a stream. The two names of the legacy default stream are one; NULL: there is no such stream.
struct weir_stream *weir_cuda_stream_line(cudaStream_t stream);
struct weir_asking *weir_cuda_stream_asking(cudaStream_t stream);
struct weir_cuda_capturing *weir_cuda_stream_capturing(cudaStream_t stream);
unsigned long long weir_cuda_stream_id(cudaStream_t stream);
int weir_cuda_priority(int priority); // brought into the range that there is

// A stream for what a node of a graph does, which this thread launches in that stream: it waits for nothing but what it is told to. One at a
// time. Closed, it yields the last that it was given, for the caller to release.
cudaStream_t weir_cuda_open_node_stream(cudaStream_t launched_in);
struct weir_item *weir_cuda_close_node_stream(void);
bool weir_cuda_is_node_stream(cudaStream_t stream);

#endif
