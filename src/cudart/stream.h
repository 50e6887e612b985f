// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Streams: since every call is done when it returns, a stream is a name with properties. Invariant: a handle is one of
// CUDA's three default streams or of a stream that was created and not destroyed; anything else is refused.
#ifndef WEIR_CUDART_STREAM_H
#define WEIR_CUDART_STREAM_H

#include "cudart/runtime.h"

bool weir_cuda_stream_is_valid(cudaStream_t stream);
bool weir_cuda_event_is_valid(cudaEvent_t event);

#endif
