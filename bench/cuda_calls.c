// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What calls of our libcudart.so cost a program, in microseconds each: the target is below 5 for those that simulate
// nothing. `WEIR_REPORT=none build/release/bench/bench_cuda_calls`; with WEIR_SCHEME=functional the launches have no timing
// model either, and what is left of them is the call.
#include "cudart/cuda.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit, void *t,
                            void *b, dim3 *bd, dim3 *gd, int *warp);
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s);
cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaGetLastError(void);

#define PTX ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing() { ret; }\n"

static struct {
  uint32_t magic;
  uint16_t version, header;
  uint64_t size;
  uint16_t kind, unused;
  uint32_t header_bytes;
  uint64_t payload_bytes, compressed;
  uint16_t minor, major;
  uint32_t arch;
  uint64_t more[6];
  char text[128];
} fatbin = {0xba55ed50, 1, 16, 0x50 + 128, 1, 0, 0x50, 128, 0, 0, 7, 70, {0}, PTX};
static struct {
  int magic, version;
  const void *data, *more;
} wrapper = {0x466243b1, 1, &fatbin, NULL};
static char stub;

static void *memory, *kept[64];
static cudaEvent_t event;

static void allocate(void) {
  cudaMalloc(&memory, 256);
  cudaFree(memory);
}

static void copy_in(void) {
  const int value = 1;
  cudaMemcpy(kept[0], &value, sizeof value, cudaMemcpyHostToDevice);
}

static void copy_out(void) {
  int value;
  cudaMemcpy(&value, kept[0], sizeof value, cudaMemcpyDeviceToHost);
}

static void record(void) {
  cudaEventRecord(event, NULL);
}

static void last_error(void) {
  cudaGetLastError();
}

static void launch(void) {
  const dim3 one = {1, 1, 1};
  cudaLaunchKernel(&stub, one, one, NULL, 0, NULL);
}

static void measure(const char *name, void (*call)(void), unsigned times) {
  struct timespec from, to;
  call();
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (unsigned k = 0; k < times; k++) call();
  clock_gettime(CLOCK_MONOTONIC, &to);
  const double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
  printf("%-28s %8.3f us %12.0f calls/s\n", name, seconds * 1e6 / times, times / seconds);
}

int main(void) {
  void **module = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(module, &stub, "nothing", "nothing", -1, NULL, NULL, NULL, NULL, NULL);
  for (unsigned k = 0; k < 64; k++) // a program has other allocations, too
    if (cudaMalloc(&kept[k], 4096)) return puts("no device"), 1;
  cudaEventCreate(&event);
  measure("cudaMalloc + cudaFree", allocate, 100000);
  measure("cudaMemcpy, 4 B to device", copy_in, 1000000);
  measure("cudaMemcpy, 4 B to host", copy_out, 1000000);
  measure("cudaEventRecord", record, 1000000);
  measure("cudaGetLastError", last_error, 1000000);
  measure("launch of an empty kernel", launch, 1000);
  return cudaGetLastError() != cudaSuccess;
}
