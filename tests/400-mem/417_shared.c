// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The hooks of policies of shared caches: each access seen once, victims that are kept, stores that are forwarded, requesters of lines
// and of what waits for them. By policies that do what the test tells them.
#include "mem_test.h"

enum { LINE = 128, SETS = 4, WAY_STRIDE = LINE * SETS };

// What the policies below answer, and what they were told: the test's hands, as policies keep no variables of their own.
static struct {
  bool miss, keep, store_miss, reply;
  unsigned looks, keeps, store_misses, inserts, replies;
  uint32_t look_way, keep_way;
  uint8_t look_kind, requester, l1_hint, l2_hint;
  bool shared;
} hand;

static void on_look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)c;
  hand.looks++;
  hand.look_way = way;
  hand.look_kind = a->kind;
  hand.requester = a->requester;
  hand.l1_hint = a->l1_hint;
  hand.l2_hint = a->l2_hint;
}

static bool on_miss(struct weir_cache_view *c, struct weir_access *a) {
  (void)c, (void)a;
  return hand.miss;
}

static bool on_keep(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)c, (void)a;
  hand.keeps++;
  hand.keep_way = way;
  return hand.keep;
}

static bool on_store_miss(struct weir_cache_view *c, struct weir_access *a) {
  (void)c, (void)a;
  hand.store_misses++;
  return hand.store_miss;
}

static void on_insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)c, (void)a, (void)way;
  hand.inserts++;
}

static bool on_reply(struct weir_cache_view *c, struct weir_access *a, bool merged) {
  (void)c, (void)merged;
  hand.replies++;
  hand.shared = a->shared_reply;
  return hand.reply;
}

static uint64_t no_cost(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static const struct weir_policy puppet = {.abi = WEIR_POLICY_ABI,
                                          .kind = WEIR_POLICY_BYPASS,
                                          .name = "puppet",
                                          .summary = "does as it is told",
                                          .citation = "none",
                                          .cost_bits = no_cost,
                                          .look = on_look,
                                          .miss = on_miss,
                                          .keep = on_keep,
                                          .insert = on_insert,
                                          .store_miss = on_store_miss,
                                          .reply = on_reply};

// Four sets of two ways; stores stay, and are given lines. Three requesters.
static struct weir_cache_params params(void) {
  struct weir_cache_params p = small_cache();
  memset(&hand, 0, sizeof hand);
  assert_null(weir_policy_flaw(&puppet));
  p.write_hit = WEIR_WRITE_BACK;
  p.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
  p.requesters = 3;
  weir_policy_defaults(&p.companions[0], &puppet);
  p.companion_count = 1;
  return p;
}

static void policies_learn_of_requesters_and_hints(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  assert_int_equal(b->cache.companions[0].view.requesters, 3);
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, 0, 4, 0);
  r->requester = 2;
  r->l1_hint = WEIR_HINT_CS;
  r->l2_hint = WEIR_HINT_EVICT_LAST;
  assert_int_equal(send(b, r), 'm');
  assert_int_equal(hand.requester, 2);
  assert_int_equal(hand.l1_hint, WEIR_HINT_CS);
  assert_int_equal(hand.l2_hint, WEIR_HINT_EVICT_LAST);
  fetched(b, 0);
  take_all_ready(b);
  bench_free(b);
  p.requesters = 0; // a cache of a GPU alone
  b = bench_new(&p);
  assert_int_equal(b->cache.replace.view.requesters, 1);
  bench_free(b);
}

// Misses, hits on misses, hits, stores, atomics and write-backs; and once only, though refused.
static void every_access_is_seen_once(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  p.mshrs = 1;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(hand.look_way, WEIR_NO_WAY);
  assert_int_equal(load(b, 4), 'p');
  assert_int_equal(hand.look_way, 0); // its line will be there
  assert_int_equal(hand.looks, 2);
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, LINE, 4, 0);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(offer(b, r), 'E');
  assert_int_equal(hand.looks, 3);
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(offer(b, r), 'm');
  assert_int_equal(hand.looks, 3);
  fetched(b, LINE);
  take_all_ready(b);
  assert_int_equal(load(b, 0), 'h');
  assert_int_equal(hand.looks, 4);
  assert_int_equal(store(b, 0, 4), 'w');
  assert_int_equal(hand.look_kind, WEIR_ACCESS_STORE);
  assert_int_equal(atomic(b, LINE), 'h');
  assert_int_equal(hand.look_kind, WEIR_ACCESS_ATOMIC);
  struct weir_mreq *w = make(b, WEIR_MREQ_WRITEBACK, 0, LINE, 0);
  assert_int_equal(send(b, w), 'w');
  assert_int_equal(hand.look_kind, WEIR_ACCESS_WRITEBACK);
  assert_int_equal(hand.looks, 7);
  bench_free(b);
}

static void fill_set(struct bench *b) {
  load_through(b, 0);
  load_through(b, WAY_STRIDE);
}

// The victim (way 0, the older) stays, and the load is served past the cache.
static void a_victim_is_kept(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  fill_set(b);
  assert_int_equal(hand.keeps, 0); // there were free ways
  hand.keep = true;
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'm');
  assert_int_equal(hand.keep_way, 0);
  fetched(b, 2 * WAY_STRIDE);
  take_all_ready(b);
  assert_int_equal(hand.replies, 1);
  assert_int_equal(b->stats.loads.bypasses, 1);
  assert_int_equal(load(b, 0), 'h');
  assert_int_equal(load(b, WAY_STRIDE), 'h');
  hand.keep = false;
  load_through(b, 2 * WAY_STRIDE);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(hand.keeps, 3);
  fetched(b, 0);
  take_all_ready(b);
  bench_free(b);
}

// Not asked: what may not bypass (atomics, write-backs, thread-local loads), and what bypasses already.
static void who_may_keep(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  fill_set(b);
  hand.keep = hand.miss = true;
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'm');
  fetched(b, 2 * WAY_STRIDE);
  struct weir_mreq *local = make(b, WEIR_MREQ_LOAD, 3 * WAY_STRIDE, 4, 0);
  local->local = true;
  assert_int_equal(send(b, local), 'm');
  fetched(b, 3 * WAY_STRIDE);
  assert_int_equal(atomic(b, 4 * WAY_STRIDE), 'm');
  fetched(b, 4 * WAY_STRIDE);
  take_all_ready(b);
  assert_int_equal(send(b, make(b, WEIR_MREQ_WRITEBACK, 5 * WAY_STRIDE, LINE, 0)), 'w');
  assert_int_equal(hand.keeps, 0);
  assert_int_equal(store(b, 6 * WAY_STRIDE, 4), 'd'); // a store may
  assert_int_equal(hand.keeps, 1);
  went_down(b, WEIR_MREQ_STORE, 6 * WAY_STRIDE, 4);
  bench_free(b);
}

// Where lines are given as their data comes, the victim is asked about then.
static void a_victim_is_kept_at_the_fill(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  p.allocate = WEIR_ALLOCATE_ON_FILL;
  struct bench *b = bench_new(&p);
  fill_set(b);
  hand.keep = true;
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'm');
  assert_int_equal(hand.keeps, 0);
  fetched(b, 2 * WAY_STRIDE);
  take_all_ready(b);
  assert_int_equal(hand.keeps, 1);
  assert_int_equal(load(b, 0), 'h');
  assert_int_equal(load(b, WAY_STRIDE), 'h');
  bench_free(b);
}

// A store whose line is not there goes on itself; asked once. One whose line is there, or a write-back, is not asked.
static void stores_are_forwarded(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  p.miss_queue = 1;
  struct bench *b = bench_new(&p);
  hand.store_miss = true;
  assert_int_equal(store(b, 0, 4), 'd');
  struct weir_mreq *r = make(b, WEIR_MREQ_STORE, LINE, 4, 0);
  assert_int_equal(offer(b, r), 'Q');
  assert_int_equal(hand.store_misses, 1);
  struct weir_mreq *down = go_down(b);
  assert_true(down->bypassed_above);
  assert_false(down->asked);
  give_back(b, down);
  assert_int_equal(offer(b, r), 'd');
  assert_int_equal(hand.store_misses, 2);
  went_down(b, WEIR_MREQ_STORE, LINE, 4);
  static const struct weir_access_counts stores = {.accesses = 2, .misses = 2, .bypasses = 2};
  assert_memory_equal(&b->stats.stores, &stores, sizeof stores);
  hand.store_miss = false;
  assert_int_equal(store(b, 0, 4), 'w');
  hand.store_miss = true;
  assert_int_equal(store(b, 4, 4), 'w');
  assert_int_equal(send(b, make(b, WEIR_MREQ_WRITEBACK, LINE, LINE, 0)), 'w');
  assert_int_equal(hand.store_misses, 3);
  bench_free(b);
}

// Asked once too where it then waits for a way.
static void a_store_that_waits_is_asked_once(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  struct weir_mreq *r = make(b, WEIR_MREQ_STORE, 2 * WAY_STRIDE, 4, 0);
  for (unsigned i = 0; i < 3; i++) assert_int_equal(offer(b, r), 'W');
  assert_int_equal(hand.store_misses, 1);
  fetched(b, 0);
  fetched(b, WAY_STRIDE);
  take_all_ready(b);
  assert_int_equal(send(b, r), 'w');
  assert_int_equal(hand.store_misses, 1);
  bench_free(b);
}

static uint32_t lowest(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  (void)c, (void)a;
  return weir_lowest(candidates);
}

// The shadow of a cache shows its replacement the same accesses.
static void shadows_look_too(void **state) {
  (void)state;
  static const struct weir_policy looker = {.abi = WEIR_POLICY_ABI,
                                            .kind = WEIR_POLICY_REPLACE,
                                            .name = "looker",
                                            .summary = "counts",
                                            .citation = "none",
                                            .cost_bits = no_cost,
                                            .look = on_look,
                                            .victim = lowest};
  struct weir_cache_params p = params();
  p.companion_count = 0;
  p.shadow_tags = true;
  weir_policy_defaults(&p.replace, &looker);
  struct bench *b = bench_new(&p);
  assert_int_equal(load_through(b, 0), 'm');
  assert_int_equal(hand.looks, 2);
  assert_int_equal(hand.look_way, WEIR_NO_WAY);
  assert_int_equal(load(b, 0), 'h');
  assert_int_equal(store(b, 0, 4), 'w');
  assert_int_equal(hand.looks, 6);
  assert_int_equal(hand.look_way, 0);
  bench_free(b);
}

// Whether another requester waits for a line that bypasses.
static void shared_replies(void **state) {
  (void)state;
  for (uint8_t other = 0; other < 2; other++) {
    struct weir_cache_params p = params();
    struct bench *b = bench_new(&p);
    hand.miss = hand.reply = true;
    assert_int_equal(load(b, 0), 'm');
    struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, 4, 4, 0);
    r->requester = other;
    assert_int_equal(send(b, r), 'p');
    fetched(b, 0);
    take_all_ready(b);
    assert_int_equal(hand.shared, other);
    assert_int_equal(load(b, 0), 'h');
    bench_free(b);
  }
}

// Dirty data that leaves is its requester's, whoever displaced it.
static void write_backs_have_requesters(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  struct bench *b = bench_new(&p);
  for (unsigned i = 0; i < 3; i++) {
    struct weir_mreq *r = make(b, WEIR_MREQ_STORE, i * WAY_STRIDE, 4, 0);
    r->requester = (uint8_t)(2 - i);
    assert_int_equal(send(b, r), 'w');
  }
  struct weir_mreq *w = go_down(b);
  assert_int_equal(w->kind, WEIR_MREQ_WRITEBACK);
  assert_int_equal(w->requester, 2);
  weir_mreq_release(&b->pool, w);
  bench_free(b);
}

// Dirty sectors 1 and 3 of four: one request from the first of them on, which says which it carries.
static void write_backs_say_what_they_carry(void **state) {
  (void)state;
  struct weir_cache_params p = params();
  p.sector_bytes = 32;
  p.ways = 1;
  struct bench *b = bench_new(&p);
  store(b, 32, 32);
  store(b, 96, 32);
  store(b, WAY_STRIDE, 32);
  struct weir_mreq *w = go_down(b);
  assert_int_equal(w->address, 32);
  assert_int_equal(w->bytes, 64);
  assert_int_equal(w->full, 5);
  weir_mreq_release(&b->pool, w);
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(policies_learn_of_requesters_and_hints),
    cmocka_unit_test(every_access_is_seen_once),
    cmocka_unit_test(a_victim_is_kept),
    cmocka_unit_test(who_may_keep),
    cmocka_unit_test(a_victim_is_kept_at_the_fill),
    cmocka_unit_test(stores_are_forwarded),
    cmocka_unit_test(a_store_that_waits_is_asked_once),
    cmocka_unit_test(shadows_look_too),
    cmocka_unit_test(shared_replies),
    cmocka_unit_test(write_backs_have_requesters),
    cmocka_unit_test(write_backs_say_what_they_carry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
