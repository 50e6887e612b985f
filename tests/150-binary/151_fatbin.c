// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Fat binaries: every kind of entry, and every way in which the bytes may lie.
#include "container.h"

static const struct weir_place place = {.file = "test.fatbin"};
#define PTX "\n\n\n\n\n\n\n\n.version 8.5\n.target sm_75\n"
#define TEXT ".version 8.5\n.target sm_75\n"

// A copy that ends where the memory does, so that a sanitizer sees any byte read behind it.
static struct weir_fatbin_entry *entries_of(const void *bytes, size_t size, unsigned *count, struct weir_sink *sink) {
  static uint8_t *exact;
  free(exact);
  exact = malloc(size ? size : 1);
  memcpy(exact, bytes, size);
  return weir_fatbin_entries(exact, size, place, count, sink);
}

static void refused(const struct container *c, size_t size, const char *what) {
  struct weir_sink sink = {0};
  unsigned count;
  assert_null(entries_of(c->bytes, size, &count, &sink));
  assert_int_equal(sink.errors, 1);
  if (!strstr(sink.diags[0].message, what)) fail_msg("'%s' does not say '%s'", sink.diags[0].message, what);
  weir_sink_free(&sink);
}

static void test_packings(void **state) {
  (void)state;
  for (enum packing p = PLAIN; p <= LZ4; p++) {
    struct container c;
    container_open(&c);
    container_add(&c, WEIR_FATBIN_ELF, 75, 0x40, PLAIN, "\177ELF", 4);
    container_add_text(&c, 75, p, PTX);
    struct weir_sink sink = {0};
    unsigned count;
    assert_int_equal(weir_fatbin_size(c.bytes), c.size);
    struct weir_fatbin_entry *e = entries_of(c.bytes, c.size, &count, &sink);
    assert_non_null(e);
    assert_int_equal(count, 2);
    assert_int_equal(e[0].kind, WEIR_FATBIN_ELF);
    assert_int_equal(e[1].arch, 75);
    assert_int_equal(e[1].major, 8);
    assert_int_equal(e[1].minor, 5);
    size_t bytes;
    char *text = weir_fatbin_text(&e[1], place, &bytes, &sink);
    assert_non_null(text);
    assert_string_equal(text, TEXT);
    assert_int_equal(bytes, strlen(TEXT));
    weir_free(text);
    weir_free(e);
  }
}

static void test_best(void **state) {
  (void)state;
  struct container c;
  container_open(&c);
  container_add_text(&c, 75, PLAIN, "a");
  container_add_text(&c, 90, PLAIN, "b");
  container_add_text(&c, 80, PLAIN, "c");
  container_add(&c, WEIR_FATBIN_ELF, 120, 0x48, PLAIN, "x", 1);
  struct weir_sink sink = {0};
  unsigned count;
  struct weir_fatbin_entry *e = entries_of(c.bytes, c.size, &count, &sink);
  assert_non_null(e);
  assert_int_equal(count, 4);
  assert_ptr_equal(weir_fatbin_best(e, count, 0), &e[1]);
  assert_null(weir_fatbin_best(e + 3, 1, 0));
  assert_null(weir_fatbin_best(e, 0, 0));
  static const struct {
    unsigned capability, entry;
  } cases[] = {{120, 1}, {90, 1}, {89, 2}, {80, 2}, {75, 0}, {70, 0}}; // 7.0: it takes none
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_ptr_equal(weir_fatbin_best(e, count, cases[i].capability), &e[cases[i].entry]);
  weir_free(e);
}

static void test_empty(void **state) {
  (void)state;
  struct container c;
  container_open(&c);
  struct weir_sink sink = {0};
  unsigned count;
  struct weir_fatbin_entry *e = entries_of(c.bytes, c.size, &count, &sink);
  assert_non_null(e);
  assert_int_equal(count, 0);
  weir_free(e);
}

static void test_malformed(void **state) {
  (void)state;
  struct container good, c;
  container_open(&good);
  const size_t at = container_add_text(&good, 75, ZSTD, PTX);
  for (size_t size = 0; size < 16; size++) refused(&good, size, "not a fat binary");
  for (size_t size = 16; size < good.size; size++) refused(&good, size, "is cut off");
  static const struct {
    unsigned offset, bytes;
    uint64_t value;
    const char *what;
  } lies[] = {
    {0, 4, 0x464c457f, "not a fat binary"},
    {6, 2, 8, "not a fat binary"},
    {8, 8, UINT64_MAX, "not a fat binary"},
    {8, 8, UINT64_MAX - 16, "is cut off"},
    {8, 8, 40, "within an entry's header"},
    {16 + 4, 4, 0x3f, "header of 63 bytes"},
    {16 + 4, 4, UINT32_MAX, "header of 4294967295 bytes"},
    {16 + 8, 8, UINT64_MAX, "within an entry's payload"},
    {16 + 0x10, 4, 4096, "larger compressed than stored"},
  };
  assert_int_equal(at, 16);
  for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
    c = good;
    put(c.bytes + lies[k].offset, lies[k].value, lies[k].bytes);
    refused(&c, c.size, lies[k].what);
  }
  c = good;
  put(c.bytes + 16 + 8, good.size - 16 - 0x50 + 1, 8); // one byte more than there is behind the entry's header
  refused(&c, c.size, "within an entry's payload");
}

// What cannot be unpacked, or is said to become more than it can.
static void test_damaged_text(void **state) {
  (void)state;
  static const struct {
    enum packing packing;
    unsigned offset;
    uint64_t value;
    const char *what;
  } lies[] = {
    {ZSTD, 0x38, 10, "zstd data is damaged"},
    {LZ4, 0x38, 10, "LZ4 data is damaged"},
    {ZSTD, 0x38, 4096, "zstd data is damaged"},
    {LZ4, 0x38, 4096, "LZ4 data is damaged"},
    {LZ4, 0x38, UINT64_C(1) << 29, "cannot be"},
    {ZSTD, 0x38, UINT64_C(1) << 30, "cannot be"},
    {ZSTD, 0x38, (UINT64_C(1) << 30) + 1, "the limit is 1 GiB"},
    {PLAIN, 0x28, 0x8011, "zstd data is damaged"},
    {PLAIN, 0x28, 0x2011, "LZ4 data is damaged"},
  };
  for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
    struct container c;
    container_open(&c);
    const size_t at = container_add_text(&c, 75, lies[k].packing, PTX);
    put(c.bytes + at + lies[k].offset, lies[k].value, 8);
    struct weir_sink sink = {0};
    unsigned count;
    struct weir_fatbin_entry *e = entries_of(c.bytes, c.size, &count, &sink);
    assert_non_null(e);
    size_t bytes;
    assert_null(weir_fatbin_text(e, place, &bytes, &sink));
    assert_int_equal(sink.errors, 1);
    if (!strstr(sink.diags[0].message, lies[k].what)) fail_msg("%zu: %s", k, sink.diags[0].message);
    weir_sink_free(&sink);
    weir_free(e);
  }
}

// Text that is nothing but padding; a highly compressed one.
static void test_odd_text(void **state) {
  (void)state;
  static char zeros[1 << 12];
  memset(zeros, '\n', sizeof zeros);
  for (enum packing p = ZSTD; p <= LZ4; p++) {
    struct container c;
    container_open(&c);
    container_add(&c, WEIR_FATBIN_PTX, 75, 0x50, p, zeros, sizeof zeros);
    struct weir_sink sink = {0};
    unsigned count;
    struct weir_fatbin_entry *e = entries_of(c.bytes, c.size, &count, &sink);
    size_t bytes;
    char *text = weir_fatbin_text(e, place, &bytes, &sink);
    assert_non_null(text);
    assert_int_equal(bytes, 0);
    assert_string_equal(text, "");
    weir_free(text);
    weir_free(e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_packings),  cmocka_unit_test(test_best),         cmocka_unit_test(test_empty),
    cmocka_unit_test(test_malformed), cmocka_unit_test(test_damaged_text), cmocka_unit_test(test_odd_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
