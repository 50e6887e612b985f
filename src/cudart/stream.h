// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Streams. Every call is done when it returns, so that a stream orders no results; it orders times, on chips that have a time line
// (device/device.h). Invariant: a handle is one of
// CUDA's three default streams or of a stream that was created and not destroyed; anything else is refused.
#ifndef WEIR_CUDART_STREAM_H
#define WEIR_CUDART_STREAM_H

#include "cudart/runtime.h"

bool weir_cuda_stream_is_valid(cudaStream_t stream);
struct cudaAccessPolicyWindow *weir_cuda_stream_window(cudaStream_t stream); // NULL: there is no such stream
// Can the device have it? One of 0 bytes is none. And what a launch makes of it.
bool weir_cuda_window_is_valid(struct weir_device *d, const struct cudaAccessPolicyWindow *w);
struct weir_access_window weir_cuda_window(const struct cudaAccessPolicyWindow *w);
bool weir_cuda_event_is_valid(cudaEvent_t event);
// What the device's time line keeps of a stream. The two names of the legacy default stream are one; NULL: there is no such stream.
struct weir_stream *weir_cuda_stream_line(cudaStream_t stream);
struct weir_item *weir_cuda_event_mark(cudaEvent_t event); // its last record on the time line; NULL: none

#endif
