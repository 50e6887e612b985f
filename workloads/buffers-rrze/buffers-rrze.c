// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bandwidth by footprint where each block reads a buffer of 512 KiB, one of as many as the footprint has. The first launch leaves in the
// shared caches what they keep, for one of as many blocks and one of twice as many, which go on where the one before has ended.
#include "host/workload.h"

#include "base/alloc.h"

enum { BLOCK = 1024, PAIRS = 32, BUFFER_KIB = 512, DOUBLES = 2 * BLOCK * PAIRS };

struct buffers {
  uint32_t blocks, count;
  uint64_t data, sums;
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
  const uint64_t bytes = (uint64_t)kib * 1024, sums = 2 * s->blocks * sizeof(double);
  s->data = weir_host_alloc(h, "data", bytes);
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
  const uint32_t blocks[] = {s->blocks, s->blocks, 2 * s->blocks};
  for (uint32_t i = 0, first = 0; i < sizeof blocks / sizeof *blocks; first += blocks[i++])
    if (!weir_launch_args(h, "buffers", ((struct weir_dim){blocks[i], 1, 1}), ((struct weir_dim){BLOCK, 1, 1}),
                          WEIR_ARG(s->data), WEIR_ARG(s->count), WEIR_ARG(first), WEIR_ARG(s->sums)))
      return false;
  return true;
}

// Each block's first thread, of the last launch, before which as many blocks had run.
static bool check(struct weir_host *h, void *state) {
  struct buffers *s = state;
  const double *got = weir_host_bytes(h, s->sums, 2 * s->blocks * sizeof *got);
  for (uint64_t b = 0; b < 2 * s->blocks; b++) {
    double want = 0;
    for (uint64_t i = 0; i < PAIRS; i++) {
      const uint64_t at = (i * s->count + (2 * s->blocks + b) % s->count) * 2 * BLOCK;
      want += value(at) * value(at + BLOCK);
    }
    if (got[b] != want / 2)
      return weir_fail_plain(weir_host_sink(h), "sums: the sum of block %llu is %g, expected %g", (unsigned long long)b,
                             got[b], want / 2);
  }
  return true;
}

const struct weir_workload weir_workload_buffers_rrze = {
  .name = "buffers-rrze",
  .summary = "every block reads a buffer of its own, which others read later: bandwidth by footprint",
  .citation = "RRZE-HPC, gpu-benches: gpu-l2-cache",
  .small_text = "two buffers of 512 KiB, 30 blocks of 1024 threads",
  .paper_text = "two buffers of 512 KiB, 30 blocks of 1024 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct buffers),
  .prepare = prepare,
  .run = run,
  .check = check,
};
