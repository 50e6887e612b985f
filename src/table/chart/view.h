// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a chart shows of its table, whatever it is drawn with. Invariant: cells are the table's own, in groups × series;
// groups from `summary` on are the table's summary.
#ifndef WEIR_TABLE_CHART_VIEW_H
#define WEIR_TABLE_CHART_VIEW_H

#include "table/chart/chart.h"

#include <math.h>

struct weir_chart_view {
  const struct weir_table *table;
  const struct weir_chart *chart;
  enum weir_table_format format, by_format; // of the series; of `by`
  const char *heading, *by_heading;         // of the first series; of `by`
  unsigned groups, series, summary;
  const char **labels;            // of groups
  const char **names;             // of series
  const struct weir_cell **cells; // weir_view_cell
  const struct weir_cell **by;    // S_CURVE: what orders the groups; LINES: x
  double low, high;               // of all that is drawn, the baseline included; wide enough for its noise to be small
  bool published;                 // some of it
  bool cut;                       // some bar of ours goes on beyond `high`
  struct weir_arena arena;
};

void weir_view_make(struct weir_chart_view *v, const struct weir_table *t);
void weir_view_free(struct weir_chart_view *v);

// NULL: the group has no such bar.
static inline const struct weir_cell *weir_view_cell(const struct weir_chart_view *v, unsigned group, unsigned series) {
  return v->cells[group * v->series + series];
}

// What of a bar is drawn.
static inline double weir_view_drawn(const struct weir_chart_view *v, double value) {
  return value > v->high ? v->high : value;
}

static inline bool weir_view_cut(const struct weir_chart_view *v, double value) {
  return isfinite(value) && value > v->high;
}

// STACKED: all shares of a group are there (ours, or the published).
bool weir_view_whole(const struct weir_chart_view *v, unsigned group, bool published);

#endif
