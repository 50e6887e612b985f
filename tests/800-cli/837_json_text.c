// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Run objects as text: what jansson would write, and some members of it as jansson would read them.
#include "weir_process.h"

#include "stats/json.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t drawn = 1;

static uint64_t draw(void) { // xorshift
  drawn ^= drawn << 13;
  drawn ^= drawn >> 7;
  return drawn ^= drawn << 17;
}

static json_t *some_real(void) {
  static const double odd[] = {0,     -0.0,      1e15, -1e15, 999999999999999, 1e-5,   1e20,
                               1e100, -2.5e-300, 0.1,  1e16,  5e-324,          1.0 / 3};
  double value;
  const uint64_t bits = draw();
  if (bits % 4 == 0) return json_real(odd[draw() % (sizeof odd / sizeof *odd)]);
  if (bits % 4 == 1) return json_real((double)(int64_t)bits / 4096);
  if (bits % 4 == 2) return json_real((double)(draw() % 100000));
  memcpy(&value, &bits, sizeof value);
  return json_real(isfinite(value) ? value : 1);
}

static json_t *some_text(void) {
  static const char *const pieces[] = {"l1",   "\"",   "\\", "\n", "\t\r\b\f", "\x01",
                                       "\x1f", "\x7f", "/",  "ä€", "{[,]}:",   ""};
  char text[64] = "";
  for (uint64_t n = draw() % 5; n; n--) strcat(text, pieces[draw() % (sizeof pieces / sizeof *pieces)]);
  return json_string(text);
}

static json_t *some_value(unsigned depth) {
  switch (draw() % (depth ? 8 : 6)) {
  case 0: return some_real();
  case 1: return json_integer((json_int_t)draw());
  case 2: return json_integer((json_int_t)(draw() % 1000) - 500);
  case 3: return some_text();
  case 4: return json_boolean(draw() % 2);
  case 5: return json_null();
  case 6: {
    json_t *list = json_array();
    for (uint64_t n = draw() % 5; n; n--) json_array_append_new(list, some_value(depth - 1));
    return list;
  }
  }
  json_t *object = json_object();
  for (uint64_t n = draw() % 6; n; n--) {
    json_t *name = some_text();
    json_object_set_new(object, json_string_value(name), some_value(depth - 1));
    json_decref(name);
  }
  return object;
}

enum { TRIALS = 3000, DEPTH = 4 };

static void as_jansson_writes(void **state) {
  (void)state;
  for (unsigned i = 0; i < TRIALS; i++) {
    json_t *value = some_value(DEPTH);
    char *ours = weir_json_text(value, false);
    char *theirs = json_dumps(value, JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY | JSON_COMPACT);
    assert_string_equal(ours, theirs);
    free(ours);
    free(theirs);
    json_decref(value);
  }
}

static void ends_of_integers(void **state) {
  (void)state;
  json_t *ends = json_pack("[I, I, I]", (json_int_t)INT64_MIN, (json_int_t)INT64_MAX, (json_int_t)0);
  char *text = weir_json_text(ends, false);
  assert_string_equal(text, "[-9223372036854775808,9223372036854775807,0]");
  free(text);
  json_decref(ends);
}

// However it is written, the members named are those of the whole.
static void some_members(void **state) {
  (void)state;
  static const char *const names[] = {"total", "check", "l1", "", "absent", NULL};
  for (unsigned i = 0; i < TRIALS; i++) {
    json_t *whole = json_object(), *some = json_object();
    const char *const all[] = {"total", "host", "totals", "check", "l1", "", "tot"};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
      if (draw() % 4) json_object_set_new(whole, all[n], some_value(DEPTH));
    for (unsigned n = 0; names[n]; n++) json_object_set(some, names[n], json_object_get(whole, names[n]));
    char *text = json_dumps(whole, i % 2 ? JSON_INDENT(2) : JSON_COMPACT);
    char *written = json_dumps(some, JSON_SORT_KEYS); // reals with all their digits
    json_t *read = weir_json_members(text, names);
    assert_non_null(read);
    char *again = json_dumps(read, JSON_SORT_KEYS);
    assert_string_equal(again, written);
    free(again);
    free(written);
    free(text);
    json_decref(read);
    json_decref(whole);
    json_decref(some);
  }
}

static void no_object(void **state) {
  (void)state;
  static const char *const wrong[] = {"",           "[]",          "3",          "{",
                                      "{\"a\"",     "{\"a\":",     "{\"a\":1",   "{\"a\":1,",
                                      "{\"a\":1,}", "{\"a\":\"\\", "{\"a\":[1",  "{\"b\":{\"c\":\"}\"",
                                      "{\"a\":x}",  "{\"a\" 1}",   "{\"a\":1 2}"};
  static const char *const names[] = {"a", NULL};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    json_t *read = weir_json_members(wrong[i], names);
    if (read) fail_msg("'%s' is read", wrong[i]);
  }
  json_t *none = weir_json_members(" { } ", names);
  assert_int_equal(json_object_size(none), 0);
  assert_non_null(none);
  json_decref(none);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_jansson_writes), cmocka_unit_test(ends_of_integers),
                                     cmocka_unit_test(some_members), cmocka_unit_test(no_object)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
