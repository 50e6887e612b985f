// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One launch of a kernel, as the calls and the nodes of graphs say it.
#ifndef WEIR_CUDART_LAUNCH_H
#define WEIR_CUDART_LAUNCH_H

#include "cudart/runtime.h"

struct weir_cuda_launch {
  const void *function;
  dim3 grid, block;
  size_t shared_bytes;
  void **args; // of each parameter
  bool cooperative;
  struct weir_dim cluster;                     // zeros: its function's
  uint8_t shared_preference;                   // of weir_prefer_shared; 0: its function's
  const int *priority;                         // NULL: its stream's
  const struct cudaAccessPolicyWindow *window; // NULL: its stream's
  const struct weir_kernel *kernel;            // of one that is kept
};

cudaError_t weir_cuda_launch(struct weir_device *d, const struct weir_cuda_launch *l, cudaStream_t stream);

// One for later, with arguments, window and priority of its own. An error: it could not be made now.
cudaError_t weir_cuda_launch_later(struct weir_device *d, const struct weir_cuda_launch *l,
                                   struct weir_cuda_launch *kept);

// A copy of that kind; all that is its own is one piece of memory at `args`, to be freed by weir_free.
struct weir_cuda_launch weir_cuda_launch_keep(const struct weir_cuda_launch *l, const struct weir_kernel *k);

#endif
