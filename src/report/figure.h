// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What figures of studies have in common: rows are programs in groups, a cell is a function of one program's runs, a mean
// per group stands below them, and what the paper states stands beside ours. Invariant: means are taken over the rows of
// programs alone; a number that is not there (NaN) takes no part in a mean.
#ifndef WEIR_REPORT_FIGURE_H
#define WEIR_REPORT_FIGURE_H

#include "report/study.h"

enum weir_figure_mean { WEIR_NO_MEAN, WEIR_ARITHMETIC_MEAN, WEIR_GEOMETRIC_MEAN };

struct weir_figure_column {
  const char *name, *heading, *meaning; // as in weir_table_column
  enum weir_table_format format;
  enum weir_figure_mean mean;
  double (*value)(const struct weir_plan *p, const char *program); // or NULL, and:
  double (*under)(const struct weir_plan *p, const char *program, const char *scheme);
  const char *scheme; // for `under`: a scheme's spec
};

struct weir_figure_group {
  const char *const *programs; // ends with NULL
  const char *mean;            // label of the group's mean; NULL: it has none, and its rows stand apart
};

// A number that the paper states, where our table has it.
struct weir_published {
  const char *figure, *row, *column;
  double value;
};

// The columns (the first is the program's name; `columns` ends with a NULL name), a row per program, and below the line a
// mean per group (`groups` ends with NULL programs), unless no column has one. A mean of no numbers (a geometric one: of
// none above 0) is NaN.
void weir_figure_fill(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns,
                      const struct weir_figure_group *groups);

// Puts the published numbers of this figure beside ours. After the last row. A row's first cell is its name.
void weir_figure_publish(struct weir_table *t, const struct weir_published *numbers, size_t count);

#endif
