// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a stream, and a node of a graph, does with an event.
#ifndef WEIR_CUDART_EVENT_H
#define WEIR_CUDART_EVENT_H

#include "cudart/runtime.h"

bool weir_cuda_event_is_valid(cudaEvent_t event);
cudaError_t weir_cuda_event_record(struct weir_device *d, cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t weir_cuda_event_wait(struct weir_device *d, cudaStream_t stream, cudaEvent_t event, unsigned flags);

#endif
