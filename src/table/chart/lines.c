// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Series over a column of numbers: a mark per point, dots along the lines between them.
#include "table/chart/canvas.h"

#include <math.h>

enum { HEIGHT = 16, GAP = 2 };

struct lines {
  const struct weir_chart_view *view;
  struct weir_canvas canvas;
  unsigned axis, first, cells; // columns: of the axis, of the lowest x, and how many
  double x_low, x_high;
};

static void measure_x(struct lines *l) {
  l->x_low = l->x_high = NAN;
  for (unsigned g = 0; g < l->view->groups; g++) {
    double x = l->view->by[g]->ours;
    if (!isfinite(x)) continue;
    l->x_low = fmin(l->x_low, x);
    l->x_high = fmax(l->x_high, x);
  }
}

static void lay_out(struct lines *l) {
  char text[3][WEIR_TABLE_CELL];
  weir_table_number(text[0], l->view->format, l->view->low);
  weir_table_number(text[1], l->view->format, l->view->high);
  weir_table_number(text[2], l->view->format, l->view->chart->baseline);
  l->axis = weir_chart_widest((const char *[]){text[0], text[1], text[2]}, 3, l->canvas.columns / 4) + 1;
  l->first = l->axis + 1;
  l->cells = l->canvas.columns - l->first;
  measure_x(l);
}

static unsigned row_of(const struct lines *l, double value) {
  return (unsigned)lround((HEIGHT - 1) * (1 - weir_view_fraction(l->view, value)));
}

static double column_of(const struct lines *l, double x) {
  return l->first + (l->x_high > l->x_low ? round((l->cells - 1) * (x - l->x_low) / (l->x_high - l->x_low)) : 0);
}

// ---- points and lines -----------------------------------------------------------------------------------------------

static bool point(const struct lines *l, unsigned group, unsigned series, double *x, double *y) {
  *x = l->view->by[group]->ours;
  *y = weir_view_cell(l->view, group, series)->ours;
  return isfinite(*x) && isfinite(*y);
}

static void draw_points(struct lines *l, unsigned series) {
  const struct weir_glyphs *glyphs = l->canvas.glyphs;
  for (unsigned g = 0; g < l->view->groups; g++) {
    double x, y, published = weir_view_cell(l->view, g, series)->published;
    bool ours = point(l, g, series, &x, &y);
    if (!isfinite(x)) continue;
    if (isfinite(published))
      weir_canvas_put(&l->canvas, row_of(l, published), (unsigned)column_of(l, x), glyphs->hollow[series]);
    if (ours) weir_canvas_put(&l->canvas, row_of(l, y), (unsigned)column_of(l, x), glyphs->marks[series]);
  }
}

// Lines lie below all points: they are drawn first.
static void draw_line(struct lines *l, double x0, double y0, double x1, double y1) {
  double from = column_of(l, x0), to = column_of(l, x1);
  for (double column = from + 1; column < to; column++)
    weir_canvas_put(&l->canvas, row_of(l, y0 + (y1 - y0) * (column - from) / (to - from)), (unsigned)column,
                    l->canvas.glyphs->dot);
}

// A point that is not there breaks the line.
static void draw_lines(struct lines *l, unsigned series) {
  double x0, y0, x1, y1;
  for (unsigned g = 1; g < l->view->groups; g++)
    if (point(l, g - 1, series, &x0, &y0) && point(l, g, series, &x1, &y1)) draw_line(l, x0, y0, x1, y1);
}

// ---- axes -----------------------------------------------------------------------------------------------------------

static void draw_tick(struct lines *l, double value) {
  char text[WEIR_TABLE_CELL];
  unsigned row = row_of(l, value);
  if (!weir_canvas_blank(&l->canvas, row, l->axis - 2)) return; // the lowest and the highest come first
  weir_table_number(text, l->view->format, value);
  weir_canvas_text_right(&l->canvas, row, 0, l->axis - 1, text);
  weir_canvas_put(&l->canvas, row, l->axis, l->canvas.glyphs->tick);
}

static void draw_x_axis(struct lines *l) {
  const struct weir_chart_view *v = l->view;
  char low[WEIR_TABLE_CELL], high[WEIR_TABLE_CELL];
  weir_canvas_put(&l->canvas, HEIGHT, l->axis, l->canvas.glyphs->corner);
  for (unsigned i = 0; i < l->cells; i++)
    weir_canvas_put(&l->canvas, HEIGHT, l->first + i, l->canvas.glyphs->horizontal);
  weir_table_number(low, v->by_format, l->x_low);
  weir_table_number(high, v->by_format, l->x_high);
  unsigned end = weir_canvas_text(&l->canvas, HEIGHT + 1, l->first, l->cells, low) + GAP;
  if (l->x_high > l->x_low) weir_canvas_text_right(&l->canvas, HEIGHT + 1, end, l->canvas.columns, high);
}

static void draw_axes(struct lines *l) {
  for (unsigned row = 0; row < HEIGHT; row++) weir_canvas_put(&l->canvas, row, l->axis, l->canvas.glyphs->zero);
  draw_tick(l, l->view->high);
  draw_tick(l, l->view->low);
  draw_tick(l, l->view->chart->baseline);
  draw_x_axis(l);
}

// ---- key ------------------------------------------------------------------------------------------------------------

static bool has_points(const struct lines *l, unsigned series) {
  double x, y;
  for (unsigned g = 0; g < l->view->groups; g++)
    if (point(l, g, series, &x, &y)) return true;
  return false;
}

static void print_key(const struct lines *l, const struct weir_chart_style *s, FILE *to) {
  const struct weir_chart_view *v = l->view;
  struct weir_chart_key key;
  weir_key_start(&key, s, to);
  for (unsigned i = 0; i < v->series; i++)
    weir_key_add(&key, "%s %s%s", l->canvas.glyphs->marks[i], v->names[i], has_points(l, i) ? "" : " (no data)");
  if (v->published) weir_key_add(&key, "%s", l->canvas.glyphs->hollow_key);
  weir_key_add(&key, "over %s", v->by_heading);
  weir_key_end(&key);
}

void weir_chart_lines(const struct weir_chart_view *v, const struct weir_chart_style *s, FILE *to) {
  struct lines l = {.view = v};
  weir_canvas_start(&l.canvas, s, HEIGHT + 2);
  lay_out(&l);
  draw_axes(&l);
  for (unsigned i = 0; i < v->series; i++) draw_lines(&l, i);
  for (unsigned i = 0; i < v->series; i++) draw_points(&l, i);
  weir_canvas_end(&l.canvas, to);
  print_key(&l, s, to);
}
