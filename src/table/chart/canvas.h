// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A piece of a terminal to draw on. Invariant: a cell holds one character; what would lie outside is not drawn, so that
// no line is longer than the canvas is wide. On an ASCII canvas every character is ASCII, whatever texts hold.
#ifndef WEIR_TABLE_CHART_CANVAS_H
#define WEIR_TABLE_CHART_CANVAS_H

#include "table/chart/view.h"

// What charts are drawn with.
struct weir_glyphs {
  unsigned parts;           // of a cell that a bar can end at
  const char *rightward[9]; // a cell filled from its left by 1..parts parts
  const char *leftward[9];  // and from its right
  const char *zero, *published, *cut;
  const char *beyond; // where a bar is longer than the axis
};

struct weir_canvas {
  unsigned columns, rows;
  char (*cells)[5]; // UTF-8; "": blank
  const struct weir_glyphs *glyphs;
  bool ascii;
};

void weir_canvas_start(struct weir_canvas *c, const struct weir_chart_style *s, unsigned rows);
void weir_canvas_put(struct weir_canvas *c, unsigned row, unsigned column, const char *glyph);

// Cut after `limit` characters, with a mark. Returns the column after it.
unsigned weir_canvas_text(struct weir_canvas *c, unsigned row, unsigned column, unsigned limit, const char *text);

// Prints the canvas, without blanks at the ends of lines, and frees it.
void weir_canvas_end(struct weir_canvas *c, FILE *to);

// A paragraph of the style's width; lines after the first begin with `indent` blanks.
void weir_chart_paragraph(const struct weir_chart_style *s, const char *text, unsigned indent, FILE *to);

// The widest of count texts, at most `limit`.
unsigned weir_chart_widest(const char *const *texts, unsigned count, unsigned limit);

// Says what the drawing's characters stand for, below it: as many entries to a line as fit.
struct weir_chart_key {
  const struct weir_chart_style *style;
  FILE *to;
  struct weir_canvas line;
  unsigned column; // where the next entry begins; 0: nothing was said yet
};

void weir_key_start(struct weir_chart_key *k, const struct weir_chart_style *s, FILE *to);
void weir_key_add(struct weir_chart_key *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
void weir_key_end(struct weir_chart_key *k);

// The one kind of chart for terminals.
void weir_chart_bars(const struct weir_chart_view *v, const struct weir_chart_style *s, FILE *to);

#endif
