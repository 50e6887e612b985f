// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/figure.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double arithmetic_mean(const struct weir_table *t, unsigned column, unsigned from, unsigned to) {
  double sum = 0;
  unsigned count = 0;
  for (unsigned i = from; i < to; i++) {
    double v = t->rows[i][column].ours;
    if (!isnan(v)) sum += v, count++;
  }
  return count ? sum / count : NAN;
}

static double mean_of(const struct weir_table *t, unsigned column, enum weir_figure_mean kind, unsigned from,
                      unsigned to) {
  switch (kind) {
  case WEIR_NO_MEAN: break;
  case WEIR_ARITHMETIC_MEAN: return arithmetic_mean(t, column, from, to);
  case WEIR_GEOMETRIC_MEAN: return weir_table_geomean(t, column, false, from, to, 1);
  }
  return NAN;
}

static double value_of(const struct weir_plan *p, const char *program, const struct weir_figure_column *c) {
  return c->value ? c->value(p, program) : c->under(p, program, c->scheme);
}

static void add_programs(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns,
                         const struct weir_figure_group *group) {
  for (const char *const *program = group->programs; *program; program++) {
    struct weir_cell *cells = weir_table_row(t);
    weir_table_text(t, &cells[0], *program);
    for (unsigned i = 1; i < t->column_count; i++) cells[i].ours = value_of(p, *program, &columns[i - 1]);
  }
}

static unsigned count_programs(const struct weir_figure_group *group) {
  unsigned n = 0;
  while (group->programs[n]) n++;
  return n;
}

static void add_means(struct weir_table *t, const struct weir_figure_column *columns,
                      const struct weir_figure_group *groups) {
  unsigned from = 0;
  t->summary_row = t->row_count;
  for (const struct weir_figure_group *g = groups; g->programs; g++) {
    unsigned to = from + count_programs(g);
    const unsigned first = from;
    from = to;
    if (!g->mean) continue;
    struct weir_cell *cells = weir_table_row(t);
    weir_table_text(t, &cells[0], g->mean);
    for (unsigned i = 1; i < t->column_count; i++) cells[i].ours = mean_of(t, i, columns[i - 1].mean, first, to);
  }
}

void weir_figure_fill(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns,
                      const struct weir_figure_group *groups) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "program", "program", NULL);
  for (const struct weir_figure_column *c = columns; c->name; c++)
    weir_table_column(t, c->format, c->name, c->heading, c->meaning);
  for (const struct weir_figure_group *g = groups; g->programs; g++) add_programs(t, p, columns, g);
  bool any = false;
  for (const struct weir_figure_column *c = columns; c->name; c++) any |= c->mean != WEIR_NO_MEAN;
  if (any) add_means(t, columns, groups);
}

static struct weir_cell *find(struct weir_table *t, const struct weir_published *n) {
  for (unsigned i = 0; i < t->row_count; i++)
    for (unsigned j = 1; j < t->column_count; j++)
      if (!strcmp(t->rows[i][0].text, n->row) && !strcmp(t->columns[j].name, n->column)) return &t->rows[i][j];
  return NULL;
}

void weir_figure_publish(struct weir_table *t, const struct weir_published *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(numbers[i].figure, t->name)) continue;
    struct weir_cell *cell = find(t, &numbers[i]);
    assert(cell && "the published numbers name a row and column of the figure");
    cell->published = numbers[i].value;
  }
}
