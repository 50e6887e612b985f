// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "dct/dct.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

#include <math.h>

enum { BLOCK = WEIR_DCT_BLOCK };

struct dct {
  uint32_t width;
  uint64_t input, output, cosine; // device addresses
  float *want;
};

static double cosine_of(unsigned u, unsigned k) {
  return sqrt((u ? 2.0 : 1.0) / BLOCK) * cos((2 * k + 1) * u * 3.14159265358979323846 / (2 * BLOCK));
}

void weir_dct_matrix(float *cosine) {
  for (unsigned u = 0; u < BLOCK; u++)
    for (unsigned k = 0; k < BLOCK; k++) cosine[u * BLOCK + k] = (float)cosine_of(u, k);
}

static void transform_block(float *output, const float *input, uint32_t width, double c[BLOCK][BLOCK]) {
  double product[BLOCK][BLOCK] = {{0}};
  for (unsigned u = 0; u < BLOCK; u++)
    for (unsigned k = 0; k < BLOCK; k++)
      for (unsigned x = 0; x < BLOCK; x++) product[u][x] += c[u][k] * (double)input[k * width + x];
  for (unsigned u = 0; u < BLOCK; u++)
    for (unsigned v = 0; v < BLOCK; v++) {
      double sum = 0;
      for (unsigned k = 0; k < BLOCK; k++) sum += product[u][k] * c[v][k];
      output[u * width + v] = (float)sum;
    }
}

void weir_dct_reference(float *output, const float *input, uint32_t width) {
  double c[BLOCK][BLOCK];
  for (unsigned u = 0; u < BLOCK; u++)
    for (unsigned k = 0; k < BLOCK; k++) c[u][k] = cosine_of(u, k);
  for (uint32_t y = 0; y < width; y += BLOCK)
    for (uint32_t x = 0; x < width; x += BLOCK)
      transform_block(output + (size_t)y * width + x, input + (size_t)y * width + x, width, c);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct dct *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->width = size == WEIR_SIZE_SMALL ? 512 : 2048;
  uint64_t count = (uint64_t)s->width * s->width, bytes = count * sizeof(float);
  s->input = weir_host_alloc(h, "input", bytes);
  s->output = weir_host_alloc(h, "output", bytes);
  weir_host_result(h, "output", s->output, bytes);
  float *pixels = weir_host_bytes(h, s->input, bytes);
  for (uint64_t i = 0; i < count; i++) pixels[i] = (float)weir_rng_below(&rng, 256);
  weir_host_wrote(h, s->input, bytes);

  float cosine[BLOCK * BLOCK];
  weir_dct_matrix(cosine);
  s->cosine = weir_host_alloc(h, "cosine", sizeof cosine);
  weir_host_write(h, s->cosine, cosine, sizeof cosine);
  s->want = weir_new_array(float, count);
  weir_dct_reference(s->want, pixels, s->width);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct dct *s = state;
  const uint32_t block = BLOCK;
  return weir_launch_args(h, "dct", ((struct weir_dim){s->width / BLOCK, s->width / BLOCK, 1}),
                          ((struct weir_dim){BLOCK, BLOCK, 1}), WEIR_ARG(s->output), WEIR_ARG(s->input),
                          WEIR_ARG(s->cosine), WEIR_ARG_LOCAL(BLOCK * BLOCK * sizeof(float)), WEIR_ARG(s->width),
                          WEIR_ARG(block));
}

// Two sums of 8 products, each with coefficients rounded to single precision: at most 9 roundings each, so an error of
// at most 18 × 2⁻²⁴ × sum |c| |x| |c|. The rows of |C| add up to at most sqrt(8), pixels to at most 255: 255 × 8.
// One more rounding of the reference.
static bool check(struct weir_host *h, void *state) {
  struct dct *s = state;
  uint64_t count = (uint64_t)s->width * s->width;
  return weir_check_f32(h, "output", weir_host_bytes(h, s->output, count * sizeof(float)), s->want, count, 0x1p-24,
                        18 * 0x1p-24 * 255 * 8);
}

static void release(void *state) {
  weir_free(((struct dct *)state)->want);
}

const struct weir_workload weir_workload_dct = {
  .name = "dct",
  .summary = "discrete cosine transform in 8 × 8 blocks through local memory",
  .citation = "AMD APP SDK DCT; Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "512 × 512 pixels",
  .paper_text = "2048 × 2048 pixels",
  .state_bytes = sizeof(struct dct),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
