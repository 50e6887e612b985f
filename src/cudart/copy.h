// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a pointer means to a copy. Invariant: device memory is only reached inside one allocation; what reaches past its
// end, or is nobody's, is refused with the allocation's name.
#ifndef WEIR_CUDART_COPY_H
#define WEIR_CUDART_COPY_H

#include "cudart/runtime.h"

// Which side of a copy. HOST is this process's memory (pinned and managed memory too), DEVICE what kernels may touch
// (these two as well); EITHER: where the pointer points to decides (cudaMemcpyDefault).
enum weir_cuda_side { WEIR_CUDA_HOST, WEIR_CUDA_DEVICE, WEIR_CUDA_EITHER };

struct weir_cuda_span {
  void *bytes;     // in this process
  uint64_t device; // address in the device's own memory; 0: not there
  bool pinned;     // the host's, where the device reaches it: pinned, registered or managed
};

// False: no such kind.
bool weir_cuda_sides(enum cudaMemcpyKind kind, enum weir_cuda_side *to, enum weir_cuda_side *from);

// The `count` bytes at `pointer`; `call` is named in what is said of those that are not all there
// (cudaErrorInvalidValue).
cudaError_t weir_cuda_span(struct weir_device *d, const char *call, const void *pointer, size_t count,
                           enum weir_cuda_side side, struct weir_cuda_span *span);

// What was written to a span is in the device's memory now.
void weir_cuda_wrote(struct weir_device *d, const struct weir_cuda_span *span, size_t count);

// The time line has the copy or the fill in that stream. The host waits for a copy of pageable memory, and for every one
// whose call's name does not end with Async; in graphs for none.
void weir_cuda_copied(struct weir_device *d, const char *call, cudaStream_t stream, const struct weir_cuda_span *to,
                      const struct weir_cuda_span *from, size_t count);
void weir_cuda_filled(struct weir_device *d, cudaStream_t stream, const struct weir_cuda_span *span, size_t count);

// A linear copy as a node of a graph says it.
struct cudaMemcpy3DParms weir_cuda_copy_params(void *to, const void *from, size_t count, enum cudaMemcpyKind kind);

// A whole linear copy.
cudaError_t weir_cuda_copy(struct weir_device *d, const char *call, void *to, const void *from, size_t count,
                           enum cudaMemcpyKind kind, cudaStream_t stream);

#endif
