// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A cache under thousands of random accesses against a model of its own: a list per set, most recently used first.
#include "mem_test.h"

enum { LINE = 64, MODEL_WAYS = 8, MODEL_SETS = 8, ACCESSES = 4000 };

// Sets of lines in the order of their last use; what each line holds, as text would say it: sectors present and dirty.
struct model_line {
  uint64_t line;
  unsigned valid, dirty, unreadable;
};

struct model {
  struct model_line sets[MODEL_SETS][MODEL_WAYS + 1];
  unsigned held[MODEL_SETS], sets_used, ways, sector_bytes;
  uint64_t hits, misses, writebacks, evictions;
};

static struct model_line *model_find(struct model *m, uint64_t address) {
  uint64_t line = address / LINE;
  unsigned set = (unsigned)(line % m->sets_used);
  struct model_line *s = m->sets[set];
  for (unsigned i = 0; i < m->held[set]; i++)
    if (s[i].line == line) {
      struct model_line found = s[i];
      memmove(s + 1, s, i * sizeof *s);
      s[0] = found;
      return s;
    }
  return NULL;
}

static struct model_line *model_insert(struct model *m, uint64_t address) {
  unsigned set = (unsigned)(address / LINE % m->sets_used);
  struct model_line *s = m->sets[set];
  memmove(s + 1, s, m->held[set] * sizeof *s);
  s[0] = (struct model_line){.line = address / LINE};
  if (m->held[set] < m->ways) {
    m->held[set]++;
    return s;
  }
  m->evictions++;
  m->writebacks += weir_popcount(s[m->ways].dirty);
  return s;
}

static unsigned model_bit(const struct model *m, uint64_t address) {
  return 1u << address % LINE / m->sector_bytes;
}

static bool model_read(struct model *m, uint64_t address) {
  unsigned bit = model_bit(m, address);
  struct model_line *l = model_find(m, address);
  bool hit = l && (l->valid & bit) && !(l->unreadable & bit);
  m->hits += hit;
  m->misses += !hit;
  if (!l) l = model_insert(m, address);
  l->valid |= bit;
  l->unreadable &= ~bit;
  return hit;
}

// A write-back cache that allocates what it misses without fetching it.
static bool model_write(struct model *m, uint64_t address, bool whole) {
  unsigned bit = model_bit(m, address);
  struct model_line *l = model_find(m, address);
  bool hit = l && (l->valid & bit);
  if (!l) l = model_insert(m, address);
  if (whole)
    l->unreadable &= ~bit;
  else if (!(l->valid & bit))
    l->unreadable |= bit;
  l->valid |= bit;
  l->dirty |= bit;
  m->hits += hit;
  m->misses += !hit;
  return hit;
}

// Serves a fetch and drops write-backs.
static void settle(struct bench *b) {
  for (struct weir_mreq *r; (r = go_down(b));)
    if (r->kind == WEIR_MREQ_WRITEBACK)
      weir_mreq_release(&b->pool, r);
    else
      weir_cache_fill(&b->cache, r, b->now++);
  take_all_ready(b);
}

static void compare(uint64_t seed, unsigned sets, unsigned ways, unsigned sector, enum weir_allocate allocate) {
  struct weir_rng rng = weir_rng_seed(seed, 2);
  struct weir_cache_params p = small_cache();
  p.sets = sets;
  p.ways = ways;
  p.line_bytes = LINE;
  p.sector_bytes = sector;
  p.allocate = allocate;
  p.write_hit = WEIR_WRITE_BACK;
  p.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
  struct bench *b = bench_new(&p);
  struct model m = {.sets_used = sets, .ways = ways, .sector_bytes = sector};
  for (int i = 0; i < ACCESSES; i++) {
    uint64_t address = weir_rng_below(&rng, 2 * sets * ways) * LINE + weir_rng_below(&rng, LINE / 4) * 4;
    bool writes = !weir_rng_below(&rng, 3), whole = !weir_rng_below(&rng, 2);
    if (writes) {
      if (whole) address &= ~(uint64_t)(sector - 1);
      uint64_t hits = b->stats.stores.hits;
      assert_int_equal(store(b, address, whole ? sector : 4), 'w');
      assert_int_equal(b->stats.stores.hits - hits, model_write(&m, address, whole));
    } else {
      assert_int_equal(load(b, address), model_read(&m, address) ? 'h' : 'm');
    }
    settle(b);
  }
  assert_int_equal(b->stats.loads.hits + b->stats.stores.hits, m.hits);
  assert_int_equal(b->stats.loads.misses + b->stats.stores.misses, m.misses);
  assert_int_equal(b->stats.evictions, m.evictions);
  assert_int_equal(b->stats.writebacks, m.writebacks);
  assert_true(m.hits > ACCESSES / 20 && m.evictions > ACCESSES / 20);
  bench_free(b);
}

static void write_back_lru(void **state) {
  (void)state;
  static const unsigned sectors[] = {16, 32, 64};
  uint64_t seed = 0;
  for (unsigned sets = 1; sets <= MODEL_SETS; sets *= 2)
    for (unsigned ways = 1; ways <= MODEL_WAYS; ways += 3)
      for (unsigned s = 0; s < 3; s++) {
        compare(seed++, sets, ways, sectors[s], WEIR_ALLOCATE_ON_MISS);
        compare(seed++, sets, ways, sectors[s], WEIR_ALLOCATE_ON_FILL);
      }
}

// Everything in flight at once, answered in any order: each request taken leaves exactly once, and the counts add up.
static void nothing_is_lost(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct weir_rng rng = weir_rng_seed(seed, 3);
    struct weir_cache_params p = small_cache();
    p.sets = 1u << weir_rng_below(&rng, 3);
    p.ways = 1 + (uint32_t)weir_rng_below(&rng, 3);
    p.sector_bytes = 32u << weir_rng_below(&rng, 3);
    p.mshrs = 1 + (uint32_t)weir_rng_below(&rng, 4);
    p.mshr_merges = 1 + (uint32_t)weir_rng_below(&rng, 3);
    p.miss_queue = 2 + (uint32_t)weir_rng_below(&rng, 3);
    p.allocate = weir_rng_below(&rng, 2) ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS;
    p.write_hit = (enum weir_write_hit)weir_rng_below(&rng, 3);
    if (p.write_hit == WEIR_WRITE_BACK && weir_rng_below(&rng, 2)) p.write_miss = WEIR_WRITE_ALLOCATE_LAZY;
    weir_policy_defaults(&p.companions[0], weir_policy_find(WEIR_POLICY_BYPASS, "random"));
    p.companion_count = (unsigned)weir_rng_below(&rng, 2);
    struct bench *b = bench_new(&p);
    struct weir_mreq *below[64];
    unsigned flying = 0;
    uint64_t taken = 0;
    for (int i = 0; i < 1500; i++) {
      uint64_t address = weir_rng_below(&rng, 24) * 128 + weir_rng_below(&rng, 4) * 32;
      unsigned what = (unsigned)weir_rng_below(&rng, 8);
      char c = what == 0 ? atomic(b, address) : what < 3 ? store(b, address, what * 16) : load(b, address);
      assert_int_not_equal(c, '?');
      taken += !strchr("WEGQ", c);
      while (flying < 64 && (b->cache.miss_queue.head || b->cache.skipped.head) && weir_rng_below(&rng, 3)) {
        struct weir_mreq *r = go_down(b);
        if (r->kind == WEIR_MREQ_WRITEBACK)
          weir_mreq_release(&b->pool, r);
        else if (weir_cache_waits_for(&b->cache, r))
          below[flying++] = r;
        else
          give_back(b, r);
      }
      if (flying && !weir_rng_below(&rng, 3)) {
        unsigned k = (unsigned)weir_rng_below(&rng, flying);
        weir_cache_fill(&b->cache, below[k], b->now++);
        below[k] = below[--flying];
      }
      if (weir_rng_below(&rng, 2)) take_ready(b);
    }
    while (flying) weir_cache_fill(&b->cache, below[--flying], b->now++);
    for (struct weir_mreq *r; (r = go_down(b));)
      if (r->kind == WEIR_MREQ_WRITEBACK)
        weir_mreq_release(&b->pool, r);
      else if (weir_cache_waits_for(&b->cache, r))
        weir_cache_fill(&b->cache, r, b->now++);
      else
        give_back(b, r);
    take_all_ready(b);
    assert_int_equal(b->stats.loads.accesses + b->stats.stores.accesses, taken);
    bench_free(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(write_back_lru),
    cmocka_unit_test(nothing_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
