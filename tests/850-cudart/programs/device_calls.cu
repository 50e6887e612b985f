// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What device code may ask of the system: printf, whose lines this program reads back from its own standard output, and
// malloc and free on the device's heap.
//
// Two blocks print, three rounds of two and two allocate and release, one exhausts the heap.
// fact: kernels.# = 8
// fact: total.blocks = 15
// fact: complete = 1
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

__global__ void print() {
  if (threadIdx.x == 1) printf("thread %d of %u: %.3f %s %c %llx|\n", (int)threadIdx.x, blockDim.x, 1.5, "text", 'q',
                               0x123456789abcull);
  if (blockIdx.x == 1 && threadIdx.x < 3) printf("line %d\n", (int)threadIdx.x);
}

// Each thread keeps its own square in memory of its own, and the next kernel frees it.
__global__ void allocate(int **kept, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  int *mine = (int *)malloc(16);
  if (mine)
    for (int k = 0; k < 4; k++)
      mine[k] = i * i + k;
  kept[i] = mine;
}

__global__ void release(int **kept, int *out, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  out[i] = kept[i] ? kept[i][3] : -1;
  free(kept[i]);
}

// The pointer itself is kept: compilers take it for granted that a comparison with null is false.
__global__ void exhaust(void **got) {
  *got = malloc(size_t(1) << 40);
}

static void printing() {
  char text[512] = "";
  fflush(stdout);
  FILE *file = tmpfile();
  const int out = dup(1);
  dup2(fileno(file), 1);
  print<<<2, 4>>>();
  const cudaError_t launched = cudaGetLastError(), executed = cudaDeviceSynchronize();
  fflush(stdout);
  dup2(out, 1);
  close(out);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  OK(launched);
  OK(executed);
  const char *first = strstr(text, "thread 1 of 4: 1.500 text q 123456789abc|\n");
  CHECK(first && strstr(first + 1, "thread 1 of 4: 1.500 text q 123456789abc|\n")); // one of each block
  CHECK(strstr(text, "line 0\n") && strstr(text, "line 1\n") && strstr(text, "line 2\n") && !strstr(text, "line 3"));
}

static void heap() {
  const int n = 200;
  int **kept, *device_out, out[n];
  size_t limit = 0;
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  CHECK(limit >= 1 << 20);
  OK(cudaMalloc((void **)&kept, n * sizeof *kept));
  OK(cudaMalloc((void **)&device_out, sizeof out));
  for (int round = 0; round < 3; round++) {
    allocate<<<2, 128>>>(kept, n);
    LAUNCHED();
    release<<<2, 128>>>(kept, device_out, n);
    LAUNCHED();
    OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
      CHECK(out[i] == i * i + 3);
  }
  exhaust<<<1, 1>>>((void **)kept);
  LAUNCHED();
  void *nothing = kept;
  OK(cudaMemcpy(&nothing, kept, sizeof nothing, cudaMemcpyDeviceToHost));
  CHECK(nothing == nullptr);
  OK(cudaFree(kept));
  OK(cudaFree(device_out));
}

int main() {
  printing();
  heap();
  return finish("device_calls");
}
