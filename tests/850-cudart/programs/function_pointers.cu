// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Indirect calls: a table of device functions in constant memory, lanes of one warp calling different ones; pointers
// returned to the host and handed back; virtual functions of an object made on the device; recursion.
//
// Five launches of one block.
// fact: kernels.# = 5
// fact: total.blocks = 5
// fact: complete = 1
#include <cuda_runtime.h>

#include "check.h"

typedef int (*operation)(int, int);

__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }

__device__ operation table[3] = {add, subtract, multiply};

__global__ void by_table(int *out) {
  const int i = (int)threadIdx.x;
  out[i] = table[i % 3](i, 7);
}

__global__ void give(operation *out) { *out = multiply; }
__global__ void take(operation f, int *out) { out[threadIdx.x] = f((int)threadIdx.x, 3); }

struct shape {
  __device__ virtual int corners(int n) = 0;
};
struct square : shape {
  __device__ int corners(int n) override { return 4 * n; }
};
struct triangle : shape {
  __device__ int corners(int n) override { return 3 * n + 1; }
};

__global__ void by_object(int *out) {
  square s;
  triangle t;
  shape *all[2] = {&s, &t};
  out[threadIdx.x] = all[threadIdx.x & 1]->corners((int)threadIdx.x);
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursive(int *out) { out[threadIdx.x] = fibonacci((int)(threadIdx.x % 10)); }

int main() {
  int out[64], *device;
  operation *pointer, handed = nullptr;
  OK(cudaMalloc(&device, sizeof out));
  OK(cudaMalloc(&pointer, sizeof *pointer));
  by_table<<<1, 64>>>(device);
  LAUNCHED();
  OK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++)
    CHECK(out[i] == (i % 3 == 0 ? i + 7 : i % 3 == 1 ? i - 7 : i * 7));
  give<<<1, 1>>>(pointer);
  LAUNCHED();
  OK(cudaMemcpy(&handed, pointer, sizeof handed, cudaMemcpyDeviceToHost));
  take<<<1, 64>>>(handed, device);
  LAUNCHED();
  OK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++)
    CHECK(out[i] == 3 * i);
  by_object<<<1, 64>>>(device);
  LAUNCHED();
  OK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++)
    CHECK(out[i] == (i & 1 ? 3 * i + 1 : 4 * i));
  recursive<<<1, 64>>>(device);
  LAUNCHED();
  OK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
  const int fibonaccis[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  for (int i = 0; i < 64; i++)
    CHECK(out[i] == fibonaccis[i % 10]);
  OK(cudaFree(device));
  OK(cudaFree(pointer));
  return finish("function_pointers");
}
