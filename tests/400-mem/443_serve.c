// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A memory slice without time: what is asked of memory, in which order, and what is answered; and the same counts as with time, of
// requests that come one after the other.
#include "memory_test.h"

#include "mem/serve.h"

// ---- what a slice says ----------------------------------------------------------------------------------------------------

enum { HEARD = 32 };

struct heard {
  char text[HEARD]; // a letter each: Read or Write of memory, a Part that is there, an Answer
  uint64_t address[HEARD];
  uint32_t count;
  bool notes_parts;
  struct weir_mreq_pool *pool;
};

static void note(struct heard *h, char what, uint64_t address) {
  assert_true(h->count < HEARD);
  h->text[h->count] = what;
  h->address[h->count++] = address;
}

static void answered(void *context, struct weir_mreq *r) {
  struct heard *h = context;
  note(h, 'A', r->address);
  weir_mreq_release(h->pool, r);
}

static bool part(void *context, const struct weir_mreq *r) {
  struct heard *h = context;
  if (h->notes_parts) note(h, 'P', r->address);
  return h->notes_parts;
}

static void memory(void *context, uint64_t address, uint32_t bytes, bool writes) {
  assert_int_equal(bytes % 32, 0);
  note(context, writes ? 'W' : 'R', address);
}

static void serve(struct memory *m, struct heard *h, enum weir_mreq_kind kind, uint64_t address, uint32_t bytes) {
  const struct weir_serve_ends ends = {answered, part, memory, h};
  struct weir_mreq *r = memory_make(m, kind, address, bytes);
  h->count = 0;
  h->pool = &m->fabric.pool;
  weir_slice_serve(&m->slices[r->slice], r, m->now++, &ends);
}

static void assert_heard(const struct heard *h, const char *text, const uint64_t *addresses) {
  assert_int_equal(h->count, strlen(text));
  assert_memory_equal(h->text, text, h->count);
  for (uint32_t i = 0; i < h->count; i++) assert_int_equal(h->address[i], addresses[i]);
}

// Four sectors of a line: none is here, then all are. All but the last are parts.
static void a_line(void **state) {
  (void)state;
  struct memory_params p = one_shared_cache(1, 1);
  struct memory *m = memory_new(&p);
  struct heard h = {.notes_parts = true};
  serve(m, &h, WEIR_MREQ_LOAD, 0x100, 128);
  assert_heard(&h, "RPRPRPRA", (const uint64_t[]){0x100, 0x100, 0x120, 0x120, 0x140, 0x140, 0x160, 0x160});
  serve(m, &h, WEIR_MREQ_LOAD, 0x100, 128);
  assert_heard(&h, "PPPA", (const uint64_t[]){0x100, 0x120, 0x140, 0x160});
  assert_int_equal(m->levels[0].loads.misses, 4);
  assert_int_equal(m->levels[0].loads.hits, 4);
  assert_int_equal(m->levels[0].fills, 4);
  memory_free(m);
}

// A part of which nobody takes note is answered.
static void parts_that_are_answered(void **state) {
  (void)state;
  struct memory_params p = one_shared_cache(1, 1);
  struct memory *m = memory_new(&p);
  struct heard h = {.notes_parts = false};
  serve(m, &h, WEIR_MREQ_LOAD, 0x120, 64);
  assert_heard(&h, "RARA", (const uint64_t[]){0x120, 0x120, 0x140, 0x140});
  serve(m, &h, WEIR_MREQ_LOAD, 0x100, 96);
  assert_heard(&h, "RAAA", (const uint64_t[]){0x100, 0x100, 0x120, 0x140});
  memory_free(m);
}

// Two ways, 64 sets of 128 bytes: the third line of a set takes the place of the first, whose second sector is dirty. That is written when
// the new line's sector has been read.
static void a_dirty_line_goes(void **state) {
  (void)state;
  enum { STRIDE = 64 * 128 };
  struct memory_params p = one_shared_cache(1, 1);
  struct memory *m = memory_new(&p);
  struct heard h = {.notes_parts = true};
  serve(m, &h, WEIR_MREQ_STORE, 0x20, 32);
  assert_heard(&h, "A", (const uint64_t[]){0x20});
  serve(m, &h, WEIR_MREQ_LOAD, STRIDE, 32);
  serve(m, &h, WEIR_MREQ_LOAD, 2 * STRIDE, 32);
  assert_int_equal(h.count, 3);
  assert_memory_equal(h.text, "RAW", 3);
  assert_int_equal(h.address[2], 0x20);
  memory_free(m);
}

// ---- as with time -----------------------------------------------------------------------------------------------------------

// Requests drawn at random, the same to both, each begun when the one before has ended.
static void as_with_time(const struct memory_params *p, uint64_t seed) {
  enum { REQUESTS = 4000, LINES = 512 };
  static const enum weir_mreq_kind kinds[] = {WEIR_MREQ_LOAD, WEIR_MREQ_LOAD, WEIR_MREQ_STORE, WEIR_MREQ_ATOMIC};
  struct memory *timed = memory_new(p), *served = memory_new(p);
  struct heard h = {.notes_parts = seed & 1};
  struct weir_rng rng = weir_rng_seed(seed, 0);
  uint64_t reads = 0, writes = 0;
  for (uint32_t i = 0; i < REQUESTS; i++) {
    const enum weir_mreq_kind kind = kinds[weir_rng_below(&rng, 4)];
    const uint64_t address = weir_rng_below(&rng, LINES) * 128 + weir_rng_below(&rng, 4) * 32;
    const uint32_t room = 128 - address % 128, sectors = 1 + (uint32_t)weir_rng_below(&rng, room / 32);
    const uint32_t bytes = kind == WEIR_MREQ_ATOMIC ? 32 : 32 * sectors;
    memory_send(timed, 0, kind, address, bytes);
    memory_drain(timed);
    serve(served, &h, kind, address, bytes);
    for (uint32_t k = 0; k < h.count; k++) {
      reads += h.text[k] == 'R';
      writes += h.text[k] == 'W';
    }
  }
  const struct weir_level_stats *a = timed->levels, *b = served->levels;
  assert_memory_equal(&a->loads, &b->loads, sizeof a->loads);
  assert_memory_equal(&a->stores, &b->stores, sizeof a->stores);
  assert_int_equal(a->fills, b->fills);
  assert_int_equal(a->evictions, b->evictions);
  assert_int_equal(a->zero_reuse_evictions, b->zero_reuse_evictions);
  assert_int_equal(a->tag_accesses, b->tag_accesses);
  assert_int_equal(a->data_reads, b->data_reads);
  assert_int_equal(a->data_writes, b->data_writes);
  assert_int_equal(timed->stats.atomics, served->stats.atomics);
  assert_true(reads > REQUESTS / 4 && writes > REQUESTS / 8);
  assert_true(a->evictions > REQUESTS / 8);
  memory_free(timed);
  memory_free(served);
}

static void the_same_counts(void **state) {
  (void)state;
  static const char *const policies[] = {"lru", "srrip", "plru", "ship"};
  for (uint64_t i = 0; i < 8; i++) {
    struct memory_params p = one_shared_cache(1, 1);
    struct weir_cache_params *c = &p.stages[0].cache;
    weir_policy_defaults(&c->replace, weir_policy_find(WEIR_POLICY_REPLACE, policies[i / 2]));
    as_with_time(&p, 7 + i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_line),
    cmocka_unit_test(parts_that_are_answered),
    cmocka_unit_test(a_dirty_line_goes),
    cmocka_unit_test(the_same_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
