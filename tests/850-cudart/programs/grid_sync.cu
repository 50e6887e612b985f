// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cooperative launches: all blocks of the grid are on the chip together, so that each step may read what any block wrote in
// the step before it. By nvcc the barrier is that of cooperative groups; clang has no such header, and the barrier is one
// that programs wrote before there was any.
//
// One launch of 30 blocks; the one that is too large is none.
// fact: kernels.# = 1
// fact: total.blocks = 30
// fact: complete = 1
#include <cuda_runtime.h>

#include "check.h"

#ifdef __clang__
__device__ unsigned arrived, generation;

__device__ void sync_grid() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned now = atomicAdd(&generation, 0u);
    __threadfence();
    if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
      atomicExch(&arrived, 0u);
      __threadfence();
      atomicAdd(&generation, 1u);
    } else {
      while (atomicAdd(&generation, 0u) == now)
        ;
    }
    __threadfence();
  }
  __syncthreads();
}
#else
#include <cooperative_groups.h>
__device__ void sync_grid() {
  cooperative_groups::this_grid().sync();
}
#endif

// In each step every element becomes the sum of itself and the one `2^step` to its left: a prefix sum over the grid.
__global__ void prefix(int *a, int *b, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  for (int distance = 1; distance < n; distance *= 2) {
    b[i] = a[i] + (i >= distance ? a[i - distance] : 0);
    sync_grid();
    int *t = a;
    a = b;
    b = t;
  }
}

int main() {
  const int block = 128, grid = 30;
  int n = block * grid, *a, *b, capable = 0, host[block * grid];
  OK(cudaDeviceGetAttribute(&capable, cudaDevAttrCooperativeLaunch, 0));
  CHECK(capable == 1);
  for (int i = 0; i < n; i++)
    host[i] = i % 7 - 2;
  OK(cudaMalloc(&a, sizeof host));
  OK(cudaMalloc(&b, sizeof host));
  OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
  void *args[] = {&a, &b, &n};
  OK(cudaLaunchCooperativeKernel(prefix, dim3(grid), dim3(block), args));
  OK(cudaDeviceSynchronize());
  int steps = 0, sum = 0, out[block * grid];
  for (int distance = 1; distance < n; distance *= 2)
    steps++;
  OK(cudaMemcpy(out, steps % 2 ? b : a, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    sum += host[i];
    CHECK(out[i] == sum);
  }
  // 15 cores take 12 blocks of four warps, but no more than 8: 120.
  EXPECT(cudaLaunchCooperativeKernel(prefix, dim3(121), dim3(block), args), cudaErrorCooperativeLaunchTooLarge);
  OK(cudaFree(a));
  OK(cudaFree(b));
  return finish("grid_sync");
}
