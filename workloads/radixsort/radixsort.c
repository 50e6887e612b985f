// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "host/workload.h"
#include "sort/sort.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, KEYS_PER_ITEM = 256, GROUP = 64 };

struct radixsort {
  uint32_t count;               // of keys, and of counts: a work-item has 256 of either
  uint32_t bits;                // of a key
  uint64_t keys, other, counts; // device addresses
  uint32_t *want;
};

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct radixsort *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  *s = size == WEIR_SIZE_SMALL ? (struct radixsort){.count = 1 << 19, .bits = 16}
                               : (struct radixsort){.count = 1 << 20, .bits = 32};
  uint64_t bytes = s->count * sizeof(uint32_t);
  s->keys = weir_sort_keys(h, s->count, s->bits, &rng, &s->want);
  s->other = weir_host_alloc(h, "other", bytes);
  s->counts = weir_host_alloc(h, "counts", bytes);
  return true;
}

// Exclusive prefix sums of the counts, digit by digit and work-item by work-item, on the host as in the SDK's program.
static void turn_counts_into_places(struct weir_host *h, const struct radixsort *s) {
  uint64_t bytes = s->count * sizeof(uint32_t);
  uint32_t *counts = weir_host_bytes(h, s->counts, bytes), place = 0;
  for (uint32_t digit = 0; digit < DIGITS; digit++)
    for (uint32_t i = digit; i < s->count; i += DIGITS) {
      const uint32_t keys = counts[i];
      counts[i] = place;
      place += keys;
    }
  weir_host_wrote(h, s->counts, bytes);
}

static bool sort_digit(struct weir_host *h, const struct radixsort *s, uint64_t from, uint64_t to, uint32_t shift) {
  const struct weir_dim grid = {s->count / KEYS_PER_ITEM / GROUP, 1, 1}, group = {GROUP, 1, 1};
  if (!weir_launch_args(h, "radix_histogram", grid, group, WEIR_ARG(from), WEIR_ARG(s->counts), WEIR_ARG(shift)))
    return false;
  turn_counts_into_places(h, s);
  return weir_launch_args(h, "radix_permute", grid, group, WEIR_ARG(from), WEIR_ARG(s->counts), WEIR_ARG(to),
                          WEIR_ARG(shift));
}

// Two digits at a time, so that the keys end where they began.
static bool run(struct weir_host *h, void *state) {
  struct radixsort *s = state;
  for (uint32_t shift = 0; shift < s->bits; shift += 2 * DIGIT_BITS)
    if (!sort_digit(h, s, s->keys, s->other, shift) || !sort_digit(h, s, s->other, s->keys, shift + DIGIT_BITS))
      return false;
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct radixsort *s = state;
  return weir_check_u32(h, "keys", weir_host_bytes(h, s->keys, s->count * sizeof(uint32_t)), s->want, s->count);
}

static void release(void *state) {
  weir_free(((struct radixsort *)state)->want);
}

const struct weir_workload weir_workload_radixsort = {
  .name = "radixsort",
  .summary = "radix sort of whole numbers, 8 bits a pass, each work-item with 256 counters in local memory",
  .citation = "AMD APP SDK RadixSort; Holey et al., TACO 2014, Table III",
  .small_text = "2^19 keys of 16 bits",
  .paper_text = "2^20 keys of 32 bits",
  .state_bytes = sizeof(struct radixsort),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
