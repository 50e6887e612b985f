// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "matrixmul/matrixmul.h"

// A work-group is four wavefronts side by side, each with a row of its own: they share what they read of b.
enum { ACROSS = 64, DOWN = 4 };

// What the GPU works on at once is as wide as b, so that b is read again only after all of it was: a cache keeps it all
// or little of it.
static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct weir_matrixmul *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->columns = 2048;
  s->rows = size == WEIR_SIZE_SMALL ? 32 : 512;
  s->inner = size == WEIR_SIZE_SMALL ? 192 : 512;
  const uint32_t kib = weir_host_shape(h).footprint_kib, row_kib = s->columns * (uint32_t)sizeof(float) / 1024;
  if (kib) s->inner = kib / row_kib; // the footprint is b's
  if (!s->inner)
    return weir_fail_plain(weir_host_sink(h), "matrixmul-wide needs a footprint of %u KiB at least", row_kib);
  weir_matrixmul_prepare(h, s, &rng);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct weir_matrixmul *s = state;
  return weir_launch_args(h, "product", ((struct weir_dim){s->columns / ACROSS, s->rows / DOWN, 1}),
                          ((struct weir_dim){ACROSS, DOWN, 1}), WEIR_ARG(s->a), WEIR_ARG(s->b), WEIR_ARG(s->c),
                          WEIR_ARG(s->inner));
}

const struct weir_workload weir_workload_matrixmul_wide = {
  .name = "matrixmul-wide",
  .summary = "dense matrix multiplication from global memory, by a wide factor of 1.5 or 4 MiB",
  .citation = "AMD APP SDK MatrixMultiplication (without local memory); Holey et al., Table III",
  .small_text = "32 × 192 by 192 × 2048 matrices",
  .paper_text = "512 × 512 by 512 × 2048 matrices",
  .takes = WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct weir_matrixmul),
  .prepare = prepare,
  .run = run,
  .check = weir_matrixmul_check,
  .release = weir_matrixmul_release,
};
