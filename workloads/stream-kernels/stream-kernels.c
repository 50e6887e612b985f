// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bandwidth by occupancy: six kernels that stream. Every kernel is launched three times, over two footprints, over the next one and over
// the next two, so that nothing is used again: the first leaves in the shared caches, and in the queues before DRAM, what the kernel itself
// leaves there. By what the third moves more than the second, and the time that it takes more, what a launch costs of itself falls out.
#include "host/workload.h"

#include "base/alloc.h"

#include <string.h>

enum { KERNELS = 6, LAUNCHES = 3, WHOLE = 5, WORDS = sizeof(double) / sizeof(uint32_t) };
static const uint32_t launched[LAUNCHES] = {2, 1, 2}; // footprints: WHOLE in all

enum { READ, INIT, SCALE, TRIAD, STENCIL3, STENCIL5 };

static const struct {
  const char *name;
  unsigned inputs;
  uint32_t edge; // elements at either end that are not written
} kernels[KERNELS] = {
  [READ] = {"read", 1, 0},   [INIT] = {"init", 0, 0},         [SCALE] = {"scale", 1, 0},
  [TRIAD] = {"triad", 3, 0}, [STENCIL3] = {"stencil3", 1, 1}, [STENCIL5] = {"stencil5", 1, 2},
};

struct stream_kernels {
  bool rrze;             // triad reads two arrays
  uint32_t count, block; // elements of a footprint; threads
  uint64_t in[3], out[KERNELS];
};

// Of element i of the input b, c or d. Sums of which are exact.
static double input_of(unsigned which, uint32_t i) {
  return (double)((i + which) % 7);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input, (void)size, (void)seed;
  static const char *const names[] = {"b", "c", "d"};
  struct stream_kernels *s = state;
  const struct weir_shape asked = weir_host_shape(h);
  if (asked.blocks)
    return weir_fail_plain(weir_host_sink(h),
                           "a stream has as many blocks as its footprint takes; "
                           "launch.blocks cannot be chosen");
  s->block = asked.block ? asked.block : 256;
  s->count = (asked.footprint_kib ? asked.footprint_kib : 64) * (1024 / sizeof(double));
  const uint64_t bytes = (uint64_t)WHOLE * s->count * sizeof(double);
  for (unsigned k = 0; k < 3; k++) s->in[k] = weir_host_alloc(h, names[k], bytes);
  for (unsigned k = 0; k < KERNELS; k++) {
    s->out[k] = weir_host_alloc(h, kernels[k].name, bytes);
    weir_host_result(h, kernels[k].name, s->out[k], bytes);
  }
  if (weir_host_is_over(h)) return true;
  for (unsigned k = 0; k < 3; k++) {
    double *in = weir_host_bytes(h, s->in[k], bytes);
    for (uint32_t i = 0; i < WHOLE * s->count; i++) in[i] = input_of(k, i);
    weir_host_wrote(h, s->in[k], bytes);
  }
  return true;
}

static bool prepare_rrze(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  ((struct stream_kernels *)state)->rrze = true;
  return prepare(h, state, size, input, seed);
}

static bool launch(struct weir_host *h, const struct stream_kernels *s, unsigned k, uint32_t from, uint32_t count) {
  uint64_t at[4] = {s->out[k]};
  struct weir_arg args[5];
  unsigned n = 0;
  memcpy(at + 1, s->in, sizeof s->in);
  const unsigned inputs = s->rrze && k == TRIAD ? 2 : kernels[k].inputs;
  for (; n <= inputs; n++) {
    at[n] += (uint64_t)from * sizeof(double);
    args[n] = WEIR_ARG(at[n]);
  }
  args[n++] = WEIR_ARG(count);
  return weir_host_launch(h, kernels[k].name, (struct weir_dim){(count + s->block - 1) / s->block, 1, 1},
                          (struct weir_dim){s->block, 1, 1}, 0, args, n);
}

static bool run(struct weir_host *h, void *state) {
  struct stream_kernels *s = state;
  for (unsigned k = 0; k < KERNELS; k++) {
    uint32_t from = 0;
    for (unsigned i = 0; i < LAUNCHES; i++) {
      if (!launch(h, s, k, from, launched[i] * s->count)) return false;
      from += launched[i] * s->count;
    }
  }
  return true;
}

static double output_of(const struct stream_kernels *s, unsigned kernel, uint32_t i) {
  const double b = input_of(0, i);
  switch (kernel) {
  case INIT: return 0.25;
  case SCALE: return b * 1.5;
  case TRIAD: return b * (s->rrze ? 1.5 : input_of(2, i)) + input_of(1, i);
  case STENCIL3: return 0.5 * input_of(0, i - 1) - b + 0.5 * input_of(0, i + 1);
  case STENCIL5:
    return 0.25 * input_of(0, i - 2) + 0.25 * input_of(0, i - 1) - b + 0.5 * input_of(0, i + 1) +
      0.5 * input_of(0, i + 2);
  default: return 0;
  }
}

static void expect(const struct stream_kernels *s, unsigned kernel, double *want) {
  const uint32_t edge = kernels[kernel].edge;
  for (unsigned i = 0, from = 0; i < LAUNCHES; from += launched[i++] * s->count) {
    const uint32_t count = launched[i] * s->count;
    for (uint32_t k = 0; k < count; k++)
      want[from + k] = k < edge || k + edge >= count ? 0 : output_of(s, kernel, from + k);
  }
}

static bool check(struct weir_host *h, void *state) {
  struct stream_kernels *s = state;
  const uint64_t count = (uint64_t)WHOLE * s->count;
  double *want = weir_new_array(double, count);
  bool same = true;
  for (unsigned k = 0; same && k < KERNELS; k++) {
    expect(s, k, want);
    same = weir_check_u32(h, kernels[k].name, weir_host_bytes(h, s->out[k], count * sizeof *want),
                          (const uint32_t *)want, WORDS * count);
  }
  weir_free(want);
  return same;
}

const struct weir_workload weir_workload_stream_kernels = {
  .name = "stream-kernels",
  .summary = "six kernels that stream, an element per thread: bandwidth by occupancy",
  .citation = "micro-benchmark of bandwidth",
  .small_text = "128, 64 and 128 KiB of each array, blocks of 256 threads",
  .paper_text = "128, 64 and 128 KiB of each array, blocks of 256 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct stream_kernels),
  .prepare = prepare,
  .run = run,
  .check = check,
};

const struct weir_workload weir_workload_stream_kernels_rrze = {
  .name = "stream-kernels-rrze",
  .summary = "stream-kernels with a triad of two loads, as RRZE measured it",
  .citation = "RRZE-HPC, gpu-benches: gpu-stream",
  .small_text = "128, 64 and 128 KiB of each array, blocks of 256 threads",
  .paper_text = "128, 64 and 128 KiB of each array, blocks of 256 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct stream_kernels),
  .prepare = prepare_rrze,
  .run = run,
  .check = check,
};
