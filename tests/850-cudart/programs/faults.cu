// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels that go wrong, each in a process of its own, since a fault stays with its process: every later call returns
// the same error. (--strict: so is a store just past the end, which a real device would not notice.) The parent has not
// touched the device when it forks, so that its children may.
// options: --step-limit=20000 --strict
// says: 0 bytes past the end of 'cudaMalloc
// says: an integer above 3
// fact: runs.# = 5
// fact: runs.0.process.faults.# = 1
// fact: runs.4.process.faults.# = 1
#include <cuda_runtime.h>

#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void past_the_end(int *at) {
  at[threadIdx.x + 1] = 1; // the last thread is one too far
}

__global__ void misaligned(int *at) {
  *(int *)((char *)at + 2) = 1;
}

__global__ void traps() {
  if (threadIdx.x == 3)
    asm volatile("trap;");
}

__global__ void asserts(int *at) {
  assert(at[0] > 3 && "an integer above 3");
}

__global__ void runs_away(volatile int *at) {
  while (at[0] == 0) {
  }
}

static void run(int which, int *device) {
  switch (which) {
  case 0: past_the_end<<<1, 32>>>(device); break;
  case 1: misaligned<<<1, 1>>>(device); break;
  case 2: traps<<<1, 32>>>(); break;
  case 3: asserts<<<1, 32>>>(device); break;
  default: runs_away<<<1, 32>>>(device); break;
  }
}

// What the kernel's error is; it may be told by the launch or by what comes after.
static int child(int which, cudaError_t wanted) {
  int *device;
  OK(cudaMalloc(&device, 128));
  OK(cudaMemset(device, 0, 128));
  run(which, device);
  cudaError_t got = cudaDeviceSynchronize();
  CHECK(got == wanted);
  CHECK(cudaGetLastError() == wanted);
  CHECK(cudaGetLastError() == wanted); // it does not go away
  CHECK(cudaMemset(device, 0, 4) == wanted);
  CHECK(cudaFree(device) == wanted);
  return finish("child");
}

static void in_child(int which, cudaError_t wanted) {
  int status = 0;
  fflush(stdout);
  const pid_t pid = fork();
  if (!pid) {
    const int failed = child(which, wanted);
    fflush(stdout);
    _exit(failed);
  }
  CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main() {
  in_child(0, cudaErrorIllegalAddress);
  in_child(1, cudaErrorMisalignedAddress);
  in_child(2, cudaErrorLaunchFailure);
  in_child(3, cudaErrorAssert);
  in_child(4, cudaErrorLaunchTimeout);
  return finish("faults");
}
