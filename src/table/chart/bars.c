// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bars from a baseline, rightward of it for more and leftward for less, a line each. The cell of the baseline is its
// own: a bar of length 0 fills nothing.
#include "table/chart/canvas.h"

#include <math.h>

enum { VALUE = 2 * WEIR_TABLE_CELL + 16, GAP = 2, LEAST_AREA = 12 };

struct bars {
  const struct weir_chart_view *view;
  struct weir_canvas canvas;
  unsigned label_width, name_width; // name_width 0: one series, not named
  unsigned zero;                    // the baseline's column
  unsigned left, right;             // cells for bars on its sides
  double scale;                     // cells per unit
  bool published_text;              // room for it
};

// A group takes as many lines as it has bars; a blank line parts groups of several bars, and the summary from the rest.
static unsigned blank_before(const struct weir_chart_view *v, unsigned group) {
  return group && (v->series > 1 || group == v->summary);
}

static unsigned lines_of(const struct weir_chart_view *v) {
  unsigned n = 0;
  for (unsigned g = 0; g < v->groups; g++) {
    n += blank_before(v, g);
    for (unsigned s = 0; s < v->series; s++) n += weir_view_cell(v, g, s) != NULL;
  }
  return n;
}

static void value_text(const struct bars *b, const struct weir_cell *c, char out[VALUE]) {
  char ours[WEIR_TABLE_CELL] = "no data", published[WEIR_TABLE_CELL];
  if (isfinite(c->ours)) weir_table_number(ours, b->view->format, c->ours);
  weir_table_number(published, b->view->format, c->published);
  if (b->published_text && isfinite(c->published))
    snprintf(out, VALUE, "%s  %s %s", ours, b->canvas.glyphs->published, published);
  else
    snprintf(out, VALUE, "%s", ours);
}

static unsigned widest_value(const struct bars *b) {
  unsigned widest = 0;
  char text[VALUE];
  for (unsigned i = 0; i < b->view->groups * b->view->series; i++) {
    if (!b->view->cells[i]) continue;
    value_text(b, b->view->cells[i], text);
    unsigned w = weir_text_width(text);
    if (w > widest) widest = w;
  }
  return widest;
}

// What labels, and values at the ends of bars, leave of the width.
static unsigned room_for_bars(const struct bars *b, unsigned start) {
  unsigned taken = start + 1 + widest_value(b), width = b->canvas.columns;
  return width > taken + 3 ? width - taken : 3;
}

static void lay_out(struct bars *b) {
  const struct weir_chart_view *v = b->view;
  unsigned limit = b->canvas.columns / 4;
  b->label_width = weir_chart_widest(v->labels, v->groups, limit);
  b->name_width = v->series > 1 ? weir_chart_widest(v->names, v->series, limit) : 0;
  unsigned start = b->label_width + GAP + (b->name_width ? b->name_width + GAP : 0);
  b->published_text = true;
  if (room_for_bars(b, start) < LEAST_AREA) b->published_text = false;
  unsigned cells = room_for_bars(b, start) - 1;
  double less = v->chart->baseline - v->low, more = v->high - v->chart->baseline;
  double left = less > 0 ? fmax(1, round(cells * (less / (less + more)))) : 0;
  b->left = (unsigned)fmin(left, cells - (more > 0));
  b->right = cells - b->left;
  b->zero = start + b->left;
  double scale = fmin(less > 0 ? b->left / less : INFINITY, more > 0 ? b->right / more : INFINITY);
  b->scale = isfinite(scale) ? scale : 0;
}

// Of a cell's parts.
static unsigned length_of(const struct bars *b, double value) {
  return (unsigned)lround(b->canvas.glyphs->parts * fabs(value - b->view->chart->baseline) * b->scale);
}

// The column of the cell that a bar of the value ends in.
static unsigned end_of(const struct bars *b, double value) {
  value = weir_view_drawn(b->view, value);
  unsigned parts = b->canvas.glyphs->parts, cells = (length_of(b, value) + parts - 1) / parts;
  return value < b->view->chart->baseline ? b->zero - cells : b->zero + cells;
}

static void draw_bar(struct bars *b, unsigned row, double value) {
  const struct weir_glyphs *g = b->canvas.glyphs;
  bool less = value < b->view->chart->baseline;
  for (unsigned left = length_of(b, value), i = 1; left; i++) {
    unsigned part = left < g->parts ? left : g->parts;
    weir_canvas_put(&b->canvas, row, less ? b->zero - i : b->zero + i, less ? g->leftward[part] : g->rightward[part]);
    left -= part;
  }
}

// The value stands right of all that is drawn.
static void draw(struct bars *b, unsigned row, const struct weir_cell *c) {
  unsigned end = b->zero;
  char text[VALUE];
  weir_canvas_put(&b->canvas, row, b->zero, b->canvas.glyphs->zero);
  if (isfinite(c->ours)) {
    draw_bar(b, row, weir_view_drawn(b->view, c->ours));
    if (weir_view_cut(b->view, c->ours)) weir_canvas_put(&b->canvas, row, end_of(b, c->ours), b->canvas.glyphs->beyond);
    if (end_of(b, c->ours) > end) end = end_of(b, c->ours);
  }
  if (isfinite(c->published)) {
    unsigned mark = end_of(b, c->published);
    weir_canvas_put(&b->canvas, row, mark, b->canvas.glyphs->published);
    if (mark > end) end = mark;
  }
  value_text(b, c, text);
  weir_canvas_text(&b->canvas, row, end + 2, VALUE, text);
}

static void draw_group(struct bars *b, unsigned group, unsigned *row) {
  const struct weir_chart_view *v = b->view;
  *row += blank_before(v, group);
  weir_canvas_text(&b->canvas, *row, 0, b->label_width, v->labels[group]);
  for (unsigned s = 0; s < v->series; s++) {
    const struct weir_cell *c = weir_view_cell(v, group, s);
    if (!c) continue;
    if (b->name_width) weir_canvas_text(&b->canvas, *row, b->label_width + GAP, b->name_width, v->names[s]);
    draw(b, (*row)++, c);
  }
}

static void print_key(const struct bars *b, const struct weir_chart_style *s, FILE *to) {
  const struct weir_chart_view *v = b->view;
  char baseline[WEIR_TABLE_CELL];
  struct weir_chart_key key;
  weir_key_start(&key, s, to);
  weir_table_number(baseline, v->format, v->chart->baseline);
  if (v->chart->baseline != 0) weir_key_add(&key, "%s %s", b->canvas.glyphs->zero, baseline);
  if (v->cut) weir_key_add(&key, "%s goes on: see its number", b->canvas.glyphs->beyond);
  if (v->published) weir_key_add(&key, "%s published", b->canvas.glyphs->published);
  weir_key_end(&key);
}

void weir_chart_bars(const struct weir_chart_view *v, const struct weir_chart_style *s, FILE *to) {
  struct bars b = {.view = v};
  unsigned row = 0;
  weir_canvas_start(&b.canvas, s, lines_of(v));
  lay_out(&b);
  for (unsigned g = 0; g < v->groups; g++) draw_group(&b, g, &row);
  weir_canvas_end(&b.canvas, to);
  print_key(&b, s, to);
}
