// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stores of parts of sectors that wait for others to the same sector: what joins, when it leaves, in which order.
#include "mem_test.h"

#include "mem/combine.h"

enum { SECTOR = 32, WAIT = 10 };

static struct bench *open_combining(uint32_t stores) {
  struct weir_cache_params p = small_cache();
  p.sector_bytes = SECTOR;
  p.allocate = WEIR_ALLOCATE_ON_FILL;
  p.write_hit = WEIR_WRITE_THROUGH;
  p.combine_cycles = WAIT;
  p.combine_stores = stores;
  return bench_new(&p);
}

static char write_bytes(struct bench *b, uint64_t sector, uint32_t used) {
  struct weir_mreq *r = make(b, WEIR_MREQ_STORE, sector, SECTOR, 0);
  r->full = used == UINT32_MAX;
  r->used = used;
  return send(b, r);
}

// The next store that goes down is of that sector, and writes those bytes.
static void leaves(struct bench *b, uint64_t sector, uint32_t used) {
  struct weir_mreq *r = go_down(b);
  assert_non_null(r);
  assert_int_equal(r->address, sector);
  assert_int_equal(r->used, used);
  assert_int_equal(r->full, used == UINT32_MAX);
  give_back(b, r);
}

// One that waits leaves ten cycles after it came, not nine; one that joined meanwhile goes with it, and was given back when it joined.
static void two_go_as_one(void **state) {
  (void)state;
  struct bench *b = open_combining(8);
  const weir_cycle came = b->now;
  assert_int_equal(write_bytes(b, 64, 0xF), 'd');
  assert_int_equal(write_bytes(b, 96, 0xF0), 'd'); // another sector of the line
  assert_int_equal(write_bytes(b, 64, 0xF00), 'w');
  weir_combine_release(&b->cache, came + WAIT - 1, false);
  assert_null(go_down(b));
  weir_combine_release(&b->cache, came + WAIT, false);
  leaves(b, 64, 0xF0F);
  assert_null(go_down(b));
  weir_combine_release(&b->cache, came + WAIT + 1, false);
  leaves(b, 96, 0xF0);
  assert_int_equal(write_bytes(b, 64, 0xF), 'd'); // nothing waits any more
  weir_combine_release(&b->cache, b->now, true);
  leaves(b, 64, 0xF);
  assert_int_equal(b->stats.combined_stores, 1);
  assert_int_equal(b->stats.stores.accesses, 4);
  bench_free(b);
}

// What is whole, or whose bytes are not known, waits for nothing; what becomes whole leaves at once, before older ones.
static void what_is_whole_leaves(void **state) {
  (void)state;
  struct bench *b = open_combining(8);
  assert_int_equal(write_bytes(b, 0, UINT32_MAX), 'd');
  leaves(b, 0, UINT32_MAX);
  assert_int_equal(write_bytes(b, 0, 0), 'd');
  leaves(b, 0, 0);
  assert_int_equal(write_bytes(b, 0, 0xFF), 'd');
  assert_int_equal(write_bytes(b, 32, 0xFFFF), 'd');
  assert_int_equal(write_bytes(b, 32, 0xFFFF0000), 'w');
  leaves(b, 32, UINT32_MAX);
  assert_null(go_down(b));
  assert_int_equal(write_bytes(b, 0, UINT32_MAX), 'w'); // over what waits
  leaves(b, 0, UINT32_MAX);
  assert_int_equal(b->cache.combining.count, 0);
  bench_free(b);
}

// Of two places the third store takes the oldest's; a full miss queue keeps what is due.
static void the_oldest_makes_room(void **state) {
  (void)state;
  struct bench *b = open_combining(2);
  for (uint64_t i = 0; i < 3; i++) assert_int_equal(write_bytes(b, i * SECTOR, 1), 'd');
  leaves(b, 0, 1);
  assert_null(go_down(b));
  b->cache.miss_queue.capacity = 1;
  weir_combine_release(&b->cache, b->now + 100, false);
  leaves(b, 32, 1);
  assert_null(go_down(b));
  weir_combine_release(&b->cache, b->now + 100, false);
  leaves(b, 64, 1);
  bench_free(b);
}

// A load that misses goes down behind what was stored to its sector; others wait on.
static void a_read_goes_behind(void **state) {
  (void)state;
  struct bench *b = open_combining(8);
  assert_int_equal(write_bytes(b, 32, 1), 'd');
  assert_int_equal(write_bytes(b, 0, 1), 'd');
  assert_int_equal(load(b, 0), 'm');
  leaves(b, 0, 1);
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(b->cache.combining.count, 1);
  weir_combine_release(&b->cache, b->now, true);
  leaves(b, 32, 1);
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_go_as_one),
    cmocka_unit_test(what_is_whole_leaves),
    cmocka_unit_test(the_oldest_makes_room),
    cmocka_unit_test(a_read_goes_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
