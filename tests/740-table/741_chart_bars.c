// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bars in a terminal. Of a line's width, labels and the widest text behind a bar are taken; the baseline has one cell
// of the rest, and the longest bar the others: lengths follow in eighths of a cell.
#include "made_tables.h"

static const struct weir_chart from_zero = {WEIR_CHART_BARS, {"a"}, .baseline = 0};
static const struct weir_chart from_one = {WEIR_CHART_BARS, {"a"}, .baseline = 1};

// 40 - (2 + 2 labels, 1 + 7 "no data") - 1 = 27 cells for 2.0: 13.5 to the unit.
static void lengths(void **state) {
  (void)state;
  struct weir_table t;
  table_start(&t, &from_zero, WEIR_COLUMN_REAL, 1, NULL);
  ROW(&t, "a", 2);
  ROW(&t, "bb", 1); // 13 1/2
  ROW(&t, "c", NAN);
  ROW(&t, "d", 0.25); // 3.375: 3 3/8
  ROW(&t, "e", 0);
  ROW(&t, "f", INFINITY);
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "a   │%s 2.000", times("█", 27));
  assert_line(text, 1, "bb  │%s▌ 1.000", times("█", 13));
  assert_line(text, 2, "c   │ no data");
  assert_line(text, 3, "d   │███▍ 0.250");
  assert_line(text, 4, "e   │ 0.000");
  assert_line(text, 5, "f   │ no data");
  assert_empty_line(text, 6);
  free(text);
  text = chart_text(&t, 40, true); // whole cells, halves up
  assert_line(text, 0, "a   |%s 2.000", times("#", 27));
  assert_line(text, 1, "bb  |%s 1.000", times("#", 14));
  assert_line(text, 3, "d   |### 0.250");
  free(text);
  weir_table_free(&t);
}

// 40 - (4 + 2, 1 + 7) - 1 = 25 cells for 0.25 below the baseline and 0.5 above: 8 and 17, and 32 to the unit.
static void around_a_baseline(void **state) {
  (void)state;
  struct weir_table t;
  table_start(&t, &from_one, WEIR_COLUMN_CHANGE, 1, NULL);
  ROW(&t, "up", 1.5);
  ROW(&t, "down", 0.75);
  ROW(&t, "part", 1 - 3.5 / 32);
  ROW(&t, "bit", 1 - 1.125 / 32);
  ROW(&t, "same", 1);
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "up            │%s +50.0 %%", times("█", 16));
  assert_line(text, 1, "down  ████████│ -25.0 %%");
  assert_line(text, 2, "part      ▐███│ -10.9 %%");
  assert_line(text, 3, "bit         ▕█│ -3.5 %%");
  assert_line(text, 4, "same          │ +0.0 %%");
  assert_line(text, 6, "  │ +0.0 %%");
  free(text);
  weir_table_free(&t);
}

// What differs from the baseline by less than a tenth of it is drawn small: 40 - (1 + 2, 1 + 6) - 1 = 29 cells for 0.1.
static void noise_is_small(void **state) {
  (void)state;
  struct weir_table t;
  table_start(&t, &from_one, WEIR_COLUMN_RATIO, 1, NULL);
  ROW(&t, "a", 1 + 0.1 * 10 / 29);
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "a  │%s 1.034×", times("█", 10));
  free(text);
  weir_table_free(&t);
}

// The mark stands where a bar of the published number would end. 40 - (1 + 2, 1 + 12 "no data  ◇ 0") - 1 = 23 cells for
// 42.
static void published(void **state) {
  (void)state;
  struct weir_table t;
  table_start(&t, &from_zero, WEIR_COLUMN_COUNT, 1, NULL);
  ROW(&t, "a", 42)[1].published = 20; // 10.95: in the 11th
  ROW(&t, "b", 10)[1].published = 21; // 5.48, and 11.5: in the 12th
  ROW(&t, "c", NAN)[1].published = 0; // on the baseline
  ROW(&t, "d", 2);                    // 1.095
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "a  │%s◇%s 42  ◇ 20", times("█", 10), times("█", 12));
  assert_line(text, 1, "b  │█████▌     ◇ 10  ◇ 21");
  assert_line(text, 2, "c  ◇ no data  ◇ 0");
  assert_line(text, 3, "d  │█▏ 2");
  assert_empty_line(text, 4);
  assert_line(text, 5, "  ◇ published");
  free(text);
  text = chart_text(&t, 40, true);
  assert_line(text, 0, "a  |%so%s 42  o 20", times("#", 10), times("#", 12));
  free(text);
  weir_table_free(&t);
}

// The axis ends at 2: the widest text is "+400.0 %", so 40 - (1 + 2, 1 + 8) - 1 = 27 cells for 1. What is longer has a mark
// in the last of them and its number behind it; what is shorter is drawn as if there were nothing longer.
static void cut_at_the_end_of_the_axis(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_BARS, {"a"}, .baseline = 1, .most = 2};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_CHANGE, 1, NULL);
  ROW(&t, "a", 5);
  ROW(&t, "b", 2);
  ROW(&t, "c", 1 + 9.0 / 27);
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "a  │%s▶ +400.0 %%", times("█", 26));
  assert_line(text, 1, "b  │%s +100.0 %%", times("█", 27));
  assert_line(text, 2, "c  │%s +33.3 %%", times("█", 9));
  assert_line(text, 4, "  │ +0.0 %%   ▶ goes on: see its number");
  free(text);
  text = chart_text(&t, 40, true);
  assert_line(text, 0, "a  |%s> +400.0 %%", times("#", 26));
  free(text);
  weir_table_free(&t);
  table_start(&t, &chart, WEIR_COLUMN_CHANGE, 1, NULL); // nothing is longer: the axis ends with the longest bar
  ROW(&t, "a", 1.5);
  text = chart_text(&t, 40, false);
  assert_line(text, 0, "a  │%s +50.0 %%", times("█", 28)); // its text is one shorter
  assert_line(text, 2, "  │ +0.0 %%");
  free(text);
  weir_table_free(&t);
}

static const char *const two[] = {"one", "other"};

// 40 - (4 + 2 labels, 5 + 2 names, 1 + 7 "no data") - 1 = 18 cells for 0.99.
static void groups(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_BARS, {"a", "b"}, .baseline = 0};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_PERCENT, 2, two);
  ROW(&t, "x", 0.99, 0);
  ROW(&t, "y", NAN, 0.495);
  t.summary_row = t.row_count;
  ROW(&t, "mean", 0.99, 0.2475);
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "x     one    │%s 99.0 %%", times("█", 18));
  assert_line(text, 1, "      other  │ 0.0 %%");
  assert_empty_line(text, 2);
  assert_line(text, 3, "y     one    │ no data");
  assert_line(text, 4, "      other  │%s 49.5 %%", times("█", 9));
  assert_empty_line(text, 5);
  assert_line(text, 6, "mean  one    │%s 99.0 %%", times("█", 18));
  assert_line(text, 7, "      other  │████▌ 24.8 %%");
  free(text);
  weir_table_free(&t);
}

// Rows that share a label are a group, as in a comparison's table.
static void rows_as_bars(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_BARS, {"x"}, .by = "scheme", .baseline = 1};
  static const struct {
    const char *program, *scheme;
    double speedup;
  } rows[] = {{"p", "lru", 1}, {"p", "dip", 2}, {"q", "dip", 3}, {"mean", "lru", 1}, {"mean", "dip", 2.5}};
  struct weir_table t;
  weir_table_start(&t, "1", "");
  t.chart = &chart;
  weir_table_column(&t, WEIR_COLUMN_TEXT, "program", "program", NULL);
  weir_table_column(&t, WEIR_COLUMN_TEXT, "scheme", "scheme", NULL);
  weir_table_column(&t, WEIR_COLUMN_REAL, "x", "x", "what it means");
  for (unsigned i = 0; i < 5; i++) {
    struct weir_cell *c = weir_table_row(&t);
    weir_table_text(&t, &c[0], rows[i].program);
    weir_table_text(&t, &c[1], rows[i].scheme);
    c[2].ours = rows[i].speedup;
  }
  t.summary_row = 3;
  char *text = chart_text(&t, 40, false); // 40 - (4 + 2 + 3 + 2, 1 + 5) - 1 = 22 cells for 2
  assert_line(text, 0, "p     lru  │ 1.000");
  assert_line(text, 1, "      dip  │%s 2.000", times("█", 11));
  assert_empty_line(text, 2);
  assert_line(text, 3, "q     dip  │%s 3.000", times("█", 22));
  assert_empty_line(text, 4);
  assert_line(text, 5, "mean  lru  │ 1.000");
  assert_line(text, 6, "      dip  │%s▌ 2.500", times("█", 16)); // 16 1/2
  assert_line(text, 8, "  │ 1.000");
  assert_line(text, 10, "  x  what it means");
  free(text);
  weir_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lengths),
                                     cmocka_unit_test(around_a_baseline),
                                     cmocka_unit_test(noise_is_small),
                                     cmocka_unit_test(published),
                                     cmocka_unit_test(groups),
                                     cmocka_unit_test(rows_as_bars),
                                     cmocka_unit_test(cut_at_the_end_of_the_axis)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
