// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A function of the program's that a stream was given. What was given before it is done, so that it runs at once, in a thread of its own as
// CUDA's do, and the call returns when it does: what comes later in the stream finds it done.
#ifndef WEIR_CUDART_HOST_CALL_H
#define WEIR_CUDART_HOST_CALL_H

#include "cudart/runtime.h"

struct weir_cuda_host_call {
  cudaHostFn_t function; // or
  cudaStreamCallback_t callback;
  cudaStream_t stream;
  void *data;
  const char *call;             // that gave it
  unsigned long long stream_id; // for who reads that it does not return
};

// Without the device's lock: the function may do what it likes.
void weir_cuda_call_host(struct weir_cuda_host_call *c);

#endif
