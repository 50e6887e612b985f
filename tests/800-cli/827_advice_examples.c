// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The worked examples of docs/ADVISE.md (examples/advise): their advice is what the page derives, under LRU. The chip is ampere-a40, whose L1
// has 128 sets of eight lines of four sectors, and data for 108 KiB beside the 8 that up to eight blocks keep: 864 lines.
#include "weir_process.h"

#include <jansson.h>

#define EXAMPLES WEIR_SOURCE_DIR "/examples/advise/"

static char hints[] = "/tmp/weir_examples_XXXXXX";

static json_t *json_of(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  json_t *o = json_loads(p.out, 0, NULL);
  assert_non_null(o);
  process_free(&p);
  return o;
}

static json_t *advice(const char *example) {
  return json_of((const char *const[]){"advise", example, "--chip", "ampere-a40", "--scheme", "lru", "--perturb", "0",
                                       "--jobs", "1", "--json", "-o", hints, NULL});
}

// Of the loads, or the stores, of an array: a site of the advice, or a row of a run.
static const json_t *of_array(const json_t *list, const char *array, const char *kind) {
  size_t i;
  json_t *o;
  json_array_foreach((json_t *)list, i, o) {
    const char *is = json_string_value(json_object_get(o, "kind"));
    if (!strcmp(json_string_value(json_object_get(o, "array")), array) && (!is || !strcmp(is, kind))) return o;
  }
  fail_msg("no %s of %s", kind, array);
  return NULL;
}

static double number(const json_t *o, const char *name) {
  const json_t *v = json_object_get(o, name);
  assert_true(json_is_number(v));
  return json_number_value(v);
}

static double l1_misses(const json_t *advice, const char *answer) {
  return number(json_object_get(json_object_get(advice, answer), "outcome"), "l1_misses");
}

static void expect_mend(const json_t *site, const char *begins) {
  const char *mend = json_string_value(json_object_get(site, "mend"));
  if (!mend || strncmp(mend, begins, strlen(begins)) != 0) fail_msg("%s, not %s", mend ? mend : "nothing", begins);
}

// The 384 lines of value and as many of column are six of each set. A round of all warps brings 384 lines of x besides, which
// nobody asks for again but by chance (864 of its 32,768 lines are there at most): 1152 for data of 864, and nine of a set for
// eight ways, so that lines go before their thread comes back. Without the lines of x all stay: each of their sectors misses once.
static void test_spmv(void **state) {
  (void)state;
  json_t *a = advice(EXAMPLES "spmv.yaml"), *requests = json_object_get(a, "hints");
  const json_t *sites = json_object_get(a, "sites"), *x = of_array(sites, "param_2", "load");
  assert_true(number(x, "zero_reuse_fills") > 0.9 * number(x, "lines"));
  assert_true(number(of_array(sites, "param_0", "load"), "fills") > 4 * 384 * 2);
  const char *hint = json_string_value(json_array_get(requests, 0)); // others may gain some cycles, and cost misses
  assert_true(!strncmp(hint, "spmv.cu:9[param_2]=", strlen("spmv.cu:9[param_2]=")));
  assert_true(number(a, "speedup") > 1);
  json_t *run = json_of((const char *const[]){"run", EXAMPLES "spmv.yaml", "--chip", "ampere-a40", "--scheme", "lru",
                                              "--hint", hint, "--json", NULL});
  const json_t *loads = json_object_get(run, "loads");
  assert_true(number(of_array(loads, "param_0", "load"), "misses") == 384 * 4);
  assert_true(number(of_array(loads, "param_1", "load"), "misses") == 384 * 4);
  assert_true(number(json_object_get(run, "total"), "cycles") <
              number(json_object_get(json_object_get(a, "base"), "outcome"), "cycles"));
  json_decref(run);
  json_decref(a);
}

// Of `source` each of 262,144 words is read once, 128 bytes by a warp: four sectors that miss, and a line that is of no use any more.
// The 512 lines of `gives` are about four of each set of eight, and asked for 32 at a time, so that few of them are the oldest when a line of
// `source` comes: its 2048 sectors miss once, and less than once more. A hint takes away some of that at most.
static void test_pagerank(void **state) {
  (void)state;
  json_t *a = advice(EXAMPLES "pagerank.yaml"), *requests = json_object_get(a, "hints");
  const json_t *sites = json_object_get(a, "sites"), *source = of_array(sites, "param_0", "load"),
               *gives = of_array(sites, "param_1", "load");
  assert_true(number(source, "hits") + number(source, "hits_on_miss") == 0);
  assert_true(number(source, "fills") == 32768);
  assert_true(number(source, "zero_reuse_fills") == number(source, "lines"));
  assert_true(number(gives, "fills") >= 2048 && number(gives, "fills") < 2 * 2048);
  assert_true(l1_misses(a, "base") == 32768 + number(gives, "fills"));
  assert_true(l1_misses(a, "together") >= 32768 + 2048 && l1_misses(a, "together") <= l1_misses(a, "base"));
  assert_true(number(a, "speedup") < 1.05);
  assert_true(json_array_size(requests) <= 1);
  expect_mend(gives, "un-coalesced: 31.8 transactions per request, where 4 would do");
  assert_true(number(a, "cost") <= 12);
  json_decref(a);
}

// Each of 65,536 elements is read once, and written once: four sectors of a line by a warp that reads, 32 lines by one that writes. No hint
// takes away a miss; what is to be mended is the store.
static void test_transpose(void **state) {
  (void)state;
  json_t *a = advice(EXAMPLES "transpose.yaml");
  const json_t *sites = json_object_get(a, "sites"), *load = of_array(sites, "param_0", "load"),
               *store = of_array(sites, "param_1", "store");
  assert_true(number(load, "transactions") == 4 * 2048);
  assert_true(number(store, "executions") == 2048);
  assert_true(number(store, "transactions") == 32 * 2048);
  assert_true(l1_misses(a, "base") == 8192);
  assert_true(l1_misses(a, "together") == 8192);
  assert_true(json_is_null(json_object_get(store, "best")));
  expect_mend(store, "un-coalesced: 32.0 transactions per request, where 4 would do");
  json_decref(a);
}

// The source is all there, line by line and escaped; what a line does stands behind it. Every element that is opened is closed, and
// nothing is fetched from elsewhere.
static void test_page(void **state) {
  (void)state;
  static char page[1 << 16], line[256], escaped[1024];
  struct process p = process_run_all((const char *const[]){"advise", EXAMPLES "pagerank.yaml", "--chip", "ampere-a40",
                                                           "--scheme", "lru", "--perturb", "0", "--runs", "2",
                                                           "--chips", "ampere-a100", "--html", hints, NULL});
  assert_int_equal(p.status, 0);
  process_free(&p);
  FILE *f = fopen(hints, "r"), *source = fopen(EXAMPLES "pagerank.cu", "r");
  assert_non_null(f);
  assert_non_null(source);
  const size_t bytes = fread(page, 1, sizeof page - 1, f);
  assert_true(bytes > 0 && bytes < sizeof page - 1);
  const char *at = page;
  while (fgets(line, sizeof line, source)) {
    char *to = escaped;
    *to = 0;
    for (const char *c = line; *c && *c != '\n'; c++)
      to += sprintf(to, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : "%c", *c);
    at = strstr(at, escaped);
    if (!at) fail_msg("%s is not there", escaped);
    at += strlen(escaped);
    if (strstr(line, "gives[")) assert_non_null(strstr(at, "<td>param_1</td><td>load</td><td>8192</td>"));
  }
  fclose(f);
  fclose(source);
  static const char *const elements[] = {"div", "table", "tr", "td", "th", "h1", "h2", "p", "span", "body", "html"};
  for (unsigned i = 0; i < sizeof elements / sizeof *elements; i++) {
    char open[16], close[16];
    int depth = 0;
    snprintf(open, sizeof open, "<%s", elements[i]);
    snprintf(close, sizeof close, "</%s>", elements[i]);
    for (const char *c = page; (c = strstr(c, open)); c++) depth += c[strlen(open)] == '>' || c[strlen(open)] == ' ';
    for (const char *c = page; (c = strstr(c, close)); c++) depth--;
    if (depth) fail_msg("%d of <%s> more open than close", depth, elements[i]);
  }
  assert_non_null(strstr(page, "<td>ampere-a100</td><td>1.000×</td>")); // no hint there
  assert_null(strstr(page, "http"));
  assert_null(strstr(page, "src="));
}

static int make_file(void **state) {
  (void)state;
  const int file = mkstemp(hints);
  return file < 0 || close(file);
}

static int remove_file(void **state) {
  (void)state;
  return unlink(hints);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_spmv), cmocka_unit_test(test_pagerank),
                                     cmocka_unit_test(test_transpose), cmocka_unit_test(test_page)};
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
