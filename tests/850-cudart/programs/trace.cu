// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir run --timeline: trace events of two processes, the child's first. By hand, of the link of turing-2080ti (see timeline.cu), in
// picoseconds, rounded up: 1 MiB to the device 8800000 + 1376256 bytes at 15754 per us = 96159147, to the host 6900000 + 1245184 bytes at
// 15754 per us = 85939229; 36000 bytes of pageable memory to the device 16200000; 616000 bytes set 1000000, beside a copy in, which has
// 1048576 per 96.159147 us of the DRAM's 616000 per us, 1018022. Stream 3 copies in and fills while stream 4 copies; the copy in of stream 4
// waits for the engine that stream 3 has. The host waits for stream 3's kernel, and then
// for its copy of pageable memory in the default stream, which waits for both streams.
// options: --chip=turing-2080ti
// again: --threads=2
// event: 1 default stream; copy to device; 0; 16200000; 36000
// event: 1 host; wait; 0; 16200000
// event: 2 copies to the device; copy to device; 0; 16200000; 36000
// event: 3 stream 3; copy to device; 0; 96159147; 1048576
// event: 3 stream 4; copy to host; 0; 85939229; 1048576
// event: 3 stream 3; fill; 96159147; 97177169; 616000
// event: 3 stream 4; copy to device; 96159147; 192318294; 1048576
// event: 3 stream 3; spin; 97177169
// event: 3 default stream; copy to device; 192318294; 208518294; 36000
// event: 4 copies to the device; copy to device; 0; 96159147; 1048576
// event: 4 copies to the device; copy to device; 96159147; 192318294; 1048576
// event: 4 copies to the host; copy to host; 0; 85939229; 1048576
// event: 4 kernels and fills 1; fill; 96159147; 97177169; 616000
// event: 4 kernels and fills 1; spin; 97177169
// event: 3 host; wait; 0
// event: 3 host; wait; -; 208518294
#include <cuda_runtime.h>

#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { BYTES = 1 << 20, STAGED = 36000, AMONG = 616000 };
static char pageable[STAGED];

extern "C" __global__ void spin(int *at) {
  at[threadIdx.x] = at[threadIdx.x] * 3 + 1;
}

static int child() {
  char *device;
  OK(cudaMalloc((void **)&device, STAGED));
  OK(cudaMemcpy(device, pageable, STAGED, cudaMemcpyHostToDevice));
  return finish("child");
}

int main() {
  const pid_t pid = fork();
  if (!pid) return child();
  int status = 1;
  waitpid(pid, &status, 0);
  CHECK(status == 0);
  char *pinned, *device, *other;
  cudaStream_t s, t;
  OK(cudaMallocHost((void **)&pinned, BYTES));
  OK(cudaMalloc((void **)&device, BYTES));
  OK(cudaMalloc((void **)&other, BYTES));
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s));
  OK(cudaMemcpyAsync(pinned, other, BYTES, cudaMemcpyDeviceToHost, t));
  OK(cudaMemsetAsync(device, 0, AMONG, s));
  OK(cudaMemcpyAsync(other, pinned, BYTES, cudaMemcpyHostToDevice, t));
  spin<<<1, 32, 0, s>>>((int *)device);
  OK(cudaStreamSynchronize(s));
  OK(cudaMemcpy(device, pageable, STAGED, cudaMemcpyHostToDevice));
  return finish("trace");
}
