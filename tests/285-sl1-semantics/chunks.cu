// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Threads that walk through chunks of their own, so that lines in software have hits: text to upper case (two pointers that
// share bytes' lines among threads), and a sum that is passed on through a buffer at barriers in the loop.
#include <cuda_runtime.h>

#include "../850-cudart/programs/check.h"

enum { BLOCKS = 4, THREADS = 64, CHUNK = 100, N = BLOCKS * THREADS * CHUNK, ROUNDS = 24 };

struct texts {
  const char *from;
  char *to;
};

__global__ void upper(struct texts t, int chunk) {
  const int first = (blockIdx.x * THREADS + threadIdx.x) * chunk;
  for (int i = first; i < first + chunk; i++) {
    const char c = t.from[i];
    t.to[i] = c >= 'a' && c <= 'z' ? c - 32 : c;
  }
}

__global__ void pass_on(unsigned *slots, const unsigned char *weights, int rounds) {
  const unsigned me = blockIdx.x * THREADS + threadIdx.x, next = blockIdx.x * THREADS + (threadIdx.x + 1) % THREADS;
  for (int k = 0; k < rounds; k++) {
    const unsigned sum = slots[me] + weights[k];
    __syncthreads();
    slots[next] = sum;
    __syncthreads();
  }
}

int main() {
  static char text[N], got[N];
  static unsigned slots[BLOCKS * THREADS];
  unsigned char weights[ROUNDS];
  unsigned total = 0, *device_slots;
  unsigned char *device_weights;
  struct texts t;
  for (int i = 0; i < N; i++) text[i] = (char)(' ' + i * 7 % 95);
  for (int k = 0; k < ROUNDS; k++) total += weights[k] = (unsigned char)(k * 11);
  for (int i = 0; i < BLOCKS * THREADS; i++) slots[i] = i;
  OK(cudaMalloc((void **)&t.from, N));
  OK(cudaMalloc((void **)&t.to, N));
  OK(cudaMalloc((void **)&device_slots, sizeof slots));
  OK(cudaMalloc((void **)&device_weights, sizeof weights));
  OK(cudaMemcpy((void *)t.from, text, N, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(device_slots, slots, sizeof slots, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(device_weights, weights, sizeof weights, cudaMemcpyHostToDevice));
  upper<<<BLOCKS, THREADS>>>(t, CHUNK);
  pass_on<<<BLOCKS, THREADS>>>(device_slots, device_weights, ROUNDS);
  LAUNCHED();
  OK(cudaMemcpy(got, t.to, N, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(slots, device_slots, sizeof slots, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++) CHECK(got[i] == (text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]));
  for (unsigned b = 0; b < BLOCKS; b++) // what thread k of a block has has gone on by one thread in each round
    for (unsigned k = 0; k < THREADS; k++) CHECK(slots[b * THREADS + (k + ROUNDS) % THREADS] == b * THREADS + k + total);
  return finish("chunks");
}
