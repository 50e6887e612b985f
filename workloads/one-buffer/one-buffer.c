// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bandwidth by footprint: blocks of 1024 threads, or of 256, read one and the same buffer, of a multiple of 32 KiB, again and again. The
// first launch leaves in the shared caches what they keep, copies in the near partition included, for two others of two passes and more: the latter
// makes two more, or of a small buffer as many as make LEAST_WORDS words of a thread.
#include "host/workload.h"

#include "base/alloc.h"

enum { BLOCK = 1024, LEAST_WORDS = 256, RRZE_BLOCK = 256, RRZE_LEAST_WORDS = 1024, STEP = 8192 };

struct one_buffer {
  uint32_t blocks, block, words, passes;
  float kept; // of a thread's sum from pass to pass
  uint64_t data, sums;
};

static bool prepare_of(struct weir_host *h, struct one_buffer *s, uint32_t block, uint32_t least_words, float kept) {
  const struct weir_shape asked = weir_host_shape(h);
  s->blocks = asked.blocks ? asked.blocks : 15;
  s->block = block;
  s->kept = kept;
  s->words = (asked.footprint_kib ? asked.footprint_kib : 32) * (1024 / sizeof(float));
  if ((asked.block && asked.block != block) || s->words % STEP)
    return weir_fail_plain(weir_host_sink(h), "launch.threads is %u here, and launch.footprint_kib a multiple of 32",
                           block);
  s->passes = 2 + least_words * s->block / s->words;
  s->data = weir_host_alloc(h, "data", s->words * sizeof(float));
  s->sums = weir_host_alloc(h, "sums", (uint64_t)s->blocks * s->block * sizeof(float));
  weir_host_result(h, "sums", s->sums, (uint64_t)s->blocks * s->block * sizeof(float));
  if (weir_host_is_over(h)) return true;
  float *data = weir_host_bytes(h, s->data, s->words * sizeof(float));
  for (uint32_t i = 0; i < s->words; i++) data[i] = (float)(i % 7); // sums of which are exact
  weir_host_wrote(h, s->data, s->words * sizeof(float));
  return true;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input, (void)size, (void)seed;
  return prepare_of(h, state, BLOCK, LEAST_WORDS, 1);
}

static bool prepare_rrze(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input, (void)size, (void)seed;
  return prepare_of(h, state, RRZE_BLOCK, RRZE_LEAST_WORDS, 0.5F);
}

static bool run(struct weir_host *h, void *state) {
  struct one_buffer *s = state;
  const uint32_t passes[] = {1, 2, 2 + s->passes};
  for (unsigned i = 0; i < sizeof passes / sizeof *passes; i++)
    if (!weir_launch_args(h, "one_buffer", ((struct weir_dim){s->blocks, 1, 1}), ((struct weir_dim){s->block, 1, 1}),
                          WEIR_ARG(s->data), WEIR_ARG(s->words), WEIR_ARG(passes[i]), WEIR_ARG(s->sums)))
      return false;
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct one_buffer *s = state;
  const uint64_t threads = (uint64_t)s->blocks * s->block;
  float *want = weir_new_array(float, threads);
  const float *got = weir_host_bytes(h, s->sums, threads * sizeof *got);
  for (uint32_t t = 0; t < s->block; t++)
    for (uint32_t pass = 0; pass < 2 + s->passes; pass++) {
      for (uint32_t i = t; i < s->words; i += s->block) want[t] += (float)(i % 7);
      want[t] *= s->kept;
    }
  for (uint64_t t = s->block; t < threads; t++) want[t] = want[t - s->block];
  const bool same = weir_check_f32(h, "sums", got, want, threads, 0, 0);
  weir_free(want);
  return same;
}

const struct weir_workload weir_workload_one_buffer = {
  .name = "one-buffer",
  .summary = "every block reads the same buffer again and again: bandwidth by footprint",
  .citation = "micro-benchmark of bandwidth",
  .small_text = "32 KiB, 15 blocks of 1024 threads",
  .paper_text = "32 KiB, 15 blocks of 1024 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct one_buffer),
  .prepare = prepare,
  .run = run,
  .check = check,
};

const struct weir_workload weir_workload_one_buffer_rrze = {
  .name = "one-buffer-rrze",
  .summary = "one-buffer by fewer threads with more loads in flight, as RRZE measured it",
  .citation = "RRZE-HPC, gpu-benches: gpu-cache",
  .small_text = "32 KiB, 15 blocks of 256 threads",
  .paper_text = "32 KiB, 15 blocks of 256 threads",
  .takes = WEIR_TAKES_THREADS | WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct one_buffer),
  .prepare = prepare_rrze,
  .run = run,
  .check = check,
};
