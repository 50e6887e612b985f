// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A cache that uses fewer ways than it has, as a first-level cache beside a carve-out.
#include "mem_test.h"

enum { LINE = 128, SETS = 4, WAY_STRIDE = LINE * SETS }; // lines WAY_STRIDE apart share a set

static struct weir_cache_params of_ways(uint32_t ways, enum weir_allocate allocate, bool shadow) {
  struct weir_cache_params p = small_cache();
  p.ways = ways;
  p.allocate = allocate;
  p.shadow_tags = shadow;
  return p;
}

// Of lines 0, 1, 2, 3 in the four ways of set 0 the last two go; then two ways are a cache of two: 0 1 fit, 2 evicts the least recent
// (0), and 0 misses. With four ways again, what is there stays, and there is room for two more.
static void lines_beyond_are_dropped(void **state) {
  (void)state;
  struct weir_cache_params p = of_ways(4, WEIR_ALLOCATE_ON_MISS, false);
  struct bench *b = bench_new(&p);
  for (uint64_t i = 0; i < 4; i++) assert_int_equal(load_through(b, i * WAY_STRIDE), 'm');
  weir_cache_use_ways(&b->cache, 2, UINT64_MAX);
  assert_int_equal(b->stats.invalidations, 2);
  assert_int_equal(load_through(b, 0 * WAY_STRIDE), 'h');
  assert_int_equal(load_through(b, 1 * WAY_STRIDE), 'h');
  assert_int_equal(load_through(b, 2 * WAY_STRIDE), 'm');
  assert_int_equal(b->stats.evictions, 1);
  assert_int_equal(load_through(b, 1 * WAY_STRIDE), 'h');
  assert_int_equal(load_through(b, 0 * WAY_STRIDE), 'm'); // evicts 2
  weir_cache_use_ways(&b->cache, 4, UINT64_MAX);
  assert_int_equal(load_through(b, 2 * WAY_STRIDE), 'm');
  assert_int_equal(load_through(b, 3 * WAY_STRIDE), 'm');
  for (uint64_t i = 0; i < 4; i++) assert_int_equal(load_through(b, i * WAY_STRIDE), 'h');
  assert_int_equal(b->stats.evictions, 2);
  bench_free(b);
}

// Random loads over 12 lines of each set: what three of eight ways do under LRU is what a cache of three ways does, load for load.
static void as_a_cache_of_so_many_ways(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 4; variant++) {
    const enum weir_allocate allocate = variant & 1 ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS;
    struct weir_cache_params wide = of_ways(8, allocate, variant & 2), narrow = of_ways(3, allocate, variant & 2);
    struct bench *a = bench_new(&wide), *b = bench_new(&narrow);
    struct weir_rng rng = weir_rng_seed(variant, 1);
    weir_cache_use_ways(&a->cache, 3, UINT64_MAX);
    unsigned hits = 0;
    for (unsigned i = 0; i < 2000; i++) {
      const uint64_t address = (weir_rng_below(&rng, 12) * SETS + weir_rng_below(&rng, SETS)) * LINE;
      const char got = load_through(a, address);
      assert_int_equal(got, load_through(b, address));
      hits += got == 'h';
    }
    assert_true(hits > 100 && hits < 1900);
    assert_memory_equal(&a->stats, &b->stats, sizeof a->stats);
    bench_free(a), bench_free(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines_beyond_are_dropped),
                                     cmocka_unit_test(as_a_cache_of_so_many_ways)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
