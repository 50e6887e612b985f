// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bandwidth by footprint where each block reads a buffer of 512 KiB, of as many as the footprint has. A launch is of as many blocks as run at
// a time, which take one buffer after the other, and the last launch reads so many more buffers than the one before it. That stands for
// the middle of the measured launch, of 200,000 blocks: neither its beginning, when blocks read the same side by side, nor its end, when
// few are left, is to count.
#include "host/workload.h"

enum { BLOCK = 1024, PAIRS = 32, BUFFER_KIB = 512 };

// Whole buffers of each launch, for each block; the first leaves in the shared caches what they keep.
static const uint32_t rounds[] = {1, 1, 4};
enum { LAUNCHES = sizeof rounds / sizeof *rounds, MOST_ROUNDS = 4 };

struct buffers {
  uint32_t blocks, count;
  uint64_t data, taken, sums;
};

static double value(uint64_t i) {
  return (double)(i % 7); // sums of whose products are exact
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input, (void)size, (void)seed;
  struct buffers *s = state;
  const struct weir_shape asked = weir_host_shape(h);
  const uint32_t kib = asked.footprint_kib ? asked.footprint_kib : 2 * BUFFER_KIB;
  s->blocks = asked.blocks ? asked.blocks : 30;
  s->count = kib / BUFFER_KIB;
  if ((asked.block && asked.block != BLOCK) || kib % BUFFER_KIB)
    return weir_fail_plain(weir_host_sink(h), "launch.threads is %d here, and launch.footprint_kib a multiple of %d",
                           BLOCK, BUFFER_KIB);
  const uint64_t bytes = (uint64_t)kib * 1024, sums = (uint64_t)s->blocks * MOST_ROUNDS * sizeof(double);
  s->data = weir_host_alloc(h, "data", bytes);
  s->taken = weir_host_alloc(h, "taken", LAUNCHES * sizeof(uint32_t));
  s->sums = weir_host_alloc(h, "sums", sums);
  weir_host_result(h, "sums", s->sums, sums);
  if (weir_host_is_over(h)) return true;
  double *data = weir_host_bytes(h, s->data, bytes);
  for (uint64_t i = 0; i < bytes / sizeof *data; i++) data[i] = value(i);
  weir_host_wrote(h, s->data, bytes);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct buffers *s = state;
  uint32_t first = 0;
  for (uint32_t i = 0; i < LAUNCHES; i++) {
    const uint32_t total = rounds[i] * s->blocks;
    const uint64_t taken = s->taken + i * sizeof(uint32_t);
    if (!weir_launch_args(h, "buffers", ((struct weir_dim){s->blocks, 1, 1}), ((struct weir_dim){BLOCK, 1, 1}),
                          WEIR_ARG(s->data), WEIR_ARG(s->count), WEIR_ARG(first), WEIR_ARG(total), WEIR_ARG(taken),
                          WEIR_ARG(s->sums)))
      return false;
    first += s->blocks + total;
  }
  return true;
}

// Of the buffers of the last launch, each first thread's.
static bool check(struct weir_host *h, void *state) {
  struct buffers *s = state;
  const uint32_t total = rounds[LAUNCHES - 1] * s->blocks;
  const double *got = weir_host_bytes(h, s->sums, total * sizeof *got);
  uint64_t first = s->blocks;
  for (uint32_t i = 0; i + 1 < LAUNCHES; i++) first += (1 + (uint64_t)rounds[i]) * s->blocks;
  for (uint32_t b = 0; b < total; b++) {
    double want = 0;
    for (uint64_t i = 0; i < PAIRS; i++) {
      const uint64_t at = (i * s->count + (first + b) % s->count) * 2 * BLOCK;
      want += value(at) * value(at + BLOCK);
    }
    if (got[b] != want / 2)
      return weir_fail_plain(weir_host_sink(h), "sums: the sum of buffer %u is %g, expected %g", b, got[b], want / 2);
  }
  return true;
}

const struct weir_workload weir_workload_buffers_rrze = {
  .name = "buffers-rrze",
  .summary = "blocks read a buffer each, which others read later: bandwidth by footprint",
  .citation = "RRZE-HPC, gpu-benches: gpu-l2-cache",
  .small_text = "two buffers of 512 KiB, 30 blocks of 1024 threads",
  .paper_text = "two buffers of 512 KiB, 30 blocks of 1024 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct buffers),
  .prepare = prepare,
  .run = run,
  .check = check,
};
