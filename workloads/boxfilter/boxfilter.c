// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "boxfilter/boxfilter.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

// The SDK's filter is 8 wide by default and made odd: 9, four pixels to either side.
enum { GROUP = 256, CHANNELS = 4, REACH = 4 };

struct box {
  uint32_t width, height;
  uint64_t in, rows, out; // device addresses
  uint8_t *want;
};

// A window that slides: what enters is added, what leaves is subtracted.
void weir_box_line(uint8_t *out, const uint8_t *in, uint64_t count, uint64_t step, uint32_t reach) {
  const uint32_t window = 2 * reach + 1;
  uint32_t sum = 0;
  for (uint64_t i = 0; i < count; i++) out[i * step] = 0;
  for (uint64_t i = 0; i < count; i++) {
    sum += in[i * step];
    if (i >= window) sum -= in[(i - window) * step];
    if (i + 1 >= window) out[(i - reach) * step] = (uint8_t)(sum / window);
  }
}

void weir_box_reference(uint8_t *out, const uint8_t *in, uint32_t width, uint32_t height, uint32_t reach) {
  const uint64_t row = (uint64_t)width * CHANNELS;
  uint8_t *rows = weir_alloc(row * height);
  for (uint64_t y = 0; y < height; y++)
    for (uint64_t c = 0; c < CHANNELS; c++) weir_box_line(rows + y * row + c, in + y * row + c, width, CHANNELS, reach);
  for (uint64_t i = 0; i < row; i++) weir_box_line(out + i, rows + i, height, row, reach);
  weir_free(rows);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct box *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->width = s->height = size == WEIR_SIZE_SMALL ? 512 : 1024;
  uint64_t bytes = (uint64_t)s->width * s->height * CHANNELS;
  s->in = weir_host_alloc(h, "in", bytes);
  s->rows = weir_host_alloc(h, "rows", bytes);
  s->out = weir_host_alloc(h, "out", bytes);
  uint8_t *in = weir_host_bytes(h, s->in, bytes);
  for (uint64_t i = 0; i < bytes; i++) in[i] = (uint8_t)weir_rng_below(&rng, 256);
  weir_host_wrote(h, s->in, bytes);
  weir_host_result(h, "out", s->out, bytes);
  s->want = weir_alloc(bytes);
  weir_box_reference(s->want, in, s->width, s->height, REACH);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct box *s = state;
  const struct weir_dim grid = {s->width / GROUP, s->height, 1}, group = {GROUP, 1, 1};
  const int32_t reach = REACH;
  return weir_launch_args(h, "box_rows", grid, group, WEIR_ARG(s->in), WEIR_ARG(s->rows), WEIR_ARG(reach)) &&
    weir_launch_args(h, "box_columns", grid, group, WEIR_ARG(s->rows), WEIR_ARG(s->out), WEIR_ARG(reach));
}

static bool check(struct weir_host *h, void *state) {
  struct box *s = state;
  const uint32_t *want = (const uint32_t *)(void *)s->want;
  uint64_t count = (uint64_t)s->width * s->height;
  return weir_check_u32(h, "out", weir_host_bytes(h, s->out, count * CHANNELS), want, count);
}

static void release(void *state) {
  weir_free(((struct box *)state)->want);
}

const struct weir_workload weir_workload_boxfilter = {
  .name = "boxfilter",
  .summary = "means over 9 × 9 pixels, along rows through local memory, then along columns",
  .citation = "AMD APP SDK BoxFilter, separable; Holey et al., Table III",
  .small_text = "512 × 512 pixels",
  .paper_text = "1024 × 1024 pixels",
  .state_bytes = sizeof(struct box),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
