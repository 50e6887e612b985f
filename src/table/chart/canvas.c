// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "table/chart/canvas.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <string.h>

// Block elements have eighths from the left, but from the right only an eighth and a half.
static const struct weir_glyphs unicode = {
  .parts = 8,
  .rightward = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
  .leftward = {"", "▕", "▕", "▐", "▐", "▐", "█", "█", "█"},
  .zero = "│",
  .published = "◇",
  .cut = "…",
  .beyond = "▶",
};

static const struct weir_glyphs ascii = {
  .parts = 1,
  .rightward = {"", "#"},
  .leftward = {"", "#"},
  .zero = "|",
  .published = "o",
  .cut = "~",
  .beyond = ">",
};

// Bytes of the character at `text`; at least 1 and within the text, whatever it is.
static unsigned length_at(const char *text) {
  unsigned n = 1;
  while (n < 4 && (text[n] & 0xC0) == 0x80) n++;
  return n;
}

static const char *as_ascii(const char *text, unsigned length) {
  static const char *const same[][2] = {{"×", "x"}, {"–", "-"}, {"−", "-"}, {"…", "~"}, {"µ", "u"}};
  for (unsigned i = 0; i < sizeof same / sizeof *same; i++)
    if (strlen(same[i][0]) == length && !memcmp(same[i][0], text, length)) return same[i][1];
  return "?";
}

// Control characters, which could do more to a terminal than be shown.
static bool is_control(const char *text) {
  unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
  return first < ' ' || first == 0x7F || (first == 0xC2 && second >= 0x80 && second < 0xA0);
}

void weir_canvas_start(struct weir_canvas *c, const struct weir_chart_style *s, unsigned rows) {
  *c = (struct weir_canvas){.columns = s->width, .rows = rows, .ascii = s->ascii};
  c->glyphs = s->ascii ? &ascii : &unicode;
  c->cells = weir_alloc((size_t)c->columns * rows * sizeof *c->cells);
}

void weir_canvas_put(struct weir_canvas *c, unsigned row, unsigned column, const char *glyph) {
  if (row >= c->rows || column >= c->columns) return;
  char *cell = c->cells[row * c->columns + column];
  unsigned length = length_at(glyph);
  if (is_control(glyph)) glyph = "?", length = 1;
  if (c->ascii && *glyph & 0x80) glyph = as_ascii(glyph, length), length = 1;
  memcpy(cell, glyph, length);
  cell[length] = 0;
}

static bool is_blank(const struct weir_canvas *c, unsigned row, unsigned column) {
  return row < c->rows && column < c->columns && !*c->cells[row * c->columns + column];
}

unsigned weir_canvas_text(struct weir_canvas *c, unsigned row, unsigned column, unsigned limit, const char *text) {
  unsigned width = weir_text_width(text), shown = width > limit ? limit : width;
  for (unsigned i = 0; i < shown; i++, text += length_at(text))
    weir_canvas_put(c, row, column + i, i + 1 == limit && width > limit ? c->glyphs->cut : text);
  return column + shown;
}

void weir_canvas_end(struct weir_canvas *c, FILE *to) {
  for (unsigned row = 0; row < c->rows; row++) {
    unsigned last = c->columns;
    while (last && is_blank(c, row, last - 1)) last--;
    for (unsigned i = 0; i < last; i++) {
      const char *cell = c->cells[row * c->columns + i];
      fputs(*cell ? cell : " ", to);
    }
    fputc('\n', to);
  }
  weir_free(c->cells);
}

// Characters of the next line: up to the last blank after a word within `room`, or all of them if there is none.
static unsigned line_length(const char *text, unsigned room) {
  unsigned n = 0, last = 0;
  for (bool word = false; n < room && *text; n++, text += length_at(text)) {
    if (*text == ' ' && word) last = n;
    word |= *text != ' ';
  }
  return !*text || *text == ' ' || !last ? n : last;
}

void weir_chart_paragraph(const struct weir_chart_style *s, const char *text, unsigned indent, FILE *to) {
  for (unsigned first = 0; *text; first = indent) {
    struct weir_canvas c;
    unsigned n = line_length(text, s->width - first);
    weir_canvas_start(&c, s, 1);
    for (unsigned i = 0; i < n; i++, text += length_at(text)) weir_canvas_put(&c, 0, first + i, text);
    weir_canvas_end(&c, to);
    while (*text == ' ') text++;
  }
}

unsigned weir_chart_widest(const char *const *texts, unsigned count, unsigned limit) {
  unsigned widest = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned w = weir_text_width(texts[i]);
    if (w > widest) widest = w;
  }
  return widest < limit ? widest : limit;
}

// ---- key ------------------------------------------------------------------------------------------------------------

enum { INDENT = 2, BETWEEN = 3 };

void weir_key_start(struct weir_chart_key *k, const struct weir_chart_style *s, FILE *to) {
  *k = (struct weir_chart_key){.style = s, .to = to};
}

static void new_line(struct weir_chart_key *k) {
  if (k->column)
    weir_canvas_end(&k->line, k->to);
  else
    fputc('\n', k->to);
  weir_canvas_start(&k->line, k->style, 1);
  k->column = INDENT;
}

void weir_key_add(struct weir_chart_key *k, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!k->column || (k->column > INDENT && k->column + weir_text_width(text) > k->style->width)) new_line(k);
  k->column = weir_canvas_text(&k->line, 0, k->column, k->style->width - INDENT, text) + BETWEEN;
}

void weir_key_end(struct weir_chart_key *k) {
  if (k->column) weir_canvas_end(&k->line, k->to);
}
