// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bandwidth by occupancy: six kernels that stream over arrays of a footprint each. Every kernel is launched three times: over the
// footprint, which leaves in the shared caches what the kernel itself leaves there, over the footprint again, and over twice as much.
// By what the third moves more than the second, and the time that it takes more, what a launch costs of itself falls out.
#include "host/workload.h"

#include "base/alloc.h"

enum { KERNELS = 6, MOST = 2, WORDS = sizeof(double) / sizeof(uint32_t) }; // MOST: the longest launch, in footprints

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
                           "stream-kernels has as many blocks as its footprint takes; "
                           "launch.blocks cannot be chosen");
  s->block = asked.block ? asked.block : 256;
  s->count = (asked.footprint_kib ? asked.footprint_kib : 64) * (1024 / sizeof(double));
  const uint64_t bytes = (uint64_t)MOST * s->count * sizeof(double);
  for (unsigned k = 0; k < 3; k++) s->in[k] = weir_host_alloc(h, names[k], bytes);
  for (unsigned k = 0; k < KERNELS; k++) {
    s->out[k] = weir_host_alloc(h, kernels[k].name, bytes);
    weir_host_result(h, kernels[k].name, s->out[k], bytes);
  }
  if (weir_host_is_over(h)) return true;
  for (unsigned k = 0; k < 3; k++) {
    double *in = weir_host_bytes(h, s->in[k], bytes);
    for (uint32_t i = 0; i < MOST * s->count; i++) in[i] = input_of(k, i);
    weir_host_wrote(h, s->in[k], bytes);
  }
  return true;
}

static bool launch(struct weir_host *h, const struct stream_kernels *s, unsigned k, uint32_t count) {
  struct weir_arg args[5] = {WEIR_ARG(s->out[k])};
  unsigned n = 1;
  for (unsigned i = 0; i < kernels[k].inputs; i++) args[n++] = WEIR_ARG(s->in[i]);
  args[n++] = WEIR_ARG(count);
  return weir_host_launch(h, kernels[k].name, (struct weir_dim){(count + s->block - 1) / s->block, 1, 1},
                          (struct weir_dim){s->block, 1, 1}, 0, args, n);
}

static bool run(struct weir_host *h, void *state) {
  struct stream_kernels *s = state;
  for (unsigned k = 0; k < KERNELS; k++)
    if (!launch(h, s, k, s->count) || !launch(h, s, k, s->count) || !launch(h, s, k, MOST * s->count)) return false;
  return true;
}

static double output_of(unsigned kernel, uint32_t i) {
  const double b = input_of(0, i);
  switch (kernel) {
  case INIT: return 0.25;
  case SCALE: return b * 1.5;
  case TRIAD: return b * input_of(2, i) + input_of(1, i);
  case STENCIL3: return 0.5 * input_of(0, i - 1) - b + 0.5 * input_of(0, i + 1);
  case STENCIL5:
    return 0.25 * input_of(0, i - 2) + 0.25 * input_of(0, i - 1) - b + 0.5 * input_of(0, i + 1) +
      0.5 * input_of(0, i + 2);
  default: return 0;
  }
}

static bool check(struct weir_host *h, void *state) {
  struct stream_kernels *s = state;
  const uint32_t count = MOST * s->count;
  double *want = weir_new_array(double, count);
  bool same = true;
  for (unsigned k = 0; same && k < KERNELS; k++) {
    const uint32_t edge = kernels[k].edge;
    for (uint32_t i = 0; i < count; i++) want[i] = i < edge || i + edge >= count ? 0 : output_of(k, i);
    same = weir_check_u32(h, kernels[k].name, weir_host_bytes(h, s->out[k], count * sizeof *want),
                          (const uint32_t *)want, WORDS * (uint64_t)count);
  }
  weir_free(want);
  return same;
}

const struct weir_workload weir_workload_stream_kernels = {
  .name = "stream-kernels",
  .summary = "six kernels that stream, an element per thread: bandwidth by occupancy",
  .citation = "micro-benchmark of bandwidth",
  .small_text = "arrays of 64 and 128 KiB, blocks of 256 threads",
  .paper_text = "arrays of 64 and 128 KiB, blocks of 256 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct stream_kernels),
  .prepare = prepare,
  .run = run,
  .check = check,
};
