// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "table/chart/view.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const unsigned NONE = ~0u;
static const double LEAST_SPAN = 0.1; // of the baseline, so that a ratio's noise is not drawn as wide as its effects

static unsigned column_named(const struct weir_table *t, const char *name) {
  unsigned i = 0;
  while (i < t->column_count && strcmp(t->columns[i].name, name)) i++;
  assert(i < t->column_count && "a chart names columns of its table");
  return i;
}

static unsigned label_column(const struct weir_table *t) {
  for (unsigned i = 0; i < t->column_count; i++)
    if (t->columns[i].format == WEIR_COLUMN_TEXT) return i;
  return NONE;
}

static const char *text_of(const struct weir_table *t, unsigned row, unsigned column) {
  const char *text = column == NONE ? NULL : t->rows[row][column].text;
  return text ? text : "";
}

static void make_room(struct weir_chart_view *v, unsigned groups, unsigned series) {
  v->labels = weir_arena_array(&v->arena, const char *, groups);
  v->names = weir_arena_array(&v->arena, const char *, series);
  v->by = weir_arena_array(&v->arena, const struct weir_cell *, groups);
  v->cells = weir_arena_array(&v->arena, const struct weir_cell *, (size_t)groups *series);
}

// ---- a row is a group, a column a series ----------------------------------------------------------------------------

// Rising, what is not there last, ties in the table's order.
static void sort_rows(const struct weir_table *t, unsigned column, unsigned *order, unsigned count) {
  for (unsigned i = 1; i < count; i++) {
    unsigned row = order[i], j = i;
    double value = t->rows[row][column].ours;
    for (; j && isfinite(value); j--) {
      double before = t->rows[order[j - 1]][column].ours;
      if (before <= value) break;
      order[j] = order[j - 1];
    }
    order[j] = row;
  }
}

static void view_columns(struct weir_chart_view *v, const unsigned *columns, unsigned by) {
  const struct weir_table *t = v->table;
  make_room(v, t->row_count, v->series);
  v->groups = t->row_count;
  v->summary = t->summary_row ? t->summary_row : t->row_count;
  unsigned *order = weir_arena_array(&v->arena, unsigned, t->row_count), label = label_column(t);
  for (unsigned i = 0; i < t->row_count; i++) order[i] = i;
  if (v->chart->kind == WEIR_CHART_S_CURVE) sort_rows(t, by, order, v->summary);
  for (unsigned s = 0; s < v->series; s++) v->names[s] = t->columns[columns[s]].heading;
  for (unsigned g = 0; g < v->groups; g++) {
    v->labels[g] = text_of(t, order[g], label);
    v->by[g] = &t->rows[order[g]][by];
    for (unsigned s = 0; s < v->series; s++) v->cells[g * v->series + s] = &t->rows[order[g]][columns[s]];
  }
}

// ---- a row is one bar of a group ------------------------------------------------------------------------------------

static unsigned series_named(struct weir_chart_view *v, const char *name) {
  for (unsigned s = 0; s < v->series; s++)
    if (!strcmp(v->names[s], name)) return s;
  v->names[v->series] = name;
  return v->series++;
}

static void view_rows(struct weir_chart_view *v, unsigned column, unsigned by) {
  const struct weir_table *t = v->table;
  unsigned label = label_column(t);
  make_room(v, t->row_count, t->row_count);
  v->series = 0;
  for (unsigned i = 0; i < t->row_count; i++) series_named(v, text_of(t, i, by));
  for (unsigned i = 0; i < t->row_count; i++) {
    const char *text = text_of(t, i, label);
    if (t->summary_row && i == t->summary_row) v->summary = v->groups;
    if (!v->groups || strcmp(text, v->labels[v->groups - 1])) v->labels[v->groups++] = text;
    v->cells[(v->groups - 1) * v->series + series_named(v, text_of(t, i, by))] = &t->rows[i][column];
  }
  if (!t->summary_row) v->summary = v->groups;
}

// ---- both -----------------------------------------------------------------------------------------------------------

static void widen(struct weir_chart_view *v, double value) {
  if (!isfinite(value)) return;
  v->low = fmin(v->low, value);
  v->high = fmax(v->high, value);
}

// A series of published shares is drawn only whole.
static bool published_drawn(const struct weir_chart_view *v, unsigned group, const struct weir_cell *c) {
  return isfinite(c->published) && (v->chart->kind != WEIR_CHART_STACKED || weir_view_whole(v, group, true));
}

static void measure(struct weir_chart_view *v) {
  v->low = v->high = v->chart->baseline;
  bool stacked = v->chart->kind == WEIR_CHART_STACKED;
  for (unsigned g = 0; g < v->groups; g++) {
    double sum = 0;
    for (unsigned s = 0; s < v->series; s++) {
      const struct weir_cell *c = weir_view_cell(v, g, s);
      if (!c) continue;
      bool published = published_drawn(v, g, c);
      v->published |= published;
      sum += c->ours;
      if (!stacked) widen(v, c->ours);
      if (!stacked && published) widen(v, c->published);
    }
    if (stacked) widen(v, fmax(1, sum));
  }
  if (v->chart->most > v->chart->baseline) v->high = fmin(v->high, v->chart->most);
  v->high = fmax(v->high, v->low + LEAST_SPAN * fabs(v->chart->baseline));
  for (unsigned i = 0; i < v->groups * v->series; i++)
    v->cut |= v->cells[i] && !stacked && weir_view_cut(v, v->cells[i]->ours);
}

void weir_view_make(struct weir_chart_view *v, const struct weir_table *t) {
  const struct weir_chart *c = t->chart;
  unsigned columns[WEIR_CHART_SERIES] = {0}, by = c->by ? column_named(t, c->by) : column_named(t, c->series[0]);
  *v = (struct weir_chart_view){.table = t, .chart = c};
  for (; c->series[v->series]; v->series++) columns[v->series] = column_named(t, c->series[v->series]);
  v->format = t->columns[columns[0]].format;
  v->by_format = t->columns[by].format;
  v->by_heading = t->columns[by].heading;
  v->heading = t->columns[columns[0]].heading;
  for (unsigned s = 0; s < v->series; s++)
    assert(t->columns[columns[s]].format == v->format && "all of a chart has one unit");
  if (c->kind == WEIR_CHART_BARS && c->by)
    view_rows(v, columns[0], by);
  else
    view_columns(v, columns, by);
  measure(v);
}

void weir_view_free(struct weir_chart_view *v) {
  weir_arena_free(&v->arena);
}

bool weir_view_whole(const struct weir_chart_view *v, unsigned group, bool published) {
  for (unsigned s = 0; s < v->series; s++) {
    const struct weir_cell *c = weir_view_cell(v, group, s);
    if (!isfinite(published ? c->published : c->ours)) return false;
  }
  return true;
}
