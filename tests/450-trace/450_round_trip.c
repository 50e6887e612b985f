// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What was written is read: streams of random instructions, whose successors and addresses follow each other by chance,
// by strides, by lists and not at all, come back the same, from their beginning and from anywhere, whatever the chunks'
// length.
#include "trace_test.h"

enum { STATICS = 300, LENGTH = 20000 };

struct executed {
  struct weir_trace_static what;
  uint64_t addresses[WEIR_TRACE_ACCESSES];
};

struct stream {
  struct executed *all;
  size_t count;
};

static uint8_t any(struct weir_rng *r, unsigned below) {
  return (uint8_t)weir_rng_below(r, below);
}

static struct weir_trace_static random_static(struct weir_rng *r) {
  struct weir_trace_static s = {.pc = weir_rng_below(r, 8) ? 0x400000 + weir_rng_below(r, 4096) : weir_rng_next(r)};
  s.kind = any(r, WEIR_TRACE_KINDS);
  s.branch = weir_rng_below(r, 4) ? 0 : any(r, WEIR_TRACE_BRANCHES);
  s.taken = s.branch && weir_rng_below(r, 2);
  s.length = any(r, 16);
  s.access_count = weir_rng_below(r, 3) ? any(r, 3) : any(r, WEIR_TRACE_ACCESSES + 1);
  s.source_count = any(r, WEIR_TRACE_REGISTERS + 1);
  s.destination_count = any(r, WEIR_TRACE_REGISTERS + 1);
  for (unsigned i = 0; i < s.source_count; i++) s.sources[i] = any(r, 256);
  for (unsigned i = 0; i < s.destination_count; i++) s.destinations[i] = any(r, 256);
  for (unsigned i = 0; i < s.access_count; i++)
    s.accesses[i] = (struct weir_trace_access){(uint16_t)weir_rng_below(r, 65536), any(r, 2), any(r, 256)};
  return s;
}

static uint64_t random_address(struct weir_rng *r, uint64_t last, unsigned step) {
  switch (weir_rng_below(r, 8)) {
  case 0: return weir_rng_next(r);
  case 1: return last;
  case 2: return 0x7fff0000 + weir_rng_below(r, 4096);
  default: return last + step * 24;
  }
}

static struct stream random_stream(uint64_t seed) {
  struct weir_rng r = weir_rng_seed(seed, 450);
  struct weir_trace_static statics[STATICS];
  uint64_t last[STATICS][WEIR_TRACE_ACCESSES] = {{0}};
  struct stream s = {weir_new_array(struct executed, LENGTH), LENGTH};
  for (unsigned i = 0; i < STATICS; i++) statics[i] = random_static(&r);
  unsigned at = 0;
  for (size_t n = 0; n < LENGTH; n++) {
    at = weir_rng_below(&r, 6) ? (at + 1) % STATICS : any(&r, 256);
    s.all[n].what = statics[at];
    for (unsigned k = 0; k < statics[at].access_count; k++)
      s.all[n].addresses[k] = last[at][k] = random_address(&r, last[at][k], at);
  }
  return s;
}

static void put_stream(struct weir_trace_writer *w, const struct stream *s, uint32_t thread, uint64_t first,
                       double weight) {
  struct weir_trace_segment_writer *segment = weir_trace_segment_start(w, thread, first, weight);
  for (size_t n = 0; n < s->count; n++)
    weir_trace_put(segment, weir_trace_define(w, &s->all[n].what), s->all[n].addresses);
  weir_trace_segment_end(segment, 0x1234);
}

static struct weir_trace_writer *start(const char *path, uint32_t chunk, struct weir_sink *sink) {
  static char *const arguments[] = {"program", "an argument", ""};
  const struct weir_trace_about about = {arguments, 3, "x86-64", "a test", chunk};
  struct weir_trace_writer *w = weir_trace_writer_open(path, &about, sink);
  assert_non_null(w);
  return w;
}

static void is_same(const struct weir_trace_inst *got, const struct stream *s, size_t n) {
  const struct executed *want = &s->all[n];
  assert_memory_equal(got->what, &want->what, sizeof want->what);
  assert_memory_equal(got->addresses, want->addresses, want->what.access_count * sizeof(uint64_t));
  assert_int_equal(got->next_pc, n + 1 < s->count ? s->all[n + 1].what.pc : 0x1234);
}

static void is_rest(struct weir_trace_reader *r, const struct stream *s, size_t n, size_t batch_size) {
  struct weir_trace_inst batch[256];
  for (size_t got; (got = weir_trace_read(r, batch, batch_size)); n += got)
    for (size_t i = 0; i < got; i++) is_same(&batch[i], s, n + i);
  assert_int_equal(n, s->count);
}

static void comes_back(const struct stream *s, uint32_t chunk, size_t batch_size) {
  struct weir_sink sink = {0};
  const char *path = path_of("stream.wtrace");
  struct weir_trace_writer *w = start(path, chunk, &sink);
  put_stream(w, s, 0, 7, 1);
  assert_true(weir_trace_writer_finish(w, 99999, 3, &sink));
  struct weir_trace_reader *r = weir_trace_open(path, &sink);
  assert_non_null(r);
  is_rest(r, s, 0, batch_size);
  const uint64_t places[] = {0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, s->count - 1, s->count};
  for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
    if (places[i] > s->count) continue;
    assert_true(weir_trace_seek(r, places[i]));
    is_rest(r, s, (size_t)places[i], batch_size);
  }
  assert_false(weir_trace_seek(r, s->count + 1));
  weir_trace_close(r);
  assert_says(&sink, "ends before the instruction");
}

static void random_streams(void **state) {
  (void)state;
  static const uint32_t chunks[] = {1, 2, 5000, 19999, 20000, 1 << 20};
  for (uint64_t seed = 0; seed < 12; seed++) {
    struct stream s = random_stream(seed);
    if (chunks[seed % 6] < 10) s.count = 60; // a chunk's tables take their time
    comes_back(&s, chunks[seed % 6], seed % 2 ? 256 : 3);
    weir_free(s.all);
  }
}

// Threads and intervals lie side by side, and are read one by one.
static void segments(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct stream a = random_stream(100), b = random_stream(101), c = random_stream(102);
  const char *path = path_of("segments.wtrace");
  struct weir_trace_writer *w = start(path, 3000, &sink);
  put_stream(w, &a, 0, 0, 0.25);
  put_stream(w, &b, 1, 5, 1);
  put_stream(w, &c, 0, 50000, 0.75);
  assert_true(weir_trace_writer_finish(w, 80000, 0, &sink));
  struct weir_trace_reader *r = weir_trace_open(path, &sink);
  const struct weir_trace_info *info = weir_trace_info(r);
  assert_int_equal(info->segment_count, 3);
  assert_int_equal(info->segments[2].first, 50000);
  assert_int_equal(info->segments[2].instructions, LENGTH);
  assert_true(info->segments[0].weight == 0.25);
  assert_int_equal(read_all(r, NULL, NULL), 2 * LENGTH);
  assert_int_equal(weir_trace_current_segment(r), 2);
  assert_true(weir_trace_select_thread(r, 1));
  is_rest(r, &b, 0, 256);
  assert_int_equal(weir_trace_current_segment(r), 1);
  assert_true(weir_trace_select_segment(r, 2));
  is_rest(r, &c, 0, 256);
  assert_no_errors(&sink);
  assert_false(weir_trace_select_thread(r, 2));
  weir_trace_close(r);
  weir_sink_free(&sink);
  weir_free(a.all), weir_free(b.all), weir_free(c.all);
}

static void count(const struct weir_trace_inst *inst, void *totals) {
  weir_trace_count(totals, inst->what, 1);
}

// What the directory says of the whole is what counting its instructions says.
static void totals(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct stream s = random_stream(7);
  const char *path = path_of("totals.wtrace");
  struct weir_trace_writer *w = start(path, 900, &sink);
  put_stream(w, &s, 0, 0, 1);
  assert_true(weir_trace_writer_finish(w, 123456, 5, &sink));
  struct weir_trace_reader *r = weir_trace_open(path, &sink);
  const struct weir_trace_info *info = weir_trace_info(r);
  struct weir_trace_totals counted = {0};
  assert_int_equal(read_all(r, count, &counted), LENGTH);
  assert_memory_equal(&counted, &info->totals, sizeof counted);
  assert_int_equal(info->totals.instructions, LENGTH);
  assert_int_equal(info->argument_count, 3);
  assert_string_equal(info->arguments[1], "an argument");
  assert_string_equal(info->arguments[2], "");
  assert_string_equal(info->isa, "x86-64");
  assert_int_equal(info->run_instructions, 123456);
  assert_int_equal(info->dropped_accesses, 5);
  assert_false(info->champsim);
  weir_trace_close(r);
  assert_no_errors(&sink);
  weir_free(s.all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_streams),
    cmocka_unit_test(segments),
    cmocka_unit_test(totals),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
