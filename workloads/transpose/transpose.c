// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/rng.h"
#include "footprint.h"

// The SDK repeats its kernel by the iterations option; here each one transposes what the last one wrote, back and forth
// between two matrices. An odd number of times, so that the second one ends as the first one's transpose.
enum { GROUP = 16, VECTOR = 4, TILE = GROUP * VECTOR, MATRICES = 2, TIMES = 13 };

struct transpose {
  uint32_t n;
  uint64_t first, second; // device addresses
  uint32_t *want;
};

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct transpose *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  const uint32_t kib = weir_host_shape(h).footprint_kib;
  s->n = kib ? weir_square_side(h, "transpose", kib, MATRICES, TILE) : size == WEIR_SIZE_SMALL ? 512 : 1024;
  if (!s->n) return false;
  uint64_t count = (uint64_t)s->n * s->n, bytes = count * sizeof(float);
  s->first = weir_host_alloc(h, "first", bytes);
  s->second = weir_host_alloc(h, "second", bytes);
  weir_host_result(h, "second", s->second, bytes);
  float *m = weir_host_bytes(h, s->first, bytes);
  for (uint64_t i = 0; i < count; i++) m[i] = (float)weir_rng_unit(&rng);
  weir_host_wrote(h, s->first, bytes);

  const uint32_t *words = weir_host_bytes(h, s->first, bytes);
  s->want = weir_new_array(uint32_t, count);
  for (uint32_t y = 0; y < s->n; y++)
    for (uint32_t x = 0; x < s->n; x++) s->want[(size_t)x * s->n + y] = words[(size_t)y * s->n + x];
  return true;
}

static bool transpose(struct weir_host *h, const struct transpose *s, uint64_t to, uint64_t from) {
  const uint32_t width = s->n / VECTOR;
  return weir_launch_args(h, "transpose", ((struct weir_dim){s->n / TILE, s->n / TILE, 1}),
                          ((struct weir_dim){GROUP, GROUP, 1}), WEIR_ARG(to), WEIR_ARG(from),
                          WEIR_ARG_LOCAL(TILE * TILE * sizeof(float)), WEIR_ARG(width));
}

static bool run(struct weir_host *h, void *state) {
  const struct transpose *s = state;
  for (int i = 0; i < TIMES; i++)
    if (!transpose(h, s, i % 2 ? s->first : s->second, i % 2 ? s->second : s->first)) return false;
  return true;
}

// Elements are moved, not computed with: the same words.
static bool check(struct weir_host *h, void *state) {
  struct transpose *s = state;
  uint64_t count = (uint64_t)s->n * s->n;
  return weir_check_u32(h, "second", weir_host_bytes(h, s->second, count * sizeof(float)), s->want, count);
}

static void release(void *state) {
  weir_free(((struct transpose *)state)->want);
}

const struct weir_workload weir_workload_transpose = {
  .name = "transpose",
  .summary = "matrix transposition in tiles of 64 × 64 through local memory, back and forth",
  .citation = "AMD APP SDK MatrixTranspose; Holey et al., TACO 2014, Table III",
  .small_text = "512 × 512 matrix, 13 times",
  .paper_text = "1024 × 1024 matrix, 13 times",
  .takes = WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct transpose),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
