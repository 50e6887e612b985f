// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads with cache operators: each warp-wide load waits for the one before it (its address is what that loaded), so that
// of the 16 of each kernel, all to one line of 128 bytes, .ca misses the first-level cache once and hits it 15 times, .cg
// and .cv never hit. Stores with each operator write the same values.
// fact: kernels.# = 4
// fact: kernels.@all_levels.l1.loads.misses = 1
// fact: kernels.@all_levels.l1.loads.hits = 15
// fact: kernels.@second_level.l1.loads.hits = 0
// fact: kernels.@not_cached.l1.loads.hits = 0
// fact: complete = 1
#include <cuda_runtime.h>

#include "check.h"

enum { LOADS = 16 };

#define CHASE(name, load)                                                                                              \
  __global__ void name(const int *next, int *out) {                                                                    \
    int at = (int)threadIdx.x;                                                                                         \
    for (int i = 0; i < LOADS; i++)                                                                                    \
      at = load(next + at);                                                                                            \
    out[threadIdx.x] = at;                                                                                             \
  }
CHASE(all_levels, __ldca)
CHASE(second_level, __ldcg)
CHASE(not_cached, __ldcv)

__global__ void store(int *a) {
  int *p = a + threadIdx.x;
  __stwb(p, 1);
  __stcg(p + 32, 2);
  __stcs(p + 64, 3);
  __stwt(p + 96, 4);
}

int main() {
  int next[32], out[128], *device, *device_out;
  for (int i = 0; i < 32; i++)
    next[i] = (i + 5) % 32;
  OK(cudaMalloc(&device, sizeof next));
  OK(cudaMalloc(&device_out, sizeof out));
  OK(cudaMemcpy(device, next, sizeof next, cudaMemcpyHostToDevice));
  all_levels<<<1, 32>>>(device, device_out);
  LAUNCHED();
  second_level<<<1, 32>>>(device, device_out + 32);
  LAUNCHED();
  not_cached<<<1, 32>>>(device, device_out + 64);
  LAUNCHED();
  OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 96; i++)
    CHECK(out[i] == (i % 32 + 5 * LOADS) % 32);
  store<<<1, 32>>>(device_out);
  LAUNCHED();
  OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 128; i++)
    CHECK(out[i] == i / 32 + 1);
  OK(cudaFree(device));
  OK(cudaFree(device_out));
  return finish("cache_operators");
}
