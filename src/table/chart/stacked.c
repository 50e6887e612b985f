// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Shares of 1 laid end to end, a line per row, with the shares in whole percent behind it; below it the published ones
// if all of them are there.
#include "table/chart/canvas.h"

#include <math.h>

enum { GAP = 2, SHARE = 4, LEAST_BAR = 16 }; // a share's text: "100" and a blank

struct stack {
  const struct weir_chart_view *view;
  struct weir_canvas canvas;
  unsigned start, cells; // of the bars
  bool shares;           // room for their texts
};

static unsigned lines_of(const struct weir_chart_view *v) {
  unsigned n = v->groups + (v->summary && v->summary < v->groups);
  for (unsigned g = 0; g < v->groups; g++) n += weir_view_whole(v, g, true);
  return n;
}

static double share_of(const struct stack *k, unsigned group, unsigned series, bool published) {
  const struct weir_cell *c = weir_view_cell(k->view, group, series);
  return fmax(0, published ? c->published : c->ours);
}

// A share ends at the cell boundary nearest to the sum up to it, so that rounding does not add up.
static void draw_bar(struct stack *k, unsigned row, unsigned group, bool published) {
  double sum = 0;
  unsigned from = 0;
  for (unsigned s = 0; s < k->view->series; s++) {
    sum += share_of(k, group, s, published);
    unsigned to = (unsigned)lround(k->cells * sum / k->view->high);
    for (; from < to; from++) weir_canvas_put(&k->canvas, row, k->start + from, k->canvas.glyphs->fills[s]);
  }
}

static void draw_shares(struct stack *k, unsigned row, unsigned group, bool published) {
  unsigned column = k->start + k->cells + 1;
  for (unsigned s = 0; s < k->view->series && k->shares; s++, column += SHARE) {
    char text[32];
    snprintf(text, sizeof text, "%.0f", 100 * share_of(k, group, s, published));
    weir_canvas_text_right(&k->canvas, row, column, column + SHARE - 1, text);
  }
}

static void draw(struct stack *k, unsigned row, unsigned group, bool published) {
  weir_canvas_text(&k->canvas, row, 0, k->start - GAP, published ? " published" : k->view->labels[group]);
  if (!weir_view_whole(k->view, group, published)) {
    weir_canvas_text(&k->canvas, row, k->start, k->cells, "no data");
    return;
  }
  draw_bar(k, row, group, published);
  draw_shares(k, row, group, published);
}

static void lay_out(struct stack *k) {
  const struct weir_chart_view *v = k->view;
  unsigned label = weir_chart_widest(v->labels, v->groups, k->canvas.columns / 4), shares = SHARE * v->series;
  if (v->published && label < weir_text_width(" published")) label = weir_text_width(" published");
  k->start = label + GAP;
  k->cells = k->canvas.columns - k->start;
  k->shares = k->cells >= shares + LEAST_BAR;
  if (k->shares) k->cells -= shares;
}

static void print_key(const struct stack *k, const struct weir_chart_style *s, FILE *to) {
  struct weir_chart_key key;
  weir_key_start(&key, s, to);
  for (unsigned i = 0; i < k->view->series; i++)
    weir_key_add(&key, "%s %s", k->canvas.glyphs->fills[i], k->view->names[i]);
  if (k->shares) weir_key_add(&key, "(numbers: percent, in this order)");
  weir_key_end(&key);
}

void weir_chart_stacked(const struct weir_chart_view *v, const struct weir_chart_style *s, FILE *to) {
  struct stack k = {.view = v};
  unsigned row = 0;
  weir_canvas_start(&k.canvas, s, lines_of(v));
  lay_out(&k);
  for (unsigned g = 0; g < v->groups; g++) {
    row += g && g == v->summary;
    draw(&k, row++, g, false);
    if (weir_view_whole(v, g, true)) draw(&k, row++, g, true);
  }
  weir_canvas_end(&k.canvas, to);
  print_key(&k, s, to);
}
