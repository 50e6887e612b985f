// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The first CUDA program of everybody: allocate, copy, launch, copy back. Four blocks of eight warps; the last of the
// 32 warps has 8 threads below 1000. Each warp loads two aligned lines of 128 bytes, of which the first-level cache has
// none yet, and stores one.
// fact: kernels.# = 1
// fact: kernels.@add.launch = 0
// fact: total.blocks = 4
// fact: loads.*.executions = 64
// fact: total.l1.loads.accesses = 64
// fact: total.l1.loads.misses = 64
// fact: total.l1.stores.accesses = 32
// fact: complete = 1
#include <cuda_runtime.h>

#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    c[i] = a[i] + b[i];
}

int main() {
  const int n = 1000; // no multiple of the block
  float a[n], b[n], c[n];
  for (int i = 0; i < n; i++)
    a[i] = (float)i, b[i] = (float)(2 * i), c[i] = -1;
  float *da, *db, *dc;
  OK(cudaMalloc(&da, sizeof a));
  OK(cudaMalloc(&db, sizeof b));
  OK(cudaMalloc(&dc, sizeof c));
  OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  LAUNCHED();
  OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    CHECK(c[i] == (float)(3 * i));
  OK(cudaFree(da));
  OK(cudaFree(db));
  OK(cudaFree(dc));
  return finish("vector_add");
}
