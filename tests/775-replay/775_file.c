// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Recordings come out of their file as they went in; one that is not whole, or not as it was written, is refused.
#include "recording/file.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/weir-775-XXXXXX";

// Every bit of every member is used now and then, and most steps are small.
static struct weir_recorded any(struct weir_rng *g, const struct weir_recorded *last) {
  struct weir_recorded r;
  memset(&r, 0, sizeof r);
  const bool wild = !weir_rng_below(g, 8);
  r.address = wild ? weir_rng_next(g) : last->address + weir_rng_below(g, 512) - 256;
  r.cycle = wild ? weir_rng_next(g) : last->cycle + weir_rng_below(g, 3);
  r.pc = wild ? (uint32_t)weir_rng_next(g) : last->pc + 8;
  r.bytes = wild ? (uint32_t)weir_rng_next(g) : 128;
  r.core = (uint16_t)(wild ? weir_rng_next(g) : weir_rng_below(g, 15));
  r.warp = (uint16_t)weir_rng_below(g, wild ? 65536 : 48);
  uint8_t *const small[] = {&r.kind,  &r.flags,        &r.l1_hint,     &r.l2_hint, &r.prefetch,
                            &r.lanes, &r.transactions, &r.ready_warps, &r.full};
  for (unsigned i = 0; i < sizeof small / sizeof *small; i++) *small[i] = (uint8_t)weir_rng_below(g, wild ? 256 : 4);
  return r;
}

static struct weir_recorded *write_any(uint32_t count) {
  struct weir_recorded *records = weir_new_array(struct weir_recorded, count + 1), last = {0};
  struct weir_rng g = weir_rng_seed(count, 0);
  struct weir_sink sink = {0};
  json_t *about = json_pack("{s:i}", "cores", 15), *ends = json_pack("{s:[s]}", "launches", "k");
  struct weir_recording_writer *w = weir_recording_create(path, about, &sink);
  assert_non_null(w);
  for (uint32_t i = 0; i < count; i++) {
    records[i] = last = any(&g, &last);
    weir_recording_add(w, &last);
  }
  assert_true(weir_recording_close(w, ends, &sink));
  json_decref(about);
  json_decref(ends);
  weir_sink_free(&sink);
  return records;
}

static void equal(const struct weir_recorded *a, const struct weir_recorded *b) { // up to the padding
  assert_memory_equal(a, b, offsetof(struct weir_recorded, full) + 1);
}

static void round_trip(void **state) {
  (void)state;
  static const uint32_t counts[] = {0, 1, WEIR_RECORDING_BLOCK - 1, WEIR_RECORDING_BLOCK, 2 * WEIR_RECORDING_BLOCK + 7};
  for (unsigned k = 0; k < sizeof counts / sizeof *counts; k++) {
    struct weir_recorded *expected = write_any(counts[k]);
    struct weir_sink sink = {0};
    struct weir_recording *s = weir_recording_open(path, &sink);
    assert_non_null(s);
    assert_int_equal(s->records, counts[k]);
    assert_int_equal(json_integer_value(json_object_get(s->about, "cores")), 15);
    assert_string_equal(json_string_value(json_array_get(json_object_get(s->ends, "launches"), 0)), "k");
    for (uint64_t n = s->blocks; n--;) { // in any order
      const struct weir_recorded *records;
      const uint32_t count = weir_recording_read(s, n, &records, &sink);
      for (uint32_t i = 0; i < count; i++) // up to the padding
        assert_memory_equal(&records[i], &expected[n * WEIR_RECORDING_BLOCK + i],
                            offsetof(struct weir_recorded, full) + 1);
      assert_int_equal(count, n + 1 < s->blocks ? WEIR_RECORDING_BLOCK : counts[k] - n * WEIR_RECORDING_BLOCK);
    }
    weir_recording_free(s);
    weir_sink_free(&sink);
    weir_free(expected);
  }
}

// Who wants addresses alone gets these, and nothing else.
static void addresses_alone(void **state) {
  (void)state;
  const uint32_t count = WEIR_RECORDING_BLOCK + 300;
  struct weir_recorded *expected = write_any(count);
  struct weir_sink sink = {0};
  struct weir_recording *s = weir_recording_open(path, &sink);
  assert_non_null(s);
  s->addresses_alone = true;
  for (uint64_t n = 0; n < s->blocks; n++) {
    const struct weir_recorded *records;
    const uint32_t here = weir_recording_read(s, n, &records, &sink);
    assert_int_equal(here, n ? 300 : WEIR_RECORDING_BLOCK);
    for (uint32_t i = 0; i < here; i++) {
      const struct weir_recorded *e = &expected[n * WEIR_RECORDING_BLOCK + i];
      const struct weir_recorded part = {.core = e->core, .address = e->address, .kind = e->kind, .flags = e->flags};
      equal(&records[i], &part);
    }
  }
  weir_recording_free(s);
  weir_sink_free(&sink);
  weir_free(expected);
}

// Opened and read to its end: is it taken for whole? It says why it is not; if it is, its one block is as expected (a change of the
// size of zstd's window, say, changes nothing).
static bool reads(const struct weir_recorded *expected) {
  struct weir_sink sink = {0};
  struct weir_recording *s = weir_recording_open(path, &sink);
  const struct weir_recorded *records;
  bool ok = s;
  if (s) assert_int_equal(s->blocks, 1);
  if (s) ok = weir_recording_read(s, 0, &records, &sink);
  for (uint32_t i = 0; ok && i < s->records; i++) equal(&records[i], &expected[i]);
  assert_int_equal(ok, !sink.errors);
  weir_recording_free(s);
  weir_sink_free(&sink);
  return ok;
}

static void damage(void **state) {
  (void)state;
  size_t size;
  struct weir_recorded *expected = write_any(5);
  char *bytes = whole_file(path, &size);
  assert_true(reads(expected));
  for (size_t n = 0; n < size; n++) {
    put_file(path, bytes, n);
    if (reads(expected)) fail_msg("%zu of %zu bytes are taken for a whole file", n, size);
  }
  // What is said of the launches and in `about` is text that nothing guards: a changed letter may read.
  const size_t head = 16 + strlen("{\"cores\":15}"), text = strlen("{\"launches\":[\"k\"]}");
  for (size_t n = 0; n < size; n++) {
    if ((n >= 16 && n < head) || (n >= size - 40 - text && n < size - 40)) continue;
    bytes[n] ^= 0x10;
    put_file(path, bytes, size);
    reads(expected);
    bytes[n] ^= 0x10;
  }
  weir_free(expected);
  free(bytes);
}

static void dropped(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  json_t *about = json_object();
  remove(path);
  struct weir_recording_writer *w = weir_recording_create(path, about, &sink);
  weir_recording_add(w, &(struct weir_recorded){.bytes = 32});
  assert_true(weir_recording_close(w, NULL, &sink));
  json_decref(about);
  char beside[sizeof path + 8];
  snprintf(beside, sizeof beside, "%s.XXXXXX", path);
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_not_equal(access(beside, F_OK), 0);
  assert_null(weir_recording_create("/nowhere/x.wrec", NULL, &sink));
  assert_non_null(strstr(sink.diags[0].message, "/nowhere/x.wrec: error: cannot be written: No such file"));
  weir_sink_free(&sink);
}

static int set_up(void **state) {
  (void)state;
  const int file = mkstemp(path);
  return file < 0 || close(file);
}

static int clean_up(void **state) {
  (void)state;
  remove(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(addresses_alone),
                                     cmocka_unit_test(damage), cmocka_unit_test(dropped)};
  return cmocka_run_group_tests(tests, set_up, clean_up);
}
