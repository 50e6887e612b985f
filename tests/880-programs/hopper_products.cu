// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A public kernel's product of matrices, C = A B (A by rows, B and C by columns, bfloat16), against the processor's. kernel.cuh has it, KERNEL is its
// number. Elements are whole numbers from -4 to 4, so that sums are exact.
#include <cuda.h>
#include <cuda/barrier>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <vector>

typedef __nv_bfloat16 bf16;
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
static void check(cudaError_t error, int line) {
  if (!error) return;
  printf("line %d: %s\n", line, cudaGetErrorString(error));
  exit(1);
}
#define cudaCheck(call) check(call, __LINE__)

#include "kernel.cuh"

#define JOIN(a, b) a##b
#define NAME(kernel) JOIN(runKernel, kernel)

static void run(long n, long k, bf16 *a, bf16 *b, bf16 *c, int *table) {
#if KERNEL > 2
  NAME(KERNEL)(n, n, k, a, b, c, table);
#else
  NAME(KERNEL)(n, n, k, a, b, c);
#endif
}

static bf16 *random_matrix(std::vector<bf16> &host) {
  bf16 *device;
  for (bf16 &x : host) x = __float2bfloat16((float)(rand() % 9 - 4));
  cudaCheck(cudaMalloc(&device, host.size() * sizeof(bf16)));
  cudaCheck(cudaMemcpy(device, host.data(), host.size() * sizeof(bf16), cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 2048, k = argc > 2 ? atol(argv[2]) : 128, table = 4 * 8192 * 128;
  std::vector<bf16> a(n * k), b(n * k), c(n * n);
  bf16 *da = random_matrix(a), *db = random_matrix(b), *dc = random_matrix(c);
  int *schedule;
  cudaCheck(cudaMalloc(&schedule, table));
  cudaCheck(cudaMemset(schedule, 0xff, table));
  run(n, k, da, db, dc, schedule);
  cudaCheck(cudaDeviceSynchronize());
  cudaCheck(cudaMemcpy(c.data(), dc, n * n * sizeof(bf16), cudaMemcpyDeviceToHost));
  std::vector<float> rows(n * k), columns(n * k);
  for (long i = 0; i < n * k; i++) rows[i] = __bfloat162float(a[i]), columns[i] = __bfloat162float(b[i]);
  long wrong = 0;
  for (long j = 0; j < n; j++)
    for (long i = 0; i < n; i++) {
      float sum = 0;
      for (long x = 0; x < k; x++) sum += rows[i * k + x] * columns[j * k + x];
      wrong += __bfloat162float(c[j * n + i]) != __bfloat162float(__float2bfloat16(sum));
    }
  printf("%ld of %ld elements wrong: %s\n", wrong, n * n, wrong ? "FAILED" : "PASSED");
  return wrong != 0;
}
