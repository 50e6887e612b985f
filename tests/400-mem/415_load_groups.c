// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads by groups of transactions per request: which there are, and whose fill a line is.
#include "mem_test.h"

// Zhao et al. section III: 1, 2, 3 to 10, 11 to 20, 21 to 32; what is above needs warps of 64 lanes.
static void the_groups_are_the_paper_s(void **state) {
  (void)state;
  static const uint8_t first[] = {1, 2, 3, 11, 21, 33, WEIR_TRANSACTIONS_COUNTED + 1};
  assert_int_equal(WEIR_TRANSACTION_GROUP_COUNT, sizeof first - 1);
  for (unsigned g = 0; g < WEIR_TRANSACTION_GROUP_COUNT; g++)
    for (unsigned transactions = first[g]; transactions < first[g + 1]; transactions++)
      assert_int_equal(weir_transaction_groups[transactions], g);
}

// A line of one set.
static uint64_t line(unsigned n) {
  return 512 * n;
}

static void fetch(struct bench *b, unsigned n, uint32_t pc, uint8_t transactions) {
  assert_int_equal(load_of_transactions(b, line(n), pc, transactions), 'm');
  fetched(b, line(n));
  take_all_ready(b);
}

// Two ways, LRU, one instruction with loads of five numbers of transactions. Line 0 comes with a load of 1 and is hit by one of 30; line 1
// comes with one of 5 and goes unused when line 2 (12) comes; line 3 (2) puts line 0 out, which has been used; lines 2 and 3 are there at the end, and unused. What a line was hit by does not change whose fill it is.
static void a_line_is_its_fill_s(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  fetch(b, 0, 7, 1);
  fetch(b, 1, 7, 5);
  assert_int_equal(load_of_transactions(b, line(0), 7, 30), 'h');
  fetch(b, 2, 7, 12);
  fetch(b, 3, 7, 2);
  assert_int_equal(b->stats.evictions, 2);
  weir_cache_finish(&b->cache);
  static const struct weir_pc_counts want[WEIR_TRANSACTION_GROUP_COUNT] = {
    {.at = {.accesses = 1, .misses = 1}, .fills = 1, .lines = 1},
    {.at = {.accesses = 1, .misses = 1}, .fills = 1, .lines = 1, .zero_reuse_fills = 1, .untouched_fills = 1},
    {.at = {.accesses = 1, .misses = 1}, .fills = 1, .lines = 1, .zero_reuse_fills = 1, .untouched_fills = 1},
    {.at = {.accesses = 1, .misses = 1}, .fills = 1, .lines = 1, .zero_reuse_fills = 1, .untouched_fills = 1},
    {.at = {.accesses = 1, .hits = 1}},
  };
  assert_memory_equal(b->pcs[7].groups, want, sizeof want);
  bench_free(b);
}

// With a line allocated on its fill, its group is that of the load that missed first.
static void the_first_to_miss_fills(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.allocate = WEIR_ALLOCATE_ON_FILL;
  struct bench *b = bench_new(&p);
  fetch(b, 0, 7, 16);
  assert_int_equal(load_of_transactions(b, line(1), 7, 2), 'm');
  assert_int_equal(load_of_transactions(b, line(1), 8, 32), 'p');
  fetched(b, line(1));
  take_all_ready(b);
  weir_cache_flush(&b->cache, UINT64_MAX);
  static const struct weir_pc_counts two = {.at = {.accesses = 1, .misses = 1}, .fills = 1, .lines = 1},
                                     waited = {.at = {.accesses = 1, .hits_on_miss = 1}},
                                     sixteen = {.at = {.accesses = 1, .misses = 1},
                                                .fills = 1,
                                                .lines = 1,
                                                .zero_reuse_fills = 1,
                                                .untouched_fills = 1};
  assert_memory_equal(&b->pcs[7].groups[1], &two, sizeof two);
  assert_memory_equal(&b->pcs[7].groups[3], &sixteen, sizeof sixteen);
  assert_memory_equal(&b->pcs[8].groups[4], &waited, sizeof waited);
  bench_free(b);
}

// A total is the sum over the groups, counter by counter, and sums of loads are sums of each.
static void totals_are_sums(void **state) {
  (void)state;
  struct weir_pc_stats a, sum;
  uint64_t *words = (uint64_t *)&a;
  for (size_t i = 0; i < sizeof a / sizeof *words; i++) words[i] = i * i;
  struct weir_pc_counts total = weir_pc_total(&a);
  uint64_t misses = 0, latency = 0;
  for (unsigned g = 0; g < WEIR_TRANSACTION_GROUP_COUNT; g++) {
    misses += a.groups[g].at.misses;
    latency += a.groups[g].latency_cycles;
  }
  assert_int_equal(total.at.misses, misses);
  assert_int_equal(total.latency_cycles, latency);
  sum = a;
  weir_pc_stats_add(&sum, &a);
  const size_t counts = offsetof(struct weir_pc_stats, low) / sizeof *words;
  for (size_t i = 0; i < counts; i++) assert_int_equal(((uint64_t *)&sum)[i], 2 * i * i);
}

// Addresses are no counts: a range takes in what it is added to, and one of nothing adds nothing.
static void ranges_take_in(void **state) {
  (void)state;
  struct weir_pc_stats a = {.low = 100, .high = 200}, none = {0};
  const struct weir_pc_stats b = {.low = 50, .high = 120};
  weir_pc_stats_add(&a, &b);
  weir_pc_stats_add(&a, &none);
  assert_int_equal(a.low, 50);
  assert_int_equal(a.high, 200);
  weir_pc_stats_add(&none, &a);
  assert_int_equal(none.low, 50);
  assert_int_equal(none.high, 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_groups_are_the_paper_s),
    cmocka_unit_test(a_line_is_its_fill_s),
    cmocka_unit_test(the_first_to_miss_fills),
    cmocka_unit_test(totals_are_sums),
    cmocka_unit_test(ranges_take_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
