// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Charts of tables, for a reader who would rather look than read: bars in a terminal, all kinds as SVG and PDF files by gnuplot.
// Invariant: a chart says which columns of its table to draw and how; every number and label drawn is the table's. A
// number that is not there (NaN, infinite) is said to be missing, never drawn. Published numbers are marked beside
// ours.
#ifndef WEIR_TABLE_CHART_H
#define WEIR_TABLE_CHART_H

#include "base/param.h"
#include "table/table.h"

enum weir_chart_kind {
  WEIR_CHART_BARS,    // a group of bars per row, one bar per series
  WEIR_CHART_STACKED, // a bar per row: the series are shares that add up to 1, laid end to end
  WEIR_CHART_S_CURVE, // rows by rising value, a mark per series; summary rows keep their place
  WEIR_CHART_LINES,   // series over a column of numbers
};

enum { WEIR_CHART_SERIES = 8 };

// A row's label is its first text column.
struct weir_chart {
  enum weir_chart_kind kind;
  const char *series[WEIR_CHART_SERIES + 1]; // columns by name, all of one format; ends with NULL
  // BARS: the text column that names a row's bar, if neighbouring rows of one label are a group of bars (of one series
  // column); NULL: a row is a group. S_CURVE: the column of the order; NULL: the first series. LINES: the column of x.
  const char *by;
  double baseline; // where bars start: 1 for a ratio to something
  double most; // BARS: where the axis ends; longer bars are cut there, and say so with their number. 0: the longest bar
};

// Characters to a line (at least 40), and whether they are all ASCII.
struct weir_chart_style {
  unsigned width;
  bool ascii;
};

// For output to `fd`: as wide as COLUMNS says, else as the terminal is, else 80; ASCII if the locale's encoding is not
// UTF-8.
struct weir_chart_style weir_chart_style(int fd);

// The table has a chart. Bars are drawn; of the other kinds the table is printed, and that --svg draws it.
void weir_chart_print(const struct weir_table *t, const struct weir_chart_style *s, FILE *to);

enum weir_plot_format { WEIR_PLOT_SVG, WEIR_PLOT_PDF };
enum weir_plot_key { WEIR_PLOT_KEY_RIGHT, WEIR_PLOT_KEY_BELOW, WEIR_PLOT_KEY_NONE };

// How gnuplot draws charts. Texts are its own.
struct weir_plot {
  double width_mm, height_mm; // 0: what the chart needs
  double points;              // of the font
  enum weir_plot_key key;     // where the series are named
  char *font;                 // a family
  char *title, *x, *y;        // "auto": the chart's own; "none"
};

extern const struct weir_param_table weir_plot_table;

void weir_plot_start(struct weir_plot *p); // its defaults
void weir_plot_free(struct weir_plot *p);

// Commands for gnuplot that write the chart to its standard output. Labels cannot leave their quotes.
void weir_chart_script(const struct weir_table *t, const struct weir_plot *p, enum weir_plot_format format, FILE *to);

// gnuplot's path; NULL and a diagnostic if there is none on PATH. Freed by weir_free.
char *weir_gnuplot_find(struct weir_sink *sink);

// False and a diagnostic if this gnuplot cannot write PDF.
bool weir_gnuplot_writes_pdf(const char *gnuplot, struct weir_sink *sink);

// Has gnuplot draw the chart, and writes it to `path`: whole or not at all.
bool weir_chart_draw(const struct weir_table *t, const struct weir_plot *p, enum weir_plot_format format,
                     const char *gnuplot, const char *path, struct weir_sink *sink);

#endif
