// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The hooks by which policies keep a load out of a cache, with policies made for the purpose: each says what the test
// tells it to, and counts how often it is asked.
#include "mem_test.h"

enum { LINE = 128, SETS = 4, WAY_STRIDE = LINE * SETS };

// What the policies below answer, and what they were asked. Policies keep no variables of their own (policy.h); these
// are the test's hands.
static struct {
  bool load, miss, stall, reply;
  unsigned loads, misses, stalls, replies, hits, inserts, evicts;
  enum weir_stall why;
  bool mark, merged, pending, room;
} hand;

static bool on_load(struct weir_cache_view *c, struct weir_access *a) {
  (void)c, (void)a;
  hand.loads++;
  return hand.load;
}

static bool on_miss(struct weir_cache_view *c, struct weir_access *a) {
  (void)c;
  hand.misses++;
  hand.room = a->room;
  return hand.miss;
}

static bool on_stall(struct weir_cache_view *c, struct weir_access *a, enum weir_stall why) {
  (void)c, (void)a;
  hand.stalls++;
  hand.why = why;
  return hand.stall;
}

static bool on_reply(struct weir_cache_view *c, struct weir_access *a, bool merged) {
  (void)c;
  hand.replies++;
  hand.mark = a->reply_mark;
  hand.merged = merged;
  return hand.reply;
}

static void on_hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)c, (void)a, (void)way;
  hand.hits++;
  hand.pending = pending;
}

static void on_insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)c, (void)a, (void)way;
  hand.inserts++;
}

static void on_evict(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused) {
  (void)c, (void)a, (void)way, (void)reused;
  hand.evicts++;
}

static uint64_t no_cost(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

#define PUPPET(...)                                                                                                    \
  {                                                                                                                    \
    .abi = WEIR_POLICY_ABI, .kind = WEIR_POLICY_BYPASS, .name = "puppet", .summary = "does as it is told",             \
    .citation = "none", .cost_bits = no_cost, __VA_ARGS__                                                              \
  }

static const struct weir_policy load_puppet = PUPPET(.load = on_load);
static const struct weir_policy miss_puppet = PUPPET(.miss = on_miss);
static const struct weir_policy stall_puppet = PUPPET(.stall = on_stall);
static const struct weir_policy reply_puppet = PUPPET(.miss = on_miss, .reply = on_reply);
static const struct weir_policy watcher = PUPPET(.hit = on_hit, .insert = on_insert, .evict = on_evict);

static struct weir_cache_params with(const struct weir_policy *policy) {
  struct weir_cache_params p = small_cache();
  memset(&hand, 0, sizeof hand);
  weir_policy_defaults(&p.companions[0], policy);
  p.companion_count = 1;
  return p;
}

// The request itself comes out of its own queue.
static void passed_down(struct bench *b, uint64_t address) {
  struct weir_mreq *r = go_down(b);
  assert_non_null(r);
  assert_int_equal(r->address, address);
  assert_false(weir_cache_waits_for(&b->cache, r));
  assert_true(r->bypassed_above);
  give_back(b, r);
}

// Skipped before the look-up: no tag access, even where it would hit; counted as a bypassed miss.
static void load_skips(void **state) {
  (void)state;
  struct weir_cache_params p = with(&load_puppet);
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  hand.load = true;
  assert_int_equal(load_by(b, 4, 3), 'd');
  passed_down(b, 4);
  assert_int_equal(b->stats.tag_accesses, 1);
  static const struct weir_access_counts loads = {.accesses = 2, .misses = 2, .bypasses = 1};
  assert_memory_equal(&b->stats.loads, &loads, sizeof loads);
  assert_int_equal(counts_by(b, 3).at.misses, 1);
  assert_int_equal(counts_by(b, 3).at.bypasses, 1);
  assert_int_equal(counts_by(b, 3).fills, 0);
  assert_int_equal(store(b, LINE, 4), 'd'); // stores, atomics and thread-local loads are never asked about
  went_down(b, WEIR_MREQ_STORE, LINE, 4);
  struct weir_mreq *local = make(b, WEIR_MREQ_LOAD, 0, 4, 0);
  local->local = true;
  assert_int_equal(send(b, local), 'h');
  assert_int_equal(atomic(b, 0), 'h');
  assert_int_equal(hand.loads, 2);
  bench_free(b);
}

// Asked once, however long it waits.
static void load_is_asked_once(void **state) {
  (void)state;
  struct weir_cache_params p = with(&load_puppet);
  struct bench *b = bench_new(&p);
  hand.load = true;
  assert_int_equal(load(b, 0), 'd');
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, LINE, 4, 0);
  assert_int_equal(offer(b, r), 'Q'); // one way out per bank and cycle
  hand.load = false;
  assert_int_equal(offer(b, r), 'Q');
  passed_down(b, 0);
  assert_int_equal(offer(b, r), 'd');
  assert_int_equal(hand.loads, 2);
  passed_down(b, LINE);
  bench_free(b);
}

// A bypassed miss takes an MSHR but no way: it is served, and the cache is as it was.
static void miss_bypasses(void **state) {
  (void)state;
  struct weir_cache_params p = with(&miss_puppet);
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  load_through(b, WAY_STRIDE);
  assert_true(hand.room); // the second of two ways was free
  hand.miss = true;
  assert_int_equal(load_by(b, 2 * WAY_STRIDE, 3), 'm');
  assert_false(hand.room);
  assert_true(b->cache.miss_queue.head->bypassed_above);
  assert_int_equal(load_by(b, 2 * WAY_STRIDE, 4), 'p'); // others may wait with it
  fetched(b, 2 * WAY_STRIDE);
  assert_int_equal(take_ready(b), 3);
  assert_int_equal(take_ready(b), 4);
  assert_int_equal(load(b, 0), 'h');
  assert_int_equal(load(b, WAY_STRIDE), 'h');
  assert_int_equal(b->stats.evictions, 0);
  assert_int_equal(b->stats.fills, 2);
  assert_int_equal(b->stats.loads.bypasses, 1);
  assert_int_equal(counts_by(b, 3).at.bypasses, 1);
  assert_int_equal(counts_by(b, 4).at.bypasses, 0);
  assert_int_equal(hand.misses, 3);
  bench_free(b);
}

// It needs no way: a full set does not hold it back.
static void a_bypassed_miss_needs_no_way(void **state) {
  (void)state;
  struct weir_cache_params p = with(&miss_puppet);
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  hand.miss = true;
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'm');
  fetched(b, 0);
  fetched(b, WAY_STRIDE);
  fetched(b, 2 * WAY_STRIDE);
  take_all_ready(b);
  bench_free(b);
}

// Asked once per miss; the decision stands while the request waits, even if the policy has changed its mind.
static void miss_is_asked_once(void **state) {
  (void)state;
  struct weir_cache_params p = with(&miss_puppet);
  p.mshrs = 1;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  hand.miss = true;
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, LINE, 4, 0);
  for (int i = 0; i < 3; i++) assert_int_equal(offer(b, r), 'E');
  hand.miss = false;
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(offer(b, r), 'm');
  assert_int_equal(hand.misses, 2);
  assert_false(b->cache.miss_queue.head->decided); // the next cache asks its own policies
  assert_false(b->cache.miss_queue.head->bypass);
  fetched(b, LINE);
  take_all_ready(b);
  assert_int_equal(b->stats.fills, 1);
  bench_free(b);
}

// Rather than wait for a way, an MSHR, room to merge or to miss, the load goes down itself, and needs the way there alone.
static void stall_bypasses(void **state) {
  (void)state;
  struct weir_cache_params p = with(&stall_puppet);
  p.mshrs = 2;
  p.mshr_merges = 1;
  p.miss_queue = 3;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  assert_int_equal(load(b, 0), 'G');
  assert_int_equal(hand.stalls, 1);
  hand.stall = true;
  assert_int_equal(load(b, 0), 'd');
  assert_int_equal(hand.why, WEIR_STALL_MERGE_FULL);
  passed_down(b, 0);
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  assert_int_equal(load(b, LINE), 'd'); // two wait of three, a miss needs two places
  assert_int_equal(hand.why, WEIR_STALL_MISS_QUEUE);
  assert_int_equal(load(b, 2 * LINE), 'Q'); // would go, but the last is still on its way: not asked
  passed_down(b, LINE);
  struct weir_mreq *first = go_down(b), *second = go_down(b);
  assert_int_equal(load(b, 2 * WAY_STRIDE), 'd');
  assert_int_equal(hand.why, WEIR_STALL_NO_WAY);
  passed_down(b, 2 * WAY_STRIDE);
  assert_int_equal(load(b, LINE), 'd');
  assert_int_equal(hand.why, WEIR_STALL_MSHR_FULL);
  passed_down(b, LINE);
  assert_int_equal(hand.stalls, 5);
  assert_int_equal(b->stats.loads.bypasses, 4);
  assert_int_equal(b->cache.tally.stall_bypasses, 4);
  assert_int_equal(b->cache.tally.loads.bypasses, 4);
  weir_cache_fill(&b->cache, first, b->now++);
  weir_cache_fill(&b->cache, second, b->now++);
  take_all_ready(b);
  bench_free(b);
}

// What goes down after a stall is a new request to the next cache: nothing was decided about it there.
static void nothing_is_decided_for_the_next_cache(void **state) {
  (void)state;
  struct weir_cache_params p = with(&miss_puppet);
  weir_policy_defaults(&p.companions[p.companion_count++], &stall_puppet);
  p.mshrs = 1;
  struct bench *b = bench_new(&p);
  assert_int_equal(load(b, 0), 'm');
  hand.miss = hand.stall = true;
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, LINE, 4, 0);
  assert_int_equal(offer(b, r), 'd');
  assert_false(r->decided);
  assert_false(r->bypass);
  passed_down(b, LINE);
  fetched(b, 0);
  take_all_ready(b);
  bench_free(b);
}

// `reply` is asked only about a bypassed miss, hears the next level's mark and whether others waited; if it says so, the
// line comes in after all, at the price of a victim.
static void reply_corrects(void **state) {
  (void)state;
  struct weir_cache_params p = with(&reply_puppet);
  p.ways = 1;
  struct bench *b = bench_new(&p);
  load_through(b, 0);
  assert_int_equal(hand.replies, 0);
  hand.miss = true;
  load_through(b, WAY_STRIDE);
  assert_int_equal(hand.replies, 1);
  assert_false(hand.mark);
  assert_false(hand.merged);
  assert_int_equal(load(b, 0), 'h');
  assert_int_equal(b->stats.bypass_corrections, 0);
  hand.reply = true;
  load(b, WAY_STRIDE);
  load(b, WAY_STRIDE);
  b->cache.miss_queue.head->reply_mark = true;
  fetched(b, WAY_STRIDE);
  take_all_ready(b);
  assert_true(hand.mark);
  assert_true(hand.merged);
  assert_int_equal(load(b, WAY_STRIDE), 'h');
  assert_int_equal(b->stats.bypass_corrections, 1);
  assert_int_equal(b->stats.evictions, 1);
  assert_int_equal(b->stats.fills, 2);
  bench_free(b);
}

// A mark on any piece of the answer counts.
static void any_piece_may_carry_the_mark(void **state) {
  (void)state;
  for (int marked = 0; marked < 2; marked++) {
    struct weir_cache_params p = with(&reply_puppet);
    p.fetch_pieces = 2;
    struct bench *b = bench_new(&p);
    hand.miss = true;
    load(b, 0);
    struct weir_mreq *second = go_down(b), *first = weir_mreq_new(&b->pool);
    first->mshr = second->mshr;
    (marked ? first : second)->reply_mark = true;
    weir_cache_fill(&b->cache, first, b->now);
    assert_int_equal(hand.replies, 0);
    weir_cache_fill(&b->cache, second, b->now);
    assert_true(hand.mark);
    take_all_ready(b);
    bench_free(b);
  }
}

// No way to put it: the correction does not happen, and is not counted.
static void a_correction_may_find_no_way(void **state) {
  (void)state;
  struct weir_cache_params p = with(&reply_puppet);
  p.ways = 1;
  struct bench *b = bench_new(&p);
  hand.miss = hand.reply = true;
  assert_int_equal(load(b, WAY_STRIDE), 'm');
  hand.miss = false;
  assert_int_equal(load(b, 0), 'm');
  fetched(b, WAY_STRIDE);
  take_all_ready(b);
  assert_int_equal(b->stats.bypass_corrections, 0);
  assert_int_equal(b->stats.fills, 0);
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(b->stats.fills, 1);
  bench_free(b);
}

// Any of several policies decides; all are asked, for all learn.
static void any_policy_decides(void **state) {
  (void)state;
  for (int second = 0; second < 2; second++) {
    struct weir_cache_params p = with(second ? &watcher : &miss_puppet);
    weir_policy_defaults(&p.companions[1], &miss_puppet);
    p.companion_count = 2;
    struct bench *b = bench_new(&p);
    hand.miss = true;
    load_through(b, 0);
    assert_int_equal(hand.misses, second ? 1 : 2);
    assert_int_equal(load_through(b, 0), 'm');
    assert_int_equal(b->stats.loads.bypasses, 2);
    bench_free(b);
  }
}

// What else a policy is told: insert at the miss, a hit-on-miss and a hit, an eviction before the next insert.
static void what_policies_are_told(void **state) {
  (void)state;
  struct weir_cache_params p = with(&watcher);
  p.ways = 1;
  struct bench *b = bench_new(&p);
  load(b, 0);
  assert_int_equal(hand.inserts, 1);
  load(b, 0);
  assert_int_equal(hand.hits, 1);
  assert_true(hand.pending);
  fetched(b, 0);
  take_all_ready(b);
  load(b, 0);
  assert_int_equal(hand.hits, 2);
  assert_false(hand.pending);
  assert_int_equal(hand.evicts, 0);
  load_through(b, WAY_STRIDE);
  assert_int_equal(hand.evicts, 1);
  assert_int_equal(hand.inserts, 2);
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(load_skips),
    cmocka_unit_test(load_is_asked_once),
    cmocka_unit_test(miss_bypasses),
    cmocka_unit_test(a_bypassed_miss_needs_no_way),
    cmocka_unit_test(miss_is_asked_once),
    cmocka_unit_test(stall_bypasses),
    cmocka_unit_test(nothing_is_decided_for_the_next_cache),
    cmocka_unit_test(reply_corrects),
    cmocka_unit_test(any_piece_may_carry_the_mark),
    cmocka_unit_test(a_correction_may_find_no_way),
    cmocka_unit_test(any_policy_decides),
    cmocka_unit_test(what_policies_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
