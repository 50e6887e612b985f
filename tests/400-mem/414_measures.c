// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What only measures: the census of lines against counting, the shadow tags against the same cache without bypass.
#include "mem_test.h"

#include "mem/census.h"

enum { LINES = 60000 };

static void the_census_counts(void **state) {
  (void)state;
  uint8_t *seen = calloc(LINES, 1);
  struct weir_census *c = weir_census_create();
  struct weir_rng rng = weir_rng_seed(5, 0);
  uint64_t distinct = 0, once = 0;
  for (int i = 0; i < LINES; i++) {
    uint64_t line = weir_rng_below(&rng, LINES);
    weir_census_count(c, line);
    distinct += seen[line] == 0;
    once += seen[line] == 0;
    once -= seen[line] == 1;
    if (seen[line] < 2) seen[line]++;
    if (i % 1000) continue;
    assert_int_equal(weir_census_distinct(c), distinct);
    assert_int_equal(weir_census_once(c), once);
  }
  assert_int_equal(weir_census_distinct(c), distinct);
  assert_int_equal(weir_census_once(c), once);
  weir_census_free(c);
  free(seen);
}

// Line 0 and lines far apart are lines like any other.
static void the_census_takes_any_line(void **state) {
  (void)state;
  struct weir_census *c = weir_census_create();
  for (unsigned i = 0; i < 50; i++) weir_census_count(c, UINT64_C(1) << i);
  weir_census_count(c, 0);
  assert_int_equal(weir_census_distinct(c), 51);
  assert_int_equal(weir_census_once(c), 51);
  weir_census_count(c, 0);
  assert_int_equal(weir_census_distinct(c), 51);
  assert_int_equal(weir_census_once(c), 50);
  weir_census_free(c);
}

static void a_cache_counts_each_access_it_takes_once(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.mshrs = 1;
  struct bench *b = bench_new(&p);
  b->cache.census = weir_census_create();
  assert_int_equal(load(b, 0), 'm');
  for (int i = 0; i < 3; i++) assert_int_equal(load(b, 128), 'E'); // refused: not asked for yet
  assert_int_equal(weir_census_distinct(b->cache.census), 1);
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(store(b, 256, 4), 'd');
  went_down(b, WEIR_MREQ_STORE, 256, 4);
  assert_int_equal(load(b, 64), 'h');
  assert_int_equal(weir_census_distinct(b->cache.census), 2);
  assert_int_equal(weir_census_once(b->cache.census), 1);
  weir_census_free(b->cache.census);
  bench_free(b);
}

// ---- shadow tags --------------------------------------------------------------------------------------------------------

static struct weir_cache_params bypassing(double probability) {
  struct weir_cache_params p = small_cache();
  p.shadow_tags = true;
  weir_policy_defaults(&p.companions[0], weir_policy_find(WEIR_POLICY_BYPASS, "random"));
  p.companions[0].knobs[0] = probability;
  p.companion_count = 1;
  return p;
}

// Serves every fetch, drops what else went down.
static void drain_one(struct bench *b) {
  for (struct weir_mreq *r; (r = go_down(b));)
    if (weir_cache_waits_for(&b->cache, r))
      weir_cache_fill(&b->cache, r, b->now++);
    else if (r->kind == WEIR_MREQ_WRITEBACK)
      weir_mreq_release(&b->pool, r);
    else
      give_back(b, r);
  take_all_ready(b);
}

static void drain_both(struct bench *b, struct bench *reference) {
  drain_one(b);
  drain_one(reference);
}

// What the shadow hits of bypassed loads is what the same cache without bypass hits of them, stores included: write-evict,
// write-through, and write-back with allocation.
static void the_shadow_is_the_cache_without_bypass(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    struct weir_cache_params p = bypassing(0.5), plain = small_cache();
    p.write_hit = plain.write_hit = (enum weir_write_hit)kind;
    if (p.write_hit == WEIR_WRITE_BACK) p.write_miss = plain.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
    struct bench *b = bench_new(&p), *reference = bench_new(&plain);
    struct weir_rng rng = weir_rng_seed(9, 0);
    uint64_t hits = 0;
    for (int i = 0; i < 4000; i++) {
      uint64_t address = weir_rng_below(&rng, 14) * 128, bypasses = b->stats.loads.bypasses;
      load(b, address);
      bool hit = load(reference, address) == 'h';
      if (b->stats.loads.bypasses > bypasses) hits += hit;
      drain_both(b, reference);
      address = weir_rng_below(&rng, 14) * 128;
      if (!weir_rng_below(&rng, 10)) store(b, address, 128), store(reference, address, 128);
      drain_both(b, reference);
    }
    assert_int_equal(b->stats.shadow_bypass_hits, hits);
    assert_true(hits > 100);
    bench_free(b);
    bench_free(reference);
  }
}

// By hand, two ways, all bypassed: a b a c b. The second a hits the shadow and is a line asked for again; c replaces b,
// so that the last b hits nothing.
static void bypassed_lines_asked_for_again(void **state) {
  (void)state;
  struct weir_cache_params p = bypassing(1);
  p.sets = 1;
  struct bench *b = bench_new(&p);
  static const unsigned trace[5] = {1, 2, 1, 3, 2};
  for (int i = 0; i < 5; i++) load_through(b, trace[i] * 128);
  assert_int_equal(b->stats.shadow_bypass_hits, 1);
  assert_int_equal(b->stats.bypassed_rereferences, 1);
  assert_int_equal(b->stats.fills, 0);
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_census_counts),
    cmocka_unit_test(the_census_takes_any_line),
    cmocka_unit_test(a_cache_counts_each_access_it_takes_once),
    cmocka_unit_test(the_shadow_is_the_cache_without_bypass),
    cmocka_unit_test(bypassed_lines_asked_for_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
