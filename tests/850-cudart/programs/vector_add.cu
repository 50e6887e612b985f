// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The first CUDA program of everybody: allocate, copy, launch, copy back.
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
