// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a hint can be put on, which hints the chip tells apart, and what none mends: from rows written by hand.
#include "advise/effects.h"
#include "advise/mend.h"
#include "base/alloc.h"
#include "config/chip_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static struct weir_chip_config *chip(const char *name) {
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read(name, &sink);
  assert_non_null(c);
  weir_sink_free(&sink);
  return c;
}

// "ca cg" → the hints; the number.
static unsigned words(char *text, const char **hints) {
  unsigned n = 0;
  for (char *rest = text, *word; (word = strsep(&rest, " "));) hints[n++] = word;
  return n;
}

static void expect_selected(const char *name, struct weir_site s, const char *takes, const char *expected) {
  struct weir_chip_config *c = chip(name);
  char text[300], all[300] = "";
  const char *hints[WEIR_SITE_HINTS];
  snprintf(text, sizeof text, "%s", takes);
  if (!s.l1_hint) s.l1_hint = s.l2_hint = "";
  const unsigned count = weir_effects_select(&s, c, hints, words(text, hints));
  for (unsigned i = 0; i < count; i++) strcat(strcat(all, i ? " " : ""), hints[i]);
  assert_string_equal(all, expected);
  weir_chip_config_free(c);
}

#define LOADS "none ca cg cs lu cv L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate"

// chips/fermi-gtx480.yaml leaves the defaults of base/cache_hint.h: cg, cv and no_allocate go past the first level, the others do
// nothing. chips/volta-v100.yaml, of which ampere-a40 is made: cs and lu are `first` at both levels, evict_first at the first alone,
// cv is as cg.
static void test_chips(void **state) {
  (void)state;
  const struct weir_site unused = {.lines = 2, .zero_reuse_fills = 1}, used = {.lines = 4, .zero_reuse_fills = 1};
  expect_selected("fermi-gtx480", unused, LOADS, "cg");
  expect_selected("ampere-a40", unused, LOADS,
                  "L1::no_allocate cs L1::evict_first cg L1::evict_last L1::evict_unchanged");
  expect_selected("ampere-a40", used, LOADS,
                  "L1::evict_last L1::no_allocate cs L1::evict_first cg L1::evict_unchanged");
}

// What is there is no trial; to take it away is one.
static void test_present(void **state) {
  (void)state;
  const struct weir_site s = {.lines = 2, .zero_reuse_fills = 2, .l1_hint = "cg", .l2_hint = "cg"};
  expect_selected("fermi-gtx480", s, LOADS, "none");
}

// Stores look into every cache: cg tells nothing.
static void test_stores(void **state) {
  (void)state;
  expect_selected("fermi-gtx480", (struct weir_site){.store = true}, "none cg cs wb wt L1::no_allocate", "");
}

static json_t *row(const char *array, unsigned line, unsigned number, unsigned fills) {
  return json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:i, s:i, s:n, s:n, s:[s,s], s:i, s:i, s:i}", "pc", number,
                   "function", "k", "file", "k.ptx", "source_file", "/a/k.cu", "source_line", line, "line", 7, "array",
                   array, "number", number, "bytes", 4, "l1_hint", "l2_hint", "takes", "cg", "cs", "executions", 10,
                   "transactions", 40, "fills", fills);
}

// Two loads of x on a line are one site; x is stored there, too, so both are named by number; y by its name; local memory is none.
static void test_sites(void **state) {
  (void)state;
  struct weir_chip_config *c = chip("fermi-gtx480");
  json_t *run = json_pack("{s:[o,o,o,o], s:[o]}", "loads", row("x", 1, 1, 30), row("x", 1, 3, 30), row("y", 1, 2, 40),
                          row("z", 2, 0, 50), "stores", row("x", 1, 4, 0));
  struct weir_sites s;
  weir_sites_read(&s, run, NULL, c);
  assert_int_equal(s.count, 3);
  char *x = weir_site_requests(&s.all[0], "cg", "  "), *y = weir_site_requests(&s.all[1], "cs", "");
  assert_string_equal(x, "  k.cu:1#1=cg\n  k.cu:1#3=cg\n");
  assert_string_equal(y, "k.cu:1[y]=cs\n");
  assert_true(s.all[2].store);
  assert_float_equal(s.all[0].weight, (60.0 / 100 + 80.0 / 160) / 4, 1e-9); // nothing dies unused, nothing waits
  weir_free(x);
  weir_free(y);
  weir_sites_free(&s);
  json_decref(run);
  weir_chip_config_free(c);
}

// With a bound the lines that are not worth keeping count, too: y's load brings all of them, and y comes first.
static void test_bound(void **state) {
  (void)state;
  struct weir_chip_config *c = chip("fermi-gtx480");
  json_t *run = json_pack("{s:[o,o]}", "loads", row("x", 1, 1, 60), row("y", 1, 2, 40));
  json_t *bound =
    json_pack("{s:[{s:i,s:i},{s:i,s:i}]}", "instructions", "pc", 1, "unkept_fills", 0, "pc", 2, "unkept_fills", 30);
  struct weir_sites s;
  weir_sites_read(&s, run, bound, c);
  assert_string_equal(s.all[0].array, "y");
  assert_float_equal(s.all[0].weight, (40.0 / 100 + 40.0 / 80 + 1) / 5, 1e-9);
  assert_float_equal(s.all[1].weight, (60.0 / 100 + 40.0 / 80) / 5, 1e-9);
  weir_sites_free(&s);
  json_decref(bound);
  json_decref(run);
  weir_chip_config_free(c);
}

static void mends(struct weir_site s, bool gains, const char *begins) {
  struct weir_chip_config *c = chip("fermi-gtx480"); // segments of 128 bytes, warps of 32
  char *text = weir_mend_site(&s, c, gains);
  if (!begins) assert_null(text);
  if (begins) assert_true(text && !strncmp(text, begins, strlen(begins)));
  weir_free(text);
  weir_chip_config_free(c);
}

static void test_mends(void **state) {
  (void)state;
  // 32 threads of 4 bytes are one segment, of 16 bytes four
  mends((struct weir_site){.bytes = 4, .executions = 10, .transactions = 30}, true, "un-coalesced: 3.0 ");
  mends((struct weir_site){.bytes = 4, .executions = 10, .transactions = 20}, true, NULL);
  mends((struct weir_site){.bytes = 16, .executions = 10, .transactions = 80}, false, NULL);
  mends((struct weir_site){.store = true, .bytes = 4, .executions = 1, .transactions = 32}, false,
        "un-coalesced: 32.0 ");
  struct weir_site s = {.bytes = 4, .executions = 100, .transactions = 100, .fills = 100, .lines = 100};
  s.zero_reuse_fills = 90;
  mends(s, false, "streaming: 90 %");
  mends(s, true, NULL);
  s.zero_reuse_fills = 50, s.hits = 40;
  mends(s, false, "working set: 50 % of its lines are used again, and still 60 %");
  s.hits = 50;
  mends(s, false, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chips),  cmocka_unit_test(test_present),
                                     cmocka_unit_test(test_stores), cmocka_unit_test(test_sites),
                                     cmocka_unit_test(test_bound),  cmocka_unit_test(test_mends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
