// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stream-ordered allocation: from the device's default pool, and from one of the program's own.
// fact: kernels.# = 1
#include <cuda_runtime.h>

#include <string.h>

#include "check.h"

#ifndef __NVCC__ // the tests' own header has no pools
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
enum { cudaMemPoolReuseAllowOpportunistic = 2, cudaMemPoolAttrReleaseThreshold = 4, cudaMemPoolAttrUsedMemCurrent = 7,
       cudaMemPoolAttrUsedMemHigh = 8 };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};
extern "C" {
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count);
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t pool, cudaMemLocation *location);
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
}
#endif

__global__ void fill(int *at, int value) {
  at[threadIdx.x] = value;
}

#define USED(pool, now, most)                                              \
  do {                                                                     \
    unsigned long long used_, high_;                                       \
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used_)); \
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high_)); \
    CHECK(used_ == (now) && high_ == (most));                              \
  } while (0)

static void access_rights(cudaMemPool_t pool) {
  cudaMemAccessDesc access;
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  memset(&access, 0, sizeof access);
  EXPECT(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidValue); // of nobody
  access.location.type = cudaMemLocationTypeDevice;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  OK(cudaMemPoolSetAccess(pool, &access, 1));
  OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
  CHECK(flags == cudaMemAccessFlagsProtReadWrite);
  access.flags = cudaMemAccessFlagsProtNone;
  EXPECT(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidValue);
  access.location.id = 3;
  EXPECT(cudaMemPoolGetAccess(&flags, pool, &access.location), cudaErrorInvalidDevice);
}

int main() {
  cudaStream_t stream;
  cudaMemPool_t first, own, now;
  cudaMemPoolProps properties;
  void *a, *b, *c;
  unsigned long long threshold = 1 << 20, read = 0, zero = 0;
  int reuse = 0, host[32];
  OK(cudaStreamCreate(&stream));
  OK(cudaDeviceGetDefaultMemPool(&first, 0));
  OK(cudaDeviceGetMemPool(&now, 0));
  CHECK(now == first);
  OK(cudaMallocAsync(&a, 128, stream));
  OK(cudaMallocAsync(&b, 1000, stream));
  USED(first, 1128, 1128);
  fill<<<1, 32, 0, stream>>>((int *)a, 9);
  OK(cudaFreeAsync(b, stream));
  USED(first, 128, 1128);
  OK(cudaMemPoolSetAttribute(first, cudaMemPoolAttrUsedMemHigh, &zero));
  USED(first, 128, 128);
  OK(cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (int k = 0; k < 32; k++)
    CHECK(host[k] == 9);

  memset(&properties, 0, sizeof properties);
  EXPECT(cudaMemPoolCreate(&own, &properties), cudaErrorInvalidValue);
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  OK(cudaMemPoolCreate(&own, &properties));
  OK(cudaMallocFromPoolAsync(&c, 64, own, stream));
  USED(own, 64, 64);
  USED(first, 128, 128);
  OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &read));
  CHECK(read == threshold);
  OK(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
  reuse = 1;
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
  CHECK(reuse == 0);
  OK(cudaDeviceSetMemPool(0, own));
  OK(cudaMallocAsync(&b, 32, stream));
  USED(own, 96, 96);
  access_rights(own);
  OK(cudaMemPoolTrimTo(own, 0));
  OK(cudaFree(c)); // the ordinary call frees it, too
  OK(cudaMemPoolDestroy(own));
  OK(cudaDeviceGetMemPool(&now, 0));
  CHECK(now == first);
  OK(cudaMemcpy(b, a, 32, cudaMemcpyDeviceToDevice)); // what is not freed yet outlives its pool
  OK(cudaFreeAsync(b, stream));
  EXPECT(cudaMemPoolTrimTo(own, 0), cudaErrorInvalidValue);
  EXPECT(cudaMallocFromPoolAsync(&c, 64, own, stream), cudaErrorInvalidValue);
  EXPECT(cudaFreeAsync(b, stream), cudaErrorInvalidValue);
  OK(cudaFreeAsync(a, stream));
  return finish("pools");
}
