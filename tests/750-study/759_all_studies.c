// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What holds of every figure of every study: its chart names columns that its table has, and it bears it when all of its
// runs failed.
#include "made_runs.h"

#include <stdlib.h>

const struct weir_study *const made_study = NULL; // all
const char *const made_chip = NULL;

json_t *made_run(const char *program, const char *scheme) {
  (void)program;
  (void)scheme;
  return NULL;
}

static void each_figure(void (*check)(const struct weir_table *t)) {
  unsigned count;
  const struct weir_study *const *studies = weir_studies(&count);
  assert_true(count > 0);
  for (unsigned i = 0; i < count; i++)
    for (const struct weir_figure *f = studies[i]->figures; f->number; f++) {
      struct weir_table t;
      figure_compute(&t, f);
      check(&t);
      weir_table_free(&t);
    }
}

static const struct weir_column *column_of(const struct weir_table *t, const char *name) {
  for (unsigned i = 0; i < t->column_count; i++)
    if (!strcmp(t->columns[i].name, name)) return &t->columns[i];
  fail_msg("the chart of %s names %s, which is no column of it", t->title, name);
  return NULL;
}

static void check_chart(const struct weir_table *t) {
  const struct weir_chart *c = t->chart;
  if (!c) return;
  assert_non_null(c->series[0]);
  enum weir_table_format format = column_of(t, c->series[0])->format;
  assert_int_not_equal(format, WEIR_COLUMN_TEXT);
  for (unsigned i = 0; c->series[i]; i++) {
    assert_true(i < WEIR_CHART_SERIES);
    if (column_of(t, c->series[i])->format != format) fail_msg("the chart of %s has more than one unit", t->title);
  }
  if (c->kind == WEIR_CHART_LINES) assert_non_null(c->by);
  if (c->by) // names bars, is an order, or x
    assert_int_equal(column_of(t, c->by)->format == WEIR_COLUMN_TEXT, c->kind == WEIR_CHART_BARS);
  if (c->kind == WEIR_CHART_STACKED) assert_int_equal(format, WEIR_COLUMN_PERCENT);
  bool ratio = format == WEIR_COLUMN_CHANGE || format == WEIR_COLUMN_RATIO || format == WEIR_COLUMN_REAL;
  assert_true(c->baseline == 0 || (c->baseline == 1 && ratio));
}

// A column's or row's name stands for one of them: published numbers are put by name.
static void check_names(const struct weir_table *t) {
  for (unsigned i = 0; i < t->column_count; i++)
    for (unsigned j = 0; j < i; j++) assert_string_not_equal(t->columns[i].name, t->columns[j].name);
  for (unsigned i = 0; i < t->row_count && t->columns[0].format == WEIR_COLUMN_TEXT; i++)
    for (unsigned j = 0; j < i; j++) assert_string_not_equal(t->rows[i][0].text, t->rows[j][0].text);
}

static void check_forms(const struct weir_table *t) {
  char *text;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  weir_table_print(t, f);
  weir_table_csv(t, f);
  if (t->chart) weir_chart_print(t, &(struct weir_chart_style){80, true}, f);
  struct weir_plot plot;
  weir_plot_start(&plot);
  if (t->chart) weir_chart_script(t, &plot, WEIR_PLOT_SVG, f);
  weir_plot_free(&plot);
  fclose(f);
  assert_null(strstr(text, "-nan"));
  assert_null(strstr(text, "inf"));
  free(text);
  json_t *json = weir_table_json(t);
  assert_int_equal(json_array_size(json_object_get(json, "rows")), t->row_count);
  json_decref(json);
}

static void check_all(const struct weir_table *t) {
  check_chart(t);
  check_names(t);
  check_forms(t);
}

static void tables_of_runs_that_failed(void **state) {
  (void)state;
  each_figure(check_all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_of_runs_that_failed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
