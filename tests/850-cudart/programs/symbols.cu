// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Device variables by name: written and read by the host, whole or in part, and used by a kernel. Constants are
// read-only for kernels alone.
// fact: kernels.# = 2
// says: cudaMemcpyToSymbol: 8 bytes at offset 60 reach past the end of 'table' (64 bytes)
#include <cuda_runtime.h>

#include "check.h"

__device__ int table[16];
__device__ float initialised = 2.5f;
__constant__ int weights[16] = {1, 2, 3};
__device__ int *pointer;

__global__ void weigh(int *out) {
  const int k = (int)threadIdx.x;
  out[k] = table[k] * weights[k] + (int)(initialised * 2);
  table[k] = -k;
}

__global__ void follow(int *out) {
  out[threadIdx.x] = pointer[threadIdx.x];
}

int main() {
  int host[16], back[16], *out;
  size_t bytes = 0;
  void *address = 0;
  float half = 0.5f;
  OK(cudaMalloc(&out, sizeof host));
  for (int k = 0; k < 16; k++)
    host[k] = 10 * k;
  OK(cudaGetSymbolSize(&bytes, table));
  CHECK(bytes == sizeof host);
  OK(cudaGetSymbolAddress(&address, table));
  CHECK(address != 0);
  OK(cudaMemcpyFromSymbol(back, weights, sizeof back));
  CHECK(back[0] == 1 && back[1] == 2 && back[2] == 3 && back[3] == 0);

  OK(cudaMemcpyToSymbol(table, host, sizeof host));
  for (int k = 0; k < 16; k++)
    back[k] = k + 100;
  OK(cudaMemcpyToSymbol(weights, back, 8 * sizeof(int), 8 * sizeof(int))); // the second half
  OK(cudaMemcpyToSymbol(weights, back + 8, 8 * sizeof(int), 0, cudaMemcpyHostToDevice));
  OK(cudaMemcpyToSymbol(initialised, &half, sizeof half));
  weigh<<<1, 16>>>(out);
  LAUNCHED();
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 16; k++)
    CHECK(back[k] == 10 * k * (100 + (k + 8) % 16) + 1);

  OK(cudaMemcpyFromSymbol(back, table, 4 * sizeof(int), 4 * sizeof(int)));
  for (int k = 0; k < 4; k++)
    CHECK(back[k] == -(4 + k));
  OK(cudaMemcpyFromSymbolAsync(back, table, 4, 60, cudaMemcpyDefault, 0));
  CHECK(back[0] == -15);

  // Device memory to and from a variable; a pointer kept on the device.
  OK(cudaMemcpyToSymbol(table, out, sizeof host, 0, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpyToSymbol(pointer, &address, sizeof address));
  follow<<<1, 16>>>(out);
  LAUNCHED();
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(back[3] == 30 * 111 + 1);

  EXPECT(cudaMemcpyToSymbol(table, host, 8, 60), cudaErrorInvalidValue);
  EXPECT(cudaMemcpyToSymbol(table, host, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemcpyFromSymbol(host, table, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemcpyToSymbol((const void *)host, host, 4), cudaErrorInvalidSymbol);
  EXPECT(cudaGetSymbolSize(&bytes, (const void *)0), cudaErrorInvalidSymbol);
  OK(cudaFree(out));
  return finish("symbols");
}
