// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Variables of the program that host and device share (CUDA programming guide, "Managed Variables"): for nvcc alone, as clang has them for
// AMD's devices. Both lie in one page of 64 KiB, which comes with the first fault of the first launch, and, after the reset, anew.
// options: --chip=turing-2080ti
// fact: total.page_faults = 2
// fact: total.migrated_bytes = 131072
#include <cuda_runtime.h>

#include "check.h"

__managed__ int counter = 5;
static __managed__ float table[4] = {1, 2, 3, 4};
__device__ int step = 3;

struct Seen {
  int *counter;
  float *table;
};

__global__ void look(Seen *seen) {
  *seen = Seen{&counter, table};
  counter += step;
  table[1] += table[3];
}

int main() {
  Seen *seen, host;
  OK(cudaMalloc(&seen, sizeof *seen));
  CHECK(counter == 5 && table[2] == 3);
  counter = 10;
  look<<<1, 1>>>(seen);
  LAUNCHED();
  CHECK(counter == 13 && table[1] == 6);
  OK(cudaMemcpy(&host, seen, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host.counter == &counter && host.table == table);

  void *at;
  size_t bytes;
  OK(cudaGetSymbolAddress(&at, counter));
  CHECK(at == &counter);
  OK(cudaGetSymbolSize(&bytes, table));
  CHECK(bytes == sizeof table);
  const int value = 77;
  OK(cudaMemcpyToSymbol(counter, &value, sizeof value));
  CHECK(counter == 77);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, table));
  CHECK(a.type == cudaMemoryTypeManaged && a.hostPointer == table && a.devicePointer == table);
  EXPECT(cudaFree(&counter), cudaErrorInvalidValue);

  // What begins anew has its first value, where it lies now.
  OK(cudaDeviceReset());
  OK(cudaMalloc(&seen, sizeof *seen));
  look<<<1, 1>>>(seen);
  LAUNCHED();
  CHECK(counter == 8 && table[1] == 6);
  OK(cudaMemcpy(&host, seen, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host.counter == &counter);
  return finish("managed");
}
