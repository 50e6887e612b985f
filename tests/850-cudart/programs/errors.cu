// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program gets wrong: the error each call returns, what a thread's last error is, and what is said.
// fact: kernels.# = 1
// says: cudaMemcpy: 101 bytes at 0x
// says: reach 1 bytes past the end of 'cudaMalloc
// says: cudaMemcpy: the host's side of the copy is 'cudaMalloc
// says: cannot be launched in 1 x 1 x 1 blocks of 1 x 1 x 65 threads
// says: is launched with 1073741824 bytes of dynamic shared memory
// says: cudaFree: no allocation begins at 0x
#include <cuda_runtime.h>

#include <string.h>

#include "check.h"

__global__ void nothing() {
}

static void last_error() {
  int version;
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
  CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess); // success does not clear it
  CHECK(version == CUDART_VERSION || version / 1000 == CUDART_VERSION / 1000);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice"));
  CHECK(!strcmp(cudaGetErrorString(cudaErrorInvalidDevice), "invalid device ordinal"));
  CHECK(!strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered"));
  CHECK(!strcmp(cudaGetErrorString((cudaError_t)4711), "unrecognized error code"));
}

static void memory() {
  char host[200], *device = 0;
  size_t available, total;
  OK(cudaMemGetInfo(&available, &total));
  CHECK(available <= total && total > 0);
  EXPECT(cudaMalloc((void **)0, 4), cudaErrorInvalidValue);
  EXPECT(cudaMalloc(&device, total + 1), cudaErrorMemoryAllocation);
  OK(cudaMalloc(&device, 0));
  CHECK(device == 0);
  OK(cudaFree(0));
  OK(cudaMalloc(&device, 100));
  OK(cudaMemcpy(device, host, 100, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice));
  EXPECT(cudaMemcpy(device, host, 101, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device + 90, host, 11, cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, 100, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, 100, cudaMemcpyHostToHost), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(0, device, 100, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, 100, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemcpyPeer(device, 1, device, 0, 4), cudaErrorInvalidDevice);
  EXPECT(cudaMemset(device, 0, 101), cudaErrorInvalidValue);
  EXPECT(cudaMemset(host, 0, 1), cudaErrorInvalidValue);
  EXPECT(cudaFree(device + 4), cudaErrorInvalidValue);
  OK(cudaFree(device));
  EXPECT(cudaFree(device), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

static void no_kernel() {
}

static void launches() {
  nothing<<<0, 32>>>();
  EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  nothing<<<1, 2048>>>();
  EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  nothing<<<1, dim3(1, 1, 65)>>>();
  EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  nothing<<<dim3(1, 65536), 32>>>();
  EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
  nothing<<<1, 32, 1 << 30>>>();
  EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT(cudaLaunchKernel((const void *)no_kernel, dim3(1), dim3(1), 0, 0, 0), cudaErrorInvalidDeviceFunction);
  nothing<<<1, 32>>>();
  LAUNCHED();
}

int main() {
  last_error();
  memory();
  launches();
  return finish("errors");
}
