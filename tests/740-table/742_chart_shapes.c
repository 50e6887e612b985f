// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What every chart in a terminal keeps to: the width and the characters asked for; and that what is not drawn there is a table.
#include "made_tables.h"

// A table of the other kinds is what weir_table_print makes of it, and a line that says who draws it.
static void others_are_tables(void **state) {
  (void)state;
  for (unsigned kind = WEIR_CHART_BARS; kind <= WEIR_CHART_LINES; kind++) {
    const struct weir_chart chart = {(enum weir_chart_kind)kind, {"a"}, .by = kind == WEIR_CHART_LINES ? "b" : NULL};
    struct weir_table t;
    table_start(&t, &chart, WEIR_COLUMN_REAL, 2, NULL);
    ROW(&t, "x", 1, 2);
    char *plain, *text = chart_text(&t, 80, false);
    size_t size;
    FILE *f = open_memstream(&plain, &size);
    weir_table_print(&t, f);
    fclose(f);
    assert_int_equal(!strncmp(text, plain, size), kind != WEIR_CHART_BARS);
    assert_int_equal(strstr(text, "--svg DIR draws this table") != NULL, kind != WEIR_CHART_BARS);
    free(plain);
    free(text);
    weir_table_free(&t);
  }
}

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
  static const struct weir_chart charts[] = {{WEIR_CHART_BARS, {"a", "b", "c"}, .baseline = 1},
                                             {WEIR_CHART_BARS, {"b"}, .by = "n"}};
  for (unsigned i = 0; i < 2; i++)
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
    const struct weir_chart chart = {(enum weir_chart_kind)kind, {"a"}, .by = kind == WEIR_CHART_LINES ? "b" : NULL};
    struct weir_table t;
    table_start(&t, &chart, WEIR_COLUMN_REAL, 2, NULL);
    free(chart_text(&t, 80, false));
    ROW(&t, "nothing", NAN, NAN);
    free(chart_text(&t, 80, false));
    weir_table_free(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(others_are_tables), cmocka_unit_test(within_the_width),
                                     cmocka_unit_test(no_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
