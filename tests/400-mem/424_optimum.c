// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The fewest misses on a record: a published example, and against a search of all that any policy could do. A cache that is told its
// own future has just as many.
#include "mem_test.h"

#include "mem/optimum.h"
#include "mem/oracle.h"

static struct weir_access_log *one_set(uint32_t ways, uint32_t sectors) {
  return weir_access_log_create(1, ways, sectors);
}

static void add(struct weir_access_log *l, uint64_t line, uint32_t sector, uint32_t pc) {
  weir_access_log_add(
    l, line, 0,
    (struct weir_log_event){
      .kind = WEIR_LOG_ACCESS, .sector = sector & 7u, .pc = pc & WEIR_LOG_NO_PC, .result = WEIR_ACCESS_MISS});
}

static uint64_t least(const struct weir_access_log *l) {
  struct weir_bound_counts n = {0};
  weir_optimum(l, &n, NULL, 0);
  return n.least_misses;
}

static uint64_t least_of(const char *lines, uint32_t ways) {
  struct weir_access_log *l = one_set(ways, 1);
  for (const char *c = lines; *c; c++) add(l, (uint64_t)*c, 0, 0);
  const uint64_t n = least(l);
  weir_access_log_free(l);
  return n;
}

// Jain and Lin (ISCA 2016), Figure 6: of A B B C D E A F D E F C two lines can hit B, A, D and F.
static void jain_and_lin(void **state) {
  (void)state;
  assert_int_equal(least_of("ABBCDEAFDEFC", 2), 12 - 4);
}

// By hand. Three lines go round in two ways: one stays and hits, the others do not come in. Without bypassing it would be
// every second use of two of them.
static void a_round(void **state) {
  (void)state;
  assert_int_equal(least_of("ABCABCABC", 2), 3 + 2); // A and B stay: of the later six, C misses twice
  assert_int_equal(least_of("ABCABCABC", 1), 3 + 4);
  assert_int_equal(least_of("ABCABCABC", 3), 3);
  assert_int_equal(least_of("", 2), 0);
}

// ---- by instruction -----------------------------------------------------------------------------------------------------

// One way. Instruction 1 loads A twice with B, of instruction 2, between: A stays. Its first fill is kept until the second
// use, which is no fill here; B's, which has no use, is not.
static void fills_that_are_not_kept(void **state) {
  (void)state;
  struct weir_access_log *l = one_set(1, 1);
  add(l, 'A', 0, 1);
  add(l, 'B', 0, 2);
  add(l, 'A', 0, 1);
  struct weir_bound_counts total = {0}, pcs[3] = {{0}};
  weir_optimum(l, &total, pcs, 3);
  assert_int_equal(total.accesses, 3);
  assert_int_equal(total.misses, 3);
  assert_int_equal(total.least_misses, 2);
  assert_int_equal(total.fills, 3);
  assert_int_equal(total.unkept_fills, 2); // B's, and the last of A, which nobody uses
  assert_int_equal(pcs[1].least_misses, 1);
  assert_int_equal(pcs[1].fills, 2);
  assert_int_equal(pcs[1].unkept_fills, 1);
  assert_int_equal(pcs[2].unkept_fills, 1);
  weir_access_log_free(l);
}

// What waits for a line on its way needs no way, and keeps none.
static void hits_on_misses_are_free(void **state) {
  (void)state;
  struct weir_access_log *l = one_set(1, 1);
  add(l, 'A', 0, 0);
  weir_access_log_add(l, 'A', 0, (struct weir_log_event){.kind = WEIR_LOG_ACCESS, .result = WEIR_ACCESS_HIT_ON_MISS});
  struct weir_bound_counts n = {0};
  weir_optimum(l, &n, NULL, 0);
  assert_int_equal(n.accesses, 1);
  assert_int_equal(n.least_misses, 1);
  assert_int_equal(n.unkept_fills, 1);
  weir_access_log_free(l);
}

// ---- against all there is to decide -----------------------------------------------------------------------------------

enum { UNITS = 6, STATES = 1 << UNITS };

// The fewest misses over all choices of what to hold after each event. Unit u is sector u % sectors of line u / sectors; a set
// holds `ways` lines, or, if `loose`, as many sectors as these have.
static unsigned search(const struct weir_access_log *l, bool loose) {
  unsigned best[STATES], next[STATES];
  uint32_t ways = l->ways;
  for (unsigned h = 0; h < STATES; h++) best[h] = h ? 1000 : 0;
  for (uint64_t i = 0; i < l->count; i++) {
    const struct weir_log_event *e = &l->events[i];
    if (e->kind == WEIR_LOG_WAYS) ways = e->line;
    for (unsigned h = 0; h < STATES; h++) next[h] = 1000;
    for (unsigned held = 0; held < STATES; held++) {
      if (best[held] == 1000) continue;
      unsigned may = held, cost = best[held];
      const uint64_t line = weir_log_has_line(e->kind) ? l->lines[e->line].line : 0;
      if (e->kind == WEIR_LOG_FLUSH) may = 0;
      if (e->kind == WEIR_LOG_KILL) may &= ~(((1u << l->sectors) - 1) << line * l->sectors);
      if (e->kind == WEIR_LOG_PLACE) may |= 1u << (line * l->sectors + e->sector);
      if (e->kind == WEIR_LOG_ACCESS) {
        const unsigned bit = 1u << (line * l->sectors + e->sector);
        cost += !(held & bit);
        may |= bit;
      }
      for (unsigned kept = may;; kept = (kept - 1) & may) {
        unsigned lines = 0;
        for (unsigned s = 0; s < UNITS / l->sectors; s++)
          lines += (kept >> s * l->sectors & ((1u << l->sectors) - 1)) != 0;
        const bool fits = loose ? weir_popcount(kept) <= ways * l->sectors : lines <= ways;
        if (fits && cost < next[kept]) next[kept] = cost;
        if (!kept) break;
      }
    }
    memcpy(best, next, sizeof best);
  }
  unsigned fewest = 1000;
  for (unsigned h = 0; h < STATES; h++) fewest = best[h] < fewest ? best[h] : fewest;
  return fewest;
}

static struct weir_access_log *random_log(struct weir_rng *rng, uint32_t sectors) {
  struct weir_access_log *l = one_set(1 + (uint32_t)weir_rng_below(rng, 3), sectors);
  const unsigned length = 1 + (unsigned)weir_rng_below(rng, 30);
  for (unsigned i = 0; i < length; i++) {
    const unsigned unit = (unsigned)weir_rng_below(rng, UNITS), what = (unsigned)weir_rng_below(rng, 20);
    if (what == 0)
      weir_access_log_add(l, unit / sectors, 0, (struct weir_log_event){.kind = WEIR_LOG_KILL});
    else if (what == 1)
      weir_access_log_add(l, 0, 0, (struct weir_log_event){.kind = WEIR_LOG_FLUSH});
    else if (what == 2)
      weir_access_log_add(l, 0, 0,
                          (struct weir_log_event){.kind = WEIR_LOG_WAYS, .line = 1 + (uint32_t)weir_rng_below(rng, 3)});
    else if (what == 3)
      weir_access_log_add(l, unit / sectors, 0,
                          (struct weir_log_event){.kind = WEIR_LOG_PLACE, .sector = (unit % sectors) & 7u});
    else
      add(l, unit / sectors, unit % sectors, 0);
  }
  return l;
}

static void no_policy_does_better(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(424, 0);
  for (unsigned n = 0; n < 600; n++) {
    const uint32_t sectors = n % 3 ? 1 : 2;
    struct weir_access_log *l = random_log(&rng, sectors);
    assert_int_equal(least(l), search(l, true));
    assert_true(least(l) <= search(l, false));
    weir_access_log_free(l);
  }
}

// ---- told to a cache -----------------------------------------------------------------------------------------------------

enum { STREAM = 3000, STREAM_LINES = 40 };

static struct weir_cache_params opt_cache(void) {
  struct weir_cache_params p = small_cache();
  weir_policy_defaults(&p.replace, weir_policy_find(WEIR_POLICY_REPLACE, "opt"));
  return p;
}

// A stream of loads, stores that evict, and flushes; how many loads missed.
static unsigned play(struct bench *b) {
  struct weir_rng rng = weir_rng_seed(4240, 0);
  unsigned misses = 0;
  for (unsigned i = 0; i < STREAM; i++) {
    const uint64_t address = weir_rng_below(&rng, STREAM_LINES) * 128, what = weir_rng_below(&rng, 200);
    if (what == 0)
      weir_cache_flush(&b->cache, UINT64_MAX);
    else if (what < 10) {
      assert_int_equal(store(b, address, 4), 'd');
      went_down(b, WEIR_MREQ_STORE, address, 4);
    } else
      misses += load_through(b, address) == 'm';
  }
  return misses;
}

static void a_cache_that_knows_has_the_fewest(void **state) {
  (void)state;
  const struct weir_cache_params p = opt_cache(), lru = small_cache();
  struct weir_access_log *log = weir_access_log_create(p.sets, p.ways, 1);
  struct bench *first = bench_new(&p), *second = bench_new(&p), *plain = bench_new(&lru);
  first->cache.oracle = weir_oracle_record(log);
  const unsigned recorded = play(first);
  assert_int_equal(recorded, play(plain)); // nobody knows anything yet: the least recently used line goes
  struct weir_bound_counts n = {0};
  weir_optimum(log, &n, NULL, 0);
  assert_int_equal(n.misses, recorded);
  assert_true(n.least_misses < recorded);
  second->cache.oracle = weir_oracle_foretell(log);
  assert_int_equal(play(second), n.least_misses);
  weir_oracle_free(first->cache.oracle);
  weir_oracle_free(second->cache.oracle);
  weir_access_log_free(log);
  bench_free(first);
  bench_free(second);
  bench_free(plain);
}

// From one process to another: what is read is what was written, and half of it is nothing.
static void records_travel(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(4241, 0);
  struct weir_access_log *l = random_log(&rng, 2);
  char *bytes = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&bytes, &size);
  assert_true(weir_access_log_write(l, to));
  fclose(to);
  FILE *whole = fmemopen(bytes, size, "r"), *half = fmemopen(bytes, size - 1, "r");
  struct weir_access_log *read = weir_access_log_read(whole);
  assert_non_null(read);
  assert_int_equal(read->count, l->count);
  assert_memory_equal(read->events, l->events, l->count * sizeof *l->events);
  assert_int_equal(least(read), least(l));
  assert_null(weir_access_log_read(half));
  fclose(whole);
  fclose(half);
  free(bytes);
  weir_access_log_free(l);
  weir_access_log_free(read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(jain_and_lin),
    cmocka_unit_test(a_round),
    cmocka_unit_test(fills_that_are_not_kept),
    cmocka_unit_test(hits_on_misses_are_free),
    cmocka_unit_test(no_policy_does_better),
    cmocka_unit_test(a_cache_that_knows_has_the_fewest),
    cmocka_unit_test(records_travel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
