// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A function of the host that waits for what its program does after the call that gave it: here until it gives up, after more than the five
// seconds after which weir says which stream waits for what. The first stream that a program makes is number 3.
// says: stream 3 waits for the function of the host that it was given by cudaLaunchHostFunc
#include <cuda_runtime.h>

#include <unistd.h>

#include "check.h"

static volatile int go_on;

static void wait_for_it(void *gave_up) {
  for (int k = 0; k < 56 && !go_on; k++)
    usleep(100000);
  *(int *)gave_up = !go_on;
}

int main() {
  cudaStream_t s;
  int gave_up = 0;
  OK(cudaStreamCreate(&s));
  OK(cudaLaunchHostFunc(s, wait_for_it, &gave_up));
  go_on = 1;
  OK(cudaStreamSynchronize(s));
  CHECK(gave_up);
  return finish("stuck");
}
