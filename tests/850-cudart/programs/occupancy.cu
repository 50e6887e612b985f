// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What kernels need and how many blocks of them a core takes. A core of the GTX 480 has 48 warps, 8 blocks, 32768 registers
// and 48 KiB of shared memory (chips/fermi-gtx480.yaml), so that each limit can be met alone.
//
// One launch of one block; the one that is refused is none.
// fact: kernels.# = 1
// fact: total.blocks = 1
// fact: complete = 1
#include <cuda_runtime.h>

#include "check.h"

__global__ void plain(int *p) {
  p[threadIdx.x] = (int)threadIdx.x;
}

__global__ void shares(int *p) {
  __shared__ int s[3072]; // 12 KiB
  s[threadIdx.x * 3] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[(threadIdx.x ^ 1) * 3];
}

__global__ void __launch_bounds__(192) bounded(int *p) {
  p[threadIdx.x] = 7;
}

__global__ void dynamic(int *p) {
  extern __shared__ int s[];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

static int blocks(void (*kernel)(int *), int threads, size_t shared) {
  int n = -1;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared));
  return n;
}

static void occupancy() {
  CHECK(blocks(plain, 32, 0) == 8);     // the most blocks
  CHECK(blocks(plain, 256, 0) == 6);    // 48 warps of 8
  CHECK(blocks(plain, 1024, 0) == 1);   // 48 warps of 32
  CHECK(blocks(plain, 33, 0) == 8);     // two warps each
  CHECK(blocks(shares, 32, 0) == 4);    // 48 KiB of 12
  CHECK(blocks(plain, 32, 20000) == 2); // 49152 of 20000
  CHECK(blocks(plain, 32, 49152) == 1);
  CHECK(blocks(plain, 32, 49153) == 0);
  int n;
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain, 0, 0), cudaErrorInvalidValue);
  size_t bytes = 0;
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 2, 64));
  CHECK(bytes > 24576 - 256 && bytes <= 24576 && blocks(plain, 64, bytes) >= 2);
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, shares, 1, 64));
  CHECK(bytes <= 49152 - 12288 && bytes > 49152 - 12288 - 256);
  EXPECT(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 9, 64), cudaErrorInvalidValue);
#ifndef __clang__ // a function of NVIDIA's headers: the largest block with which all 48 warps are in use, on 15 cores
  int grid = 0, block = 0;
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
  CHECK(block == 768 && grid == 30);
#endif
}

static void attributes() {
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, plain));
  CHECK(a.sharedSizeBytes == 0 && a.localSizeBytes == 0 && a.maxThreadsPerBlock == 1024);
  CHECK(a.numRegs > 0 && a.numRegs <= 16);
  CHECK(a.maxDynamicSharedSizeBytes == 49152);
  OK(cudaFuncGetAttributes(&a, shares));
  CHECK(a.sharedSizeBytes == 12288 && a.maxDynamicSharedSizeBytes == 49152 - 12288);
  OK(cudaFuncGetAttributes(&a, bounded));
  CHECK(a.maxThreadsPerBlock == 192);
  OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768));
  OK(cudaFuncGetAttributes(&a, dynamic));
  CHECK(a.maxDynamicSharedSizeBytes == 32768);
  EXPECT(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 49153), cudaErrorInvalidValue);
  EXPECT(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1), cudaErrorInvalidValue);
  OK(cudaFuncSetCacheConfig(dynamic, cudaFuncCachePreferL1));
  EXPECT(cudaFuncSetCacheConfig(dynamic, (cudaFuncCache)7), cudaErrorInvalidValue);
  int not_a_kernel;
  EXPECT(cudaFuncGetAttributes(&a, (const void *)&not_a_kernel), cudaErrorInvalidDeviceFunction);
}

static void run() {
  int host[256], *device;
  for (int i = 0; i < 256; i++)
    host[i] = i * i;
  OK(cudaMalloc(&device, sizeof host));
  OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  dynamic<<<1, 256, 32768>>>(device);
  LAUNCHED();
  OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; i++)
    CHECK(host[i] == (255 - i) * (255 - i));
  bounded<<<1, 256>>>(device);
  CHECK(cudaGetLastError() != cudaSuccess); // more threads than it was built for
  OK(cudaFree(device));
}

int main() {
  occupancy();
  attributes();
  run();
  return finish("occupancy");
}
