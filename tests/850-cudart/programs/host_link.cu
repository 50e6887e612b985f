// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels reach the host's memory over the chip's link. By hand, of chips/turing-2080ti.yaml, whose link is volta-v100's, N = 1 MiB, bytes of
// the link at 15754 per us; what a launch takes besides is less than SLACK:
//   reads of whole lines       N + N / 64 × 20 bytes: 87.3592 us
//   32768 reads of 32 bytes    256 at a time, 1.6 us each: 204.8 us (as bytes, 52 each, 108.2 us)
//   writes of whole lines      N + N / 128 × 24 bytes: 79.0392 us
//   a fault                    45 us, and 64 KiB as reads are: 5.45995 us; of 2 MiB, 174.718 us
//   2 MiB back to the host     158.078 us
//   the host touches           two copies of pinned memory, of 4 KiB and of the rest, 6.9 us each, and the bytes: of one page 18.7400 us;
//                              of all of 2 MiB, six faults, 240.878 us
// To begin a launch takes no time.
// options: --chip=turing-2080ti --set=core.launch_cycles=0
// Faults: of a page, twice; of one that the host had touched, and touched again, three times; of six that bring 2 MiB, of which more than 51 % is there each time that it doubles; of a page that is mostly read,
// and the store to it; of what takes another block's room. The others are prefetched or stay with the host.
// fact: total.page_faults = 14
// fact: total.evicted_bytes = 2097152
// fact: total.migrated_bytes = 2555904
#include <cuda_runtime.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { BYTES = 1 << 20, PAGE = 64 << 10, BLOCK = 2 << 20, READS = 32768 };
static const double READ = 87.3592, APART = 204.8, WRITE = 79.0392, FAULT = 45, PAGE_IN = 5.45995, BLOCK_IN = 174.718,
                    BLOCK_OUT = 158.078, HOST_PAGE = 18.74, HOST_BLOCK = 240.878, SLACK = 6;

__global__ void read(const int *from, int *to, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = from[i * stride];
  if (v) *to = v;
}

__global__ void write(int *to) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

struct Pages {
  int count, at[6];
};

// One page after the other: at the address that the one before tells.
__global__ void touch(const char *from, Pages pages, int *to) {
  int sum = 0;
  for (int k = 0; k < pages.count; k++) sum += from[pages.at[k] * PAGE + (sum & 1)];
  *to = sum;
}

static int *out;

template <class F> static double time_of(F launch) { // us
  cudaEvent_t a, b;
  float ms = -1;
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  OK(cudaEventRecord(a, 0));
  launch();
  OK(cudaEventRecord(b, 0));
  OK(cudaDeviceSynchronize());
  OK(cudaEventElapsedTime(&ms, a, b));
  return ms * 1e3;
}

static int takes(double us, double least) {
  const double rounding = 0.001;
  if (us < least - rounding || us >= least + SLACK) printf("%g us, not %g\n", us, least);
  return us >= least - rounding && us < least + SLACK;
}

static double time_of_reads(const int *from) {
  return time_of([&] { read<<<BYTES / 4 / 1024, 1024>>>(from, out, 1); });
}

static double time_of_touch(const char *from, const Pages &pages) {
  return time_of([&] { touch<<<1, 1>>>(from, pages, out); });
}

static double time_of_touch(const char *from, int page) {
  return time_of_touch(from, Pages{1, {page}});
}

static char *managed(size_t bytes) {
  char *p;
  OK(cudaMallocManaged(&p, bytes, cudaMemAttachGlobal));
  return p;
}

static void mapped() {
  int *host, *seen;
  OK(cudaHostAlloc(&host, READS * 128, cudaHostAllocMapped));
  OK(cudaHostGetDevicePointer(&seen, host, 0));
  for (int k = 0; k < 2; k++) CHECK(takes(time_of_reads(seen), READ)); // nothing of it stays
  CHECK(takes(time_of([&] { read<<<READS / 1024, 1024>>>(seen, out, 32); }), APART));
  CHECK(takes(time_of([&] { write<<<BYTES / 4 / 1024, 1024>>>(seen); }), WRITE));
  OK(cudaFreeHost(host));
}

static void faults() {
  char *m = managed(BLOCK);
  CHECK(takes(time_of_touch(m, 3), FAULT + PAGE_IN));
  CHECK(time_of_touch(m, 3) < SLACK); // it stays
  OK(cudaMemPrefetchAsync(m, BLOCK, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, 0));
  CHECK(takes(time_of_touch(m, 3), FAULT + PAGE_IN));
  OK(cudaFree(m));
  m = managed(BLOCK);
  CHECK(takes(time_of_touch(m, Pages{6, {0, 1, 2, 4, 8, 16}}), 6 * FAULT + BLOCK_IN));
  CHECK(time_of_reads((int *)m) < 2 * SLACK); // all of it came
  OK(cudaFree(m));
}

// The host gets back what it touches, be it by its own loads and stores or in a system call, and the device has it no more.
static void touched_by_the_host() {
  char *m = managed(BLOCK);
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  m[3 * PAGE] = 1;
  CHECK(takes(time_of_touch(m, 3), FAULT + PAGE_IN));
  CHECK(takes(time_of([&] { CHECK(m[3 * PAGE] == 1); }), HOST_PAGE));
  CHECK(time_of([&] { m[3 * PAGE + 4096] = 2; }) < 1); // it has all of the page
  CHECK(takes(time_of_touch(m, 3), FAULT + PAGE_IN));
  const int zero = open("/dev/zero", O_RDONLY);
  CHECK(takes(time_of([&] { CHECK(read(zero, m + 3 * PAGE, 8) == 8); }), HOST_PAGE));
  close(zero);
  CHECK(takes(time_of_touch(m, 3), FAULT + PAGE_IN));
  OK(cudaMemPrefetchAsync(m, BLOCK, device, 0, 0));
  OK(cudaDeviceSynchronize());
  CHECK(takes(time_of([&] { memset(m, 0, BLOCK); }), HOST_BLOCK));
  OK(cudaFree(m));
}

static void prefetched() {
  char *m = managed(BYTES);
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  CHECK(takes(time_of([&] { OK(cudaMemPrefetchAsync(m, BYTES, device, 0, 0)); }), 8.8 + READ));
  CHECK(time_of([&] { OK(cudaMemPrefetchAsync(m, BYTES, device, 0, 0)); }) < 1); // it is there
  CHECK(time_of_reads((int *)m) < 2 * SLACK);
  OK(cudaFree(m));
}

static void advised() {
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  char *m = managed(BYTES);
  OK(cudaMemAdvise(m, BYTES, cudaMemAdviseSetAccessedBy, device));
  CHECK(takes(time_of_reads((int *)m), READ));
  OK(cudaMemAdvise(m, BYTES, cudaMemAdviseUnsetAccessedBy, device));
  OK(cudaMemAdvise(m, BYTES, cudaMemAdviseSetPreferredLocation, host));
  CHECK(takes(time_of_reads((int *)m), READ));
  OK(cudaMemAdvise(m, BYTES, cudaMemAdviseSetReadMostly, device)); // a copy of its own, whatever it prefers
  CHECK(takes(time_of_touch(m, 5), FAULT + PAGE_IN));
  CHECK(time_of_touch(m, 5) < SLACK);
  CHECK(takes(time_of([&] { write<<<1, 1>>>((int *)(m + 5 * PAGE)); }), FAULT)); // ends the host's
  CHECK(time_of([&] { write<<<1, 1>>>((int *)(m + 5 * PAGE)); }) < SLACK);
  OK(cudaFree(m));
}

// The device has room for two blocks of three: the one that something came to first goes.
static void too_much() {
  size_t free_bytes, all;
  char *most, *m = managed(3 * BLOCK);
  OK(cudaMemGetInfo(&free_bytes, &all));
  OK(cudaMalloc(&most, free_bytes - 2 * BLOCK));
  OK(cudaMemPrefetchAsync(m, 2 * BLOCK, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0));
  CHECK(takes(time_of_touch(m, 2 * BLOCK / PAGE), FAULT + BLOCK_OUT + PAGE_IN));
  CHECK(time_of_touch(m, BLOCK / PAGE) < SLACK);
  OK(cudaFree(most));
  OK(cudaFree(m));
}

int main() {
  OK(cudaMalloc(&out, 4));
  mapped();
  faults();
  touched_by_the_host();
  prefetched();
  advised();
  too_much();
  return finish("host_link");
}
