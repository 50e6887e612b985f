// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// cudaDeviceReset: memory, streams and events are gone, variables have their first values again, and the program may
// start anew; what was counted stays. Limits, flags and preferences that a program sets and asks for.
// fact: kernels.*.# = 2
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include "check.h"

__device__ int counter = 7;

__global__ void count(int *at) {
  *at = counter++;
}

static int counted() {
  int value = -1, *device;
  OK(cudaMalloc(&device, sizeof value));
  count<<<1, 1>>>(device);
  LAUNCHED();
  OK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

static void settings() {
  size_t value, other;
  cudaFuncCache cache;
  OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  CHECK(value == 8u << 20); // CUDA's default
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
  OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  CHECK(value == 64u << 20);
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  CHECK(value == 4096);
  EXPECT(cudaDeviceGetLimit(&other, (cudaLimit)99), cudaErrorUnsupportedLimit);
  EXPECT(cudaDeviceSetLimit((cudaLimit)99, 1), cudaErrorUnsupportedLimit);
  OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  OK(cudaDeviceGetCacheConfig(&cache));
  CHECK(cache == cudaFuncCachePreferL1);
  EXPECT(cudaDeviceSetCacheConfig((cudaFuncCache)9), cudaErrorInvalidValue);
}

int main() {
  int *device, value, device_number = -1, devices = 0, can = -1;
  cudaStream_t stream;
  cudaEvent_t event;
  OK(cudaGetDeviceCount(&devices));
  CHECK(devices == 1);
  OK(cudaSetDevice(0));
  OK(cudaGetDevice(&device_number));
  CHECK(device_number == 0);
  OK(cudaDeviceCanAccessPeer(&can, 0, 0));
  CHECK(can == 0);
  EXPECT(cudaDeviceCanAccessPeer(&can, 0, 1), cudaErrorInvalidDevice);
  settings();
  OK(cudaMalloc(&device, 64));
  OK(cudaStreamCreate(&stream));
  OK(cudaEventCreate(&event));
  CHECK(counted() == 7);
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK(value == 8);
  OK(cudaDeviceReset());
  EXPECT(cudaFree(device), cudaErrorInvalidValue);
  EXPECT(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
  EXPECT(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
  CHECK(counted() == 7);
  size_t heap;
  OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  CHECK(heap == 8u << 20);
  OK(cudaProfilerStart());
  OK(cudaProfilerStop());
  OK(cudaDeviceReset());
  return finish("reset");
}
