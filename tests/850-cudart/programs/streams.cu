// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Streams, events and callbacks. Events measure simulated time: it passes in kernels alone, so that the times between
// events add up, and there is none between events without a launch.
// Six launches of 2 blocks; the seventh, on a stream that is gone, is refused.
// fact: kernels.# = 6
// fact: total.blocks = 12
#include <cuda_runtime.h>

#include "check.h"

__global__ void spin(int *at, int rounds) {
  int v = at[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < rounds; k++)
    v = v * 3 + 1;
  at[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

static int called;

static void host_function(void *user) {
  called += *(int *)user;
}

static void stream_callback(cudaStream_t stream, cudaError_t status, void *user) {
  called += *(int *)user * (status == cudaSuccess) * (stream != 0);
}

static int after(int v, int rounds) {
  for (int k = 0; k < rounds; k++)
    v = (int)((unsigned)v * 3u + 1u);
  return v;
}

static void times(int *device) {
  cudaEvent_t a, b, c;
  float first, second, both, backwards;
  OK(cudaEventCreate(&a));
  OK(cudaEventCreateWithFlags(&b, cudaEventBlockingSync));
  OK(cudaEventCreate(&c));
  EXPECT(cudaEventElapsedTime(&first, a, b), cudaErrorInvalidResourceHandle); // not recorded
  OK(cudaEventRecord(a));
  spin<<<2, 64>>>(device, 10);
  OK(cudaEventRecord(b));
  spin<<<2, 64>>>(device, 1000);
  OK(cudaEventRecord(c));
  OK(cudaEventSynchronize(c));
  OK(cudaEventQuery(c));
  OK(cudaEventElapsedTime(&first, a, b));
  OK(cudaEventElapsedTime(&second, b, c));
  OK(cudaEventElapsedTime(&both, a, c));
  OK(cudaEventElapsedTime(&backwards, c, a));
  CHECK(first > 0 && second > first);
  CHECK(both > (first + second) * 0.999999f && both < (first + second) * 1.000001f);
  CHECK(backwards == -both);
  OK(cudaEventRecord(b));
  OK(cudaEventRecord(c));
  OK(cudaEventElapsedTime(&first, b, c));
  CHECK(first == 0); // nothing ran between them
  OK(cudaEventDestroy(a));
  EXPECT(cudaEventRecord(a), cudaErrorInvalidResourceHandle);
  EXPECT(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
  OK(cudaEventDestroy(b));
  OK(cudaEventDestroy(c));
  OK(cudaEventCreateWithFlags(&a, cudaEventDisableTiming));
  OK(cudaEventRecord(a));
  EXPECT(cudaEventElapsedTime(&first, a, a), cudaErrorInvalidResourceHandle);
  OK(cudaEventDestroy(a));
}

static void properties() {
  cudaStream_t s;
  int least, greatest, priority;
  unsigned flags;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 0 && greatest <= least);
  OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 100)); // is brought into the range
  OK(cudaStreamGetPriority(s, &priority));
  CHECK(priority == greatest);
  OK(cudaStreamGetFlags(s, &flags));
  CHECK(flags == cudaStreamNonBlocking);
  OK(cudaStreamDestroy(s));
  EXPECT(cudaStreamQuery(s), cudaErrorInvalidResourceHandle);
  EXPECT(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
  EXPECT(cudaStreamCreateWithFlags(&s, 0x40), cudaErrorInvalidValue);
  EXPECT(cudaStreamCreate((cudaStream_t *)0), cudaErrorInvalidValue);
}

int main() {
  const int n = 128;
  int host[n], *device, one = 1, ten = 10;
  cudaStream_t s, t;
  cudaEvent_t done;
  for (int k = 0; k < n; k++)
    host[k] = k;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  OK(cudaEventCreate(&done));
  OK(cudaMalloc(&device, sizeof host));
  OK(cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice, s));
  spin<<<2, 64, 0, s>>>(device, 5);
  OK(cudaEventRecord(done, s));
  OK(cudaStreamWaitEvent(t, done, 0));
  spin<<<2, 64, 0, t>>>(device, 2);
  OK(cudaLaunchHostFunc(t, host_function, &one));
  OK(cudaStreamAddCallback(t, stream_callback, &ten, 0));
  OK(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, t));
  OK(cudaStreamSynchronize(t));
  OK(cudaStreamQuery(s));
  CHECK(called == 11);
  for (int k = 0; k < n; k++)
    CHECK(host[k] == after(k, 7));
  spin<<<2, 64, 0, cudaStreamLegacy>>>(device, 1);
  spin<<<2, 64, 0, cudaStreamPerThread>>>(device, 1);
  LAUNCHED();
  times(device);
  properties();
  OK(cudaStreamDestroy(s));
  spin<<<2, 64, 0, s>>>(device, 1);
  EXPECT(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  OK(cudaStreamDestroy(t));
  OK(cudaEventDestroy(done));
  OK(cudaFree(device));
  return finish("streams");
}
