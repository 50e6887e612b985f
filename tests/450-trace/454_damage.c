// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A trace that is cut off or changed anywhere is told to be so, or read as what it is, and never crashes its reader.
#include "trace_test.h"

#include "trace/container.h"

static uint8_t bytes[1 << 16];
static size_t size;

static void make(void) {
  struct weir_sink sink = {0};
  const struct weir_trace_about about = {NULL, 0, "x86-64", "a test", 500};
  struct weir_trace_writer *w = weir_trace_writer_open(path_of("whole"), &about, &sink);
  struct weir_trace_segment_writer *s = weir_trace_segment_start(w, 0, 0, 1);
  struct weir_rng r = weir_rng_seed(1, 454);
  for (unsigned i = 0; i < 2000; i++) {
    const uint64_t address = weir_rng_next(&r);
    const struct weir_trace_static what = {.pc = weir_rng_below(&r, 40), .access_count = 1, .length = 1};
    weir_trace_put(s, weir_trace_define(w, &what), &address);
  }
  weir_trace_segment_end(s, 0);
  assert_true(weir_trace_writer_finish(w, 2000, 0, &sink));
  FILE *f = fopen(path_of("whole"), "rb");
  size = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  assert_in_range(size, 1000, sizeof bytes - 1);
}

// How many instructions it gives; a diagnostic exactly if they are not all.
static uint64_t try(const char *name) {
  struct weir_sink sink = {0};
  struct weir_trace_reader *r = weir_trace_open(path_of(name), &sink);
  const uint64_t count = r ? read_all(r, NULL, NULL) : 0;
  assert_int_equal(sink.errors, count < 2000);
  weir_trace_close(r);
  weir_sink_free(&sink);
  return count;
}

static void cut_off(void **state) {
  (void)state;
  make();
  assert_int_equal(try("whole"), 2000);
  for (size_t n = 0; n < size; n += n < size - 60 ? 211 : 1) {
    write_file(path_of("cut"), bytes, n);
    assert_int_equal(try("cut"), 0);
  }
}

// Checksums find every change of what is packed; a bit of zstd's headers that means nothing may change unnoticed.
static void changed(void **state) {
  (void)state;
  unsigned unnoticed = 0;
  make();
  for (size_t n = 0; n < size; n += 37) {
    bytes[n] ^= (uint8_t)(1 << n % 8);
    write_file(path_of("changed"), bytes, size);
    unnoticed += try("changed") == 2000;
    bytes[n] ^= (uint8_t)(1 << n % 8);
  }
  assert_in_range(unnoticed, 0, 3);
}

static void longer(void **state) {
  (void)state;
  make();
  write_file(path_of("longer"), bytes, size + 1);
  assert_int_equal(try("longer"), 0);
}

// A directory is all of its bytes: no fewer, and no more.
static void directories(void **state) {
  (void)state;
  struct weir_trace_segment segment = {.weight = 0.5};
  struct weir_trace_chunk chunk = {.offset = 8, .bytes = 9, .instructions = 10};
  struct weir_trace_item items[2] = {{.what = {.pc = 77, .access_count = 1, .source_count = 2}}, {.id = 1, .slot = 1}};
  uint64_t executions[2] = {3, 7};
  const struct weir_trace_directory d = {
    .info = {.isa = "a", .recorder = "b", .segments = &segment, .segment_count = 1, .static_count = 2},
    .chunks = &chunk,
    .chunk_count = 1,
    .items = items,
    .executions = executions};
  struct weir_bytes b = {0};
  weir_trace_directory_put(&d, &b);
  weir_bytes_byte(&b, 0);
  for (size_t n = 0; n <= b.count; n++) {
    struct weir_sink sink = {0};
    struct weir_trace_directory got;
    uint8_t *exact = malloc(n + 1); // no byte beyond
    memcpy(exact, b.data, n);
    assert_int_equal(weir_trace_directory_parse(&got, exact, n, (struct weir_place){0}, &sink), n == b.count - 1);
    assert_int_equal(sink.errors, n != b.count - 1);
    if (!sink.errors) {
      assert_int_equal(got.info.static_count, 2);
      assert_memory_equal(&got.items[0].what, &items[0].what, sizeof items[0].what);
      assert_int_equal(got.info.totals.loads, 3);
      assert_int_equal(got.info.segments[0].instructions, 10);
    }
    weir_trace_directory_free(&got);
    weir_sink_free(&sink);
    free(exact);
  }
  weir_bytes_free(&b);
}

static void not_there(void **state) {
  (void)state;
  assert_int_equal(try("nothing"), 0);
  struct weir_sink sink = {0};
  assert_null(weir_trace_open(folder, &sink)); // a folder
  assert_int_equal(sink.errors, 1);
  weir_sink_free(&sink);
  const struct weir_trace_about about = {NULL, 0, "x86-64", "a test", 0};
  assert_null(weir_trace_writer_open(path_of("no/folder/here"), &about, &sink));
  assert_int_equal(sink.errors, 1);
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cut_off),     cmocka_unit_test(changed),   cmocka_unit_test(longer),
    cmocka_unit_test(directories), cmocka_unit_test(not_there),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
