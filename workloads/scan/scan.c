// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

// The array is halved BLOCK-fold until it is one block: at most BLOCK³ elements.
enum { BLOCK = 256, LEVELS = 3 };

struct level {
  uint32_t count;   // of elements; each level's are the sums of the blocks of the level before
  uint64_t in, out; // device addresses
};

struct scan {
  struct level level[LEVELS];
  uint64_t total; // device address
  float *want;
};

static uint32_t block_of(const struct level *l) {
  return l->count < BLOCK ? l->count : BLOCK;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct scan *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  uint32_t count = size == WEIR_SIZE_SMALL ? 1 << 19 : 1 << 21;
  const char *in[] = {"in", "sums", "sums_of_sums"}, *out[] = {"out", "before", "before_sums"};
  for (unsigned i = 0; i < LEVELS; i++, count /= BLOCK)
    s->level[i] = (struct level){.count = count,
                                 .in = weir_host_alloc(h, in[i], count * sizeof(float)),
                                 .out = weir_host_alloc(h, out[i], count * sizeof(float))};
  s->total = weir_host_alloc(h, "total", sizeof(float));

  const struct level *all = &s->level[0];
  float *values = weir_host_bytes(h, all->in, all->count * sizeof(float));
  s->want = weir_new_array(float, all->count);
  double sum = 0;
  for (uint32_t i = 0; i < all->count; i++) {
    values[i] = (float)weir_rng_unit(&rng);
    s->want[i] = (float)sum;
    sum += (double)values[i];
  }
  weir_host_wrote(h, all->in, all->count * sizeof(float));
  weir_host_result(h, "out", all->out, all->count * sizeof(float));
  return true;
}

static bool scan_level(struct weir_host *h, const struct level *l, uint64_t sums) {
  const uint32_t block = block_of(l);
  return weir_launch_args(h, "scan_blocks", ((struct weir_dim){l->count / block, 1, 1}),
                          ((struct weir_dim){block / 2, 1, 1}), WEIR_ARG(l->in), WEIR_ARG(l->out), WEIR_ARG(sums),
                          WEIR_ARG_LOCAL(block * sizeof(float)), WEIR_ARG(block));
}

static bool add_sums(struct weir_host *h, const struct level *l, uint64_t sums) {
  return weir_launch_args(h, "add_sums", ((struct weir_dim){l->count / BLOCK, 1, 1}), ((struct weir_dim){BLOCK, 1, 1}),
                          WEIR_ARG(l->out), WEIR_ARG(sums));
}

static bool run(struct weir_host *h, void *state) {
  struct scan *s = state;
  for (unsigned i = 0; i < LEVELS; i++)
    if (!scan_level(h, &s->level[i], i + 1 < LEVELS ? s->level[i + 1].in : s->total)) return false;
  for (unsigned i = LEVELS - 1; i > 0; i--)
    if (!add_sums(h, &s->level[i - 1], s->level[i].out)) return false;
  return true;
}

// Numbers that are not negative; a sum is rounded at most once per doubling of what it covers, 21 times up to 2²¹, and
// once per level: a relative error of at most 24 × 2⁻²⁴, and one rounding of the reference.
static bool check(struct weir_host *h, void *state) {
  struct scan *s = state;
  const struct level *all = &s->level[0];
  return weir_check_f32(h, "out", weir_host_bytes(h, all->out, all->count * sizeof(float)), s->want, all->count,
                        25 * 0x1p-24, 0);
}

static void release(void *state) {
  weir_free(((struct scan *)state)->want);
}

const struct weir_workload weir_workload_scan = {
  .name = "scan",
  .summary = "prefix sums of a large array, block by block in local memory",
  .citation = "AMD APP SDK ScanLargeArrays; Holey et al., Table III",
  .small_text = "524288 numbers",
  .paper_text = "2097152 numbers",
  .state_bytes = sizeof(struct scan),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
