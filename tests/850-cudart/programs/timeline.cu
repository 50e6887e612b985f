// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Copies take the time of the chip's link, and overlap with other streams' work. By hand, of chips/turing-2080ti.yaml, whose link is volta-v100's, N = 1 MiB:
//   to the device, pinned    8.8 us + (N + N / 64 × 20) bytes at 15754 per us   = 8.8 + 87.3592 = 96.1592 us
//   to the host, pinned      6.9 us + (N + N / 128 × 24) bytes at 15754 per us  = 6.9 + 79.0392 = 85.9392 us
//   36000 bytes, pageable    6.2 us + 10 us to the device, 7.65 us + 10 us to the host, both at 3600 per us
//   616000 bytes set         1 us: 22 channels × 32 bytes × 3500 MHz / 4 cycles; copied within the device, 2 us
// options: --chip=turing-2080ti
// again: --threads=2
// Kernels of one block each run at once, kernels that fill the chip one after the other: 68 cores of 16 blocks of 64 threads hold 1088 blocks.
// fact: kernels.# = 9
#include <cuda_runtime.h>

#include <pthread.h>

#include "check.h"

enum { BYTES = 1 << 20, STAGED = 36000, AMONG = 616000 };
static const double IN = 96.1592, OUT = 85.9392;

__global__ void spin(int *at, int rounds) {
  int v = at[threadIdx.x];
  for (int k = 0; k < rounds; k++)
    v = v * 3 + 1;
  at[threadIdx.x] = v;
}

static cudaEvent_t mark(cudaStream_t s) {
  cudaEvent_t e;
  OK(cudaEventCreate(&e));
  OK(cudaEventRecord(e, s));
  return e;
}

static double between(cudaEvent_t a, cudaEvent_t b) { // us, when both have been
  float ms = -1;
  OK(cudaEventSynchronize(a));
  OK(cudaEventSynchronize(b));
  OK(cudaEventElapsedTime(&ms, a, b));
  return ms * 1e3;
}

static int near(double a, double b) {
  return a > b - 2e-4 && a < b + 2e-4;
}

static char *pinned, *device, *other, pageable[STAGED];
static cudaStream_t s, t, free_one; // two that the default stream waits for, one that it does not

static void one_copy() {
  cudaEvent_t a = mark(s);
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s));
  cudaEvent_t b = mark(s);
  OK(cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, s));
  cudaEvent_t c = mark(s);
  CHECK(near(between(a, b), IN));
  CHECK(near(between(b, c), OUT));
  CHECK(near(between(a, c), IN + OUT)); // one stream: the sum
  OK(cudaDeviceSynchronize());
}

static void both_ways_at_once() {
  cudaEvent_t a = mark(s);
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s));
  OK(cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, t));
  cudaEvent_t in = mark(s), out = mark(t), all = mark(0);
  CHECK(near(between(a, in), IN));
  CHECK(near(between(a, out), OUT));
  CHECK(near(between(a, all), IN)); // the longer
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, t));
  OK(cudaMemcpyAsync(other, pinned, BYTES, cudaMemcpyHostToDevice, s));
  CHECK(near(between(a, mark(s)), 3 * IN)); // one engine in each direction
  OK(cudaDeviceSynchronize());
}

static void copy_beside_kernel() {
  cudaEvent_t a = mark(s);
  OK(cudaMemcpyAsync(other, pinned, BYTES, cudaMemcpyHostToDevice, s));
  cudaEvent_t began = mark(t);
  spin<<<1, 64, 0, t>>>((int *)device, 1000);
  cudaEvent_t copied = mark(s), ran = mark(t), all = mark(0);
  OK(cudaStreamWaitEvent(free_one, all, 0));
  spin<<<1, 64, 0, free_one>>>((int *)device, 1000);
  cudaEvent_t last = mark(free_one);
  const double kernel = between(began, ran);
  CHECK(near(between(a, copied), IN));
  CHECK(kernel > 1 && near(between(a, ran), kernel)); // began with the copy
  CHECK(near(between(a, all), kernel > IN ? kernel : IN));
  CHECK(between(all, last) > 1); // it waited for the longer
  OK(cudaDeviceSynchronize());
}

// Both begin with the first event, and the last waits for both.
static double two_kernels(unsigned blocks, double *one, double *two) {
  cudaEvent_t a = mark(s);
  spin<<<blocks, 64, 0, s>>>((int *)device, 1000);
  cudaEvent_t b = mark(s);
  spin<<<blocks, 64, 0, t>>>((int *)other, 1000);
  cudaEvent_t c = mark(t), all = mark(0);
  *one = between(a, b);
  *two = between(a, c);
  const double both = between(a, all);
  OK(cudaDeviceSynchronize());
  return both;
}

// The two are the same but for what the caches hold: within a quarter of each other.
static void kernels_at_once() {
  double one, two, both = two_kernels(1, &one, &two);
  CHECK(one > 1 && two > one * 0.75 && two < one * 1.25);
  CHECK(near(both, one > two ? one : two));
  both = two_kernels(1088, &one, &two);
  CHECK(two > one * 1.75 && two < one * 2.25); // it waited for the first
  CHECK(near(both, two));
}

// The host waits for a copy of pageable memory: what it gives to a stream of its own afterwards begins later.
static void the_host_waits() {
  cudaEvent_t a = mark(free_one);
  OK(cudaMemcpy(device, pageable, STAGED, cudaMemcpyHostToDevice));
  cudaEvent_t b = mark(free_one);
  OK(cudaMemcpyAsync(pageable, device, STAGED, cudaMemcpyDeviceToHost, s));
  cudaEvent_t c = mark(free_one);
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s)); // this one it does not wait for
  cudaEvent_t d = mark(free_one);
  OK(cudaStreamSynchronize(s));
  cudaEvent_t e = mark(free_one);
  CHECK(near(between(a, b), 16.2));
  CHECK(near(between(b, c), 17.65));
  CHECK(between(c, d) == 0);
  CHECK(near(between(d, e), IN));
  OK(cudaDeviceSynchronize());
}

// A host that asks goes on, and one that asks again has waited until something ends: first the copy out ends, then the one in.
static void the_host_asks() {
  cudaEvent_t none;
  float ms;
  OK(cudaEventCreate(&none));
  OK(cudaEventQuery(none)); // was not recorded
  cudaEvent_t a = mark(s);
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s));
  OK(cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, t));
  cudaEvent_t in = mark(s), out = mark(t);
  OK(cudaEventQuery(a));
  EXPECT(cudaStreamQuery(s), cudaErrorNotReady);
  EXPECT(cudaStreamQuery(0), cudaErrorNotReady); // the blocking streams are at work
  OK(cudaStreamQuery(free_one));
  EXPECT(cudaEventQuery(out), cudaErrorNotReady);
  CHECK(cudaEventElapsedTime(&ms, a, in) == cudaErrorNotReady && !cudaGetLastError()); // which is no error
  EXPECT(cudaStreamQuery(s), cudaErrorNotReady); // again: until the copy out ends
  OK(cudaEventQuery(out));
  cudaEvent_t then = mark(free_one);
  EXPECT(cudaStreamQuery(s), cudaErrorNotReady);
  OK(cudaStreamQuery(s));
  OK(cudaStreamQuery(0));
  CHECK(near(between(a, out), OUT) && near(between(a, then), OUT) && near(between(a, in), IN));
  spin<<<1, 64, 0, s>>>((int *)device, 1000);
  OK(cudaEventRecord(in, s));
  unsigned asked = 0;
  while (cudaEventQuery(in) == cudaErrorNotReady)
    asked++;
  CHECK(asked == 2);
  void *other_memory;
  OK(cudaMalloc(&other_memory, 64));
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s));
  OK(cudaFree(other_memory)); // waits for the device
  OK(cudaStreamQuery(s));
}

// What nvcc --default-stream per-thread makes of cudaMemcpyAsync and cudaEventRecord.
extern "C" cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t count, cudaMemcpyKind kind, cudaStream_t stream);
extern "C" cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream);

static void *copy_out(void *event) {
  OK(cudaMemcpyAsync_ptsz(pinned, device, BYTES, cudaMemcpyDeviceToHost, 0));
  OK(cudaEventRecord_ptsz(*(cudaEvent_t *)event, cudaStreamPerThread));
  return 0;
}

// Two threads copy at once in default streams of their own, which the legacy one waits for.
static void a_default_stream_for_each_thread() {
  pthread_t thread;
  cudaEvent_t a = mark(cudaStreamPerThread), out;
  OK(cudaEventCreate(&out));
  OK(cudaMemcpyAsync_ptsz(device, pinned, BYTES, cudaMemcpyHostToDevice, 0));
  cudaEvent_t in = mark(cudaStreamPerThread);
  CHECK(!pthread_create(&thread, 0, copy_out, &out) && !pthread_join(thread, 0));
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, 0));
  cudaEvent_t all = mark(0);
  CHECK(near(between(a, in), IN) && near(between(a, out), OUT) && near(between(a, all), 2 * IN));
}

static void called(void *count) {
  ++*(int *)count;
}

// A kernel of higher priority begins when half of the blocks of one of the lowest, which fills the chip twice, have ended; after it it is
// the other half's turn.
static void priorities() {
  cudaStream_t low, high;
  int count = 0;
  OK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 0));
  OK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -1));
  cudaEvent_t a = mark(low);
  spin<<<2 * 1088, 64, 0, low>>>((int *)device, 1000);
  spin<<<1088, 64, 0, high>>>((int *)device, 1000);
  OK(cudaLaunchHostFunc(low, called, &count));
  cudaEvent_t first = mark(high), last = mark(low);
  CHECK(count == 1);
  const double both = between(a, last), one = between(a, first);
  CHECK(one > both * 0.6 && one < both * 0.72); // two thirds, but for what the caches hold
  OK(cudaStreamDestroy(low));
  OK(cudaStreamDestroy(high));
}

static void within_the_device() {
  cudaEvent_t a = mark(s);
  OK(cudaMemsetAsync(device, 0, AMONG, s));
  cudaEvent_t b = mark(s);
  OK(cudaMemcpyAsync(other, device, AMONG, cudaMemcpyDeviceToDevice, s));
  cudaEvent_t c = mark(s);
  OK(cudaMemcpy2DAsync(device, 2048, pinned, 1024, 1024, 512, cudaMemcpyHostToDevice, s)); // half of 1 MiB in packets of 64
  cudaEvent_t d = mark(s);
  CHECK(near(between(a, b), 1));
  CHECK(near(between(b, c), 2));
  CHECK(near(between(c, d), 8.8 + 87.3592 / 2));
}

int main() {
  OK(cudaMallocHost((void **)&pinned, BYTES));
  OK(cudaMalloc((void **)&device, BYTES));
  OK(cudaMalloc((void **)&other, BYTES));
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
  int engines;
  OK(cudaDeviceGetAttribute(&engines, (cudaDeviceAttr)40 /* AsyncEngineCount */, 0));
  CHECK(engines == 2); // a direction each
  one_copy();
  both_ways_at_once();
  copy_beside_kernel();
  kernels_at_once();
  the_host_waits();
  the_host_asks();
  a_default_stream_for_each_thread();
  priorities();
  within_the_device();
  return finish("timeline");
}
