// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Clusters of thread blocks. A histogram whose bins lie in the shared memory of a cluster's blocks, a part in each, as NVIDIA's programming guide
// has it ("Distributed Shared Memory"); by nvcc with cooperative groups, by clang, which has none, with PTX of its own. An H200 has 132 SMs in
// eight GPCs: two of nine TPCs, six of eight (docs/CHIPS.md), so that with one block to an SM 66 clusters of two are there at a time, 32
// of four, 16 of eight and 8 of sixteen.
//
// Five launches of the histogram, of 64 blocks each, and one of a kernel that has its clusters from its source (or, by clang, from an
// attribute), of 8; those that are refused are none.
// arch: 90
// options: --chip=hopper-h200
// fact: kernels.# = 6
// fact: kernels.0.blocks = 64
// fact: kernels.0.cluster_accesses = 0
// fact: kernels.4.blocks = 64
// fact: kernels.5.blocks = 8
// fact: total.blocks = 328
// fact: complete = 1
// says: cannot be divided into clusters of 4 × 1 × 1
// says: (cudaFuncAttributeNonPortableClusterSizeAllowed)
#include <cuda_runtime.h>

#include "check.h"

#include <stdlib.h>

#ifdef __clang__
__device__ unsigned block_rank() {
  unsigned r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ unsigned num_blocks() {
  unsigned n;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
  return n;
}
__device__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
template <typename T> __device__ T *map_shared_rank(T *p, unsigned rank) {
  T *mapped;
  asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(p), "r"(rank));
  return mapped;
}
__device__ unsigned query_shared_rank(const void *p) {
  unsigned rank;
  asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
  return rank;
}
  #define CLUSTER_OF_FOUR
#else
  #include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned block_rank() {
  return cg::this_cluster().block_rank();
}
__device__ unsigned num_blocks() {
  return cg::this_cluster().num_blocks();
}
__device__ void sync_cluster() {
  cg::this_cluster().sync();
}
template <typename T> __device__ T *map_shared_rank(T *p, unsigned rank) {
  return cg::this_cluster().map_shared_rank(p, rank);
}
__device__ unsigned query_shared_rank(const void *p) {
  return cg::this_cluster().query_shared_rank(p);
}
  #define CLUSTER_OF_FOUR __cluster_dims__(4, 1, 1)
#endif

enum { BLOCKS = 64, THREADS = 128, VALUES = 1 << 15, BINS = 1 << 10 };

__global__ void histogram(unsigned *bins, const unsigned *values) {
  extern __shared__ unsigned own[];
  const unsigned each = BINS / num_blocks(), rank = block_rank();
  for (unsigned k = threadIdx.x; k < each; k += THREADS) own[k] = 0;
  sync_cluster();
  for (unsigned k = blockIdx.x * THREADS + threadIdx.x; k < VALUES; k += BLOCKS * THREADS) {
    const unsigned bin = values[k] % BINS;
    atomicAdd(map_shared_rank(own, bin / each) + bin % each, 1);
  }
  sync_cluster();
  for (unsigned k = threadIdx.x; k < each; k += THREADS) atomicAdd(&bins[rank * each + k], own[k]);
}

// Each block's first thread writes its block's number into the next one's memory, which says whose it is.
__global__ void CLUSTER_OF_FOUR ring(unsigned *out) {
  __shared__ unsigned from;
  unsigned *next = map_shared_rank(&from, (block_rank() + 1) % num_blocks());
  sync_cluster();
  if (threadIdx.x == 0) *next = blockIdx.x;
  sync_cluster();
  if (threadIdx.x == 0) {
    out[2 * blockIdx.x] = from;
    out[2 * blockIdx.x + 1] = query_shared_rank(next);
  }
}

static cudaLaunchAttribute attribute;

static cudaLaunchConfig_t config(unsigned blocks, unsigned threads, unsigned cluster, size_t shared) {
  cudaLaunchConfig_t c = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  c.gridDim = dim3(blocks);
  c.blockDim = dim3(threads);
  c.dynamicSmemBytes = shared;
  c.attrs = &attribute;
  c.numAttrs = cluster ? 1 : 0;
  return c;
}

static void count(unsigned cluster, unsigned *bins, const unsigned *values, const unsigned *expected) {
  static unsigned got[BINS];
  void *args[] = {&bins, &values};
  const cudaLaunchConfig_t c = config(BLOCKS, THREADS, cluster, BINS / cluster * sizeof(unsigned));
  OK(cudaMemset(bins, 0, sizeof got));
  OK(cudaLaunchKernelExC(&c, (const void *)histogram, args));
  OK(cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost));
  for (int k = 0; k < BINS; k++) CHECK(got[k] == expected[k]);
}

static void histograms() {
  static unsigned host[VALUES], expected[BINS];
  unsigned *values, *bins, seed = 1;
  for (int k = 0; k < VALUES; k++) {
    seed = seed * 1664525u + 1013904223u;
    host[k] = seed >> 12;
    expected[host[k] % BINS]++;
  }
  OK(cudaMalloc(&values, sizeof host));
  OK(cudaMalloc(&bins, sizeof expected));
  OK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
  for (unsigned cluster = 1; cluster <= 8; cluster *= 2) count(cluster, bins, values, expected);
  const cudaLaunchConfig_t large = config(BLOCKS, THREADS, 16, 256);
  void *args[] = {&bins, &values};
  EXPECT(cudaLaunchKernelExC(&large, (const void *)histogram, args), cudaErrorInvalidClusterSize);
  OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  count(16, bins, values, expected);
  const cudaLaunchConfig_t odd = config(6, THREADS, 4, 1024);
  EXPECT(cudaLaunchKernelExC(&odd, (const void *)histogram, args), cudaErrorInvalidClusterSize);
  OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
  OK(cudaFree(values));
  OK(cudaFree(bins));
}

static void rings() {
  unsigned *out, got[16];
  OK(cudaMalloc(&out, sizeof got));
  void *args[] = {&out};
#ifdef __clang__
  cudaLaunchConfig_t c = config(8, 32, 4, 0);
#else
  cudaLaunchConfig_t c = config(8, 32, 0, 0);
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, ring));
  CHECK(a.requiredClusterWidth == 4 && a.requiredClusterHeight == 1 && a.requiredClusterDepth == 1);
  EXPECT(cudaFuncSetAttribute(ring, cudaFuncAttributeRequiredClusterWidth, 2), cudaErrorNotPermitted);
  const cudaLaunchConfig_t other = config(8, 32, 2, 0);
  EXPECT(cudaLaunchKernelExC(&other, (const void *)ring, args), cudaErrorInvalidClusterSize);
#endif
  OK(cudaLaunchKernelExC(&c, (const void *)ring, args));
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (unsigned k = 0; k < 8; k++) {
    CHECK(got[2 * k] == k / 4 * 4 + (k + 3) % 4);
    CHECK(got[2 * k + 1] == (k + 1) % 4);
  }
  OK(cudaFree(out));
}

static void occupancy() {
  static const int resident[] = {66, 32, 16};
  const size_t much = 200 << 10; // one block to an SM
  int n = 0;
  OK(cudaDeviceGetAttribute(&n, cudaDevAttrClusterLaunch, 0));
  CHECK(n == 1);
  OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)much));
  for (int k = 0; k < 3; k++) {
    const cudaLaunchConfig_t c = config(128, THREADS, 2u << k, much);
    OK(cudaOccupancyMaxActiveClusters(&n, (const void *)histogram, &c));
    CHECK(n == resident[k]);
  }
  cudaLaunchConfig_t c = config(128, THREADS, 16, much);
  EXPECT(cudaOccupancyMaxActiveClusters(&n, (const void *)histogram, &c), cudaErrorInvalidClusterSize);
  c = config(128, THREADS, 0, much);
  EXPECT(cudaOccupancyMaxActiveClusters(&n, (const void *)histogram, &c), cudaErrorInvalidClusterSize);
  OK(cudaOccupancyMaxPotentialClusterSize(&n, (const void *)histogram, &c));
  CHECK(n == 8);
  OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  OK(cudaOccupancyMaxPotentialClusterSize(&n, (const void *)histogram, &c));
  CHECK(n == 16);
  c = config(128, THREADS, 16, much);
  OK(cudaOccupancyMaxActiveClusters(&n, (const void *)histogram, &c));
  CHECK(n == 8);
}

int main() {
  histograms();
  rings();
  occupancy();
  return finish("clusters");
}
