// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "srad/srad.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/rng.h"
#include "host/workload.h"

enum { GROUP = 256 };

static const float lambda = 0.5f; // Rodinia's

struct srad {
  int32_t rows, columns, count;
  unsigned iterations;
  uint64_t image, sums, squares, north, south, west, east, to_north, to_south, to_west, to_east, coefficient;
  float *want;
};

// Bright and dark patches of 32 × 32 under multiplicative speckle, in grey levels 0..255.
static void speckled_image(const struct srad *s, float *image, struct weir_rng *rng) {
  for (int32_t column = 0; column < s->columns; column++)
    for (int32_t row = 0; row < s->rows; row++) {
      double level = (row / 32 + column / 32) % 2 ? 180 : 60;
      image[row + s->rows * column] = (float)(level * (0.6 + 0.8 * weir_rng_unit(rng)));
    }
}

// The neighbouring index of each of `count` indices, `by` further, or itself at the border.
static uint64_t neighbours(struct weir_host *h, const char *name, int32_t count, int32_t by) {
  uint64_t bytes = (uint64_t)count * sizeof(int32_t), address = weir_host_alloc(h, name, bytes);
  int32_t *index = weir_host_bytes(h, address, bytes);
  for (int32_t i = 0; i < count; i++) index[i] = i + by < 0 || i + by >= count ? i : i + by;
  weir_host_wrote(h, address, bytes);
  return address;
}

static void make_image(struct weir_host *h, struct srad *s, uint64_t seed) {
  struct weir_rng rng = weir_rng_seed(seed, 1);
  uint64_t count = (uint64_t)s->count, bytes = count * sizeof(float);
  s->image = weir_host_alloc(h, "image", bytes);
  float *image = weir_host_bytes(h, s->image, bytes);
  speckled_image(s, image, &rng);
  weir_host_wrote(h, s->image, bytes);
  weir_host_result(h, "image", s->image, bytes);

  double *exact = weir_new_array(double, count);
  for (uint64_t e = 0; e < count; e++) exact[e] = (double)image[e];
  weir_srad_reference(exact, (uint32_t)s->rows, (uint32_t)s->columns, s->iterations, (double)lambda);
  s->want = weir_new_array(float, count);
  for (uint64_t e = 0; e < count; e++) s->want[e] = (float)exact[e];
  weir_free(exact);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct srad *s = state;
  s->rows = s->columns = size == WEIR_SIZE_SMALL ? 256 : 512;
  s->count = s->rows * s->columns;
  s->iterations = 8;
  make_image(h, s, seed);

  uint64_t bytes = (uint64_t)s->count * sizeof(float);
  s->north = neighbours(h, "north", s->rows, -1);
  s->south = neighbours(h, "south", s->rows, 1);
  s->west = neighbours(h, "west", s->columns, -1);
  s->east = neighbours(h, "east", s->columns, 1);
  s->to_north = weir_host_alloc(h, "to_north", bytes);
  s->to_south = weir_host_alloc(h, "to_south", bytes);
  s->to_west = weir_host_alloc(h, "to_west", bytes);
  s->to_east = weir_host_alloc(h, "to_east", bytes);
  s->coefficient = weir_host_alloc(h, "coefficient", bytes);
  s->sums = weir_host_alloc(h, "sums", bytes);
  s->squares = weir_host_alloc(h, "squares", bytes);
  return true;
}

static struct weir_dim groups_of(int32_t items) {
  return (struct weir_dim){(uint32_t)weir_div_up((uint64_t)items, GROUP), 1, 1};
}

static const struct weir_dim group = {GROUP, 1, 1};

// Adds up the terms level by level, as Rodinia's host does, until one is left; the squared coefficient of variation.
static bool measure_noise(struct weir_host *h, struct srad *s, float *noise) {
  for (int32_t left = s->count, stride = 1; left > 1; left = (int32_t)groups_of(left).x, stride *= GROUP)
    if (!weir_launch_args(h, "reduce", groups_of(left), group, WEIR_ARG(left), WEIR_ARG(stride), WEIR_ARG(s->sums),
                          WEIR_ARG(s->squares)))
      return false;
  float sum, squares;
  weir_host_read(h, &sum, s->sums, sizeof sum);
  weir_host_read(h, &squares, s->squares, sizeof squares);
  double mean = (double)sum / s->count;
  *noise = (float)(((double)squares / s->count - mean * mean) / (mean * mean));
  return true;
}

static bool iterate(struct weir_host *h, struct srad *s) {
  float noise;
  return weir_launch_args(h, "prepare", groups_of(s->count), group, WEIR_ARG(s->count), WEIR_ARG(s->image),
                          WEIR_ARG(s->sums), WEIR_ARG(s->squares)) &&
    measure_noise(h, s, &noise) &&
    weir_launch_args(h, "srad", groups_of(s->count), group, WEIR_ARG(s->rows), WEIR_ARG(s->count), WEIR_ARG(s->north),
                     WEIR_ARG(s->south), WEIR_ARG(s->west), WEIR_ARG(s->east), WEIR_ARG(s->to_north),
                     WEIR_ARG(s->to_south), WEIR_ARG(s->to_west), WEIR_ARG(s->to_east), WEIR_ARG(noise),
                     WEIR_ARG(s->coefficient), WEIR_ARG(s->image)) &&
    weir_launch_args(h, "srad2", groups_of(s->count), group, WEIR_ARG(lambda), WEIR_ARG(s->rows), WEIR_ARG(s->count),
                     WEIR_ARG(s->south), WEIR_ARG(s->east), WEIR_ARG(s->to_north), WEIR_ARG(s->to_south),
                     WEIR_ARG(s->to_west), WEIR_ARG(s->to_east), WEIR_ARG(s->coefficient), WEIR_ARG(s->image));
}

static bool run(struct weir_host *h, void *state) {
  struct srad *s = state;
  if (!weir_launch_args(h, "extract", groups_of(s->count), group, WEIR_ARG(s->count), WEIR_ARG(s->image))) return false;
  for (unsigned i = 0; i < s->iterations; i++)
    if (!iterate(h, s)) return false;
  return weir_launch_args(h, "compress", groups_of(s->count), group, WEIR_ARG(s->count), WEIR_ARG(s->image));
}

// First-order bound, u = 2⁻²⁴. With coefficients c in [0, 1] and lambda = 1/2 a step replaces each value by a convex
// combination of itself and its neighbours, so errors already there do not grow through it. New errors come through c =
// 1 / (1 + x), x = (q - q0) / (q0 (1 + q0)): where c is not clamped to 1, c² x <= 1/4. q and the division chain carry
// about 32 u relative to q0 + q; q0 is a difference of sums after 3 levels of 8 additions, 24 u × mean² / variance <=
// 1500 u here (variance over mean² above 1/64). So c is off by at most 1600 u / 4, the value (1 to e, four differences
// of at most e - 1, times 1/8) by 0.86 × 400 u = 344 u a step; eight steps and 255 / value >= 1 give 7 × 10⁵ u = 0.042.
static bool check(struct weir_host *h, void *state) {
  struct srad *s = state;
  uint64_t count = (uint64_t)s->count;
  return weir_check_f32(h, "image", weir_host_bytes(h, s->image, count * sizeof(float)), s->want, count, 0, 0.042);
}

static void release(void *state) {
  weir_free(((struct srad *)state)->want);
}

const struct weir_workload weir_workload_srad = {
  .name = "srad",
  .summary = "speckle-reducing anisotropic diffusion: a four-point stencil with global reductions between steps",
  .citation = "Rodinia srad_v1 (Che et al., IISWC 2009); Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "256 × 256 pixels, 8 iterations",
  .paper_text = "512 × 512 pixels, 8 iterations",
  .state_bytes = sizeof(struct srad),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
