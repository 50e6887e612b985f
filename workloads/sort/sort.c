// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sort/sort.h"

#include "base/alloc.h"
#include "host/workload.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 16, DIGIT_BITS = 4, KEYS_PER_ITEM = 16, GROUP = 64, SCAN = 256 };

struct sort {
  uint32_t count;                           // of keys; at most SCAN × SCAN
  uint64_t keys, other, counts, group_sums; // device addresses
  uint32_t *want;
};

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

uint64_t weir_sort_keys(struct weir_host *h, uint32_t count, unsigned bits, struct weir_rng *rng, uint32_t **want) {
  const uint64_t bytes = count * sizeof(uint32_t), address = weir_host_alloc(h, "keys", bytes);
  uint32_t *keys = weir_host_bytes(h, address, bytes);
  for (uint32_t i = 0; i < count; i++) keys[i] = (uint32_t)weir_rng_next(rng) >> (32 - bits);
  weir_host_wrote(h, address, bytes);
  weir_host_result(h, "keys", address, bytes);
  *want = weir_new_array(uint32_t, count);
  memcpy(*want, keys, bytes);
  qsort(*want, count, sizeof **want, by_value);
  return address;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct sort *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->count = size == WEIR_SIZE_SMALL ? 32768 : 65536;
  uint64_t bytes = s->count * sizeof(uint32_t);
  s->keys = weir_sort_keys(h, s->count, 32, &rng, &s->want);
  s->other = weir_host_alloc(h, "other", bytes);
  s->counts = weir_host_alloc(h, "counts", bytes / KEYS_PER_ITEM * DIGITS);
  s->group_sums = weir_host_alloc(h, "group_sums", SCAN * sizeof(uint32_t));
  return true;
}

// Exclusive prefix sums of the counts, digit by digit and work-item by work-item.
static bool scan(struct weir_host *h, struct sort *s) {
  const uint32_t groups = s->count / KEYS_PER_ITEM * DIGITS / SCAN;
  const struct weir_dim grid = {groups, 1, 1}, one = {1, 1, 1}, group = {SCAN, 1, 1};
  return weir_launch_args(h, "scan_groups", grid, group, WEIR_ARG(s->counts), WEIR_ARG(s->group_sums)) &&
    weir_launch_args(h, "scan_sums", one, group, WEIR_ARG(s->group_sums), WEIR_ARG(groups)) &&
    weir_launch_args(h, "add_sums", grid, group, WEIR_ARG(s->counts), WEIR_ARG(s->group_sums));
}

static bool sort_digit(struct weir_host *h, struct sort *s, uint64_t from, uint64_t to, uint32_t shift) {
  const struct weir_dim grid = {s->count / KEYS_PER_ITEM / GROUP, 1, 1}, group = {GROUP, 1, 1};
  return weir_launch_args(h, "digit_histogram", grid, group, WEIR_ARG(from), WEIR_ARG(s->counts), WEIR_ARG(shift)) &&
    scan(h, s) &&
    weir_launch_args(h, "permute", grid, group, WEIR_ARG(from), WEIR_ARG(s->counts), WEIR_ARG(to), WEIR_ARG(shift));
}

// Two digits at a time, so that the keys end where they began.
static bool run(struct weir_host *h, void *state) {
  struct sort *s = state;
  for (uint32_t shift = 0; shift < 32; shift += 2 * DIGIT_BITS)
    if (!sort_digit(h, s, s->keys, s->other, shift) || !sort_digit(h, s, s->other, s->keys, shift + DIGIT_BITS))
      return false;
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct sort *s = state;
  return weir_check_u32(h, "keys", weir_host_bytes(h, s->keys, s->count * sizeof(uint32_t)), s->want, s->count);
}

static void release(void *state) {
  weir_free(((struct sort *)state)->want);
}

const struct weir_workload weir_workload_sort = {
  .name = "sort",
  .summary = "radix sort of 32-bit keys, 4 bits a pass, each work-item reusing the lines of its own 16 keys",
  .citation = "a microbenchmark after the description in Tian et al., GPGPU-8 2015, §4 and Table 2",
  .small_text = "32768 keys of 32 bits",
  .paper_text = "65536 keys of 32 bits",
  .state_bytes = sizeof(struct sort),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
