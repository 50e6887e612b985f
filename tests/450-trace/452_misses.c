// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Miss counts against a brute-force model of LRU (for each access, how many other lines of its set were used since the
// line was used last), and the classes of programs that are known by construction.
#include "trace_test.h"

#include "trace/misses.h"

static struct weir_trace_segment_writer *segment;
static struct weir_trace_writer *writer;

static void start(struct weir_sink *sink) {
  const struct weir_trace_about about = {NULL, 0, "x86-64", "a test", 0};
  writer = weir_trace_writer_open(path_of("m.wtrace"), &about, sink);
  segment = weir_trace_segment_start(writer, 0, 0, 1);
}

static void access_memory(uint64_t address, unsigned bytes) {
  struct weir_trace_static s = {.pc = 0x1000, .access_count = 1, .accesses = {{.bytes = (uint16_t)bytes}}};
  weir_trace_put(segment, weir_trace_define(writer, &s), &address);
}

static void compute(unsigned instructions) {
  const struct weir_trace_static s = {.pc = 0x2000};
  const struct weir_trace_item *item = weir_trace_define(writer, &s);
  for (unsigned i = 0; i < instructions; i++) weir_trace_put(segment, item, NULL);
}

static struct weir_misses count(struct weir_misses m, uint64_t warm, struct weir_sink *sink) {
  weir_trace_segment_end(segment, 0);
  assert_true(weir_trace_writer_finish(writer, 0, 0, sink));
  struct weir_trace_reader *r = weir_trace_open(path_of("m.wtrace"), sink);
  assert_true(weir_misses_count(&m, r, warm, sink));
  weir_trace_close(r);
  assert_no_errors(sink);
  return m;
}

// Distinct lines of the set between this use and the last one: a miss if they are `ways` or more, or there was none. The
// lines missed go to `missed`, in order; it may be `lines`.
static unsigned brute_force(const uint64_t *lines, unsigned count, const struct weir_miss_cache *cache,
                            uint64_t *missed) {
  const uint64_t sets = cache->bytes / 64 / cache->ways;
  static bool misses[4096];
  for (unsigned i = 0; i < count; i++) {
    unsigned others = 0, j = i;
    bool found = false;
    while (j-- && !found) {
      if (lines[j] == lines[i]) found = true;
      if (found || lines[j] % sets != lines[i] % sets) continue;
      bool again = false;
      for (unsigned k = j + 1; k < i && !again; k++) again = lines[k] == lines[j];
      others += !again;
    }
    misses[i] = !found || others >= cache->ways;
  }
  unsigned n = 0;
  for (unsigned i = 0; i < count; i++)
    if (misses[i]) missed[n++] = lines[i];
  return n;
}

static void brute_force_agrees(void **state) {
  (void)state;
  enum { ACCESSES = 1500 };
  for (uint64_t seed = 0; seed < 6; seed++) {
    struct weir_sink sink = {0};
    struct weir_rng r = weir_rng_seed(seed, 452);
    const struct weir_miss_cache above = {.bytes = 512, .ways = 2};
    struct weir_misses small = {.private = {above, {.bytes = 1 << 10, .ways = 8}},
                                .caches = {{.bytes = 1 << 10, .ways = 4},
                                           {.bytes = 2 << 10, .ways = 2},
                                           {.bytes = 4 << 10, .ways = 64},
                                           {.bytes = 8 << 10, .ways = 1},
                                           {.bytes = 16 << 10, .ways = 16}}};
    if (seed & 2) small.private[1].bytes = 0; // none
    if (seed & 4) small.private[0].bytes = 0;
    uint64_t lines[ACCESSES];
    unsigned left = ACCESSES;
    start(&sink);
    for (unsigned i = 0; i < ACCESSES; i++) {
      const uint64_t range = weir_rng_below(&r, 4) ? 40 : 400;
      lines[i] = weir_rng_below(&r, range) + (seed & 1 ? UINT64_C(0xffffffffff) : 0);
      access_memory(lines[i] * 64 + weir_rng_below(&r, 56), 8);
    }
    const struct weir_misses m = count(small, 0, &sink);
    assert_int_equal(m.accesses, ACCESSES);
    for (unsigned i = 0; i < WEIR_MISS_PRIVATE; i++) {
      if (small.private[i].bytes) left = brute_force(lines, left, &small.private[i], lines);
      assert_int_equal(m.private[i].misses, small.private[i].bytes ? left : 0);
    }
    for (unsigned i = 0; i < WEIR_MISS_SIZES; i++) {
      uint64_t unused[ACCESSES];
      const unsigned expected = brute_force(lines, left, &small.caches[i], unused);
      assert_int_equal(m.caches[i].misses, expected);
      assert_true(m.caches[i].per_thousand == 1000.0 * (double)expected / ACCESSES);
    }
  }
}

// An access over a line's end is two; one of unknown size is one.
static void line_ends(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  start(&sink);
  access_memory(60, 4), access_memory(60, 5), access_memory(63, 0), access_memory(0, 512);
  const struct weir_misses m = count(weir_misses_default, 0, &sink);
  assert_int_equal(m.accesses, 1 + 2 + 1 + 8);
  assert_int_equal(m.lines, 8);
  assert_int_equal(m.caches[0].misses, 8);
}

// Sweeps of so many bytes, ten times, one access in ten instructions, the first sweep to warm up.
static struct weir_misses sweeps(uint64_t bytes) {
  struct weir_sink sink = {0};
  start(&sink);
  for (unsigned sweep = 0; sweep < 10; sweep++)
    for (uint64_t at = 0; at < bytes; at += 64) access_memory(at, 8), compute(9);
  return count(weir_misses_default, bytes / 64 * 10, &sink);
}

static void classes(void **state) {
  (void)state;
  struct weir_misses m = sweeps(512 << 10); // fits the smallest, and no private one
  assert_int_equal(m.class, WEIR_TRACE_COMPUTE);
  assert_int_equal(m.private[1].misses, 9 * (512 << 10) / 64);
  assert_int_equal(m.caches[0].misses, 0);
  m = sweeps(3 << 20); // LRU keeps nothing of a sweep larger than the cache, and all of a smaller one
  assert_int_equal(m.class, WEIR_TRACE_SENSITIVE);
  assert_true(m.caches[1].per_thousand == 100 && m.caches[2].per_thousand == 100);
  assert_int_equal(m.caches[3].misses, 0);
  assert_int_equal(m.instructions, 9 * (3 << 20) / 64 * 10);
  if (WEIR_SANITIZED) return; // for its time
  m = sweeps(5 << 20);        // what only 8 MiB hold
  assert_int_equal(m.class, WEIR_TRACE_STREAMING);
  assert_int_equal(m.caches[4].misses, 0);
  m = sweeps(9 << 20);
  assert_int_equal(m.class, WEIR_TRACE_STREAMING);
  assert_int_equal(m.caches[4].misses, 9 * (9 << 20) / 64);
}

// Two segments of which one stands for nine tenths of the run: 0.9 × 1000 + 0.1 × 0 misses of 1000.
static void weights(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  start(&sink);
  compute(1000);
  weir_trace_segment_end(segment, 0);
  segment = weir_trace_segment_start(writer, 0, 5000, 0.9);
  for (unsigned i = 0; i < 10; i++) access_memory(i * 64, 8);
  weir_trace_segment_end(segment, 0);
  segment = weir_trace_segment_start(writer, 0, 9000, 0.1);
  compute(50);
  struct weir_misses m = count(weir_misses_default, 1000, &sink); // the first segment only warms up
  assert_true(m.caches[0].per_thousand > 899.999 && m.caches[0].per_thousand < 900.001);
  assert_int_equal(m.instructions, 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(brute_force_agrees),
    cmocka_unit_test(line_ends),
    cmocka_unit_test(classes),
    cmocka_unit_test(weights),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
