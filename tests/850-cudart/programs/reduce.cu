// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A reduction: shared memory and barriers within a block, shuffles within a warp, one atomic per block. 16 blocks of
// 128 threads read 8 numbers each, 2048 apart: 64 warps, 8 loads of one line each, and the histogram's 64 more; nothing
// is read twice there. 16 atomics of one thread for the sum, and the 64 warps' atomic for the histogram.
// fact: kernels.# = 2
// fact: total.blocks = 32
// fact: kernels.@sum.l1.loads.accesses = 512
// fact: kernels.@histogram.l1.loads.accesses = 64
#include <cuda_runtime.h>

#include "check.h"

enum { BLOCKS = 16, THREADS = 128, EACH = 8, N = BLOCKS * THREADS * EACH };

__global__ void sum(const unsigned *in, unsigned *total) {
  __shared__ unsigned warps[THREADS / 32];
  unsigned mine = 0;
  for (int k = 0; k < EACH; k++)
    mine += in[k * BLOCKS * THREADS + blockIdx.x * THREADS + threadIdx.x];
  for (int step = 16; step; step /= 2)
    mine += __shfl_down_sync(0xffffffffu, mine, step);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < THREADS / 32; k++)
      mine += warps[k];
    atomicAdd(total, mine);
  }
}

__global__ void histogram(const unsigned *in, unsigned *bins) {
  atomicAdd(&bins[in[blockIdx.x * THREADS + threadIdx.x] % 8], 1u);
}

int main() {
  static unsigned host[N];
  unsigned expected = 0, wanted[8] = {0}, got, bins[8], *in, *total, *out;
  for (int k = 0; k < N; k++) {
    host[k] = (unsigned)k * 2654435761u >> 8;
    expected += host[k];
    if (k < BLOCKS * THREADS)
      wanted[host[k] % 8]++;
  }
  OK(cudaMalloc((void **)&in, sizeof host));
  OK(cudaMalloc((void **)&total, sizeof *total));
  OK(cudaMalloc((void **)&out, sizeof bins));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  OK(cudaMemset(total, 0, sizeof *total));
  OK(cudaMemset(out, 0, sizeof bins));
  sum<<<BLOCKS, THREADS>>>(in, total);
  histogram<<<BLOCKS, THREADS>>>(in, out);
  LAUNCHED();
  OK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(bins, out, sizeof bins, cudaMemcpyDeviceToHost));
  CHECK(got == expected);
  for (int k = 0; k < 8; k++)
    CHECK(bins[k] == wanted[k]);
  return finish("reduce");
}
