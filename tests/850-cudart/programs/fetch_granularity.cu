// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// cudaLimitMaxL2FetchGranularity: what the L2 of an H200 fetches around a sector that misses. Each launch reads one word of each of 2048
// blocks of 128 bytes that nobody has touched: one sector of 32 bytes each, beside which there come 1, 0, 3, 1 and 3 more, of which none
// is read. 100 bytes are no size; the next below is 64. Parameters and code, beside them, are two halves of 64 bytes, or read as
// such, but bring what is next to them where 128 are fetched: no launch of 128 is the first.
// options: --chip=hopper-h200 --set=instruction_cache.line_bytes=128 --set=constant_cache.line_bytes=128
// fact: kernels.# = 5
// fact: kernels.0.l2.prefetches = 2048
// fact: kernels.1.l2.prefetches = 0
// fact: kernels.2.l2.prefetches = 6144
// fact: kernels.3.l2.prefetches = 2048
// fact: kernels.4.l2.prefetches = 2048
#include <cuda_runtime.h>

#include "check.h"

enum { BLOCKS = 2048, WORDS = 32 };

__global__ void sparse(const unsigned *from, unsigned *sum) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  sum[k] = from[k * WORDS] + 1;
}

static unsigned *from, *sum;
static size_t launches;

static void launch() {
  sparse<<<BLOCKS / 256, 256>>>(from + launches++ * BLOCKS * WORDS, sum);
  LAUNCHED();
}

static size_t limit() {
  size_t value = 0;
  OK(cudaDeviceGetLimit(&value, cudaLimitMaxL2FetchGranularity));
  return value;
}

int main() {
  OK(cudaMalloc(&from, 5 * BLOCKS * WORDS * sizeof *from));
  OK(cudaMalloc(&sum, BLOCKS * sizeof *sum));
  CHECK(limit() == 64);
  launch();
  OK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 32));
  CHECK(limit() == 32);
  launch();
  OK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 128));
  launch();
  OK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 100)); // said, and taken for 64
  launch();
  EXPECT(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129), cudaErrorInvalidValue);
  launch();
  return finish("fetch_granularity");
}
