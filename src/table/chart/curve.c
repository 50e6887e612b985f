// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The s-curve, lying on its side: a line per row, lowest first, each series a mark at its value.
#include "table/chart/canvas.h"

#include <math.h>

enum { GAP = 2 };

struct curve {
  const struct weir_chart_view *view;
  struct weir_canvas canvas;
  unsigned start, cells; // of the marks
  bool several;          // somewhere marks met
};

static void value_text(const struct weir_chart_view *v, unsigned group, char out[WEIR_TABLE_CELL]) {
  snprintf(out, WEIR_TABLE_CELL, "no data");
  if (isfinite(v->by[group]->ours)) weir_table_number(out, v->by_format, v->by[group]->ours);
}

static void lay_out(struct curve *k) {
  const struct weir_chart_view *v = k->view;
  unsigned widest = 0;
  char text[WEIR_TABLE_CELL];
  for (unsigned g = 0; g < v->groups; g++) {
    value_text(v, g, text);
    unsigned w = weir_text_width(text);
    if (w > widest) widest = w;
  }
  k->start = weir_chart_widest(v->labels, v->groups, k->canvas.columns / 4) + GAP;
  unsigned taken = k->start + widest + GAP;
  k->cells = k->canvas.columns > taken + 2 ? k->canvas.columns - taken : 2;
}

static unsigned column_of(const struct curve *k, double value) {
  return k->start + (unsigned)lround((k->cells - 1) * weir_view_fraction(k->view, value));
}

static void mark(struct curve *k, unsigned row, double value, const char *glyph) {
  if (!isfinite(value)) return;
  unsigned column = column_of(k, value);
  bool free = weir_canvas_blank(&k->canvas, row, column);
  k->several |= !free;
  weir_canvas_put(&k->canvas, row, column, free ? glyph : k->canvas.glyphs->several);
}

// The baseline gives way to marks.
static void draw(struct curve *k, unsigned row, unsigned group) {
  const struct weir_chart_view *v = k->view;
  char text[WEIR_TABLE_CELL];
  unsigned baseline = column_of(k, v->chart->baseline);
  weir_canvas_text(&k->canvas, row, 0, k->start - GAP, v->labels[group]);
  for (unsigned s = 0; s < v->series; s++) {
    mark(k, row, weir_view_cell(v, group, s)->ours, k->canvas.glyphs->marks[s]);
    mark(k, row, weir_view_cell(v, group, s)->published, k->canvas.glyphs->hollow[s]);
  }
  if (weir_canvas_blank(&k->canvas, row, baseline)) weir_canvas_put(&k->canvas, row, baseline, k->canvas.glyphs->zero);
  value_text(v, group, text);
  weir_canvas_text(&k->canvas, row, k->start + k->cells + 1, WEIR_TABLE_CELL, text);
}

// Lowest and highest value below the ends; the baseline's between them where there is room.
static void draw_scale(struct curve *k, unsigned row) {
  const struct weir_chart_view *v = k->view;
  char low[WEIR_TABLE_CELL], high[WEIR_TABLE_CELL], zero[WEIR_TABLE_CELL];
  weir_table_number(low, v->format, v->low);
  weir_table_number(high, v->format, v->high);
  weir_table_number(zero, v->format, v->chart->baseline);
  unsigned end = weir_canvas_text(&k->canvas, row, k->start, k->cells, low), last = k->start + k->cells;
  unsigned width = weir_text_width(zero), middle = column_of(k, v->chart->baseline) - width / 2;
  if (v->high > v->low) weir_canvas_text_right(&k->canvas, row, end + 1, last, high);
  if (middle > end && middle + width < last - weir_text_width(high))
    weir_canvas_text(&k->canvas, row, middle, width, zero);
}

static void print_key(const struct curve *k, const struct weir_chart_style *s, FILE *to) {
  const struct weir_chart_view *v = k->view;
  struct weir_chart_key key;
  weir_key_start(&key, s, to);
  for (unsigned i = 0; i < v->series; i++) weir_key_add(&key, "%s %s", k->canvas.glyphs->marks[i], v->names[i]);
  if (v->published) weir_key_add(&key, "%s", k->canvas.glyphs->hollow_key);
  if (k->several) weir_key_add(&key, "%s several", k->canvas.glyphs->several);
  weir_key_add(&key, "(numbers and order: %s)", v->by_heading);
  weir_key_end(&key);
}

void weir_chart_s_curve(const struct weir_chart_view *v, const struct weir_chart_style *s, FILE *to) {
  struct curve k = {.view = v};
  unsigned row = 0;
  weir_canvas_start(&k.canvas, s, v->groups + 1 + (v->summary && v->summary < v->groups));
  lay_out(&k);
  for (unsigned g = 0; g < v->groups; g++) {
    row += g && g == v->summary;
    draw(&k, row++, g);
  }
  draw_scale(&k, row);
  weir_canvas_end(&k.canvas, to);
  print_key(&k, s, to);
}
