// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// An assertion that fails in a kernel: the message names expression, block and thread, and the device is lost to the
// process (cudaErrorAssert from every call after it).
// says: value < 40
#include <assert.h>
#include <cuda_runtime.h>

#include "check.h"

__global__ void hold(int *p) {
  const int value = (int)threadIdx.x * 10;
  assert(value < 40);
  p[threadIdx.x] = value;
}

int main() {
  int *p;
  OK(cudaMalloc(&p, 64 * sizeof(int)));
  hold<<<1, 4>>>(p);
  LAUNCHED();
  hold<<<2, 8>>>(p);
  cudaError_t e = cudaGetLastError();
  if (!e) e = cudaDeviceSynchronize();
  CHECK(e == cudaErrorAssert);
  CHECK(cudaFree(p) == cudaErrorAssert);
  CHECK(cudaGetLastError() == cudaErrorAssert);
  return finish("device_assert");
}
