// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The programs that fill tables, on inputs whose answers are counted by hand.
#include "from_text.h"

static uint32_t fnv1a(const char *text) {
  uint32_t h = UINT32_C(2166136261);
  for (; *text; text++) h = (h ^ (uint8_t)*text) * UINT32_C(16777619);
  return h;
}

struct entry {
  const char *text;
  uint32_t group, count;
};

static void assert_report(const char *name, const char *text, const struct entry *want, uint32_t count) {
  struct weir_sink sink = {0};
  struct weir_app *a = open_text(name, text, &sink);
  if (!a) weir_sink_print(&sink, stderr);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
  unsigned results;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &results);
  const uint32_t *words = weir_host_bytes(weir_app_host(a), r->address, r->bytes);
  assert_int_equal(results, 1);
  assert_int_equal(r->bytes, 4 * (1 + 3 * count));
  assert_int_equal(words[0], count);
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(words[1 + 3 * i], fnv1a(want[i].text));
    assert_int_equal(words[2 + 3 * i], want[i].group);
    assert_int_equal(words[3 + 3 * i], want[i].count);
  }
  weir_app_free(a);
}
#define REPORTS(name, text, ...)                                                                                       \
  assert_report(name, text, (const struct entry[]){__VA_ARGS__},                                                       \
                sizeof((const struct entry[]){__VA_ARGS__}) / sizeof(struct entry))

#define LINE(request) "::1 - - [10/Oct/2014:13:55:36 +0000] \"" request "\" 200 12 \"http://from/\" \"agent GET /x\"\n"

static void pageview_counts_requests(void **state) {
  (void)state;
  REPORTS("pageview",
          LINE("GET /b HTTP/1.1") LINE("GET /ab HTTP/1.1") LINE("-") LINE("GET /a") "\n" LINE("POST /ab HTTP/1.0")
            LINE("") LINE("GET  HTTP/1.0") LINE("HEAD /b?q=1 x") LINE("GET /ab x") "h - - [t] \"GET /b",
          {"/a", 0, 1}, {"/ab", 0, 3}, {"/b", 0, 2}, {"/b?q=1", 0, 1});
}

static void pageview_refuses_what_is_no_log(void **state) {
  (void)state;
  assert_refused("pageview", LINE("GET / x") "just a line\r\n", ":2:1: error: no request in quotes");
  assert_refused("pageview", "", "empty");
}

// Cards 1 and 11 shop at A (1 twice); 2, 111 and 3 do not, nor does whoever pays in cash.
static void affinity_follows_the_customers(void **state) {
  (void)state;
  REPORTS(
    "affinity",
    "merchant,amount,card\nA,1,1\nB,2,1\nB,3,11\nAB,1,2\nA,9,11\nB,1,2\nC,1,111\nA,5,\n,5,1\nA,1,1\r\nAB,4,11\nC,1,3",
    {"A", 0, 3}, {"AB", 0, 1}, {"B", 0, 2});
}

static void affinity_refuses_what_is_no_table(void **state) {
  (void)state;
  assert_refused("affinity", "cart,merchant\n1,2\n", ":1:1: error: no column 'card'");
  assert_refused("affinity", "card,merchants\n1,2\n", "no column 'merchant'");
  assert_refused("affinity", "card,merchant\n1,2\n\n3\n", ":4:1: error: 1 fields instead of 2");
  assert_refused("affinity", "card,merchant\n1,\"2\"\n", ":2:3: error: fields may not be quoted");
  assert_refused("affinity", "card,merchant", "no transaction");
  assert_refused("affinity", "card,merchant\n1,\n", "no transaction");
  assert_refused("affinity", "", "empty");
}

// Links in tags of other names, values that look like links, tags that a file leaves open, and files in one line.
static void invindex_finds_the_links(void **state) {
  (void)state;
  REPORTS("invindex",
          "<!DOCTYPE html><a href=\"x\">1</a> <A title='<a href=\"no\">' HREF='y'> <a\nhref=\"x\"><b href=\"no\">"
          "<ahref=\"no\"><a xhref=\"no\" href =\"no\" href=no href=\"\" hrefs=\"no\">"
          "<!doctype HTML><<a href=\"y\"><a href=\"<!DOCTYPE html><a href=\"xy\" href=\"y\"><a href=\"open",
          {"x", 0, 2}, {"xy", 2, 1}, {"y", 0, 1}, {"y", 1, 1}, {"y", 2, 1});
  assert_refused("invindex", "", "empty");
}

// What is cut off, or no HTML at all.
static void invindex_takes_any_text(void **state) {
  (void)state;
  static const char *const texts[] = {"<",           "<a",       "<a ",     "<a h",      "<a href=",    "<a href=\"",
                                      "<a href=\"x", "<!doctyp", "a<a b='", "<a href=>", "plain text\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) assert_report("invindex", texts[i], NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pageview_counts_requests),       cmocka_unit_test(pageview_refuses_what_is_no_log),
    cmocka_unit_test(affinity_follows_the_customers), cmocka_unit_test(affinity_refuses_what_is_no_table),
    cmocka_unit_test(invindex_finds_the_links),       cmocka_unit_test(invindex_takes_any_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
