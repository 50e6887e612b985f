// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A cache whose sets share the data of fewer lines than they have tags.
#include "mem_test.h"

#include "mem/cache_lines.h"

enum { LINE = 128, SETS = 4, WAYS = 4 };

static struct bench *open_pool(uint32_t sets, uint32_t ways, uint32_t lines, enum weir_allocate allocate, bool shadow) {
  struct weir_cache_params p = small_cache();
  p.sets = sets;
  p.ways = ways;
  p.data_pool = true;
  p.allocate = allocate;
  p.shadow_tags = shadow;
  struct bench *b = bench_new(&p);
  weir_cache_use_data(&b->cache, lines, UINT64_MAX);
  return b;
}

// Line `way` of those that share a set.
static uint64_t in_set(uint32_t set, uint32_t way) {
  return (uint64_t)(way * SETS + set) * LINE;
}

static bool holds(const struct bench *b, uint64_t address) {
  return weir_cache_holds(&b->cache, address, address);
}

// A third line of a set finds a way and no data. Of its two, the one goes that was not used again, though it is the younger.
static void what_was_not_used_again_goes(void **state) {
  (void)state;
  for (unsigned shadow = 0; shadow < 2; shadow++) {
    struct bench *b = open_pool(SETS, WAYS, 2, WEIR_ALLOCATE_ON_MISS, shadow);
    assert_int_equal(load_through(b, in_set(0, 0)), 'm');
    assert_int_equal(load_through(b, in_set(0, 0)), 'h');
    for (uint32_t i = 1; i < 6; i++) assert_int_equal(load_through(b, in_set(0, i)), 'm');
    assert_int_equal(load_through(b, in_set(0, 0)), 'h');
    assert_true(holds(b, in_set(0, 5)));
    bench_free(b);
  }
}

// Data of five lines. With them taken, a third line of set 1 has a way and no data: the older of its own two goes. Set 3 has none of
// its own to give, and the next set, from the last that gave (0) on, is 1.
static void what_there_is_no_data_for(void **state) {
  (void)state;
  for (unsigned shadow = 0; shadow < 2; shadow++) {
    struct bench *b = open_pool(SETS, WAYS, 5, WEIR_ALLOCATE_ON_MISS, shadow);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(load_through(b, in_set(0, i)), 'm');
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(load_through(b, in_set(1, i)), 'm');
    assert_int_equal(b->stats.evictions, 0);
    assert_int_equal(load_through(b, in_set(1, 2)), 'm');
    assert_int_equal(b->stats.evictions, 1);
    assert_false(holds(b, in_set(1, 0)));
    assert_int_equal(load_through(b, in_set(3, 0)), 'm');
    assert_int_equal(b->stats.evictions, 1);
    assert_int_equal(b->stats.invalidations, 1);
    assert_false(holds(b, in_set(1, 1)));
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(load_through(b, in_set(0, i)), 'h');
    assert_int_equal(load_through(b, in_set(1, 2)), 'h');
    assert_int_equal(load_through(b, in_set(3, 0)), 'h');
    bench_free(b);
  }
}

// While both lines of the data are on their way, a third has to wait.
static void while_all_are_on_their_way(void **state) {
  (void)state;
  struct bench *b = open_pool(SETS, WAYS, 2, WEIR_ALLOCATE_ON_MISS, false);
  assert_int_equal(load(b, in_set(0, 0)), 'm');
  assert_int_equal(load(b, in_set(1, 0)), 'm');
  assert_int_equal(load(b, in_set(2, 0)), 'W');
  struct weir_mreq *r = go_down(b);
  r->is_reply = true;
  weir_cache_fill(&b->cache, r, b->now++);
  take_all_ready(b);
  assert_int_equal(load(b, in_set(2, 0)), 'm'); // of set 0 one is here, which goes
  assert_false(holds(b, in_set(0, 0)));
  while ((r = go_down(b))) {
    r->is_reply = true;
    weir_cache_fill(&b->cache, r, b->now++);
  }
  take_all_ready(b);
  bench_free(b);
}

// Of a line in each set, with data for three of them the last set's goes.
static void with_less_data(void **state) {
  (void)state;
  for (unsigned shadow = 0; shadow < 2; shadow++) {
    struct bench *b = open_pool(SETS, WAYS, 16, WEIR_ALLOCATE_ON_MISS, shadow);
    for (uint32_t set = 0; set < SETS; set++) load_through(b, in_set(set, 0));
    weir_cache_use_data(&b->cache, 3, UINT64_MAX);
    assert_int_equal(b->stats.invalidations, 1);
    for (uint32_t set = 0; set < 3; set++) assert_int_equal(load_through(b, in_set(set, 0)), 'h');
    assert_false(holds(b, in_set(3, 0)));
    weir_cache_use_data(&b->cache, 16, UINT64_MAX);
    assert_int_equal(load_through(b, in_set(3, 0)), 'm');
    for (uint32_t set = 0; set < SETS; set++) assert_int_equal(load_through(b, in_set(set, 0)), 'h');
    bench_free(b);
  }
}

// Around and around through n lines in order, with data for d and tags for all: the first d find data, and each of the n − d others
// leaves its set with a line less than it wants. Under LRU such a set hits in none: as many misses in a pass as it wants lines. An H200
// shows four for each line beyond its data (docs/differences/h200.md).
static void a_ring_beyond_the_data(void **state) {
  (void)state;
  enum { RING_SETS = 16, LINES = RING_SETS * WAYS };
  for (uint32_t beyond = 0; beyond <= 12; beyond += 3) {
    struct bench *b = open_pool(RING_SETS, WAYS, LINES - beyond, WEIR_ALLOCATE_ON_FILL, false);
    for (unsigned pass = 0; pass < 4; pass++) {
      unsigned misses = 0;
      for (uint32_t i = 0; i < LINES; i++) misses += load_through(b, (uint64_t)i * LINE) == 'm';
      assert_int_equal(misses, pass ? WAYS * beyond : LINES);
    }
    bench_free(b);
  }
}

// ---- beside a model that has no state but the order in which lines were used ------------------------------------------------

struct model {
  uint64_t lines[SETS * WAYS]; // that are here, the least recently used first
  bool used[SETS * WAYS];      // again, since it came
  uint32_t held, data, turn;
};

static void leave(struct model *m, uint32_t i) {
  m->held--;
  memmove(m->lines + i, m->lines + i + 1, (m->held - i) * sizeof *m->lines);
  memmove(m->used + i, m->used + i + 1, (m->held - i) * sizeof *m->used);
}

// The least recently used line of the set, or `held`; how many it has.
static uint32_t oldest(const struct model *m, uint32_t set, uint32_t *count) {
  uint32_t first = m->held;
  *count = 0;
  for (uint32_t i = m->held; i-- > 0;)
    if (m->lines[i] % SETS == set) first = i, ++*count;
  return first;
}

static bool use(struct model *m, uint64_t line) {
  uint32_t at = 0, count;
  while (at < m->held && m->lines[at] != line) at++;
  const bool hit = at < m->held;
  if (hit) {
    leave(m, at);
  } else {
    const uint32_t own = oldest(m, (uint32_t)(line % SETS), &count);
    if (count == WAYS) {
      leave(m, own);
    } else if (count && m->held == m->data) {
      for (at = own; at < m->held && (m->lines[at] % SETS != line % SETS || m->used[at]); at++) {
      }
      leave(m, at < m->held ? at : own);
    } else if (m->held == m->data) {
      do m->turn = (m->turn + 1) % SETS;
      while (at = oldest(m, m->turn, &count), !count);
      leave(m, at);
    }
  }
  m->used[m->held] = hit;
  m->lines[m->held++] = line;
  return hit;
}

static void random_loads(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 24; variant++) {
    struct weir_rng rng = weir_rng_seed(variant, 1);
    struct model m = {.data = 1 + variant % 12};
    struct bench *b =
      open_pool(SETS, WAYS, m.data, variant & 1 ? WEIR_ALLOCATE_ON_FILL : WEIR_ALLOCATE_ON_MISS, variant & 2);
    const uint64_t lines = 4 + 2 * m.data;
    unsigned hits = 0;
    for (unsigned i = 0; i < 1500; i++) {
      const uint64_t line = weir_rng_below(&rng, lines);
      const bool hit = load_through(b, line * LINE) == 'h';
      assert_int_equal(hit, use(&m, line));
      hits += hit;
    }
    assert_true(hits > 50 && hits < 1450);
    assert_int_equal(b->cache.data - b->cache.room, m.held);
    bench_free(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_not_used_again_goes), cmocka_unit_test(what_there_is_no_data_for),
    cmocka_unit_test(while_all_are_on_their_way),   cmocka_unit_test(with_less_data),
    cmocka_unit_test(a_ring_beyond_the_data),       cmocka_unit_test(random_loads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
