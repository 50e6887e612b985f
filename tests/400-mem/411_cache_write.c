// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stores and atomics through one cache: write-evict, write-through, write-back with lazy allocation, sectors that are
// dirty but cannot be read, write-backs of victims.
#include "mem_test.h"

enum { LINE = 128, SETS = 4, WAY_STRIDE = LINE * SETS };

// Fermi's first level: a global store drops the line it hits and goes down; a miss leaves no trace.
static void write_evict(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  assert_int_equal(store(b, 8, 4), 'd');
  went_down(b, WEIR_MREQ_STORE, 8, 4);
  assert_int_equal(store(b, 8, 4), 'd'); // now a miss
  went_down(b, WEIR_MREQ_STORE, 8, 4);
  assert_int_equal(b->stats.invalidations, 1);
  assert_int_equal(b->stats.evictions, 0);
  assert_int_equal(b->stats.stores.hits, 1);
  assert_int_equal(b->stats.stores.misses, 1);
  assert_int_equal(b->stats.data_writes, 0);
  assert_int_equal(load_through(b, 0), 'm');
  bench_free(b);
}

// A store to a line in flight misses and changes nothing: its waiting loads are served, the line comes.
static void write_evict_while_in_flight(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(store(b, 8, 4), 'd');
  assert_int_equal(b->stats.stores.misses, 1);
  assert_int_equal(b->stats.invalidations, 0);
  fetched(b, 0);
  went_down(b, WEIR_MREQ_STORE, 8, 4);
  take_all_ready(b);
  assert_int_equal(load(b, 0), 'h');
  bench_free(b);
}

// Even with every way of the set reserved a store passes.
static void a_store_needs_no_way(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  assert_int_equal(store(b, 2 * WAY_STRIDE, 4), 'd');
  fetched(b, 0);
  fetched(b, WAY_STRIDE);
  went_down(b, WEIR_MREQ_STORE, 2 * WAY_STRIDE, 4);
  take_all_ready(b);
  bench_free(b);
}

// Of a sectored line a store drops its sector; the line goes with the last.
static void write_evict_drops_one_sector(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.sector_bytes = 32;
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  load_through(b, 32);
  store(b, 0, 4);
  went_down(b, WEIR_MREQ_STORE, 0, 4);
  assert_int_equal(load(b, 32), 'h');
  store(b, 32, 4);
  went_down(b, WEIR_MREQ_STORE, 32, 4);
  assert_int_equal(counts_by(b, 0).zero_reuse_fills, 0); // sector 1 was hit
  load_through(b, WAY_STRIDE);
  load_through(b, 2 * WAY_STRIDE);
  assert_int_equal(b->stats.evictions, 0); // the line's way was free again
  bench_free(b);
}

// A write-through cache keeps the line, updated; the store is a use of it.
static void write_through(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.write_hit = WEIR_WRITE_THROUGH;
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  load_through(b, WAY_STRIDE);
  assert_int_equal(store(b, 0, 4), 'd');
  went_down(b, WEIR_MREQ_STORE, 0, 4);
  assert_int_equal(b->stats.data_writes, 1);
  assert_int_equal(b->stats.invalidations, 0);
  load_through(b, 2 * WAY_STRIDE); // evicts the least recently used: not line 0
  assert_int_equal(load(b, 0), 'h');
  assert_int_equal(b->stats.writebacks, 0);
  bench_free(b);
}

// A store that hits touches a line of a write-through cache, but reads nothing of it: of lines 0 and 1, neither of which is
// loaded again, only line 1 is untouched.
static void stores_touch(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.write_hit = WEIR_WRITE_THROUGH;
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  load_through(b, p.line_bytes);
  store(b, 0, 4);
  went_down(b, WEIR_MREQ_STORE, 0, 4);
  weir_cache_finish(&b->cache);
  assert_int_equal(counts_by(b, 0).zero_reuse_fills, 2);
  assert_int_equal(counts_by(b, 0).untouched_fills, 1);
  bench_free(b);
}

// Thread-local data may stay, dirty, in a cache whose global stores evict (Fermi).
static void local_stores_stay(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  struct weir_mreq *r = make(b, WEIR_MREQ_STORE, 0, 128, 0);
  r->local = true;
  assert_int_equal(send(b, r), 'w');
  assert_int_equal(load(b, 0), 'h');
  load_through(b, WAY_STRIDE);
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'm');
  fetched(b, 2 * WAY_STRIDE);
  went_down(b, WEIR_MREQ_WRITEBACK, 0, 128);
  take_all_ready(b);
  bench_free(b);
}

static struct weir_cache_params fermi_l2(void) {
  struct weir_cache_params p = small_cache();
  p.sector_bytes = 32;
  p.write_hit = WEIR_WRITE_BACK;
  p.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
  return p;
}

// A whole sector written is there at once, without a fetch; its neighbour is not.
static void lazy_allocation_fetches_nothing(void **state) {
  (void)state;
  struct weir_cache_params p = fermi_l2();
  struct bench *b = bench_new(&p);
  assert_int_equal(store(b, 32, 32), 'w');
  assert_null(b->cache.miss_queue.head);
  assert_int_equal(load(b, 40), 'h');
  assert_int_equal(load_through(b, 0), 'm');
  assert_int_equal(b->stats.stores.misses, 1);
  assert_int_equal(store(b, 32, 4), 'w');
  assert_int_equal(b->stats.stores.hits, 1);
  assert_int_equal(b->stats.data_writes, 2);
  bench_free(b);
}

// A sector written in part is dirty but cannot be read: the read fetches it and merges; then it can, and is still dirty.
static void a_partly_written_sector_is_fetched_when_read(void **state) {
  (void)state;
  struct weir_cache_params p = fermi_l2();
  p.ways = 1;
  struct bench *b = bench_new(&p);
  assert_int_equal(store(b, 4, 4), 'w');
  assert_int_equal(store(b, 8, 4), 'w'); // a hit: it is in the cache
  assert_int_equal(b->stats.stores.hits, 1);
  assert_int_equal(load(b, 4), 'm');
  assert_int_equal(load(b, 4), 'p');
  assert_int_equal(load(b, WAY_STRIDE), 'W'); // reserved meanwhile
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(load(b, 4), 'h');
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  fetched(b, WAY_STRIDE);
  went_down(b, WEIR_MREQ_WRITEBACK, 0, 32);
  take_all_ready(b);
  bench_free(b);
}

// Written whole afterwards, it can be read without a fetch. A store of 32 bytes that leaves some out does not do.
static void whole_and_partial_writes(void **state) {
  (void)state;
  struct weir_cache_params p = fermi_l2();
  struct bench *b = bench_new(&p);
  struct weir_mreq *holes = make(b, WEIR_MREQ_STORE, 0, 32, 0);
  holes->full = 0;
  assert_int_equal(send(b, holes), 'w');
  assert_int_equal(load_through(b, 0), 'm');
  holes = make(b, WEIR_MREQ_STORE, 32, 32, 0);
  holes->full = 0;
  assert_int_equal(send(b, holes), 'w');
  assert_int_equal(store(b, 32, 32), 'w');
  assert_int_equal(load(b, 32), 'h');
  bench_free(b);
}

// A sector of 64 bytes is whole if both of its 32-byte parts are.
static void wider_sectors_are_whole_in_all_parts(void **state) {
  (void)state;
  for (unsigned full = 0; full < 4; full++) {
    struct weir_cache_params p = fermi_l2();
    p.sector_bytes = 64;
    struct bench *b = bench_new(&p);
    struct weir_mreq *r = make(b, WEIR_MREQ_STORE, 64, 64, 0);
    r->full = (uint8_t)full;
    assert_int_equal(send(b, r), 'w');
    assert_int_equal(load_through(b, 64), full == 3 ? 'h' : 'm');
    bench_free(b);
  }
}

// A victim's dirty sectors go down together, clean ones are dropped.
static void a_victim_is_written_back(void **state) {
  (void)state;
  struct weir_cache_params p = fermi_l2();
  p.ways = 1;
  struct bench *b = bench_new(&p);
  store(b, 0, 32);
  store(b, 96, 32);
  load_through(b, 32);
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  fetched(b, WAY_STRIDE);
  went_down(b, WEIR_MREQ_WRITEBACK, 0, 64);
  take_all_ready(b);
  assert_int_equal(b->stats.writebacks, 2);
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'm'); // a clean one
  assert_int_equal(b->stats.writebacks, 2);
  fetched(b, 2 * WAY_STRIDE);
  take_all_ready(b);
  bench_free(b);
}

// A store allocates too: it evicts, waits for a place in the miss queue, and for a way.
static void a_store_that_allocates_may_wait(void **state) {
  (void)state;
  struct weir_cache_params p = fermi_l2();
  p.ways = 1;
  p.miss_queue = 2;
  struct bench *b = bench_new(&p);
  store(b, 0, 32);
  assert_int_equal(store(b, WAY_STRIDE, 32), 'w');
  assert_int_equal(store(b, LINE, 32), 'w');
  assert_int_equal(store(b, 2 * WAY_STRIDE, 32), 'w');
  assert_int_equal(store(b, 3 * WAY_STRIDE, 32), 'Q'); // two write-backs wait
  went_down(b, WEIR_MREQ_WRITEBACK, 0, 32);
  went_down(b, WEIR_MREQ_WRITEBACK, WAY_STRIDE, 32);
  assert_int_equal(load(b, 2 * LINE), 'm');
  struct weir_mreq *fetch = go_down(b);
  assert_int_equal(store(b, 2 * LINE + WAY_STRIDE, 32), 'W');
  weir_cache_fill(&b->cache, fetch, b->now);
  take_all_ready(b);
  assert_int_equal(store(b, 2 * LINE + WAY_STRIDE, 32), 'w');
  bench_free(b);
}

// A store to a sector in flight is taken; the line stays reserved until the fill, which must find it.
static void a_store_into_a_fetch_in_flight(void **state) {
  (void)state;
  for (unsigned bytes = 4; bytes <= 32; bytes += 28) {
    struct weir_cache_params p = fermi_l2();
    p.ways = 1;
    struct bench *b = bench_new(&p);
    assert_int_equal(load(b, 0), 'm');
    assert_int_equal(store(b, 0, bytes), 'w');
    assert_int_equal(load(b, WAY_STRIDE), 'W');
    assert_int_equal(load(b, 0), bytes == 32 ? 'h' : 'p'); // written whole, it needs no fetch
    fetched(b, 0);
    take_all_ready(b);
    assert_int_equal(load(b, 0), 'h');
    assert_int_equal(load(b, WAY_STRIDE), 'm');
    fetched(b, WAY_STRIDE);
    went_down(b, WEIR_MREQ_WRITEBACK, 0, 32);
    take_all_ready(b);
    bench_free(b);
  }
}

// An atomic reads and writes: it fetches as a load does, counts as a store, and leaves its sector dirty.
static void atomics_leave_dirty_lines(void **state) {
  (void)state;
  struct weir_cache_params p = fermi_l2();
  p.ways = 1;
  struct bench *b = bench_new(&p);
  assert_int_equal(atomic(b, 4), 'm');
  assert_int_equal(b->cache.miss_queue.head->kind, WEIR_MREQ_LOAD);
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  fetched(b, WAY_STRIDE);
  went_down(b, WEIR_MREQ_WRITEBACK, 0, 32);
  take_all_ready(b);
  assert_int_equal(atomic(b, WAY_STRIDE + 8), 'h'); // dirty by a hit
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(atomic(b, 0), 'p'); // dirty by a hit-on-miss
  fetched(b, 0);
  went_down(b, WEIR_MREQ_WRITEBACK, WAY_STRIDE, 32);
  take_all_ready(b);
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  fetched(b, WAY_STRIDE);
  went_down(b, WEIR_MREQ_WRITEBACK, 0, 32);
  take_all_ready(b);
  static const struct weir_access_counts stores = {3, 1, 1, 1, 0}, loads = {3, 0, 0, 3, 0};
  assert_memory_equal(&b->stats.stores, &stores, sizeof stores);
  assert_memory_equal(&b->stats.loads, &loads, sizeof loads);
  bench_free(b);
}

// What a store brought is no load's fill.
static void a_store_is_no_load(void **state) {
  (void)state;
  struct weir_cache_params p = fermi_l2();
  p.ways = 1;
  struct bench *b = bench_new(&p);
  store(b, 0, 32);
  store(b, WAY_STRIDE, 32);
  went_down(b, WEIR_MREQ_WRITEBACK, 0, 32);
  weir_cache_finish(&b->cache);
  for (unsigned i = 0; i < BENCH_INSTRUCTIONS; i++) {
    assert_int_equal(counts_by(b, i).fills, 0);
    assert_int_equal(counts_by(b, i).zero_reuse_fills, 0);
  }
  bench_free(b);
}

// A host copy puts sectors in place: no request, no statistics, whatever it displaces.
static void a_host_copy_is_not_traffic(void **state) {
  (void)state;
  struct weir_cache_params p = fermi_l2();
  p.ways = 1;
  struct bench *b = bench_new(&p);
  store(b, 0, 32);
  struct weir_level_stats before = b->stats;
  weir_cache_place(&b->cache, WAY_STRIDE, WAY_STRIDE, 2, b->now);
  assert_memory_equal(&b->stats, &before, sizeof before);
  assert_null(b->cache.miss_queue.head);
  assert_int_equal(load(b, WAY_STRIDE), 'h');
  assert_int_equal(load(b, WAY_STRIDE + 32), 'h');
  assert_false(weir_cache_holds(&b->cache, WAY_STRIDE + 64, WAY_STRIDE + 64));
  store(b, LINE, 4); // cannot be read …
  weir_cache_place(&b->cache, LINE, LINE, 1, b->now);
  assert_int_equal(load(b, LINE), 'h'); // … until the host writes it whole
  bench_free(b);
}

// Lines 0 and 1 are dirty, 2 is clean; 3, dirty too, lies where nobody reads again. One write-back carries the second and the
// fourth sector of line 0, from the second on: of three sectors the first and the third.
static void a_flush_writes_back(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.sector_bytes = 32;
  p.write_hit = WEIR_WRITE_BACK;
  p.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
  p.miss_queue = 2;
  struct bench *b = bench_new(&p);
  load_through(b, 2 * LINE);
  store(b, 32, 32);
  store(b, 96, 4);
  store(b, LINE, 4);
  store(b, 3 * LINE, 4);
  assert_true(weir_cache_flush(&b->cache, 3 * LINE));
  assert_int_equal(b->stats.writebacks, 3);
  assert_int_equal(b->stats.invalidations, 4);
  assert_int_equal(b->cache.miss_queue.head->full, 5);
  went_down(b, WEIR_MREQ_WRITEBACK, 32, 64);
  went_down(b, WEIR_MREQ_WRITEBACK, LINE, 32);
  assert_null(b->cache.miss_queue.head);
  assert_false(weir_cache_flush(&b->cache, 3 * LINE));
  assert_int_equal(load_through(b, LINE), 'm');
  bench_free(b);
}

// So do ways that are given up: line 0 stays in the first, 1 was in the second.
static void ways_given_up_are_written_back(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.write_hit = WEIR_WRITE_BACK;
  p.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
  struct bench *b = bench_new(&p);
  store(b, 0, 4);
  store(b, WAY_STRIDE, 4);
  weir_cache_use_ways(&b->cache, 1, UINT64_MAX);
  went_down(b, WEIR_MREQ_WRITEBACK, WAY_STRIDE, 128);
  assert_null(b->cache.miss_queue.head);
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(write_evict),
    cmocka_unit_test(write_evict_while_in_flight),
    cmocka_unit_test(a_store_needs_no_way),
    cmocka_unit_test(write_evict_drops_one_sector),
    cmocka_unit_test(write_through),
    cmocka_unit_test(stores_touch),
    cmocka_unit_test(local_stores_stay),
    cmocka_unit_test(lazy_allocation_fetches_nothing),
    cmocka_unit_test(a_partly_written_sector_is_fetched_when_read),
    cmocka_unit_test(whole_and_partial_writes),
    cmocka_unit_test(wider_sectors_are_whole_in_all_parts),
    cmocka_unit_test(a_victim_is_written_back),
    cmocka_unit_test(a_flush_writes_back),
    cmocka_unit_test(ways_given_up_are_written_back),
    cmocka_unit_test(a_store_that_allocates_may_wait),
    cmocka_unit_test(a_store_into_a_fetch_in_flight),
    cmocka_unit_test(atomics_leave_dirty_lines),
    cmocka_unit_test(a_store_is_no_load),
    cmocka_unit_test(a_host_copy_is_not_traffic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
