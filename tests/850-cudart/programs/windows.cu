// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Access-policy windows: a word in a persisting window is still in the L2 when 1 MiB has gone through its 384 KiB, and the load of
// it is faster than one that comes from DRAM. Without the window, or after a reset, it is not.
// options: --chip=ampere-a40 --set=l2.size_kib=384 --set=copies_pass_l2=false
#include <cuda_runtime.h>

#include "check.h"

enum { LINES = 8192 };

// Cycles of one load past the L1.
__global__ void touch(unsigned *word, long long *cycles) {
  unsigned value;
  long long t;
  asm volatile("{ .reg .u64 a, b;\n mov.u64 a, %%clock64;\n ld.global.cg.u32 %1, [%2];\n add.u32 %1, %1, 1;\n"
               "mov.u64 b, %%clock64;\n sub.u64 %0, b, a; }"
               : "=l"(t), "=r"(value)
               : "l"(word)
               : "memory");
  *cycles = t + (value == 0);
}

__global__ void stream(unsigned *words, unsigned *sum) {
  unsigned all = 0;
  for (int k = threadIdx.x; k < LINES; k += blockDim.x) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(words + k * 32));
    all += v;
  }
  sum[threadIdx.x] = all;
}

static unsigned *word, *words, *sum;
static long long *cycles;

static long long time_of(cudaStream_t s) {
  long long t = 0;
  touch<<<1, 1, 0, s>>>(word, cycles);
  OK(cudaMemcpy(&t, cycles, sizeof t, cudaMemcpyDeviceToHost));
  return t;
}

static long long time_behind_others(cudaStream_t s) {
  stream<<<1, 64, 0, s>>>(words, sum);
  return time_of(s);
}

static cudaStreamAttrValue window_of(size_t bytes, float ratio, cudaAccessProperty hit) {
  cudaStreamAttrValue v = {};
  v.accessPolicyWindow.base_ptr = word;
  v.accessPolicyWindow.num_bytes = bytes;
  v.accessPolicyWindow.hitRatio = ratio;
  v.accessPolicyWindow.hitProp = hit;
  v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  return v;
}

static void refused(cudaStream_t s) {
  int most = 0;
  OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, 0));
  CHECK(most > 0);
  cudaStreamAttrValue v = window_of((size_t)most + 1, 1, cudaAccessPropertyPersisting);
  EXPECT(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v), cudaErrorInvalidValue);
  v = window_of(4096, 1.5f, cudaAccessPropertyPersisting);
  EXPECT(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v), cudaErrorInvalidValue);
  v = window_of(4096, 1, cudaAccessPropertyPersisting);
  v.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
  EXPECT(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v), cudaErrorInvalidValue);
}

static void limits(void) {
  int most = 0;
  size_t limit = 0;
  OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  CHECK(most == 384 * 1024 / 16 * 12); // 12 of 16 ways
  EXPECT(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)most + 1), cudaErrorInvalidValue);
  OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
  OK(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize));
  CHECK(limit == 0);
}

int main() {
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  OK(cudaMalloc(&word, 4096));
  OK(cudaMalloc(&words, LINES * 128));
  OK(cudaMalloc(&sum, 4096));
  OK(cudaMalloc(&cycles, sizeof *cycles));
  time_of(s); // code and parameters are in their caches from now on
  const long long from_dram = time_behind_others(s), from_l2 = time_of(s);
  CHECK(from_l2 < from_dram);
  const long long middle = (from_dram + from_l2) / 2;

  cudaStreamAttrValue v = window_of(4096, 1, cudaAccessPropertyPersisting), got;
  OK(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  OK(cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &got));
  CHECK(got.accessPolicyWindow.num_bytes == 4096 && got.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting);
  time_of(s);
  CHECK(time_behind_others(s) < middle);
  CHECK(time_behind_others(s) < middle);
  v.accessPolicyWindow.num_bytes = 0;
  OK(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  CHECK(time_behind_others(s) < middle); // the line persists
  OK(cudaCtxResetPersistingL2Cache());
  CHECK(time_behind_others(s) > middle);
  refused(s);
  limits();
  v = window_of(4096, 1, cudaAccessPropertyPersisting);
  OK(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  time_of(s);
  CHECK(time_behind_others(s) > middle); // nothing may persist
  return finish("windows");
}
