// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every way of launching a kernel: <<<…>>> in three dimensions, with dynamic shared memory, with structs by value, with
// a launch among the arguments; and the calls cudaLaunchKernel, cudaLaunchKernelExC and cudaLaunchCooperativeKernel.
// fact: kernels.# = 7
// fact: kernels.@where.# = 1
// fact: kernels.@where.blocks = 24
// fact: kernels.@store.# = 4
#include <cuda_runtime.h>

#include "check.h"

__global__ void where(int *out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = (int)(block * 1000 + thread);
}

struct parameters { // of odd sizes: what comes after each is where the PTX says
  char a;
  double b;
  char c[5];
};

__global__ void by_value(char first, parameters p, short last, double *out) {
  out[0] = first;
  out[1] = p.a + p.b + p.c[4];
  out[2] = last;
}

__global__ void reverse(int *at, int n) {
  extern __shared__ int turned[];
  const int k = (int)threadIdx.x;
  turned[k] = at[k];
  __syncthreads();
  at[k] = turned[n - 1 - k];
}

__global__ void store(int *at, int value) {
  at[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static int *device;

static int launch_another() {
  store<<<1, 1>>>(device, 41);
  return 42;
}

static void three_dimensions() {
  static int host[24 * 30];
  int *out;
  OK(cudaMalloc(&out, sizeof host));
  where<<<dim3(2, 3, 4), dim3(5, 3, 2)>>>(out);
  LAUNCHED();
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 24 * 30; k++)
    CHECK(host[k] == k / 30 * 1000 + k % 30);
  OK(cudaFree(out));
}

static void values() {
  double out[3], *at;
  const parameters p = {1, 2.5, {0, 0, 0, 0, 7}};
  OK(cudaMalloc(&at, sizeof out));
  by_value<<<1, 1>>>(-3, p, -300, at);
  LAUNCHED();
  OK(cudaMemcpy(out, at, sizeof out, cudaMemcpyDeviceToHost));
  CHECK(out[0] == -3 && out[1] == 10.5 && out[2] == -300);
  OK(cudaFree(at));
}

static void check_device(int from, int to, int value) {
  int host[256];
  OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int k = from; k < to; k++)
    CHECK(host[k] == value);
}

static void calls() {
  int value = 5;
  void *args[] = {&device, &value};
  OK(cudaLaunchKernel((const void *)store, dim3(2), dim3(64), args, 0, 0));
  check_device(0, 128, 5);
  value = 6;
  OK(cudaLaunchCooperativeKernel(store, dim3(2), dim3(64), args));
  check_device(0, 128, 6);
  EXPECT(cudaLaunchCooperativeKernel(store, dim3(100000), dim3(64), args), cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaLaunchKernel((const void *)store, dim3(2), dim3(64), (void **)0, 0, 0), cudaErrorInvalidValue);
}

int main() {
  int host[256];
  OK(cudaMalloc(&device, sizeof host));
  three_dimensions();
  values();
  for (int k = 0; k < 256; k++)
    host[k] = k;
  OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  reverse<<<1, 256, sizeof host>>>(device, 256);
  LAUNCHED();
  OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 256; k++)
    CHECK(host[k] == 255 - k);
  store<<<1, 1>>>(device + 1, launch_another());
  LAUNCHED();
  check_device(0, 1, 41);
  check_device(1, 2, 42);
  calls();
  OK(cudaFree(device));
  return finish("launches");
}
