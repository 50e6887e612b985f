// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the run object says of a device's time line: copies, fills, both at once. By hand (timeline.cu has the link), in ps, N = 1 MiB:
//   to the device   8800000 + (N + N / 64 × 20) × 10^6 / 15754  = 96159147, rounded up, from 0
//   to the host     6900000 + (N + N / 128 × 24) × 10^6 / 15754 = 85939229, beside it: copies go on until 96159147
//   616000 bytes set  1000000 at 616000 bytes per us, of which both copies take N per 96.159147 us and N per 85.939229 us, 23105.96: 1038972
// Then the host waits, and copies 36000 bytes of pageable memory, 16200000; then 616000 bytes are set again.
// options: --chip=turing-2080ti
// fact: timeline.all = 113359147
// fact: timeline.copies = 112359147
// fact: timeline.device = 2038972
// fact: timeline.overlap = 1038972
// fact: timeline.idle = 0
// fact: kernels.# = 0
#include <cuda_runtime.h>

#include "check.h"

enum { BYTES = 1 << 20, STAGED = 36000, AMONG = 616000 };

int main() {
  static char pageable[STAGED];
  char *pinned, *device;
  cudaStream_t streams[3];
  OK(cudaMallocHost((void **)&pinned, BYTES));
  OK(cudaMalloc((void **)&device, BYTES));
  for (int k = 0; k < 3; k++) OK(cudaStreamCreate(&streams[k]));
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, streams[0]));
  OK(cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, streams[1]));
  OK(cudaMemsetAsync(device, 0, AMONG, streams[2]));
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(device, pageable, STAGED, cudaMemcpyHostToDevice));
  OK(cudaMemset(device, 0, AMONG));
  return finish("time_used");
}
