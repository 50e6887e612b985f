// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Whose preference for shared memory a launch has: its own attribute before the kernel's, that before the kernel's cache configuration,
// and that before the device's. A V100 has at most 96 KiB, 98304 bytes: four blocks of 20000.
// options: --chip=volta-v100
// fact: kernels.# = 8
// fact: kernels.0.carveout_kib = 96
// fact: kernels.0.core_blocks = 4
// fact: kernels.1.carveout_kib = 32
// fact: kernels.1.core_blocks = 1
// fact: kernels.2.carveout_kib = 64
// fact: kernels.2.core_blocks = 3
// fact: kernels.3.carveout_kib = 96
// fact: kernels.4.carveout_kib = 64
// fact: kernels.5.carveout_kib = 32
// fact: kernels.6.carveout_kib = 64
// fact: kernels.6.core_blocks = 3
// fact: kernels.7.carveout_kib = 32
#include <cuda_runtime.h>

#include "check.h"

enum { SHARED = 20000 };

__global__ void fill(int *to) {
  extern __shared__ int words[];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = words[255 - threadIdx.x];
}

static int *to;

static int blocks_of_a_launch() {
  int blocks = 0;
  fill<<<1, 256, SHARED>>>(to);
  LAUNCHED();
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, SHARED));
  return blocks;
}

// … that prefers so many percent itself.
static cudaError_t launch_with(unsigned percent) {
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};
  void *args[] = {&to};
  attribute.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
  attribute.val.sharedMemCarveout = percent;
  config.gridDim = dim3(1);
  config.blockDim = dim3(256);
  config.dynamicSmemBytes = SHARED;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, (const void *)fill, args);
}

int main() {
  cudaFuncAttributes a;
  OK(cudaMalloc(&to, 1024));
  CHECK(blocks_of_a_launch() == 4); // nobody prefers anything: as many as fit
  OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  CHECK(blocks_of_a_launch() == 1); // 0 KiB hold no block; 32 are the least that do
  OK(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferEqual));
  CHECK(blocks_of_a_launch() == 3); // 48 KiB are 64
  OK(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  CHECK(blocks_of_a_launch() == 4);
  OK(cudaFuncGetAttributes(&a, fill));
  CHECK(a.preferredShmemCarveout == 100);
  EXPECT(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, 101), cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
  CHECK(blocks_of_a_launch() == 3); // the kernel's configuration again
  OK(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferNone));
  CHECK(blocks_of_a_launch() == 1); // the device's
  OK(launch_with(50));              // 48 KiB are 64
  OK(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  OK(launch_with(33)); // 31.7 KiB are 32, whatever the kernel prefers
  EXPECT(launch_with(101), cudaErrorInvalidValue);
  LAUNCHED();
  return finish("carveout");
}
