// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Four host threads that launch at the same time, each with memory, a stream and a last error of its own; and a child
// process, which has no device where the parent has used it.
// Four threads, eight launches each, of 2 blocks.
// fact: kernels.*.# = 32
// fact: total.blocks = 64
#include <cuda_runtime.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 4, LAUNCHES = 8, N = 128 };

__global__ void add(int *at, int value) {
  at[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

static void *work(void *number) {
  const int me = *(int *)number;
  int host[N], *device;
  long wrong = 0;
  cudaStream_t stream;
  wrong += cudaStreamCreate(&stream) != cudaSuccess;
  wrong += cudaMalloc(&device, sizeof host) != cudaSuccess;
  wrong += cudaMemsetAsync(device, 0, sizeof host, stream) != cudaSuccess;
  for (int k = 0; k < LAUNCHES; k++)
    add<<<2, N / 2, 0, stream>>>(device, me + k);
  wrong += cudaGetLastError() != cudaSuccess;
  if (me == 2)
    cudaSetDevice(5); // the others do not see this error
  wrong += cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost, stream) != cudaSuccess;
  wrong += cudaStreamSynchronize(stream) != cudaSuccess;
  for (int k = 0; k < N; k++)
    wrong += host[k] != LAUNCHES * me + LAUNCHES * (LAUNCHES - 1) / 2;
  wrong += cudaGetLastError() != (me == 2 ? cudaErrorInvalidDevice : cudaSuccess);
  cudaFree(device);
  cudaStreamDestroy(stream);
  return (void *)wrong;
}

static void forked() {
  int status = 0, count;
  fflush(stdout);
  const pid_t pid = fork();
  if (!pid)
    _exit(cudaGetDeviceCount(&count) == cudaErrorInitializationError ? 0 : 1);
  CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main() {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int k = 0; k < THREADS; k++) {
    numbers[k] = k;
    CHECK(pthread_create(&threads[k], 0, work, &numbers[k]) == 0);
  }
  for (int k = 0; k < THREADS; k++) {
    void *wrong;
    CHECK(pthread_join(threads[k], &wrong) == 0);
    CHECK(wrong == 0);
  }
  forked();
  return finish("threads");
}
