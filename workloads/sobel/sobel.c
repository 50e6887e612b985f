// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sobel/sobel.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

enum { GROUP = 256, CHANNELS = 4 };

struct sobel {
  uint32_t width, height;
  uint64_t in, out; // device addresses
  uint8_t *want;
};

// The largest k up to 255 with (2k)² not above `square`.
static uint8_t half_root(uint32_t square) {
  uint32_t k = 0;
  for (uint32_t bit = 128; bit; bit /= 2)
    if (4 * (k + bit) * (k + bit) <= square) k += bit;
  return (uint8_t)k;
}

// One channel of one pixel; `row` is the distance of rows in bytes.
static uint8_t edge(const uint8_t *middle, int64_t row) {
  const int64_t next = CHANNELS;
  int32_t down = middle[-row - next] + 2 * middle[-row] + middle[-row + next] - middle[row - next] - 2 * middle[row] -
    middle[row + next];
  int32_t across = middle[-row - next] + 2 * middle[-next] + middle[row - next] - middle[-row + next] -
    2 * middle[next] - middle[row + next];
  return half_root((uint32_t)(down * down + across * across));
}

void weir_sobel_reference(uint8_t *out, const uint8_t *in, uint32_t width, uint32_t height) {
  const size_t row = (size_t)width * CHANNELS;
  for (size_t y = 1; y + 1 < height; y++)
    for (size_t i = CHANNELS; i < row - CHANNELS; i++) out[y * row + i] = edge(in + y * row + i, (int64_t)row);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct sobel *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->width = size == WEIR_SIZE_SMALL ? 1024 : 2048;
  s->height = size == WEIR_SIZE_SMALL ? 512 : 2048;
  uint64_t bytes = (uint64_t)s->width * s->height * CHANNELS;
  s->in = weir_host_alloc(h, "in", bytes);
  s->out = weir_host_alloc(h, "out", bytes);
  uint8_t *in = weir_host_bytes(h, s->in, bytes);
  for (uint64_t i = 0; i < bytes; i++) in[i] = (uint8_t)weir_rng_below(&rng, 256);
  weir_host_wrote(h, s->in, bytes);
  weir_host_result(h, "out", s->out, bytes);
  s->want = weir_alloc(bytes);
  weir_sobel_reference(s->want, in, s->width, s->height);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct sobel *s = state;
  return weir_launch_args(h, "sobel", ((struct weir_dim){s->width / GROUP, s->height, 1}),
                          ((struct weir_dim){GROUP, 1, 1}), WEIR_ARG(s->in), WEIR_ARG(s->out));
}

static bool check(struct weir_host *h, void *state) {
  struct sobel *s = state;
  const uint32_t *want = (const uint32_t *)(void *)s->want;
  uint64_t count = (uint64_t)s->width * s->height;
  return weir_check_u32(h, "out", weir_host_bytes(h, s->out, count * CHANNELS), want, count);
}

static void release(void *state) {
  weir_free(((struct sobel *)state)->want);
}

const struct weir_workload weir_workload_sobel = {
  .name = "sobel",
  .summary = "Sobel's edge detector, one pixel per work-item",
  .citation = "AMD APP SDK SobelFilter; Holey et al., Table III",
  .small_text = "1024 × 512 pixels",
  .paper_text = "2048 × 2048 pixels",
  .state_bytes = sizeof(struct sobel),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
