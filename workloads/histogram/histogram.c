// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

// Table 2 gives the input as "1024". The SDK's Histogram takes a width and a height and defaults to 1024 × 1024, so that
// is how it is read here. The SDK repeats copying in, counting and reading back by its iterations option; here each
// iteration is a frame of its own, in a buffer of its own, so that no cache holds a line that a copy has replaced.
enum { BINS = 256, GROUP = 128, PIXELS_PER_ITEM = 128, FRAMES = 4 };

struct histogram {
  uint32_t width, height;
  uint64_t pixels, bins; // device addresses, frame by frame; bins: one histogram per work-group
  uint8_t *frames;       // all frames' pixels
  uint32_t *want;        // as bins
};

static uint32_t pixels_of(const struct histogram *s) {
  return s->width * s->height;
}

// In global memory a pixel is a word.
static uint64_t pixels_bytes(const struct histogram *s) {
  return pixels_of(s) * sizeof(uint32_t);
}

static uint32_t groups_of(const struct histogram *s) {
  return pixels_of(s) / (GROUP * PIXELS_PER_ITEM);
}

static uint64_t bins_bytes(const struct histogram *s) {
  return (uint64_t)groups_of(s) * BINS * sizeof(uint32_t);
}

// Each frame's pixels cluster about a grey level of its own, as a picture's do: the sum of two uniform numbers.
static void make_frames(struct histogram *s, struct weir_rng *rng) {
  s->frames = weir_alloc((size_t)pixels_of(s) * FRAMES);
  for (uint32_t f = 0; f < FRAMES; f++)
    for (uint32_t i = 0; i < pixels_of(s); i++)
      s->frames[(size_t)f * pixels_of(s) + i] = (uint8_t)(f * 40 + weir_rng_below(rng, 64) + weir_rng_below(rng, 64));
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct histogram *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->width = 1024;
  s->height = size == WEIR_SIZE_SMALL ? 512 : 1024;
  make_frames(s, &rng);
  s->pixels = weir_host_alloc(h, "pixels", FRAMES * pixels_bytes(s));
  s->bins = weir_host_alloc(h, "bins", FRAMES * bins_bytes(s));
  weir_host_result(h, "bins", s->bins, FRAMES * bins_bytes(s));

  s->want = weir_alloc(FRAMES * bins_bytes(s));
  for (size_t i = 0; i < (size_t)pixels_of(s) * FRAMES; i++)
    s->want[i / (GROUP * PIXELS_PER_ITEM) * BINS + s->frames[i]]++;
  return true;
}

static void copy_in(struct weir_host *h, const struct histogram *s, uint32_t frame, uint64_t pixels) {
  uint32_t *words = weir_host_bytes(h, pixels, pixels_bytes(s));
  for (uint32_t i = 0; i < pixels_of(s); i++) words[i] = s->frames[(size_t)frame * pixels_of(s) + i];
  weir_host_wrote(h, pixels, pixels_bytes(s));
}

static bool run(struct weir_host *h, void *state) {
  struct histogram *s = state;
  for (uint32_t frame = 0; frame < FRAMES; frame++) {
    uint64_t pixels = s->pixels + frame * pixels_bytes(s), bins = s->bins + frame * bins_bytes(s);
    copy_in(h, s, frame, pixels);
    if (!weir_launch_args(h, "group_histogram", ((struct weir_dim){groups_of(s), 1, 1}),
                          ((struct weir_dim){GROUP, 1, 1}), WEIR_ARG(pixels), WEIR_ARG(bins)))
      return false;
  }
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct histogram *s = state;
  uint64_t bytes = FRAMES * bins_bytes(s);
  return weir_check_u32(h, "bins", weir_host_bytes(h, s->bins, bytes), s->want, bytes / sizeof(uint32_t));
}

static void release(void *state) {
  struct histogram *s = state;
  weir_free(s->frames);
  weir_free(s->want);
}

const struct weir_workload weir_workload_histogram = {
  .name = "histogram",
  .summary = "256-bin histograms of 8-bit pixels, counted in bytes in local memory",
  .citation = "AMD APP SDK Histogram; Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "4 frames of 1024 × 512 pixels",
  .paper_text = "4 frames of 1024 × 1024 pixels",
  .state_bytes = sizeof(struct histogram),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
