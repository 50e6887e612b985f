// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "2dc/2dc.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

#include <math.h>

enum { ACROSS = 32, DOWN = 8 }; // PolyBench's block

struct convolution {
  uint32_t rows, columns;
  uint64_t in, out; // device addresses
  float *want;
};

const float weir_2dc_filter[3][3] = {
  {0.0625F, 0.25F, -0.1875F},
  {0.3125F, 0.5F, -0.4375F},
  {-0.125F, 0.375F, -0.5625F},
};

static float convolved(const float *middle, uint32_t columns) {
  float sum = 0;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t j = 0; j < 3; j++) sum = fmaf(weir_2dc_filter[i][j], (middle - columns - 1)[i * columns + j], sum);
  return sum;
}

void weir_2dc_reference(float *out, const float *in, uint32_t rows, uint32_t columns) {
  for (size_t y = 1; y + 1 < rows; y++)
    for (size_t x = 1; x + 1 < columns; x++) out[y * columns + x] = convolved(in + y * columns + x, columns);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct convolution *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->rows = s->columns = size == WEIR_SIZE_SMALL ? 512 : 2048;
  uint64_t count = (uint64_t)s->rows * s->columns, bytes = count * sizeof(float);
  s->in = weir_host_alloc(h, "in", bytes);
  s->out = weir_host_alloc(h, "out", bytes);
  float *in = weir_host_bytes(h, s->in, bytes);
  for (uint64_t i = 0; i < count; i++) in[i] = (float)weir_rng_unit(&rng);
  weir_host_wrote(h, s->in, bytes);
  weir_host_result(h, "out", s->out, bytes);
  s->want = weir_new_array(float, count);
  weir_2dc_reference(s->want, in, s->rows, s->columns);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct convolution *s = state;
  return weir_launch_args(h, "convolve", ((struct weir_dim){s->columns / ACROSS, s->rows / DOWN, 1}),
                          ((struct weir_dim){ACROSS, DOWN, 1}), WEIR_ARG(s->in), WEIR_ARG(s->out), WEIR_ARG(s->rows),
                          WEIR_ARG(s->columns));
}

static bool check(struct weir_host *h, void *state) {
  struct convolution *s = state;
  uint64_t count = (uint64_t)s->rows * s->columns;
  return weir_check_f32(h, "out", weir_host_bytes(h, s->out, count * sizeof(float)), s->want, count, 0, 0);
}

static void release(void *state) {
  weir_free(((struct convolution *)state)->want);
}

const struct weir_workload weir_workload_2dc = {
  .name = "2dc",
  .summary = "two-dimensional convolution with a 3 × 3 filter, one pixel per work-item",
  .citation = "PolyBench-GPU 2DCONV (Grauer-Gray et al., InPar 2012); Zhao et al., Table I",
  .small_text = "512 × 512 pixels",
  .paper_text = "2048 × 2048 pixels",
  .state_bytes = sizeof(struct convolution),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
