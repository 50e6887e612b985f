// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

// Each launch leaves one vector of every 512. There are two; the SDK's host adds up what its last launch leaves.
enum { GROUP = 256, VECTORS_PER_GROUP = 2 * GROUP, LANES = 4 };

struct reduction {
  uint32_t vectors;
  uint64_t input, sums, totals; // device addresses
  uint32_t *want_sums, *want_totals;
};

static uint64_t bytes_of(uint32_t vectors) {
  return (uint64_t)vectors * LANES * sizeof(uint32_t);
}

// Modulo 2³², as on the device.
static uint32_t *reduced(const uint32_t *input, uint32_t vectors) {
  uint32_t *sums = weir_new_array(uint32_t, (uint64_t)vectors / VECTORS_PER_GROUP * LANES);
  for (uint32_t v = 0; v < vectors; v++)
    for (uint32_t i = 0; i < LANES; i++) sums[v / VECTORS_PER_GROUP * LANES + i] += input[v * LANES + i];
  return sums;
}

static uint64_t result(struct weir_host *h, const char *name, uint32_t vectors) {
  uint64_t address = weir_host_alloc(h, name, bytes_of(vectors));
  weir_host_result(h, name, address, bytes_of(vectors));
  return address;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct reduction *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->vectors = size == WEIR_SIZE_SMALL ? 1u << 19 : 1u << 21;
  s->input = weir_host_alloc(h, "input", bytes_of(s->vectors));
  s->sums = result(h, "sums", s->vectors / VECTORS_PER_GROUP);
  s->totals = result(h, "totals", s->vectors / VECTORS_PER_GROUP / VECTORS_PER_GROUP);
  uint32_t *words = weir_host_bytes(h, s->input, bytes_of(s->vectors));
  for (uint32_t i = 0; i < s->vectors * LANES; i++) words[i] = (uint32_t)weir_rng_next(&rng);
  weir_host_wrote(h, s->input, bytes_of(s->vectors));

  s->want_sums = reduced(words, s->vectors);
  s->want_totals = reduced(s->want_sums, s->vectors / VECTORS_PER_GROUP);
  return true;
}

static bool reduce(struct weir_host *h, uint64_t from, uint64_t to, uint32_t vectors) {
  return weir_launch_args(h, "reduce", ((struct weir_dim){vectors / VECTORS_PER_GROUP, 1, 1}),
                          ((struct weir_dim){GROUP, 1, 1}), WEIR_ARG(from), WEIR_ARG(to));
}

static bool run(struct weir_host *h, void *state) {
  struct reduction *s = state;
  return reduce(h, s->input, s->sums, s->vectors) && reduce(h, s->sums, s->totals, s->vectors / VECTORS_PER_GROUP);
}

static bool check(struct weir_host *h, void *state) {
  struct reduction *s = state;
  const uint32_t sums = s->vectors / VECTORS_PER_GROUP, totals = sums / VECTORS_PER_GROUP;
  return weir_check_u32(h, "sums", weir_host_bytes(h, s->sums, bytes_of(sums)), s->want_sums, sums * LANES) &&
    weir_check_u32(h, "totals", weir_host_bytes(h, s->totals, bytes_of(totals)), s->want_totals, totals * LANES);
}

static void release(void *state) {
  struct reduction *s = state;
  weir_free(s->want_sums);
  weir_free(s->want_totals);
}

const struct weir_workload weir_workload_reduction = {
  .name = "reduction",
  .summary = "sums of an array, read once, in a tree in local memory",
  .citation = "AMD APP SDK Reduction; Holey et al., TACO 2014, Table III",
  .small_text = "8 MiB: 2^21 whole numbers",
  .paper_text = "32 MiB: 2^23 whole numbers",
  .state_bytes = sizeof(struct reduction),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
