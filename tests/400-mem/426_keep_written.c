// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A first level whose stores go on and leave the bytes that they wrote: what hits, what is fetched, what every store still does.
#include "mem_test.h"

enum { LINE = 128, SECTOR = 32, SETS = 4, WAY_STRIDE = LINE * SETS };

static struct bench *open_keeping(enum weir_allocate allocate) {
  struct weir_cache_params p = small_cache();
  p.sector_bytes = SECTOR;
  p.allocate = allocate;
  p.write_hit = WEIR_WRITE_THROUGH;
  p.write_miss = WEIR_WRITE_KEEP_WRITTEN;
  p.effects[WEIR_HINT_CG] = WEIR_EFFECT_OF_HINT_PAST_FIRST;
  p.effects[WEIR_HINT_NO_ALLOCATE] = WEIR_EFFECT_OF_HINT_NO_ALLOCATE;
  return bench_new(&p);
}

// Words [first, last] of a sector, of which the request is about those bytes.
static uint32_t words(unsigned first, unsigned last) {
  return (uint32_t)(weir_mask(4 * (last - first + 1)) << 4 * first);
}

static char write_words(struct bench *b, uint64_t sector, uint32_t used, enum weir_cache_hint hint) {
  struct weir_mreq *r = make(b, WEIR_MREQ_STORE, sector, SECTOR, 0);
  r->full = used == UINT32_MAX;
  r->used = used;
  r->l1_hint = hint & 63u;
  const char c = send(b, r);
  if (c == 'd') went_down(b, WEIR_MREQ_STORE, sector, SECTOR);
  return c;
}

static char read_words(struct bench *b, uint64_t sector, uint32_t used) {
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, sector, SECTOR, 0);
  r->used = used;
  return send(b, r);
}

// A word is stored to an empty cache: it goes down, and a load of it hits. A load of its neighbour does not, nor one that does not say what
// it reads; the sector is fetched, and then all of it is there.
static void what_was_written_hits(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct bench *b = open_keeping(i ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS);
    assert_int_equal(write_words(b, 64, words(2, 2), WEIR_HINT_NONE), 'd');
    assert_int_equal(read_words(b, 64, words(2, 2)), 'h');
    assert_int_equal(read_words(b, 96, words(2, 2)), 'm'); // another sector of the line
    fetched(b, 96);
    take_all_ready(b);
    assert_int_equal(read_words(b, 64, words(2, 3)), 'm');
    fetched(b, 64);
    take_all_ready(b);
    assert_int_equal(read_words(b, 64, 0), 'h');
    assert_int_equal(read_words(b, 64, words(0, 7)), 'h');
    assert_int_equal(b->stats.stores.misses, 1);
    assert_int_equal(b->stats.stores.bypasses, 0);
    assert_int_equal(b->stats.data_writes, 1);
    assert_int_equal(b->stats.fills, 3);
    assert_int_equal(b->stats.writebacks, 0);
    bench_free(b);
  }
}

// Stores to parts of a sector add up; with the last one a load that does not say what it reads hits.
static void parts_add_up(void **state) {
  (void)state;
  struct bench *b = open_keeping(WEIR_ALLOCATE_ON_FILL);
  assert_int_equal(write_words(b, 0, words(0, 2), WEIR_HINT_NONE), 'd');
  assert_int_equal(write_words(b, 0, words(5, 7), WEIR_HINT_NONE), 'd');
  assert_int_equal(read_words(b, 0, words(0, 2) | words(5, 6)), 'h');
  assert_int_equal(write_words(b, 0, words(3, 4), WEIR_HINT_NONE), 'd');
  assert_int_equal(read_words(b, 0, 0), 'h');
  assert_int_equal(b->stats.stores.hits, 2);
  assert_int_equal(write_words(b, 32, UINT32_MAX, WEIR_HINT_NONE), 'd'); // all at once
  assert_int_equal(read_words(b, 32, 0), 'h');
  bench_free(b);
}

// What a store leaves takes a way as what is fetched does, and does not outlive it: 0 and 512 and 1024 share a set of two ways.
static void it_takes_a_way(void **state) {
  (void)state;
  struct bench *b = open_keeping(WEIR_ALLOCATE_ON_FILL);
  assert_int_equal(write_words(b, 0, words(0, 0), WEIR_HINT_NONE), 'd');
  assert_int_equal(write_words(b, WAY_STRIDE, words(0, 0), WEIR_HINT_NONE), 'd');
  assert_int_equal(write_words(b, 2 * WAY_STRIDE, words(1, 1), WEIR_HINT_NONE), 'd');
  assert_int_equal(b->stats.evictions, 1);
  assert_int_equal(read_words(b, WAY_STRIDE, words(0, 0)), 'h');
  assert_int_equal(write_words(b, 0, words(1, 1), WEIR_HINT_NONE), 'd'); // in the place of 1024
  assert_int_equal(read_words(b, 0, words(0, 0)), 'm');                  // of which nothing is left
  fetched(b, 0);
  take_all_ready(b);
  bench_free(b);
}

// Nothing is left where every way is being filled, where the bytes are not known, and where a hint says so.
static void it_does_not_insist(void **state) {
  (void)state;
  struct bench *b = open_keeping(WEIR_ALLOCATE_ON_MISS);
  assert_int_equal(read_words(b, 0, 0), 'm');
  assert_int_equal(read_words(b, WAY_STRIDE, 0), 'm');
  struct weir_mreq *r = make(b, WEIR_MREQ_STORE, 2 * WAY_STRIDE, SECTOR, 0);
  r->full = 1;
  assert_int_equal(send(b, r), 'd');
  fetched(b, 0), fetched(b, WAY_STRIDE);
  went_down(b, WEIR_MREQ_STORE, 2 * WAY_STRIDE, SECTOR);
  take_all_ready(b);
  assert_int_equal(write_words(b, 128, 0, WEIR_HINT_NONE), 'd');
  assert_int_equal(write_words(b, 128, words(0, 0), WEIR_HINT_CG), 'd');
  assert_int_equal(write_words(b, 128, words(0, 0), WEIR_HINT_NO_ALLOCATE), 'd');
  assert_false(weir_cache_holds(&b->cache, 128, 128));
  assert_int_equal(b->stats.stores.bypasses, 4);
  assert_int_equal(b->stats.fills, 2);
  bench_free(b);
}

// A sector that is on its way is written: the bytes are there at once, and the rest when it comes.
static void written_while_it_comes(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct bench *b = open_keeping(i ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS);
    assert_int_equal(read_words(b, 0, words(0, 0)), 'm');
    struct weir_mreq *fetch = go_down(b);
    assert_int_equal(write_words(b, 0, words(4, 4), WEIR_HINT_NONE), 'd');
    assert_int_equal(read_words(b, 0, words(4, 4)), 'h');
    assert_int_equal(read_words(b, 0, words(3, 4)), 'p');
    fetch->is_reply = true;
    weir_cache_fill(&b->cache, fetch, b->now++);
    take_all_ready(b);
    assert_int_equal(read_words(b, 0, 0), 'h');
    assert_int_equal(b->cache.mshrs_used, 0);
    bench_free(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_written_hits), cmocka_unit_test(parts_add_up),           cmocka_unit_test(it_takes_a_way),
    cmocka_unit_test(it_does_not_insist),    cmocka_unit_test(written_while_it_comes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
