// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// BigKernel's pipeline (Mokhtari and Stumm, IPDPS 2014; docs/S-L1.md) as a program: for each chunk of a text that stays with the host, a kernel works out
// which bytes each thread will read, the addresses are sent, the host gathers the bytes, these are copied to the device, and a second kernel
// computes on them. There are two buffers of each kind; events are the flags that tell a stage that a buffer is full, or empty again, and the host
// waits for two of them. By hand, of chips/turing-2080ti.yaml, whose link is volta-v100's:
//   64 KiB of addresses to the host   6.9 us + (N + N / 128 × 24) bytes at 15754 per us = 6.9 + 4.93995 = 11.8399 us
//   16 KiB of bytes to the device     8.8 us + (N + N / 64 × 20) bytes at 15754 per us  = 8.8 + 1.36499 = 10.1650 us
// One after the other, n chunks take n times the sum of the stages. In the pipeline, the first takes the sum, and each further one the longest stage:
// with two buffers no stage that is shorter holds that one back. The host's own work takes no time, nor does it take any to begin a launch, so that
// sending is longer than finding the addresses.
// options: --chip=turing-2080ti --set=core.launch_cycles=0
// again: --threads=2
// fact: kernels.# = 68
#include <cuda_runtime.h>

#include "check.h"

enum {
  CHUNKS = 8,
  BUFFERS = 2,
  BLOCKS = 4,
  BLOCK = 64,
  THREADS = BLOCKS * BLOCK,
  READS = 64,
  RECORD = 256,
  CHUNK = THREADS * RECORD,
  BYTES = THREADS * READS
};
enum { GENERATE, SEND, COPY, COMPUTE, STAGES };
static const double SENT = 11.8399, COPIED = 10.165;

__host__ __device__ static unsigned place(unsigned thread, unsigned first, unsigned k) {
  return thread * RECORD + (first + 3 * k) % RECORD;
}

__host__ __device__ static unsigned mix(unsigned sum, unsigned byte, unsigned rounds) {
  for (unsigned r = 0; r < rounds; r++) sum = sum * 31 + byte;
  return sum;
}

__global__ void generate(const unsigned *first, unsigned *addresses) {
  const unsigned t = blockIdx.x * BLOCK + threadIdx.x;
  for (unsigned k = 0; k < READS; k++) addresses[k * THREADS + t] = place(t, first[t], k);
}

__global__ void compute(const unsigned char *bytes, unsigned *sums, unsigned rounds) {
  const unsigned t = blockIdx.x * BLOCK + threadIdx.x;
  unsigned sum = sums[t];
  for (unsigned k = 0; k < READS; k++) sum = mix(sum, bytes[k * THREADS + t], rounds);
  sums[t] = sum;
}

struct Buffer {
  unsigned *entries, *addresses;   // on the device, with the host
  unsigned char *gathered, *bytes; // with the host, on the device
  cudaEvent_t generated, sent, copied, computed;
};

static unsigned char text[CHUNKS * CHUNK];
static unsigned *first_of, first[THREADS], *sums; // the first on the device, too
static Buffer buffers[BUFFERS];
static cudaStream_t generating, sending, copying, computing;

static cudaEvent_t mark(cudaStream_t s) {
  cudaEvent_t e;
  OK(cudaEventCreate(&e));
  OK(cudaEventRecord(e, s));
  return e;
}

static double between(cudaEvent_t a, cudaEvent_t b) { // us, when both have been
  float ms = -1;
  OK(cudaEventSynchronize(b));
  OK(cudaEventElapsedTime(&ms, a, b));
  return ms * 1e3;
}

static int near(double a, double b, double part) {
  const int good = a > b * (1 - part) && a < b * (1 + part);
  if (!good) printf("%g us, not %g\n", a, b);
  return good;
}

static void gather(const Buffer *b, unsigned chunk) {
  for (unsigned k = 0; k < BYTES; k++) b->gathered[k] = text[chunk * CHUNK + b->addresses[k]];
}

static void generate_into(Buffer *b, cudaStream_t s) {
  generate<<<BLOCKS, BLOCK, 0, s>>>(first_of, b->entries);
}

static void send(Buffer *b, cudaStream_t s) {
  OK(cudaMemcpyAsync(b->addresses, b->entries, BYTES * sizeof(unsigned), cudaMemcpyDeviceToHost, s));
}

static void copy(Buffer *b, cudaStream_t s) {
  OK(cudaMemcpyAsync(b->bytes, b->gathered, BYTES, cudaMemcpyHostToDevice, s));
}

// One stage after the other. Adds up what each takes.
static double in_series(unsigned chunks, unsigned rounds, double *stages) {
  cudaEvent_t at[STAGES + 1], begin = mark(computing);
  for (unsigned i = 0; i < chunks; i++) {
    at[GENERATE] = mark(computing);
    generate_into(buffers, computing);
    at[SEND] = mark(computing);
    send(buffers, computing);
    OK(cudaEventSynchronize(at[COPY] = mark(computing)));
    gather(buffers, i);
    copy(buffers, computing);
    at[COMPUTE] = mark(computing);
    compute<<<BLOCKS, BLOCK, 0, computing>>>(buffers->bytes, sums, rounds);
    at[STAGES] = mark(computing);
    for (unsigned k = 0; k < STAGES; k++) stages[k] += between(at[k], at[k + 1]);
  }
  return between(begin, at[STAGES]);
}

// That the buffers of addresses are empty the host has seen.
static void prefetch(unsigned chunk) {
  Buffer *b = &buffers[chunk % BUFFERS];
  generate_into(b, generating);
  OK(cudaEventRecord(b->generated, generating));
  OK(cudaStreamWaitEvent(sending, b->generated, 0));
  send(b, sending);
  OK(cudaEventRecord(b->sent, sending));
}

static double in_a_pipeline(unsigned rounds) {
  cudaEvent_t begin = mark(generating);
  for (unsigned i = 0; i < BUFFERS; i++) prefetch(i);
  for (unsigned i = 0; i < CHUNKS; i++) {
    Buffer *b = &buffers[i % BUFFERS];
    OK(cudaEventSynchronize(b->sent));
    OK(cudaEventSynchronize(b->copied)); // what was gathered in it before
    gather(b, i);
    OK(cudaStreamWaitEvent(copying, b->computed, 0));
    copy(b, copying);
    OK(cudaEventRecord(b->copied, copying));
    OK(cudaStreamWaitEvent(computing, b->copied, 0));
    compute<<<BLOCKS, BLOCK, 0, computing>>>(b->bytes, sums, rounds);
    OK(cudaEventRecord(b->computed, computing));
    if (i + BUFFERS < CHUNKS) prefetch(i + BUFFERS);
  }
  return between(begin, mark(computing));
}

static void clear_sums() {
  OK(cudaMemset(sums, 0, sizeof first));
  OK(cudaDeviceSynchronize());
}

static void check_sums(unsigned rounds) {
  unsigned got[THREADS];
  OK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
  clear_sums();
  unsigned wrong = 0;
  for (unsigned t = 0; t < THREADS; t++) {
    unsigned sum = 0;
    for (unsigned k = 0; k < CHUNKS * READS; k++)
      sum = mix(sum, text[k / READS * CHUNK + place(t, first[t], k % READS)], rounds);
    wrong += got[t] != sum;
  }
  CHECK(!wrong);
}

// Which stage is the longest, the rounds decide. A first chunk fills caches: kernels of all others take about the same.
static void overlaps(unsigned rounds, int longest) {
  double stages[STAGES] = {0}, unused[STAGES] = {0}, sum = 0;
  in_series(1, rounds, unused);
  clear_sums();
  const double series = in_series(CHUNKS, rounds, stages);
  check_sums(rounds);
  const double pipeline = in_a_pipeline(rounds);
  check_sums(rounds);
  for (unsigned k = 0; k < STAGES; k++) {
    sum += stages[k] /= CHUNKS;
    CHECK(stages[k] <= stages[longest]);
  }
  CHECK(near(stages[SEND], SENT, 1e-4) && near(stages[COPY], COPIED, 1e-4));
  CHECK(near(series, CHUNKS * sum, 1e-4));
  CHECK(near(pipeline, sum + (CHUNKS - 1) * stages[longest], 1e-3));
}

static void prepare() {
  unsigned x = 1;
  for (unsigned k = 0; k < sizeof text; k++) text[k] = (x = x * 1103515245 + 12345) >> 16;
  for (unsigned t = 0; t < THREADS; t++) first[t] = (x = x * 1103515245 + 12345) >> 16;
  for (Buffer &b : buffers) {
    OK(cudaMalloc(&b.entries, BYTES * sizeof(unsigned)));
    OK(cudaMallocHost((void **)&b.addresses, BYTES * sizeof(unsigned)));
    OK(cudaMallocHost((void **)&b.gathered, BYTES));
    OK(cudaMalloc(&b.bytes, BYTES));
    OK(cudaEventCreate(&b.generated));
    OK(cudaEventCreate(&b.sent));
    OK(cudaEventCreate(&b.copied));
    OK(cudaEventCreate(&b.computed));
  }
  OK(cudaStreamCreateWithFlags(&generating, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&sending, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&copying, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&computing, cudaStreamNonBlocking));
  OK(cudaMalloc(&first_of, sizeof first));
  OK(cudaMalloc(&sums, sizeof first));
  OK(cudaMemcpy(first_of, first, sizeof first, cudaMemcpyHostToDevice));
  clear_sums();
}

int main() {
  prepare();
  overlaps(1, SEND);
  overlaps(100, COMPUTE);
  return finish("big_kernel");
}
