// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/param_rows.h"
#include "table/chart/chart.h"

static const char *const keys[] = {
  [WEIR_PLOT_KEY_RIGHT] = "right", [WEIR_PLOT_KEY_BELOW] = "below", [WEIR_PLOT_KEY_NONE] = "none", NULL};

#define PLOT weir_plot
static const struct weir_param rows[] = {
  REAL(PLOT, width_mm, 0, 2000, "width; 0: what the chart needs", .unit = "mm", .initial = "0"),
  REAL(PLOT, height_mm, 0, 2000, "height; 0: what the chart needs", .unit = "mm", .initial = "0"),
  TEXT(PLOT, font, "family of the font; an SVG only names it", .initial = "sans-serif"),
  REAL(PLOT, points, 3, 72, "size of the font", .unit = "pt", .initial = "9.75"),
  CHOICE(PLOT, key, keys, "where the series are named", .initial = "right"),
  TEXT(PLOT, title, "auto: the figure's own; none; or a text", .initial = "auto"),
  TEXT(PLOT, x, "label of the x axis; auto, none or a text", .initial = "auto"),
  TEXT(PLOT, y, "label of the y axis, or of a heat map's colours; auto, none or a text", .initial = "auto"),
};
const struct weir_param_table weir_plot_table =
  TABLE_OF("a drawing", PLOT, rows, .hint = "weir compare --help lists them");

void weir_plot_start(struct weir_plot *p) {
  *p = (struct weir_plot){0};
  weir_param_defaults(&weir_plot_table, p);
}

void weir_plot_free(struct weir_plot *p) {
  weir_free(p->font);
  weir_free(p->title);
  weir_free(p->x);
  weir_free(p->y);
}
