// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The three C's and what is dropped: by hand on a real cache, and against a fully associative cache that is searched line by line.
#include "../400-mem/mem_test.h"

#include "look/record.h"
#include "look/step.h"

// ---- by hand ----------------------------------------------------------------------------------------------------------------

// Loads of these lines, one after the other, by a cache of four lines; the events of all.
static void watch(struct weir_look_record *r, struct weir_cache_params p, const char *lines) {
  struct bench *b = bench_new(&p);
  const struct weir_cache_watch w = {.saw = weir_look_record_saw, .context = r};
  *r = (struct weir_look_record){.only_set = WEIR_LOOK_ANY, .most_events = 100};
  weir_look_record_start(r, p.sets, p.ways, p.line_bytes / p.sector_bytes);
  weir_look_record_begin(r);
  b->cache.watch = &w;
  for (; *lines; lines++) {
    const uint64_t address = 128 * (uint64_t)(*lines - '0');
    if (load_by(b, address, 3) == 'm') fetched(b, address);
    take_all_ready(b);
  }
  weir_cache_flush(&b->cache, UINT64_MAX);
  bench_free(b);
}

static void expect(const struct weir_look_record *r, unsigned hits, unsigned compulsory, unsigned capacity,
                   unsigned conflict) {
  assert_int_equal(r->total.hits, hits);
  assert_int_equal(r->total.misses[WEIR_COMPULSORY], compulsory);
  assert_int_equal(r->total.misses[WEIR_CAPACITY], capacity);
  assert_int_equal(r->total.misses[WEIR_CONFLICT], conflict);
  assert_int_equal(r->total.misses[WEIR_DROPPED], 0);
}

// Blocks 0 8 0 6 8 in four blocks: Patterson and Hennessy, Computer Organization and Design, section 5.4 (Misses and associativity in
// caches): 5 misses direct mapped, 4 in two ways, 3 fully associative. So three are compulsory, none is of capacity, and the others
// are conflicts.
static void test_textbook(void **state) {
  (void)state;
  static const struct {
    uint32_t sets, ways;
    unsigned hits, conflict;
  } shapes[] = {{4, 1, 0, 2}, {2, 2, 1, 1}, {1, 4, 2, 0}};
  for (unsigned i = 0; i < 3; i++) {
    struct weir_cache_params p = small_cache();
    struct weir_look_record r;
    p.sets = shapes[i].sets;
    p.ways = shapes[i].ways;
    watch(&r, p, "08068");
    expect(&r, shapes[i].hits, 3, 0, shapes[i].conflict);
    assert_int_equal(weir_look_misses_of(&r, 4), 3);
    assert_int_equal(weir_look_misses_of(&r, 1), 5); // 0 is never used twice in a row
    assert_int_equal(weir_look_misses_of(&r, 2), 4); // 8 lies between the 0's; 0 and 6 between the 8's
    assert_int_equal(r.distances[1] + r.distances[2], 2);
    weir_look_record_free(&r);
  }
}

// Five lines in turn in four lines, LRU: each is gone when it comes again.
static void test_cyclic(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct weir_look_record r;
  p.sets = 1;
  p.ways = 4;
  watch(&r, p, "012340123401234");
  expect(&r, 0, 5, 10, 0);
  assert_int_equal(weir_look_misses_of(&r, 5), 5);
  assert_int_equal(r.distances[3], 10); // 4 others: 4 to 7
  weir_look_record_free(&r);
}

// 0 8 0 6 8 in two ways, two sets: 0 and 8 come to set 0, 0 is hit, 6 puts 8 out, 8 puts 0 out, then all go. By events: access and fill
// of 0 and 8, access of 0, then thrice access, end, fill, without the last: of 6 and of 8.
static void test_log(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct weir_look_record r;
  p.sets = 2;
  watch(&r, p, "08068");
  static const char kinds[] = "afafaaefaefee";
  assert_int_equal(r.event_count, sizeof kinds - 1);
  for (unsigned i = 0; i < r.event_count; i++) {
    const uint8_t kind = r.events[i].what.kind;
    assert_int_equal(kind == WEIR_WATCH_ACCESS ? 'a' : kind == WEIR_WATCH_FILL ? 'f' : 'e', kinds[i]);
  }
  const struct weir_look_event *first = &r.events[6], *second = &r.events[9];
  assert_int_equal(first->what.line, 8);
  assert_int_equal(first->what.end, WEIR_END_REPLACED);
  assert_int_equal(first->uses, 0);
  assert_int_equal(first->last_use, first->filled);
  assert_int_equal(second->what.line, 0);
  assert_int_equal(second->uses, 1);
  assert_int_equal(second->last_use, r.events[4].what.now); // the third access
  assert_int_equal(second->load, 1 + 3);                    // instruction 3 brought it
  assert_int_equal(r.ends[WEIR_END_REPLACED], 2);
  assert_int_equal(r.ends[WEIR_END_FLUSHED], 2);
  assert_int_equal(r.total.unused, 3); // 8, 6 and 8
  weir_look_record_free(&r);
}

// The same events, stepped through: the first, the first that leaves, the one behind it, one that is not there.
static void test_step(void **state) {
  (void)state;
  struct weir_cache_params p = small_cache();
  struct weir_look l = {.line_bytes = 128};
  char keys[] = "\ne\n\n13\nx\nq\n\n", *said = NULL;
  size_t bytes;
  p.sets = 2;
  watch(&l.record, p, "08068");
  FILE *from = fmemopen(keys, sizeof keys - 1, "r"), *to = open_memstream(&said, &bytes);
  weir_look_step(&l, from, to);
  fclose(from);
  fclose(to);
  assert_non_null(strstr(said,
                         "event 0, cycle 4294967280, set 0, line 0x0: load of pc 3, warp 0: miss, compulsory\n"
                         "  way 0: empty\n  way 1: empty\n"));
  assert_non_null(strstr(said, "set 0, line 0x400: leaves way 1: replaced, 0 hits"));
  assert_non_null(strstr(said,
                         "set 0, line 0x300: comes into way 1\n  way 0: 0x0\n  way 1: 0x300\nno more events\n"
                         "Enter, e, a number or q\n"));
  assert_null(strstr(said, "event 1,"));
  free(said);
  weir_look_record_free(&l.record);
}

// A store that evicts where it hits: what is loaded again was dropped.
static void test_dropped(void **state) {
  (void)state;
  const struct weir_cache_params p = small_cache();
  struct bench *b = bench_new(&p);
  struct weir_look_record r = {.only_set = WEIR_LOOK_ANY};
  const struct weir_cache_watch w = {.saw = weir_look_record_saw, .context = &r};
  weir_look_record_start(&r, p.sets, p.ways, 1);
  weir_look_record_begin(&r);
  b->cache.watch = &w;
  load(b, 0);
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(store(b, 0, 4), 'd');
  give_back(b, go_down(b));
  load(b, 0);
  fetched(b, 0);
  take_all_ready(b);
  assert_int_equal(r.total.passed, 1);
  assert_int_equal(r.ends[WEIR_END_WRITTEN], 1);
  assert_int_equal(r.total.misses[WEIR_COMPULSORY], 1);
  assert_int_equal(r.total.misses[WEIR_DROPPED], 1);
  assert_int_equal(r.left_out, 6); // two accesses and fills, a store, an end: the log keeps none
  weir_look_record_free(&r);
  bench_free(b);
}

// ---- at random --------------------------------------------------------------------------------------------------------------

enum { LINES = 40, MOST = 64, SECTORS = 4 };

// The most recent first, with the sectors that each has.
struct full {
  unsigned size, count;
  struct {
    uint64_t line;
    uint8_t has;
  } at[MOST + 1];
};

static void full_remove(struct full *f, uint64_t line) {
  for (unsigned i = 0; i < f->count; i++)
    if (f->at[i].line == line) {
      memmove(&f->at[i], &f->at[i + 1], (--f->count - i) * sizeof *f->at);
      return;
    }
}

static bool full_use(struct full *f, uint64_t line, unsigned sector) {
  uint8_t has = 0;
  for (unsigned i = 0; i < f->count; i++)
    if (f->at[i].line == line) has = f->at[i].has;
  full_remove(f, line);
  memmove(&f->at[1], &f->at[0], f->count * sizeof *f->at);
  f->at[0].line = line;
  f->at[0].has = (uint8_t)(has | 1u << sector);
  if (++f->count > f->size) f->count = f->size;
  return has >> sector & 1;
}

struct model {
  struct full caches[MOST + 1]; // by size
  bool used[LINES][SECTORS], dropped[LINES][SECTORS];
};

static void model_drop(struct model *m, uint64_t line) {
  for (unsigned n = 1; n <= MOST; n++) full_remove(&m->caches[n], line);
  for (unsigned s = 0; s < SECTORS; s++) m->dropped[line][s] |= m->used[line][s];
}

static void model_use(struct model *m, struct weir_classes *c, uint64_t line, unsigned sector) {
  const struct weir_use u = weir_classes_use(c, line, sector);
  for (unsigned n = 1; n <= MOST; n++) {
    const bool hit = full_use(&m->caches[n], line, sector);
    assert_int_equal(hit, u.distance < n);
    if (n != c->lines) continue;
    assert_int_equal(u.if_miss,
                     !m->used[line][sector]       ? WEIR_COMPULSORY
                       : m->dropped[line][sector] ? WEIR_DROPPED
                       : hit                      ? WEIR_CONFLICT
                                                  : WEIR_CAPACITY);
  }
  m->used[line][sector] = true;
  m->dropped[line][sector] = false;
}

static void test_at_random(void **state) {
  (void)state;
  for (unsigned sectors = 1; sectors <= SECTORS; sectors *= 4) {
    struct model *m = calloc(1, sizeof *m);
    struct weir_classes c;
    struct weir_rng rng = weir_rng_seed(sectors, 0);
    weir_classes_start(&c, 16, sectors);
    for (unsigned n = 1; n <= MOST; n++) m->caches[n].size = n;
    for (unsigned i = 0; i < 4000; i++) {
      const uint64_t line = weir_rng_below(&rng, weir_rng_below(&rng, LINES) + 1);
      const uint64_t what = weir_rng_below(&rng, 500);
      if (what == 0) {
        weir_classes_flush(&c);
        for (uint64_t l = 0; l < LINES; l++) model_drop(m, l);
      } else if (what < 20) {
        weir_classes_drop(&c, line, UINT8_MAX);
        model_drop(m, line);
      } else {
        model_use(m, &c, line, (unsigned)weir_rng_below(&rng, sectors));
      }
    }
    weir_classes_free(&c);
    free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_textbook), cmocka_unit_test(test_cyclic),  cmocka_unit_test(test_log),
    cmocka_unit_test(test_step),     cmocka_unit_test(test_dropped), cmocka_unit_test(test_at_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
