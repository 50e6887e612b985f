// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a GPU's caches do with loads, measured by its own clock. Prints comma-separated rows: experiment, where on its curve
// (KiB, a stride, bytes), the loads' cache hint, value. Runs on a device and under weir. Arguments: names of
// experiments; without any, all of them run. README.md says what each measures.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    const cudaError_t e = (call);                                                                                      \
    if (e != cudaSuccess) {                                                                                            \
      fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e));                                               \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

// The loads: name, and the instruction without its type.
// clang-format off
#define HINTS(H)                                       \
  H(plain, "ld.global")                                \
  H(ca, "ld.global.ca")                                \
  H(cg, "ld.global.cg")                                \
  H(cs, "ld.global.cs")                                \
  H(lu, "ld.global.lu")                                \
  H(cv, "ld.global.cv")                                \
  H(vol, "ld.volatile.global")                         \
  H(relaxed_gpu, "ld.relaxed.gpu.global")              \
  H(nc, "ld.global.nc")                                \
  H(evict_first, "ld.global.L1::evict_first")          \
  H(evict_last, "ld.global.L1::evict_last")            \
  H(evict_unchanged, "ld.global.L1::evict_unchanged")  \
  H(no_allocate, "ld.global.L1::no_allocate")
// clang-format on

#define LOADER(name, text)                                                                                             \
  struct name {                                                                                                        \
    static constexpr const char *label = #name;                                                                        \
    static __device__ uint32_t u32(const uint32_t *p) {                                                                \
      uint32_t v;                                                                                                      \
      asm volatile(text ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");                                               \
      return v;                                                                                                        \
    }                                                                                                                  \
    static __device__ uint64_t u64(const uint64_t *p) {                                                                \
      uint64_t v;                                                                                                      \
      asm volatile(text ".u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");                                               \
      return v;                                                                                                        \
    }                                                                                                                  \
  };
HINTS(LOADER)

constexpr int LINE = 128, BLOCK = 1024, KIB = 1024;
static uint32_t *buffer; // all footprints lie in it
static size_t buffer_bytes;
static uint32_t *sums;  // of what was loaded, so that no load is dead
static int64_t *cycles; // of each block
static int cores;

static double mean_cycles(int blocks) {
  std::vector<int64_t> c(blocks);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(c.data(), cycles, blocks * sizeof *cycles, cudaMemcpyDeviceToHost));
  return std::accumulate(c.begin(), c.end(), 0.0) / blocks;
}

static void row(const char *experiment, size_t at, const char *hint, double value) {
  printf("%s,%zu,%s,%.4g\n", experiment, at, hint, value);
  fflush(stdout);
}

// ---- latency: one thread follows pointers ---------------------------------------------------------------------------

// The first `warm` of `warm` + `steps` loads are not timed.
template <class L>
__global__ void chase(const uint64_t *p, uint32_t warm, uint32_t steps, int64_t *cycles, uint32_t *sums) {
  for (uint32_t i = 0; i < warm; i++) p = (const uint64_t *)L::u64(p);
  const int64_t start = clock64();
#pragma unroll 8
  for (uint32_t i = 0; i < steps; i++) p = (const uint64_t *)L::u64(p);
  sums[0] = (uint32_t)(uint64_t)p;
  cycles[0] = clock64() - start;
}

// A ring through the first word of each line, in random order (the seed is the number of lines).
static void make_ring(size_t lines) {
  std::vector<uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random((uint32_t)lines);
  for (size_t i = lines - 1; i > 0; i--) std::swap(order[i], order[random() % (i + 1)]);
  std::vector<uint64_t> words(lines * LINE / sizeof(uint64_t));
  for (size_t i = 0; i < lines; i++)
    words[order[i] * (LINE / sizeof(uint64_t))] = (uint64_t)buffer + (size_t)order[(i + 1) % lines] * LINE;
  CHECK(cudaMemcpy(buffer, words.data(), lines * LINE, cudaMemcpyHostToDevice));
}

template <class L> static void chase_over(const char *experiment, size_t kib) {
  const size_t lines = kib * KIB / LINE;
  const uint32_t steps = (uint32_t)std::min<size_t>(std::max<size_t>(lines, 4096), 16384) / 8 * 8;
  make_ring(lines);
  chase<L><<<1, 1>>>((const uint64_t *)buffer, (uint32_t)std::max<size_t>(2 * lines, 64), steps, cycles, sums);
  row(experiment, kib, L::label, mean_cycles(1) / steps);
}

static void latency() {
  static const size_t kib[] = {32,   64,   128,   192,   208,   216,   224,   232,   240,   248,   256,   288,  384,
                               1024, 8192, 16384, 20480, 24576, 28672, 32768, 40960, 49152, 57344, 65536, 98304};
  for (size_t k : kib) chase_over<plain>("latency", k);
}

template <class L> static void hint_latency() {
  for (size_t k : {64, 4096, 98304}) chase_over<L>("hint-latency", k);
}

// With so many percent of the data array preferred as shared memory.
static void carveout() {
  for (int percent : {0, 25, 50, 75, 100}) {
    CHECK(cudaFuncSetAttribute(chase<plain>, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    char name[32];
    snprintf(name, sizeof name, "carveout-%d", percent);
    for (size_t k = 16; k <= 256; k += 16) chase_over<plain>(name, k);
  }
  CHECK(
    cudaFuncSetAttribute(chase<plain>, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutDefault));
}

// ---- walks over a footprint, again and again ------------------------------------------------------------------------

// Each block reads `words` words, coalesced; blocks lie `apart` words from one another.
template <class L>
__global__ void passes(const uint32_t *data, uint64_t words, uint64_t apart, int warm, int timed, int64_t *cycles,
                       uint32_t *sums) {
  const uint32_t *own = data + blockIdx.x * apart;
  uint32_t sum = 0;
  int64_t start = 0;
  for (int pass = 0; pass < warm + timed; pass++) {
    if (pass == warm) {
      __syncthreads();
      start = clock64();
    }
#pragma unroll 4
    for (uint64_t i = threadIdx.x; i < words; i += BLOCK) sum += L::u32(own + i);
    __syncthreads();
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

// One block around the size of the L1: cycles for each line. The L2 is idle otherwise.
template <class L> static void cyclic() {
  for (size_t k : {128, 192, 224, 240, 256, 272, 288, 320, 384, 512}) {
    const int timed = 8;
    passes<L><<<1, BLOCK>>>(buffer, k * KIB / 4, 0, 8, timed, cycles, sums);
    row("cyclic", k, L::label, mean_cycles(1) / timed / (k * KIB / LINE));
  }
}

// A block on each core, over the same bytes or `apart`: bytes per cycle of all cores.
template <class L> static void bandwidth_of(const char *experiment, size_t kib, bool apart) {
  const int timed = kib < 1024 ? 16 : 4;
  const uint64_t words = kib * KIB / 4;
  passes<L><<<cores, BLOCK>>>(buffer, words, apart ? words : 0, 2, timed, cycles, sums);
  row(experiment, kib, L::label, (double)cores * timed * kib * KIB / mean_cycles(cores));
}

static void bandwidth() {
  for (size_t k : {32, 64, 128, 192, 256, 320, 384, 512, 1024, 2048}) bandwidth_of<plain>("bandwidth", k, false);
  for (size_t k : {32, 64, 128, 192, 256, 320, 384}) bandwidth_of<plain>("bandwidth-apart", k, true);
}

template <class L> static void hint_bandwidth() {
  bandwidth_of<L>("hint-bandwidth", 64, true);    // fits the L1s
  bandwidth_of<L>("hint-bandwidth", 1024, false); // fits the L2
}

// ---- a hot set beside a stream --------------------------------------------------------------------------------------

// Each round reads the hot set, then bytes that no other access reads. The first two rounds are not timed.
template <class H, class S>
__global__ void mixed(const uint32_t *hot, uint32_t hot_words, const uint32_t *stream, uint32_t stream_words,
                      int rounds, int64_t *cycles, uint32_t *sums) {
  uint32_t sum = 0;
  const uint32_t *own = stream + (uint64_t)blockIdx.x * stream_words * rounds;
  int64_t start = 0;
  for (int r = 0; r < rounds; r++) {
    if (r == 2) start = clock64();
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < hot_words; i += BLOCK) sum += H::u32(hot + i);
    __syncthreads();
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < stream_words; i += BLOCK) sum += S::u32(own + (uint64_t)r * stream_words + i);
    __syncthreads();
  }
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

// Cycles for each line of both, by the stream's KiB in each round.
template <class H, class S> static void mixed_of(const char *experiment, const char *label) {
  const uint32_t hot = 128 * KIB / 4;
  const int rounds = 10;
  for (size_t k : {64, 96, 128, 192, 256}) {
    mixed<H, S><<<1, BLOCK>>>(buffer, hot, buffer + (1 << 20), (uint32_t)(k * KIB / 4), rounds, cycles, sums);
    row(experiment, k, label, mean_cycles(1) / (rounds - 2) / ((128 + k) * KIB / LINE));
  }
}

template <class L> static void stream_hint() {
  mixed_of<plain, L>("stream-hint", L::label);
}
template <class L> static void hot_hint() {
  mixed_of<L, plain>("hot-hint", L::label);
}

// ---- strides --------------------------------------------------------------------------------------------------------

// Loads that hit the L1, of lanes so many words apart: cycles per load of a warp.
__global__ void strided(const uint32_t *data, uint32_t stride, int rounds, int64_t *cycles, uint32_t *sums) {
  const uint32_t *own = data + (threadIdx.x & 31) * stride;
  uint32_t sum = 0;
  int64_t start = 0;
  for (int r = 0; r < rounds + 16; r++) {
    if (r == 16) {
      __syncthreads();
      start = clock64();
    }
#pragma unroll
    for (int k = 0; k < 32; k += 8) sum += plain::u32(own + (r & 7) + k);
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  sums[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

static void strides() {
  for (uint32_t s : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 17, 20, 24, 28, 31, 32, 33, 40, 48, 63, 64}) {
    strided<<<1, BLOCK>>>(buffer, s, 256, cycles, sums);
    row("strides", s, "plain", mean_cycles(1) / (256 * 4 * (BLOCK / 32)));
  }
}

// ---- priorities of the L2 -------------------------------------------------------------------------------------------

// All cores read a hot set, then a stream; HOT: under evict_last, STREAM: under evict_first, by cache policies.
template <bool HOT, bool STREAM>
__global__ void l2_mixed(const uint4 *hot, uint64_t hot_count, const uint4 *stream, uint64_t stream_count,
                         uint32_t *sums) {
  uint64_t first, last;
  uint4 v;
  uint32_t sum = 0;
#define TO "{%0, %1, %2, %3}, [%4]"
#define OUT "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x, me = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (uint64_t i = me; i < hot_count; i += step) {
    if (HOT)
      asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 " TO ", %5;" : OUT : "l"(hot + i), "l"(last));
    else
      asm volatile("ld.global.L1::no_allocate.v4.u32 " TO ";" : OUT : "l"(hot + i));
    sum += v.x;
  }
  for (uint64_t i = me; i < stream_count; i += step) {
    if (STREAM)
      asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 " TO ", %5;" : OUT : "l"(stream + i), "l"(first));
    else
      asm volatile("ld.global.L1::no_allocate.v4.u32 " TO ";" : OUT : "l"(stream + i));
    sum += v.x;
  }
  sums[me] = sum;
}

// Milliseconds of a launch, by the hot set's MiB.
template <bool HOT, bool STREAM> static void l2_mixed_of(const char *label, size_t hot_mib) {
  const uint64_t mib = 1 << 20, hot = hot_mib * mib / 16, stream = 128 * mib / 16;
  cudaEvent_t from, to;
  float ms;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  const int rounds = 4;
  for (int r = 0; r < rounds + 1; r++) {
    if (r == 1) CHECK(cudaEventRecord(from));
    const uint64_t other = hot + (r & 1) * stream; // two streams in turn, of which the L2 holds neither
    l2_mixed<HOT, STREAM>
      <<<2 * cores, BLOCK>>>((const uint4 *)buffer, hot, (const uint4 *)buffer + other, stream, sums);
  }
  CHECK(cudaEventRecord(to));
  CHECK(cudaEventSynchronize(to));
  CHECK(cudaEventElapsedTime(&ms, from, to));
  row("l2-mixed", hot_mib, label, ms / rounds);
}

static void l2_priorities() {
  for (size_t mib : {16, 24, 32, 40}) {
    l2_mixed_of<false, false>("plain", mib);
    l2_mixed_of<false, true>("stream evict_first", mib);
    l2_mixed_of<true, false>("hot evict_last", mib);
    l2_mixed_of<true, true>("both", mib);
  }
}

// ---- copies between host and device ---------------------------------------------------------------------------------

// Microseconds of a call that returns when the copy is done: the least of several.
static void copies() {
  const size_t most = (size_t)1 << 30;
  if (buffer_bytes < most) return;
  char *host[2];
  CHECK(cudaMallocHost(&host[0], most));
  host[1] = (char *)malloc(most);
  memset(host[0], 1, most);
  memset(host[1], 1, most);
  for (int pageable = 0; pageable < 2; pageable++)
    for (int up = 0; up < 2; up++)
      for (size_t bytes = 4; bytes <= most; bytes *= 4) {
        double best = 1e30;
        for (int i = 0; i < (bytes < (1 << 24) ? 15 : 4); i++) {
          const auto start = std::chrono::steady_clock::now();
          if (up)
            CHECK(cudaMemcpy(buffer, host[pageable], bytes, cudaMemcpyHostToDevice));
          else
            CHECK(cudaMemcpy(host[pageable], buffer, bytes, cudaMemcpyDeviceToHost));
          best =
            std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
        }
        printf("copy,%zu,%s %s,%.4g\n", bytes, pageable ? "pageable" : "pinned", up ? "to device" : "to host", best);
      }
  CHECK(cudaFreeHost(host[0]));
  free(host[1]);
}

// ---- main -----------------------------------------------------------------------------------------------------------

int main(int count, char **words) {
  const auto asked = [&](const char *name) {
    for (int i = 1; i < count; i++)
      if (!strcmp(words[i], name)) return true;
    return count == 1;
  };
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  cores = p.multiProcessorCount;
  fprintf(stderr, "%s, %d cores, %d KiB of L2, compute capability %d.%d\n", p.name, cores, p.l2CacheSize / KIB, p.major,
          p.minor);
  buffer_bytes = asked("copies") ? (size_t)1 << 30 : (size_t)320 << 20;
  CHECK(cudaMalloc(&buffer, buffer_bytes));
  CHECK(cudaMemset(buffer, 0, buffer_bytes));
  CHECK(cudaMalloc(&sums, 2 * cores * BLOCK * sizeof *sums));
  CHECK(cudaMalloc(&cycles, cores * sizeof *cycles));
  puts("experiment,at,hint,value");
#define ALL(experiment, function)                                                                                      \
  if (asked(experiment)) {                                                                                             \
    const auto all = [&]<class... L>() { (function<L>(), ...); };                                                      \
    all.template operator()<plain, ca, cg, cs, lu, cv, vol, relaxed_gpu, nc, evict_first, evict_last, evict_unchanged, \
                            no_allocate>();                                                                            \
  }
  if (asked("latency")) latency();
  ALL("hint-latency", hint_latency)
  if (asked("carveout")) carveout();
  CHECK(cudaMemset(buffer, 0, buffer_bytes));
  ALL("cyclic", cyclic)
  ALL("stream-hint", stream_hint)
  ALL("hot-hint", hot_hint)
  if (asked("strides")) strides();
  if (asked("bandwidth")) bandwidth();
  ALL("hint-bandwidth", hint_bandwidth)
  if (asked("l2-mixed")) l2_priorities();
  if (asked("copies")) copies();
  CHECK(cudaDeviceSynchronize());
  return 0;
}
