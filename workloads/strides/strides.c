// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Throughput of loads that the first-level cache has, by the distance of neighbouring lanes' words. One block; two launches, of
// which the second makes ROUNDS rounds of four loads per warp more than the first.
#include "host/workload.h"

#include "base/alloc.h"

enum { BLOCK = 1024, WARM = 64, ROUNDS = 256, WINDOW = 32, LANES = 32, RRZE_LANES = 64 };

struct strides {
  uint32_t lanes; // that have words of their own
  uint32_t stride, words, block;
  uint64_t data, sums;
};

static float value_of(uint32_t word) {
  return (float)(word % 5); // sums of which are exact, and of products, too
}

static bool prepare_of(struct weir_host *h, struct strides *s, uint32_t lanes) {
  const struct weir_shape asked = weir_host_shape(h);
  s->stride = asked.stride ? asked.stride : 1;
  s->block = BLOCK;
  s->lanes = lanes;
  s->words = (lanes - 1) * s->stride + WINDOW;
  s->data = weir_host_alloc(h, "data", s->words * sizeof(float));
  s->sums = weir_host_alloc(h, "sums", s->block * sizeof(float));
  weir_host_result(h, "sums", s->sums, s->block * sizeof(float));
  if (weir_host_is_over(h)) return true;
  float *data = weir_host_bytes(h, s->data, s->words * sizeof(float));
  for (uint32_t i = 0; i < s->words; i++) data[i] = value_of(i);
  weir_host_wrote(h, s->data, s->words * sizeof(float));
  return true;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input, (void)size, (void)seed;
  return prepare_of(h, state, LANES);
}

static bool prepare_rrze(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input, (void)size, (void)seed;
  return prepare_of(h, state, RRZE_LANES);
}

static bool run(struct weir_host *h, void *state) {
  struct strides *s = state;
  const uint32_t rounds[] = {WARM, WARM + ROUNDS};
  for (unsigned i = 0; i < 2; i++)
    if (!weir_launch_args(h, "strides", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){s->block, 1, 1}),
                          WEIR_ARG(s->data), WEIR_ARG(s->stride), WEIR_ARG(rounds[i]), WEIR_ARG(s->sums)))
      return false;
  return true;
}

static float sum_of(uint32_t at, uint32_t round) {
  float sum = 0;
  for (uint32_t k = 0; k < WINDOW; k += 8) sum += value_of(at + (round & 7) + k);
  return sum;
}

static float products_of(uint32_t at) {
  float sum = 0;
  for (uint32_t k = 0; k < WINDOW; k += 8) sum += value_of(at + k) * value_of(at + k + 4);
  return sum;
}

static bool check(struct weir_host *h, void *state) {
  struct strides *s = state;
  float want[BLOCK] = {0};
  for (uint32_t t = 0; t < s->block; t++) {
    const uint32_t at = t % s->lanes * s->stride;
    if (s->lanes == RRZE_LANES)
      want[t] = products_of(at) * (WARM + ROUNDS) / 2;
    else
      for (uint32_t i = 0; i < WARM + ROUNDS; i++) want[t] += sum_of(at, i);
  }
  return weir_check_f32(h, "sums", weir_host_bytes(h, s->sums, s->block * sizeof(float)), want, s->block, 0, 0);
}

const struct weir_workload weir_workload_strides = {
  .name = "strides",
  .summary = "loads that the first-level cache has, lanes apart: throughput by stride",
  .citation = "micro-benchmark of the first-level cache",
  .small_text = "one block of 1024 threads, neighbouring words",
  .paper_text = "one block of 1024 threads, neighbouring words",
  .takes = WEIR_TAKES_STRIDE,
  .state_bytes = sizeof(struct strides),
  .prepare = prepare,
  .run = run,
  .check = check,
};

const struct weir_workload weir_workload_strides_rrze = {
  .name = "strides-rrze",
  .summary = "strides with the loads that RRZE measured: other words, and two warps' lanes apart",
  .citation = "RRZE-HPC, gpu-benches: gpu-strides",
  .small_text = "one block of 1024 threads, neighbouring words",
  .paper_text = "one block of 1024 threads, neighbouring words",
  .takes = WEIR_TAKES_STRIDE,
  .state_bytes = sizeof(struct strides),
  .prepare = prepare_rrze,
  .run = run,
  .check = check,
};
