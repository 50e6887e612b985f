// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stacked bars, s-curves and lines in a terminal, and what all charts keep to: the width and the characters asked for.
#include "made_tables.h"

// 40 - (10 + 2 labels, 3 × 4 shares) = 16 cells for 1; a share ends at the boundary nearest to the sum up to it.
static void stacked(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_STACKED, {"a", "b", "c"}, NULL, 0};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_PERCENT, 3, NULL);
  struct weir_cell *c = ROW(&t, "x", 0.5, 0.3, 0.2); // 8, 12.8, 16
  c[1].published = 0.25, c[2].published = 0.75, c[3].published = 0;
  ROW(&t, "y", 0.5, NAN, 0.5);
  ROW(&t, "z", 0, 0, 1)[1].published = 1; // one of three: not drawn
  t.summary_row = t.row_count;
  ROW(&t, "mean", 0.1, 0.1, 0.3); // 1.6, 3.2, 8: the rest is missing
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "x           ████████▓▓▓▓▓▒▒▒  50  30  20");
  assert_line(text, 1, " published  ████%s  25  75   0", times("▓", 12));
  assert_line(text, 2, "y           no data");
  assert_line(text, 3, "z           %s   0   0 100", times("▒", 16));
  assert_empty_line(text, 4);
  assert_line(text, 5, "mean        ██▓▒▒▒▒▒          10  10  30");
  assert_line(text, 7, "  █ A   ▓ B   ▒ C");
  assert_line(text, 8, "  (numbers: percent, in this order)");
  free(text);
  text = chart_text(&t, 40, true);
  assert_line(text, 0, "x           ########=====+++  50  30  20");
  free(text);
  weir_table_free(&t);
}

// 40 - (4 + 2 labels, 7 + 2 "no data") = 25 columns from 0 to 3: values 1, 2, 3 are 8, 16, 24 columns from the
// baseline.
static void s_curve(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_S_CURVE, {"a", "b"}, NULL, 0};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_REAL, 2, NULL);
  ROW(&t, "w", 3, 2);
  ROW(&t, "x", 1, 1);
  ROW(&t, "y", NAN, 1);
  ROW(&t, "z", 2, 0)[1].published = 3;
  ROW(&t, "u", 2, NAN); // after z, as in the table
  t.summary_row = t.row_count;
  ROW(&t, "mean", 1, 2);
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "x     │       *                 1.000");
  assert_line(text, 1, "z     ■               ●       ○ 2.000");
  assert_line(text, 2, "u     │               ●         2.000");
  assert_line(text, 3, "w     │               ■       ● 3.000");
  assert_line(text, 4, "y     │       ■                 no data");
  assert_empty_line(text, 5);
  assert_line(text, 6, "mean  │       ●       ■         1.000");
  assert_line(text, 7, "      0.000               3.000");
  assert_line(text, 9, "  ● A   ■ B   hollow: published");
  assert_line(text, 10, "  * several   (numbers and order: A)");
  free(text);
  text = chart_text(&t, 40, true);
  assert_line(text, 1, "z     B               A       a 2.000");
  assert_line(text, 9, "  A A   B B   small letter: published");
  free(text);
  weir_table_free(&t);
}

// By another column than the one drawn; -1, 0 and 1 are columns 0, 12 and 24 of 25.
static void s_curve_by(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_S_CURVE, {"a"}, "b", 0};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_REAL, 2, NULL);
  ROW(&t, "down", 1, -20);
  ROW(&t, "up", -1, -100);
  char *text = chart_text(&t, 40, false); // 40 - (4 + 2, 8 + 2 "-100.000") = 24: 0.5 × 23 is 12, halves up
  assert_line(text, 0, "up    ●           │            -100.000");
  assert_line(text, 1, "down              │          ● -20.000");
  assert_line(text, 2, "      -1.000    0.000    1.000");
  free(text);
  weir_table_free(&t);
}

// x from 0 to 30 over the 36 columns behind " 5 ┤", y from 0 to 15 over 16 lines: (2 i, i) is in line 15 - i, in column
// 35 i / 15. Between them are points that are not there, which part the lines.
static void points(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_LINES, {"b", "c"}, "a", 0};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_COUNT, 3, NULL);
  for (unsigned i = 0; i < 16; i++) {
    struct weir_cell *c = ROW(&t, "", 2 * i, i, NAN);
    if (i == 15) c[2].published = 12, c[3].ours = 15;
    ROW(&t, "", 2 * i + 1, NAN, NAN);
    t.rows[t.row_count - 1][1].ours = fmin(2 * i + 1, 30);
  }
  char *text = chart_text(&t, 40, false);
  for (unsigned i = 1; i < 15; i++) {
    unsigned column = (unsigned)lround(35 * i / 15.0);
    if (i != 12) assert_line(text, 15 - i, "   │%*s●", (int)column, "");
  }
  assert_line(text, 0, "15 ┤%35s■", ""); // the later series is in front
  assert_line(text, 3, "   │%28s●      ○", "");
  assert_line(text, 15, " 0 ┤●");
  assert_line(text, 16, "   └%s", times("─", 36));
  assert_line(text, 17, "    0%33s30", "");
  assert_line(text, 19, "  ● B   ■ C   hollow: published   over A");
  free(text);
  weir_table_free(&t);
}

// From (0, 15) to (1, 15), 18 columns on (17.5), and down to (2, 0), 17 further: 15 lines in 17 columns, so that the
// k-th column between them is in line 15 k / 17: for k = 4 line 3.5.., 4; for k = 16 line 14.
static void lines(void **state) {
  (void)state;
  static const struct weir_chart chart = {WEIR_CHART_LINES, {"b"}, "a", 0};
  struct weir_table t;
  table_start(&t, &chart, WEIR_COLUMN_COUNT, 2, NULL);
  ROW(&t, "", 0, 15);
  ROW(&t, "", 1, 15);
  ROW(&t, "", 2, 0);
  char *text = chart_text(&t, 40, false);
  assert_line(text, 0, "15 ┤●%s●", times("·", 17));
  assert_line(text, 1, "   │%19s·", "");  // k = 1: 0.88
  assert_line(text, 2, "   │%20s·", "");  // k = 2: 1.76
  assert_line(text, 4, "   │%22s··", ""); // k = 4 and 5: 3.53 and 4.41
  assert_line(text, 14, "   │%34s·", ""); // k = 16: 14.1
  assert_line(text, 15, " 0 ┤%35s●", "");
  free(text);
  text = chart_text(&t, 40, true);
  assert_line(text, 0, "15 +A%sA", times(".", 17));
  free(text);
  weir_table_free(&t);
}

// ---- all charts -----------------------------------------------------------------------------------------------------

static void make_wide(struct weir_table *t, const struct weir_chart *chart) {
  static const char *const headings[] = {"a heading of many words",
                                         "another – longer than any terminal is wide, or nearly so",
                                         "ein_Wort_das_nicht_umgebrochen_werden_kann_weil_es_keine_Lücke_hat"};
  table_start(t, chart, WEIR_COLUMN_RATIO, 3, headings);
  t->title = "A title that must be broken, because it is longer than the lines of this chart may be at any width tried";
  t->columns[2].meaning = "what must be broken, too, as it is far too long for a line beside so wide a heading as this";
  for (unsigned i = 0; i < 4; i++) {
    static const char label[] = "\033[2J \xC2\x9B"
                                "1m a label of more characters than fit: é × ×××";
    struct weir_cell *c = ROW(t, label, 1.0 / (i + 1), 123456.789 * i, i);
    for (unsigned k = 1; k < 4; k++) c[k].published = i * 0.25;
  }
  t->rows[2][1].ours = NAN;
  t->summary_row = 3;
  weir_table_note(t, "A note that is at least as long as the title, and that has to be broken as that is broken, too.");
}

static void assert_fits(const char *text, unsigned width, bool ascii) {
  char line[1024];
  for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    if (weir_text_width(line) > width) fail_msg("%u: %s", width, line);
    assert_true(!*line || line[strlen(line) - 1] != ' ');
    assert_null(strchr(line, '\033'));
    assert_null(strstr(line, "\xC2\x9B"));
    for (const char *at = line; *at && ascii; at++) assert_false(*at & 0x80);
  }
  assert_int_equal(*text, 0);
}

static void within_the_width(void **state) {
  (void)state;
  static const struct weir_chart charts[] = {{WEIR_CHART_BARS, {"a", "b", "c"}, NULL, 1},
                                             {WEIR_CHART_STACKED, {"a", "b", "c"}, NULL, 0},
                                             {WEIR_CHART_S_CURVE, {"a", "b", "c"}, "b", 1},
                                             {WEIR_CHART_LINES, {"b", "c"}, "a", 0}};
  for (unsigned i = 0; i < 4; i++)
    for (unsigned width = 40; width < 130; width += 3)
      for (int ascii = 0; ascii < 2; ascii++) {
        struct weir_table t;
        make_wide(&t, &charts[i]);
        char *text = chart_text(&t, width, ascii);
        assert_fits(text, width, ascii);
        free(text);
        weir_table_free(&t);
      }
}

static void no_rows(void **state) {
  (void)state;
  for (unsigned kind = WEIR_CHART_BARS; kind <= WEIR_CHART_LINES; kind++) {
    const struct weir_chart chart = {(enum weir_chart_kind)kind, {"a"}, kind == WEIR_CHART_LINES ? "b" : NULL, 0};
    struct weir_table t;
    table_start(&t, &chart, WEIR_COLUMN_REAL, 2, NULL);
    free(chart_text(&t, 80, false));
    ROW(&t, "nothing", NAN, NAN);
    free(chart_text(&t, 80, false));
    weir_table_free(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stacked),    cmocka_unit_test(s_curve),
                                     cmocka_unit_test(s_curve_by), cmocka_unit_test(points),
                                     cmocka_unit_test(lines),      cmocka_unit_test(within_the_width),
                                     cmocka_unit_test(no_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
