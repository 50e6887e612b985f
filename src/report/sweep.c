// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a sweep tried.
#include "report/part.h"
#include "report/share.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A value that a sweep tried, as text; freed by free().
static char *value_text(const json_t *value) {
  return json_is_string(value) ? strdup(json_string_value(value)) : weir_json_text(value, false);
}

static void put_value(struct weir_table *t, struct weir_cell *c, const json_t *value) {
  char *text = value_text(value);
  weir_table_text(t, c, text);
  free(text);
}

// By which the best is found.
struct objective {
  const char *member, *heading; // of what was tried
  enum weir_table_format format;
  double best;
};

static struct objective objective_of(const json_t *run) {
  const json_t *first = json_array_get(weir_run_member(run, "sweep.tried"), 0);
  const struct weir_run_numbers total = weir_run_total(run);
  const double mean_ipc = weir_run_mean_ipc(run);
  if (!isnan(mean_ipc) && !isnan(weir_run_number(first, "mean_ipc")))
    return (struct objective){"mean_ipc", "mean IPC", WEIR_COLUMN_REAL, mean_ipc};
  if (!strcmp(weir_run_text(run, "sweep.objective"), "ipc") && weir_run_number(first, "thread_ipc") > 0)
    return (struct objective){"thread_ipc", "thread IPC", WEIR_COLUMN_REAL, total.thread_instructions / total.cycles};
  return (struct objective){"cycles", "cycles", WEIR_COLUMN_COUNT, total.cycles};
}

static void tried_row(struct weir_table *t, const json_t *tried, const struct objective *by) {
  struct weir_cell *c = weir_table_row(t);
  const char *key;
  json_t *value;
  json_object_foreach(weir_run_member(tried, "values"), key, value) put_value(t, c++, value);
  c[0].ours = weir_run_number(tried, by->member);
  c[1].ours = weir_share(c[0].ours, by->best);
  weir_table_text(t, &c[2], weir_run_text(tried, "check"));
}

// What the sweep tried, in its order; the rest of the report is of the best.
void weir_print_sweep(const json_t *run, FILE *to) {
  const json_t *best = weir_run_member(run, "sweep.best"), *tried = weir_run_member(run, "sweep.tried");
  if (!json_object_size(best)) return;
  struct weir_table t;
  const char *key;
  json_t *value, *one;
  size_t i;
  const struct objective by = objective_of(run);
  weir_table_start(&t, "sweep", "");
  fprintf(to, "\nthe best of %zu runs, reported below:", json_array_size(tried));
  json_object_foreach((json_t *)best, key, value) {
    char *text = value_text(value);
    fprintf(to, " %s=%s", key, text);
    free(text);
    weir_table_column(&t, WEIR_COLUMN_TEXT, key, key, NULL);
  }
  fputs("\n\n", to);
  weir_table_column(&t, by.format, by.member, by.heading, NULL);
  weir_table_column(&t, WEIR_COLUMN_CHANGE, "longer", "to the best", NULL);
  weir_table_column(&t, WEIR_COLUMN_TEXT, "check", "results", NULL);
  json_array_foreach((json_t *)tried, i, one) tried_row(&t, one, &by);
  weir_table_print(&t, to);
  weir_table_free(&t);
}
