// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Memory that host and device share: pinned, registered and managed. A kernel reads and writes it at the address that
// the host uses, and what pointers are said to be.
// fact: kernels.# = 4
// says: cudaFreeHost: no pinned memory begins at
#include <cuda_runtime.h>

#include <stdlib.h>

#include "check.h"

__global__ void add_one(int *at, int n) {
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < n)
    at[k] += 1;
}

static void is(const void *pointer, cudaMemoryType type, const void *device, const void *host) {
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, pointer));
  CHECK(a.type == type);
  CHECK(a.devicePointer == device);
  CHECK(a.hostPointer == host);
  CHECK(a.device == (type == cudaMemoryTypeUnregistered ? -2 : 0));
}

static void count_up(int *at, int n) {
  for (int k = 0; k < n; k++)
    at[k] = k;
  add_one<<<(n + 127) / 128, 128>>>(at, n);
  LAUNCHED();
  for (int k = 0; k < n; k++)
    CHECK(at[k] == k + 1);
}

static void pinned(int n) {
  int *p, *q, *device;
  unsigned flags;
  OK(cudaMallocHost(&p, (size_t)n * sizeof *p));
  OK(cudaHostAlloc(&q, (size_t)n * sizeof *q, cudaHostAllocMapped | cudaHostAllocPortable));
  is(p + 1, cudaMemoryTypeHost, p + 1, p + 1);
  OK(cudaHostGetDevicePointer(&device, q, 0));
  OK(cudaHostGetFlags(&flags, q));
  CHECK(flags & cudaHostAllocMapped && flags & cudaHostAllocPortable);
  count_up(p, n);
  for (int k = 0; k < n; k++)
    q[k] = -k;
  add_one<<<(n + 127) / 128, 128>>>(device, n);
  LAUNCHED();
  for (int k = 0; k < n; k++)
    CHECK(q[k] == 1 - k);
  OK(cudaMemcpy(q, p, (size_t)n * sizeof *p, cudaMemcpyDefault));
  CHECK(q[n - 1] == n);
  EXPECT(cudaFreeHost(p + 1), cudaErrorInvalidValue);
  EXPECT(cudaFree(p), cudaErrorInvalidValue);
  OK(cudaFreeHost(p));
  OK(cudaFreeHost(q));
  OK(cudaFreeHost(0));
  EXPECT(cudaHostAlloc(&p, 64, 0x80), cudaErrorInvalidValue);
}

static void registered(int n) {
  int *p = (int *)aligned_alloc(4096, 1 << 20), *device;
  EXPECT(cudaHostGetDevicePointer(&device, p, 0), cudaErrorInvalidValue);
  is(p, cudaMemoryTypeUnregistered, 0, p);
  OK(cudaHostRegister(p, 1 << 20, cudaHostRegisterMapped));
  EXPECT(cudaHostRegister(p, 4096, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
  is(p + n, cudaMemoryTypeHost, p + n, p + n);
  OK(cudaHostGetDevicePointer(&device, p, 0));
  CHECK(device == p);
  count_up(device, n);
  OK(cudaHostUnregister(p));
  EXPECT(cudaHostUnregister(p), cudaErrorHostMemoryNotRegistered);
  is(p, cudaMemoryTypeUnregistered, 0, p);
  EXPECT(cudaHostRegister(p, 0, cudaHostRegisterDefault), cudaErrorInvalidValue);
  free(p);
}

static void managed(int n) {
  int *p;
  OK(cudaMallocManaged(&p, (size_t)n * sizeof *p));
  is(p, cudaMemoryTypeManaged, p, p);
  count_up(p, n);
  OK(cudaMemset(p, 0, 16));
  CHECK(p[0] == 0 && p[3] == 0 && p[4] == 5);
  OK(cudaFree(p));
  EXPECT(cudaFree(p), cudaErrorInvalidValue);
  EXPECT(cudaMallocManaged(&p, 0), cudaErrorInvalidValue);
}

int main() {
  int *device, local = 0;
  OK(cudaMalloc(&device, 64));
  is(device + 3, cudaMemoryTypeDevice, device + 3, 0);
  is(&local, cudaMemoryTypeUnregistered, 0, &local);
  OK(cudaFree(device));
  pinned(1000);
  registered(300);
  managed(777);
  return finish("host_memory");
}
