// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads through one cache, step by step: hits, misses, hits on misses, every reason to refuse, allocation on miss and on
// fill, sectors, pieces, per-load counts.
#include "mem_test.h"

enum { LINE = 128, SETS = 4, WAY_STRIDE = LINE * SETS }; // lines WAY_STRIDE apart share a set

static void a_miss_then_hits(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0x1004), 'm');
  struct weir_mreq *fetch = b->cache.miss_queue.head;
  assert_int_equal(fetch->address, 0x1000);
  assert_int_equal(fetch->bytes, 128);
  assert_int_equal(fetch->kind, WEIR_MREQ_LOAD);
  assert_int_equal(take_ready(b), -1);
  fetched(b, 0x1000);
  assert_int_equal(take_ready(b), 0);
  assert_int_equal(load(b, 0x1000), 'h');
  assert_int_equal(load(b, 0x107F), 'h');
  assert_int_equal(load_through(b, 0x1080), 'm');
  assert_int_equal(b->stats.loads.accesses, 4);
  assert_int_equal(b->stats.loads.hits, 2);
  assert_int_equal(b->stats.loads.misses, 2);
  assert_int_equal(b->stats.loads.hits_on_miss, 0);
  assert_int_equal(b->stats.loads.bypasses, 0);
  assert_int_equal(b->stats.stores.accesses, 0);
  assert_int_equal(b->stats.fills, 2);
  assert_int_equal(b->stats.evictions, 0);
  assert_int_equal(b->stats.tag_accesses, 4);
  assert_int_equal(b->stats.data_reads, 2);
  assert_int_equal(b->stats.data_writes, 0);
  bench_free(b);
}

// The oldest waits first; one entry of the MSHRs serves all, and is free when the last has been taken.
static void merged_requests_are_served_in_order(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  assert_int_equal(load_by(b, 0, 5), 'm');
  assert_int_equal(load_by(b, 4, 6), 'p');
  assert_int_equal(load_by(b, 8, 7), 'p');
  assert_int_equal(b->cache.mshrs_used, 1);
  assert_int_equal(b->cache.miss_queue.count, 1);
  fetched(b, 0);
  assert_int_equal(take_ready(b), 5);
  assert_int_equal(take_ready(b), 6);
  assert_int_equal(b->cache.mshrs_used, 1);
  assert_int_equal(load(b, 12), 'h'); // nothing more merges: the line is there
  assert_int_equal(take_ready(b), 7);
  assert_int_equal(b->cache.mshrs_used, 0);
  assert_int_equal(b->stats.loads.hits_on_miss, 2);
  assert_int_equal(b->stats.fills, 1);
  bench_free(b);
}

// Three requests per entry: the miss and two more. A refusal counts nothing but the look-up, and changes nothing.
static void merge_full(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(load(b, 0), 'p');
  assert_int_equal(load(b, 0), 'p');
  for (int i = 0; i < 3; i++) assert_int_equal(load(b, 0), 'G');
  assert_int_equal(b->stats.loads.accesses, 3);
  fetched(b, 0);
  assert_int_equal(load(b, 0), 'h');
  take_all_ready(b);
  bench_free(b);
}

// Requests of two ended fetches leave in the fills' order, each freeing its own entry.
static void entries_are_freed_in_order(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.mshrs = 2;
  struct bench *b = bench_new(&p);
  assert_int_equal(load_by(b, 0, 1), 'm');
  assert_int_equal(load_by(b, LINE, 2), 'm');
  assert_int_equal(load_by(b, LINE, 3), 'p');
  struct weir_mreq *first = go_down(b), *second = go_down(b);
  weir_cache_fill(&b->cache, second, b->now);
  weir_cache_fill(&b->cache, first, b->now);
  static const int tokens[3] = {2, 3, 1};
  static const unsigned used[3] = {2, 1, 0};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(take_ready(b), tokens[i]);
    assert_int_equal(b->cache.mshrs_used, used[i]);
  }
  bench_free(b);
}

static void mshr_full(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.mshrs = 2;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0 * LINE), 'm');
  assert_int_equal(load(b, 1 * LINE), 'm');
  assert_int_equal(load(b, 2 * LINE), 'E');
  assert_int_equal(load(b, 1 * LINE), 'p'); // merging needs no entry
  fetched(b, 0);
  assert_int_equal(load(b, 2 * LINE), 'E'); // its request still waits to leave
  take_all_ready(b);
  assert_int_equal(load(b, 2 * LINE), 'm');
  assert_int_equal(load(b, 3 * LINE), 'E');
  fetched(b, 1 * LINE);
  fetched(b, 2 * LINE);
  take_all_ready(b);
  bench_free(b);
}

// Both ways of the set reserved: a third line waits, another set does not.
static void no_way(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0 * WAY_STRIDE), 'm');
  assert_int_equal(load(b, 1 * WAY_STRIDE), 'm');
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'W');
  assert_int_equal(load(b, LINE), 'm');
  fetched(b, 0);
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'm'); // evicts line 0, the only one not reserved
  assert_int_equal(b->stats.evictions, 1);
  fetched(b, 1 * WAY_STRIDE);
  fetched(b, LINE);
  fetched(b, 2 * WAY_STRIDE);
  take_all_ready(b);
  assert_int_equal(load_through(b, 0), 'm');
  bench_free(b);
}

// Allocated on the fill, nothing is reserved: MSHRs alone bound the misses of a set.
// Whoever holds a refused request may leave it where it is for as long as that says so, and must offer it again as soon as it may
// be taken: until the answer of one of two ways of a set, of one of four registers.
static bool still(struct bench *b, enum weir_mreq_kind kind, uint64_t address, enum weir_stall why) {
  struct weir_mreq *r = make(b, kind, address, 4, 0);
  const bool refused = weir_cache_refuses_still(&b->cache, r, why);
  give_back(b, r);
  return refused;
}

static void a_refusal_stands_until_it_need_not(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  for (uint64_t i = 0; i < 2; i++) assert_int_equal(load(b, i * WAY_STRIDE), 'm');
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'W');
  assert_true(still(b, WEIR_MREQ_LOAD, 2 * WAY_STRIDE, WEIR_STALL_NO_WAY));
  assert_false(still(b, WEIR_MREQ_LOAD, 2 * WAY_STRIDE + LINE, WEIR_STALL_NO_WAY)); // another set has room
  assert_false(still(b, WEIR_MREQ_STORE, 2 * WAY_STRIDE, WEIR_STALL_NO_WAY));       // nothing is known of stores
  assert_false(still(b, WEIR_MREQ_LOAD, 2 * WAY_STRIDE, WEIR_STALL_MERGE_FULL));    // nothing fetches it
  assert_false(still(b, WEIR_MREQ_LOAD, 2 * WAY_STRIDE, WEIR_STALL_MISS_QUEUE));    // nothing is known of other reasons
  fetched(b, 0);
  assert_false(still(b, WEIR_MREQ_LOAD, 2 * WAY_STRIDE, WEIR_STALL_NO_WAY));
  assert_int_equal(take_ready(b), 0);
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'm');
  for (uint64_t i = 1; i < 3; i++) assert_int_equal(load(b, i * LINE), 'm'); // two more registers: all four
  assert_int_equal(load(b, 3 * LINE), 'E');
  assert_true(still(b, WEIR_MREQ_LOAD, 3 * LINE, WEIR_STALL_MSHR_FULL));
  fetched(b, WAY_STRIDE);
  assert_int_equal(take_ready(b), 0);
  assert_false(still(b, WEIR_MREQ_LOAD, 3 * LINE, WEIR_STALL_MSHR_FULL));
  for (int i = 0; i < 2; i++) assert_int_equal(load(b, LINE), 'p'); // with the first, three: as many as may wait
  assert_int_equal(load(b, LINE), 'G');
  assert_true(still(b, WEIR_MREQ_LOAD, LINE, WEIR_STALL_MERGE_FULL));
  assert_false(still(b, WEIR_MREQ_LOAD, 2 * LINE, WEIR_STALL_MERGE_FULL)); // for which one waits
  fetched(b, 2 * WAY_STRIDE);
  assert_true(still(b, WEIR_MREQ_LOAD, LINE, WEIR_STALL_MERGE_FULL));
  fetched(b, LINE);
  assert_false(still(b, WEIR_MREQ_LOAD, LINE, WEIR_STALL_MERGE_FULL));
  fetched(b, 2 * LINE);
  for (uint64_t i = 0; i < 5; i++) assert_int_equal(take_ready(b), 0);
  bench_free(b);
}

// With less room than two in the miss queue, what it is refused for next is that: it must be offered again.
static void a_refusal_ends_where_the_reason_changes(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.miss_queue = 5;
  struct bench *b = bench_new(&p);
  for (uint64_t i = 0; i < 4; i++) assert_int_equal(load(b, i * LINE), 'm');
  assert_false(still(b, WEIR_MREQ_LOAD, 4 * LINE, WEIR_STALL_MSHR_FULL)); // four wait: there is room for one
  assert_int_equal(load(b, 4 * LINE), 'Q');
  struct weir_mreq *first = go_down(b);
  assert_int_equal(load(b, 4 * LINE), 'E');
  assert_true(still(b, WEIR_MREQ_LOAD, 4 * LINE, WEIR_STALL_MSHR_FULL));
  first->is_reply = true;
  weir_cache_fill(&b->cache, first, b->now++);
  for (uint64_t i = 1; i < 4; i++) fetched(b, i * LINE);
  for (uint64_t i = 0; i < 4; i++) assert_int_equal(take_ready(b), 0);
  bench_free(b);
}

static void on_fill_reserves_nothing(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.allocate = WEIR_ALLOCATE_ON_FILL;
  struct bench *b = bench_new(&p);
  for (unsigned i = 0; i < 4; i++) assert_int_equal(load(b, i * WAY_STRIDE), 'm');
  assert_int_equal(load(b, 4 * WAY_STRIDE), 'E');
  for (unsigned i = 0; i < 4; i++) fetched(b, i * WAY_STRIDE);
  take_all_ready(b);
  assert_int_equal(b->stats.evictions, 2);
  assert_int_equal(load(b, 3 * WAY_STRIDE), 'h');
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'h');
  assert_int_equal(load_through(b, 0), 'm');
  bench_free(b);
}

// What is in the cache stays usable while an on-fill cache waits for the line that will replace it; allocated on the
// miss, the victim is gone at once.
static void the_victim_lives_until_the_fill(void **state) {
  (void)state;
  for (int on_fill = 0; on_fill < 2; on_fill++) {
    struct weir_cache_params p = small_cache();
    p.allocate = on_fill ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS;
    struct bench *b = bench_new(&p);
    load_through(b, 0);
    load_through(b, WAY_STRIDE);
    assert_int_equal(load(b, 2 * WAY_STRIDE), 'm');
    assert_int_equal(load(b, 0), on_fill ? 'h' : 'm');
    fetched(b, 2 * WAY_STRIDE);
    if (!on_fill) fetched(b, 0);
    take_all_ready(b);
    bench_free(b);
  }
}

// A miss needs two free places of the miss queue (the fetch, and a write-back it may cause), a hit-on-miss the same.
static void miss_queue_full(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.miss_queue = 3;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0 * LINE), 'm');
  assert_int_equal(load(b, 1 * LINE), 'm');
  assert_int_equal(load(b, 2 * LINE), 'Q');
  assert_int_equal(load(b, 0 * LINE), 'Q');
  assert_int_equal(store(b, 3 * LINE, 4), 'd'); // a store needs one
  assert_int_equal(store(b, 3 * LINE, 4), 'Q');
  fetched(b, 0);
  fetched(b, LINE);
  went_down(b, WEIR_MREQ_STORE, 3 * LINE, 4);
  assert_int_equal(load(b, 2 * LINE), 'm');
  fetched(b, 2 * LINE);
  take_all_ready(b);
  assert_int_equal(b->stats.loads.accesses, 3);
  bench_free(b);
}

// Where nothing is ever written back, one place is enough.
static void read_only_needs_one_place(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.miss_queue = 1;
  p.read_only = true;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(load(b, LINE), 'Q');
  fetched(b, 0);
  assert_int_equal(load(b, LINE), 'm');
  fetched(b, LINE);
  take_all_ready(b);
  bench_free(b);
}

// The reasons in their order: way, then miss queue, then MSHR (GPGPU-Sim probes the tags first).
static void refusals_in_order(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.miss_queue = 3;
  p.mshrs = 2;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'W');
  assert_int_equal(load(b, LINE), 'Q');
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(load(b, LINE), 'm');
  struct weir_mreq *one = go_down(b), *two = go_down(b);
  assert_int_equal(load(b, 2 * LINE), 'E');
  weir_cache_fill(&b->cache, one, b->now);
  weir_cache_fill(&b->cache, two, b->now);
  take_all_ready(b);
  bench_free(b);
}

// Four sectors of 32 bytes: each is fetched by itself into one line.
static void sectors_are_fetched_by_themselves(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.sector_bytes = 32;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0x24), 'm');
  assert_int_equal(b->cache.miss_queue.head->address, 0x20);
  assert_int_equal(b->cache.miss_queue.head->bytes, 32);
  assert_int_equal(load(b, 0x44), 'm');
  assert_int_equal(load(b, 0x3C), 'p');
  fetched(b, 0x20);
  take_all_ready(b);
  assert_int_equal(load(b, 0x20), 'h');
  assert_int_equal(load(b, 0x40), 'p');
  fetched(b, 0x40);
  take_all_ready(b);
  assert_int_equal(load_through(b, 0x60), 'm');
  assert_int_equal(load_through(b, 0x00), 'm');
  for (uint64_t a = 0; a < 128; a += 4) assert_int_equal(load(b, a), 'h');
  assert_int_equal(b->stats.fills, 4);
  assert_int_equal(b->stats.evictions, 0);
  // The line is one: a second way, then the victim with all of its sectors.
  load_through(b, WAY_STRIDE);
  load_through(b, 2 * WAY_STRIDE);
  assert_int_equal(b->stats.evictions, 1);
  assert_int_equal(load_through(b, 0x20), 'm');
  bench_free(b);
}

// A line with one sector in flight is reserved whole.
static void one_sector_in_flight_reserves_the_line(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.sector_bytes = 32;
  p.ways = 1;
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  assert_int_equal(load(b, 0x20), 'm');
  assert_int_equal(load(b, WAY_STRIDE), 'W');
  assert_int_equal(load(b, 0), 'h');
  fetched(b, 0x20);
  take_all_ready(b);
  assert_int_equal(load_through(b, WAY_STRIDE), 'm');
  bench_free(b);
}

// A fetch answered in four pieces ends with the fourth.
static void a_fetch_ends_with_its_last_piece(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.fetch_pieces = 4;
  struct bench *b = bench_new(&p);
  assert_int_equal(load_by(b, 0, 9), 'm');
  struct weir_mreq *fetch = go_down(b);
  for (int i = 0; i < 3; i++) {
    struct weir_mreq *piece = weir_mreq_new(&b->pool);
    piece->mshr = fetch->mshr;
    weir_cache_fill(&b->cache, piece, b->now);
    assert_int_equal(take_ready(b), -1);
    assert_int_equal(load_by(b, 0, 9), i < 2 ? 'p' : 'G');
  }
  weir_cache_fill(&b->cache, fetch, b->now);
  take_all_ready(b);
  assert_int_equal(load(b, 0), 'h');
  bench_free(b);
}

// The fill goes to the load that missed; its end without a hit too, by eviction, invalidation or the end of the run. A
// hit-on-miss is a use of the line. Nothing stores, so that no line is touched by a store alone.
static void fills_per_load(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.ways = 1;
  struct bench *b = bench_new(&p);
  assert_int_equal(load_by(b, 0, 1), 'm');
  assert_int_equal(load_by(b, 0, 2), 'p');
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(load_by(b, WAY_STRIDE, 3), 'm'); // evicts a line that was reused
  fetched(b, WAY_STRIDE);
  take_all_ready(b);
  assert_int_equal(load_by(b, 0, 4), 'm'); // evicts one that was not
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(load_by(b, 0, 3), 'h');
  assert_int_equal(load_by(b, LINE, 5), 'm');
  fetched(b, LINE);
  take_all_ready(b);
  weir_cache_finish(&b->cache);
  static const struct weir_pc_counts want[6] = {
    [1] = {.at = {.accesses = 1, .misses = 1}, .fills = 1, .lines = 1},
    [2] = {.at = {.accesses = 1, .hits_on_miss = 1}},
    [3] = {.at = {.accesses = 2, .misses = 1, .hits = 1},
           .fills = 1,
           .lines = 1,
           .zero_reuse_fills = 1,
           .untouched_fills = 1},
    [4] = {.at = {.accesses = 1, .misses = 1}, .fills = 1, .lines = 1},
    [5] = {.at = {.accesses = 1, .misses = 1}, .fills = 1, .lines = 1, .zero_reuse_fills = 1, .untouched_fills = 1},
  };
  for (unsigned i = 0; i < 6; i++) {
    struct weir_pc_counts n = counts_by(b, i);
    assert_memory_equal(&n, &want[i], sizeof want[i]);
  }
  assert_int_equal(b->stats.evictions, 2);
  assert_int_equal(b->stats.zero_reuse_evictions, 1);
  bench_free(b);
}

// Allocated on the fill, a line for which others waited has been reused; one for which nobody did has not.
static void merged_requests_reuse_the_line(void **state) {
  (void)state;
  for (int merged = 0; merged < 2; merged++) {
    struct weir_cache_params p = small_cache();
    p.allocate = WEIR_ALLOCATE_ON_FILL;
    p.ways = 1;
    struct bench *b = bench_new(&p);
    load(b, 0);
    if (merged) load(b, 0);
    fetched(b, 0);
    take_all_ready(b);
    load_through(b, WAY_STRIDE);
    assert_int_equal(b->stats.zero_reuse_evictions, !merged);
    bench_free(b);
  }
}

static void a_flush_drops_every_line(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  for (uint64_t i = 0; i < 8; i++) load_through(b, i * LINE);
  weir_cache_flush(&b->cache, UINT64_MAX);
  assert_int_equal(b->stats.invalidations, 8);
  assert_int_equal(b->stats.evictions, 0);
  assert_int_equal(counts_by(b, 0).zero_reuse_fills, 8);
  for (uint64_t i = 0; i < 8; i++) assert_int_equal(load_through(b, i * LINE), 'm');
  assert_int_equal(b->stats.evictions, 0);
  bench_free(b);
}

// The set comes from `place`, the tag from the address.
static void the_place_chooses_the_set(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  p.ways = 1;
  struct bench *b = bench_new(&p);
  for (unsigned i = 0; i < 3; i++) {
    struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, 0x10008 + i * WAY_STRIDE, 4, 0); // same set by address …
    r->place = i * LINE + 8;                                                       // … another each by place
    assert_int_equal(send(b, r), 'm');
    assert_int_equal(b->cache.miss_queue.head->place, i * LINE); // of the line's first byte
    fetched(b, 0x10000 + i * WAY_STRIDE);
  }
  take_all_ready(b);
  assert_int_equal(b->stats.evictions, 0);
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_miss_then_hits),
    cmocka_unit_test(merged_requests_are_served_in_order),
    cmocka_unit_test(merge_full),
    cmocka_unit_test(entries_are_freed_in_order),
    cmocka_unit_test(mshr_full),
    cmocka_unit_test(no_way),
    cmocka_unit_test(a_refusal_stands_until_it_need_not),
    cmocka_unit_test(a_refusal_ends_where_the_reason_changes),
    cmocka_unit_test(on_fill_reserves_nothing),
    cmocka_unit_test(the_victim_lives_until_the_fill),
    cmocka_unit_test(miss_queue_full),
    cmocka_unit_test(read_only_needs_one_place),
    cmocka_unit_test(refusals_in_order),
    cmocka_unit_test(sectors_are_fetched_by_themselves),
    cmocka_unit_test(one_sector_in_flight_reserves_the_line),
    cmocka_unit_test(a_fetch_ends_with_its_last_piece),
    cmocka_unit_test(fills_per_load),
    cmocka_unit_test(merged_requests_reuse_the_line),
    cmocka_unit_test(a_flush_drops_every_line),
    cmocka_unit_test(the_place_chooses_the_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
