// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tables in their three forms.
#include "weir_process.h"

#include "base/hash.h"
#include "table/table.h"

#include <math.h>

static void fill(struct weir_table *t) {
  weir_table_start(t, "1", "Figure 1: things");
  weir_table_column(t, WEIR_COLUMN_TEXT, "name", "name", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "count", "count", "how many");
  weir_table_column(t, WEIR_COLUMN_CHANGE, "change", "Δ", NULL);
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[0], "a, \"b\"");
  c[1].ours = 1234567;
  c[2].ours = 1.25;
  c = weir_table_row(t);
  weir_table_text(t, &c[0], "é");
  c[1].ours = 12;
  c[1].published = 1000;
}

static char *printed(const struct weir_table *t, void (*print)(const struct weir_table *, FILE *)) {
  char *text;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  print(t, f);
  fclose(f);
  return text;
}

static void as_text(void **state) {
  (void)state;
  struct weir_table t;
  fill(&t);
  char *text = printed(&t, weir_table_print);
  assert_string_equal(text,
                      "Figure 1: things\n\n"
                      "name        count  paper        Δ\n"
                      "─────────────────────────────────\n"
                      "a, \"b\"  1,234,567         +25.0 %\n"
                      "é              12  1,000         \n"
                      "\n  count  how many\n");
  free(text);
  weir_table_free(&t);
}

static void as_csv(void **state) {
  (void)state;
  struct weir_table t;
  fill(&t);
  char *text = printed(&t, weir_table_csv);
  assert_string_equal(text, "name,count,count_published,change\n\"a, \"\"b\"\"\",1234567,,1.25\né,12,1000,\n");
  free(text);
  weir_table_free(&t);
}

static void as_json(void **state) {
  (void)state;
  struct weir_table t;
  fill(&t);
  json_t *got = weir_table_json(&t);
  json_t *want = json_loads("{\"name\": \"1\", \"title\": \"Figure 1: things\", \"rows\": ["
                            "{\"name\": \"a, \\\"b\\\"\", \"count\": 1234567.0,"
                            " \"count_published\": null, \"change\": 1.25},"
                            "{\"name\": \"é\", \"count\": 12.0, \"count_published\": 1000.0, \"change\": null}]}",
                            0, NULL);
  assert_true(json_equal(got, want));
  json_decref(got);
  json_decref(want);
  weir_table_free(&t);
}

// The geometric mean of 2, 4 and 8 is 4; cells without a number do not count.
static void means(void **state) {
  (void)state;
  struct weir_table t;
  weir_table_start(&t, "", "");
  weir_table_column(&t, WEIR_COLUMN_REAL, "x", "x", NULL);
  for (int i = 1; i <= 3; i++) weir_table_row(&t)[0].ours = 1 << i;
  weir_table_row(&t);
  assert_true(fabs(weir_table_geomean(&t, 0, false, 0, 4, 1) - 4) < 1e-12);
  assert_true(isnan(weir_table_geomean(&t, 0, true, 0, 4, 1)));
  assert_true(fabs(weir_table_geomean(&t, 0, false, 0, 4, 2) - 4) < 1e-12); // of 2 and 8
  weir_table_free(&t);
}

// What xxh128sum prints of the same bytes; pieces are told from their concatenation, and files are their bytes.
static void hash(void **state) {
  (void)state;
  static const char *const vectors[][2] = {{"", "99aa06d3014798d86001c324468d497f"},
                                           {"a", "a96faf705af16834e6c632b61e964e1f"},
                                           {"abc", "06b05ab6733a618578af5f94892f3950"}};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    char text[WEIR_HASH_TEXT];
    weir_hash_print(weir_hash_bytes(weir_hash_start(), vectors[i][0], strlen(vectors[i][0])), text);
    assert_string_equal(text, vectors[i][1]);
  }
  const weir_hash whole = weir_hash_bytes(weir_hash_start(), "abc", 3);
  assert_true(weir_hash_bytes(weir_hash_bytes(weir_hash_start(), "ab", 2), "c", 1) != whole);
  char path[] = "/tmp/weir-hash-XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, "abc", 3) == 3);
  close(fd);
  weir_hash of_file = weir_hash_start();
  assert_true(weir_hash_file(&of_file, path));
  assert_true(of_file == whole);
  unlink(path);
}

// A row per scheme and a column per program in the order in which they come; what is not there has no number.
static void as_pivot(void **state) {
  (void)state;
  static const struct {
    const char *program, *scheme;
    double speedup;
  } runs[] = {{"b", "one", 1}, {"b", "two", 3}, {"a", "two", 2}, {"a", "three", 4}, {"b", "three", 2}};
  struct weir_table t, p;
  weir_table_start(&t, "t", "t");
  weir_table_column(&t, WEIR_COLUMN_TEXT, "program", "program", NULL);
  weir_table_column(&t, WEIR_COLUMN_TEXT, "scheme", "scheme", NULL);
  weir_table_column(&t, WEIR_COLUMN_RATIO, "speedup", "speedup", "how much");
  for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
    struct weir_cell *c = weir_table_row(&t);
    weir_table_text(&t, &c[0], runs[i].program);
    weir_table_text(&t, &c[1], runs[i].scheme);
    c[2].ours = runs[i].speedup;
  }
  assert_false(weir_table_pivot(&p, &t, "program", "scheme", "cycles"));
  assert_false(weir_table_pivot(&p, &t, "program", "scheme", "program"));
  assert_true(weir_table_pivot(&p, &t, "program", "scheme", "speedup"));
  char *text = printed(&p, weir_table_csv);
  assert_string_equal(text, "scheme,b,a\none,1,\ntwo,3,2\nthree,2,4\n");
  free(text);
  assert_false(weir_table_sort(&p, "scheme", true));
  assert_true(weir_table_sort(&p, "a", true)); // one has none there
  text = printed(&p, weir_table_csv);
  assert_string_equal(text, "scheme,b,a\nthree,2,4\ntwo,3,2\none,1,\n");
  free(text);
  assert_true(weir_table_sort(&p, "b", false));
  text = printed(&p, weir_table_csv);
  assert_string_equal(text, "scheme,b,a\none,1,\nthree,2,4\ntwo,3,2\n");
  free(text);
  weir_table_free(&p);
  weir_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_pivot), cmocka_unit_test(as_text), cmocka_unit_test(as_csv),
                                     cmocka_unit_test(as_json),  cmocka_unit_test(means),   cmocka_unit_test(hash)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
