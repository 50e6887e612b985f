// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a cache does about hints: traces worked out by hand under LRU; and each effect beside every replacement and every
// bypass policy, of which none knows of hints.
#include "mem_test.h"

#include "mem/cache_lines.h"

enum { LINE = 128, SETS = 4, WAYS = 4, NEXT = SETS * LINE }; // lines k × NEXT share a set

// A cache in which each hint has the effect that modern chips give it.
static struct weir_cache_params hinted(const struct weir_policy *replace) {
  struct weir_cache_params p = small_cache();
  p.ways = WAYS;
  p.last_ways = WAYS;
  p.write_hit = WEIR_WRITE_BACK;
  p.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
  p.effects[WEIR_HINT_CS] = WEIR_EFFECT_OF_HINT_FIRST;
  p.effects[WEIR_HINT_EVICT_LAST] = WEIR_EFFECT_OF_HINT_LAST;
  p.effects[WEIR_HINT_EVICT_NORMAL] = WEIR_EFFECT_OF_HINT_DEMOTE;
  p.effects[WEIR_HINT_EVICT_UNCHANGED] = WEIR_EFFECT_OF_HINT_UNCHANGED;
  p.effects[WEIR_HINT_NO_ALLOCATE] = WEIR_EFFECT_OF_HINT_NO_ALLOCATE;
  p.effects[WEIR_HINT_APPLY_NORMAL] = WEIR_EFFECT_OF_HINT_DEMOTE;
  p.effects[WEIR_HINT_DISCARD] = WEIR_EFFECT_OF_HINT_DROP;
  p.effects[WEIR_HINT_CA] = WEIR_EFFECT_OF_HINT_IGNORED;
  if (replace) weir_policy_defaults(&p.replace, replace);
  return p;
}

static struct bench *open_lru(void) {
  struct weir_cache_params p = hinted(NULL);
  return bench_new(&p);
}

// Serves all that is asked for below; write-backs end.
static void serve(struct bench *b) {
  for (struct weir_mreq *r; (r = go_down(b));) {
    if (r->kind == WEIR_MREQ_WRITEBACK) {
      weir_mreq_release(&b->pool, r);
    } else if (weir_cache_waits_for(&b->cache, r)) {
      r->is_reply = true;
      weir_cache_fill(&b->cache, r, b->now++);
    } else {
      give_back(b, r);
    }
  }
  take_all_ready(b);
}

static char use(struct bench *b, enum weir_mreq_kind kind, uint32_t line, enum weir_cache_hint hint) {
  struct weir_mreq *r = make(b, kind, (uint64_t)line * NEXT, kind == WEIR_MREQ_STORE ? LINE : 4, 0);
  r->l1_hint = hint & 63u;
  r->l2_hint = hint & 31u;
  const char c = send(b, r);
  serve(b);
  return c;
}

static char ld(struct bench *b, uint32_t line, enum weir_cache_hint hint) {
  return use(b, WEIR_MREQ_LOAD, line, hint);
}

static bool holds(const struct bench *b, uint32_t line) {
  return weir_cache_holds(&b->cache, (uint64_t)line * NEXT, (uint64_t)line * NEXT);
}

static unsigned count_pass(struct bench *b, uint32_t lines, enum weir_cache_hint hint) {
  unsigned hits = 0;
  for (uint32_t i = 0; i < lines; i++) hits += ld(b, i, hint) == 'h';
  return hits;
}

// Six lines around and around in four ways. LRU always drops the next one wanted. Put at the end of the order, each new line
// goes before all others: 0, 1, 2 stay, and of four ways one is passed through.
static void first_is_the_end_of_the_order(void **state) {
  (void)state;
  struct bench *b = open_lru();
  for (unsigned pass = 0; pass < 4; pass++) assert_int_equal(count_pass(b, 6, WEIR_HINT_NONE), 0);
  bench_free(b);
  b = open_lru();
  assert_int_equal(count_pass(b, 6, WEIR_HINT_CS), 0);
  for (unsigned pass = 0; pass < 4; pass++) assert_int_equal(count_pass(b, 6, WEIR_HINT_CS), 3);
  bench_free(b);
}

// A B C D, of which B and C are the first to go, C before B as the younger: E takes the place of C, F that of B, G that of A.
static void first_goes_before_the_rest(void **state) {
  (void)state;
  struct bench *b = open_lru();
  ld(b, 0, WEIR_HINT_NONE), ld(b, 1, WEIR_HINT_CS), ld(b, 2, WEIR_HINT_CS), ld(b, 3, WEIR_HINT_NONE);
  ld(b, 4, WEIR_HINT_NONE);
  assert_false(holds(b, 2));
  assert_true(holds(b, 1));
  ld(b, 5, WEIR_HINT_NONE);
  assert_false(holds(b, 1));
  ld(b, 6, WEIR_HINT_NONE);
  assert_false(holds(b, 0));
  bench_free(b);
}

// A use without a hint makes such a line one of the rest; a use with it makes one of the rest such a line.
static void a_use_says_anew(void **state) {
  (void)state;
  struct bench *b = open_lru();
  ld(b, 0, WEIR_HINT_CS), ld(b, 1, WEIR_HINT_NONE), ld(b, 2, WEIR_HINT_NONE), ld(b, 3, WEIR_HINT_NONE);
  assert_int_equal(ld(b, 0, WEIR_HINT_NONE), 'h'); // the most recently used of all
  assert_int_equal(ld(b, 2, WEIR_HINT_CS), 'h');
  ld(b, 4, WEIR_HINT_NONE);
  assert_false(holds(b, 2));
  ld(b, 5, WEIR_HINT_NONE); // 1 is the least recently used
  assert_false(holds(b, 1));
  assert_true(holds(b, 0));
  bench_free(b);
}

// Last stays until it is demoted, whatever is used after it; a plain use leaves it as it is.
static void last_goes_after_all(void **state) {
  (void)state;
  struct bench *b = open_lru();
  ld(b, 0, WEIR_HINT_EVICT_LAST);
  for (uint32_t i = 1; i < 20; i++) ld(b, i, i % 2 ? WEIR_HINT_NONE : WEIR_HINT_CS);
  assert_int_equal(ld(b, 0, WEIR_HINT_NONE), 'h');
  for (uint32_t i = 1; i < 20; i++) ld(b, i, WEIR_HINT_NONE);
  assert_int_equal(ld(b, 0, WEIR_HINT_EVICT_NORMAL), 'h');
  for (uint32_t i = 1; i < 5; i++) ld(b, i + 30, WEIR_HINT_NONE); // three others, then it
  assert_false(holds(b, 0));
  bench_free(b);
}

// If all are last, the policy chooses among them. No more than last_ways are.
static void last_has_a_limit(void **state) {
  (void)state;
  struct bench *b = open_lru();
  for (uint32_t i = 0; i < 5; i++) ld(b, i, WEIR_HINT_EVICT_LAST);
  assert_false(holds(b, 0));
  assert_true(holds(b, 4));
  bench_free(b);
  struct weir_cache_params p = hinted(NULL);
  p.last_ways = 1;
  b = bench_new(&p);
  ld(b, 0, WEIR_HINT_EVICT_LAST), ld(b, 1, WEIR_HINT_EVICT_LAST);
  for (uint32_t i = 2; i < 6; i++) ld(b, i, WEIR_HINT_NONE);
  assert_true(holds(b, 0));
  assert_false(holds(b, 1));
  bench_free(b);
}

// A hit that changes nothing leaves the oldest the oldest, and the first to go the first.
static void unchanged_leaves_the_order(void **state) {
  (void)state;
  struct bench *b = open_lru();
  for (uint32_t i = 0; i < 4; i++) ld(b, i, i == 3 ? WEIR_HINT_CS : WEIR_HINT_NONE);
  assert_int_equal(ld(b, 3, WEIR_HINT_EVICT_UNCHANGED), 'h');
  ld(b, 4, WEIR_HINT_NONE);
  assert_false(holds(b, 3));
  assert_int_equal(ld(b, 0, WEIR_HINT_EVICT_UNCHANGED), 'h');
  ld(b, 5, WEIR_HINT_NONE);
  assert_false(holds(b, 0));
  assert_int_equal(ld(b, 1, WEIR_HINT_NONE), 'h'); // this one does
  ld(b, 6, WEIR_HINT_NONE);
  assert_true(holds(b, 1));
  assert_false(holds(b, 2));
  bench_free(b);
}

// It hits what is there, and leaves nothing. One that waits with it and wants the line gets it.
static void no_allocate_keeps_nothing(void **state) {
  (void)state;
  struct bench *b = open_lru();
  ld(b, 0, WEIR_HINT_NONE);
  assert_int_equal(ld(b, 0, WEIR_HINT_NO_ALLOCATE), 'h');
  assert_int_equal(ld(b, 1, WEIR_HINT_NO_ALLOCATE), 'm');
  assert_int_equal(ld(b, 1, WEIR_HINT_NO_ALLOCATE), 'm');
  assert_int_equal(b->stats.loads.bypasses, 2);
  assert_int_equal(b->stats.fills, 1);
  struct weir_mreq *first = make(b, WEIR_MREQ_LOAD, 2 * NEXT, 4, 0);
  first->l1_hint = WEIR_HINT_NO_ALLOCATE;
  assert_int_equal(send(b, first), 'm');
  assert_int_equal(load(b, 2 * NEXT), 'p');
  serve(b);
  assert_true(holds(b, 2));
  assert_int_equal(use(b, WEIR_MREQ_STORE, 3, WEIR_HINT_NO_ALLOCATE), 'd');
  assert_false(holds(b, 3));
  assert_int_equal(use(b, WEIR_MREQ_STORE, 2, WEIR_HINT_NO_ALLOCATE), 'w');
  bench_free(b);
}

// Thread-local data has no other place.
static void no_allocate_is_not_for_local(void **state) {
  (void)state;
  struct bench *b = open_lru();
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, 0, 4, 0);
  r->l1_hint = WEIR_HINT_NO_ALLOCATE;
  r->local = true;
  assert_int_equal(send(b, r), 'm');
  serve(b);
  assert_true(holds(b, 0));
  bench_free(b);
}

// The oldest of those that the hint brought goes first, and before all others: two lines that are used without a hint stay, whatever
// passes by; and of five lines around and around, each goes before it is wanted again. Measured on an H200, evict_unchanged in
// the L1 (docs/differences/h200.md).
static void the_oldest_goes_first(void **state) {
  (void)state;
  struct weir_cache_params p = hinted(NULL);
  p.effects[WEIR_HINT_EVICT_UNCHANGED] = WEIR_EFFECT_OF_HINT_OLDEST;
  struct bench *b = bench_new(&p);
  for (uint32_t i = 0; i < 20; i++) {
    assert_int_equal(ld(b, i % 2, WEIR_HINT_NONE), i < 2 ? 'm' : 'h');
    assert_int_equal(ld(b, 10 + i, WEIR_HINT_EVICT_UNCHANGED), 'm');
  }
  assert_true(holds(b, 29) && holds(b, 28) && !holds(b, 27));
  assert_int_equal(ld(b, 28, WEIR_HINT_EVICT_UNCHANGED), 'h'); // and stays the next to go
  ld(b, 30, WEIR_HINT_NONE);
  assert_false(holds(b, 28));
  assert_int_equal(ld(b, 29, WEIR_HINT_NONE), 'h'); // one like any other now: line 0 is the least recently used
  ld(b, 31, WEIR_HINT_NONE);
  assert_true(holds(b, 29) && !holds(b, 0));
  bench_free(b);
  b = bench_new(&p);
  for (unsigned pass = 0; pass < 3; pass++) assert_int_equal(count_pass(b, 5, WEIR_HINT_EVICT_UNCHANGED), 0);
  for (uint32_t i = 0; i < 5; i++) assert_int_equal(holds(b, i), i > 0);
  bench_free(b);
}

// A dirty line that is discarded is not written back; one that is not there is not fetched. Demoted, a line that was last goes.
static void instructions_that_are_hints(void **state) {
  (void)state;
  struct bench *b = open_lru();
  use(b, WEIR_MREQ_STORE, 0, WEIR_HINT_NONE);
  assert_int_equal(ld(b, 0, WEIR_HINT_DISCARD), 'h');
  assert_false(holds(b, 0));
  assert_int_equal(ld(b, 7, WEIR_HINT_DISCARD), 'h');
  assert_false(holds(b, 7));
  assert_int_equal(b->stats.writebacks, 0);
  ld(b, 1, WEIR_HINT_EVICT_LAST);
  assert_int_equal(ld(b, 1, WEIR_HINT_APPLY_NORMAL), 'h');
  for (uint32_t i = 2; i < 6; i++) ld(b, i, WEIR_HINT_NONE);
  assert_false(holds(b, 1));
  bench_free(b);
}

// At a shared cache the hint to L2 counts, at the first the hint to L1.
static void each_level_has_its_own(void **state) {
  (void)state;
  for (uint8_t level = 0; level < 2; level++) {
    struct weir_cache_params p = hinted(NULL);
    p.level = level;
    struct bench *b = bench_new(&p);
    b->cache.pcs = NULL;
    struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, 0, 4, 0);
    r->l1_hint = WEIR_HINT_NO_ALLOCATE;
    r->l2_hint = WEIR_HINT_EVICT_LAST;
    assert_int_equal(send(b, r), 'm');
    serve(b);
    assert_int_equal(holds(b, 0), level == 1);
    bench_free(b);
  }
}

// A hint that a cache ignores, and one that is about the first level alone, change nothing: the same as LRU above.
static void ignored_is_as_none(void **state) {
  (void)state;
  struct bench *b = open_lru();
  for (unsigned pass = 0; pass < 3; pass++) assert_int_equal(count_pass(b, 6, WEIR_HINT_CA), 0);
  assert_null(b->cache.ranks);
  bench_free(b);
}

// ---- prefetch sizes --------------------------------------------------------------------------------------------------------

enum { SECTOR = 32 };

// An L2 with four sectors to a line that knows the sizes 64 and 256, and has no use for 128.
static struct bench *open_sectored(enum weir_allocate allocate) {
  struct weir_cache_params p = hinted(NULL);
  p.sector_bytes = SECTOR;
  p.mshrs = 16;
  p.miss_queue = 32;
  p.level = 1;
  p.allocate = allocate;
  p.prefetch_bytes[WEIR_PREFETCH_64B] = 64;
  p.prefetch_bytes[WEIR_PREFETCH_256B] = 256;
  struct bench *b = bench_new(&p);
  b->cache.pcs = NULL;
  return b;
}

// Each of another warp.
static char ask(struct bench *b, uint64_t address, enum weir_prefetch_size size) {
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, address, 4, 7);
  r->warp = (uint16_t)b->made;
  r->l2_prefetch = size & 3u;
  return send(b, r);
}

static unsigned count_held(const struct bench *b, uint64_t from, unsigned sectors) {
  unsigned held = 0;
  for (unsigned i = 0; i < sectors; i++) held += weir_cache_holds(&b->cache, from + i * SECTOR, from + i * SECTOR);
  return held;
}

// The other half of 64 bytes, whichever is missed; the rest of 256, which is two lines in two sets; nothing of 128 and of none. The
// load itself comes first, is the only one that is counted, and the only one that is answered.
static void a_size_is_fetched(void **state) {
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct bench *b = open_sectored(i ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS);
    assert_int_equal(ask(b, 96, WEIR_PREFETCH_64B), 'm');
    fetched(b, 96);
    fetched(b, 64);
    assert_null(go_down(b));
    assert_int_equal(take_ready(b), 7);
    assert_int_equal(take_ready(b), -1);
    assert_int_equal(count_held(b, 64, 2), 2);
    assert_int_equal(count_held(b, 0, 2), 0);
    assert_int_equal(ask(b, 512, WEIR_PREFETCH_256B), 'm');
    for (unsigned k = 0; k < 8; k++) fetched(b, 512 + k * SECTOR);
    assert_int_equal(count_held(b, 512, 8), 8);
    assert_int_equal(ask(b, 1024, WEIR_PREFETCH_128B), 'm');
    assert_int_equal(ask(b, 1152, WEIR_PREFETCH_NONE), 'm');
    serve(b);
    assert_int_equal(count_held(b, 1024, 8), 2);
    assert_int_equal(b->stats.prefetches, 1 + 7);
    assert_int_equal(b->stats.fills, 2 + 8 + 2);
    assert_int_equal(b->stats.loads.accesses, 4);
    assert_int_equal(b->stats.loads.misses, 4);
    assert_int_equal(b->cache.mshrs_used, 0);
    bench_free(b);
  }
}

// What is there, or on its way, is not fetched again; a load that comes for what is on its way waits for it, and is answered. A hit
// fetches nothing.
static void a_size_fetches_what_is_missing(void **state) {
  (void)state;
  struct bench *b = open_sectored(WEIR_ALLOCATE_ON_MISS);
  assert_int_equal(store(b, 2 * SECTOR, 4), 'w'); // part of a sector, dirty
  assert_int_equal(ask(b, 128, WEIR_PREFETCH_NONE), 'm');
  fetched(b, 128);
  take_all_ready(b);
  assert_int_equal(ask(b, 160, WEIR_PREFETCH_NONE), 'm');
  assert_int_equal(ask(b, 0, WEIR_PREFETCH_256B), 'm');
  assert_int_equal(b->stats.prefetches, 4); // 32, 96, 192, 224: not 64, 128, 160
  assert_int_equal(ask(b, 192, WEIR_PREFETCH_256B), 'p');
  assert_int_equal(ask(b, 132, WEIR_PREFETCH_256B), 'h');
  assert_int_equal(b->stats.prefetches, 4);
  fetched(b, 160), fetched(b, 0), fetched(b, 32), fetched(b, 96), fetched(b, 192), fetched(b, 224);
  assert_null(go_down(b));
  for (unsigned i = 0; i < 3; i++) assert_int_equal(take_ready(b), 7);
  assert_int_equal(take_ready(b), -1);
  assert_int_equal(b->cache.mshrs_used, 0);
  bench_free(b);
}

// It is a hint: where MSHRs or the queue are full, what does not fit is left out. A line that a hint keeps out brings no neighbours.
static void a_size_waits_for_nothing(void **state) {
  (void)state;
  struct bench *b = open_sectored(WEIR_ALLOCATE_ON_MISS);
  for (uint64_t i = 0; i < 3; i++) assert_int_equal(ask(b, 4096 + i * LINE, WEIR_PREFETCH_256B), "mpm"[i]);
  assert_int_equal(b->stats.prefetches, 14); // all 16 MSHRs are taken: two for the loads
  assert_int_equal(ask(b, 8192, WEIR_PREFETCH_64B), 'E');
  serve(b);
  for (uint64_t i = 0; i < 13; i++) // two sectors of a line each, in the sets 2 and 3
    assert_int_equal(ask(b, (4 * (i / 4) + 2 + i / 2 % 2) * LINE + i % 2 * SECTOR, WEIR_PREFETCH_NONE), 'm');
  assert_int_equal(ask(b, 8192, WEIR_PREFETCH_256B), 'm');
  assert_int_equal(b->stats.prefetches, 16);
  serve(b);
  assert_int_equal(count_held(b, 8192, 8), 3);
  b->cache.miss_queue.capacity = 3; // of which a miss wants two, one for a write-back
  assert_int_equal(ask(b, 16384, WEIR_PREFETCH_256B), 'm');
  assert_int_equal(b->stats.prefetches, 17);
  serve(b);
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, 12288, 4, 0);
  r->l2_prefetch = WEIR_PREFETCH_256B;
  r->l2_hint = WEIR_HINT_NO_ALLOCATE;
  assert_int_equal(send(b, r), 'm');
  serve(b);
  assert_int_equal(b->stats.prefetches, 17);
  assert_int_equal(count_held(b, 12288, 8), 0);
  bench_free(b);
}

// ---- a size of the cache's own ---------------------------------------------------------------------------------------------

static struct bench *open_fetching(uint32_t bytes) {
  struct weir_cache_params p = hinted(NULL);
  p.sector_bytes = SECTOR;
  p.mshrs = 16;
  p.miss_queue = 32;
  p.level = 1;
  p.allocate = WEIR_ALLOCATE_ON_MISS;
  p.prefetch_bytes[WEIR_PREFETCH_128B] = 128;
  p.mshr_merges = 8;
  p.fetch_bytes = bytes;
  struct bench *b = bench_new(&p);
  b->cache.pcs = NULL;
  return b;
}

static char ask_as(struct bench *b, uint64_t address, uint16_t warp, uint32_t token) {
  struct weir_mreq *r = make(b, WEIR_MREQ_LOAD, address, 4, token);
  r->warp = warp;
  return send(b, r);
}

// Any load that misses brings its neighbour, unless it is here. Another's load of that one is a hit, on its way or there; the miss and
// what came with it are two fills, one of them a prefetch. The larger of the cache's size and the load's counts.
static void a_miss_brings_its_neighbour(void **state) {
  (void)state;
  struct bench *b = open_fetching(64);
  assert_int_equal(ask_as(b, 96, 0, 1), 'm');
  assert_int_equal(ask_as(b, 64, 1, 2), 'p'); // another warp, while it comes
  assert_int_equal(b->stats.loads.hits_on_miss, 1);
  serve(b);
  assert_int_equal(count_held(b, 0, 4), 2);
  assert_int_equal(ask_as(b, 64, 0, 3), 'h');
  assert_int_equal(ask_as(b, 32, 0, 4), 'm');
  serve(b);
  assert_int_equal(count_held(b, 0, 4), 4);
  assert_int_equal(b->stats.prefetches, 2);
  assert_int_equal(b->stats.fills, 4);
  assert_int_equal(b->stats.loads.misses, 2);
  assert_int_equal(ask(b, 512, WEIR_PREFETCH_128B), 'm');
  serve(b);
  assert_int_equal(count_held(b, 512, 4), 4);
  assert_int_equal(b->stats.prefetches, 2 + 3);
  bench_free(b);
}

// One access of a warp that asks for both halves misses both, and nothing is fetched that nobody asks for. Its next access, of another
// token, does not: it is a hit on what is on its way.
static void an_access_misses_both_halves(void **state) {
  (void)state;
  struct bench *b = open_fetching(64);
  assert_int_equal(ask_as(b, 32, 0, 1), 'm');
  assert_int_equal(ask_as(b, 0, 0, 1), 'p');
  assert_int_equal(b->stats.loads.misses, 2);
  assert_int_equal(b->stats.prefetches, 0);
  assert_int_equal(ask_as(b, 0, 0, 1), 'p'); // once only
  assert_int_equal(ask_as(b, 0, 0, 2), 'p');
  assert_int_equal(b->stats.loads.misses, 2);
  assert_int_equal(b->stats.loads.hits_on_miss, 2);
  fetched(b, 32), fetched(b, 0);
  assert_null(go_down(b));
  for (unsigned i = 0; i < 2; i++) assert_int_equal(take_ready(b), 1);
  assert_int_equal(take_ready(b), 1);
  assert_int_equal(take_ready(b), 2);
  assert_int_equal(take_ready(b), -1);
  assert_int_equal(b->stats.fills, 2);
  assert_int_equal(b->cache.mshrs_used, 0);
  bench_free(b);
}

// ---- beside every policy ---------------------------------------------------------------------------------------------------

static bool can_manage(const struct weir_policy *policy, struct weir_cache_params *p,
                       struct weir_policy_choice *place) {
  weir_policy_defaults(place, policy);
  const struct weir_geometry g = weir_cache_geometry(p, place->knobs);
  return !policy->reject || !policy->reject(&g);
}

// What holds whichever line a policy would choose by itself.
static void hold_under(struct weir_cache_params *p, bool bypasses) {
  struct bench *b = bench_new(p);
  for (unsigned i = 0; i < 50 && !holds(b, 0); i++) ld(b, 0, WEIR_HINT_EVICT_LAST);
  if (!bypasses) assert_true(holds(b, 0));
  const bool held = holds(b, 0);
  for (uint32_t i = 1; i < 200; i++) ld(b, i, i % 3 ? WEIR_HINT_NONE : WEIR_HINT_CS);
  assert_int_equal(holds(b, 0), held);
  for (uint32_t i = 200; i < 220; i++) {
    assert_int_equal(ld(b, i, WEIR_HINT_NO_ALLOCATE), bypasses ? b->outcome == WEIR_OUTCOME_PASSED ? 'd' : 'm' : 'm');
    assert_false(holds(b, i));
    assert_int_equal(holds(b, 0), held);
  }
  ld(b, 0, WEIR_HINT_DISCARD);
  if (!bypasses) assert_false(holds(b, 0));
  bench_free(b);
}

// Three of six lines stay, as under LRU: of lines that are first to go the policy has no choice.
static void cycle_under(struct weir_cache_params *p) {
  struct bench *b = bench_new(p);
  assert_int_equal(count_pass(b, 6, WEIR_HINT_CS), 0);
  for (unsigned pass = 0; pass < 4; pass++) assert_int_equal(count_pass(b, 6, WEIR_HINT_CS), 3);
  bench_free(b);
}

static void every_policy(void **state) {
  (void)state;
  unsigned count, tried = 0;
  const struct weir_policy *const *all = weir_policies(&count);
  for (unsigned i = 0; i < count; i++) {
    struct weir_cache_params p = hinted(NULL);
    p.instances = p.requesters = 1;
    const bool replaces = all[i]->kind == WEIR_POLICY_REPLACE;
    if (all[i]->kind == WEIR_POLICY_THROTTLE) continue; // has no say in which lines stay
    if (!can_manage(all[i], &p, replaces ? &p.replace : &p.companions[0])) continue;
    p.companion_count = !replaces;
    hold_under(&p, !replaces);
    if (replaces) cycle_under(&p);
    tried++;
  }
  assert_true(tried > 20); // of 17 that replace and 12 that bypass
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(first_is_the_end_of_the_order),
    cmocka_unit_test(first_goes_before_the_rest),
    cmocka_unit_test(a_use_says_anew),
    cmocka_unit_test(last_goes_after_all),
    cmocka_unit_test(last_has_a_limit),
    cmocka_unit_test(unchanged_leaves_the_order),
    cmocka_unit_test(no_allocate_keeps_nothing),
    cmocka_unit_test(no_allocate_is_not_for_local),
    cmocka_unit_test(the_oldest_goes_first),
    cmocka_unit_test(instructions_that_are_hints),
    cmocka_unit_test(each_level_has_its_own),
    cmocka_unit_test(ignored_is_as_none),
    cmocka_unit_test(a_size_is_fetched),
    cmocka_unit_test(a_size_fetches_what_is_missing),
    cmocka_unit_test(a_size_waits_for_nothing),
    cmocka_unit_test(a_miss_brings_its_neighbour),
    cmocka_unit_test(an_access_misses_both_halves),
    cmocka_unit_test(every_policy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
