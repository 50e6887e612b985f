// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The text form: a grid of texts, one per column, and one more beside each column that has published numbers.
enum { CELL = WEIR_TABLE_CELL, GAP = 2 };

struct grid {
  unsigned columns, rows; // row 0: headings
  char (*cells)[CELL];
  unsigned *width;
  bool *left; // aligned
};

static char *at(const struct grid *g, unsigned row, unsigned column) {
  return g->cells[row * g->columns + column];
}

// Characters, not bytes: continuation bytes of UTF-8 take no room.
unsigned weir_text_width(const char *text) {
  unsigned n = 0;
  for (; *text; text++) n += (*text & 0xC0) != 0x80;
  return n;
}

static void put_count(char *out, double value) {
  char digits[32];
  int n = snprintf(digits, sizeof digits, fabs(value) < 1e18 ? "%.0f" : "%g", value);
  char *o = out;
  for (int i = 0; i < n; i++) {
    if (i && (n - i) % 3 == 0 && digits[i - 1] != '-') *o++ = ',';
    *o++ = digits[i];
  }
  *o = 0;
}

static void put_bytes(char *out, double value) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  unsigned u = 0;
  for (; value >= 1024 && u < 4; u++) value /= 1024;
  snprintf(out, CELL, u ? "%.1f %s" : "%.0f %s", value, units[u]);
}

void weir_table_number(char out[WEIR_TABLE_CELL], enum weir_table_format format, double v) {
  *out = 0;
  if (isnan(v)) return;
  switch (format) {
  case WEIR_COLUMN_TEXT: break;
  case WEIR_COLUMN_COUNT: put_count(out, v); break;
  case WEIR_COLUMN_REAL: snprintf(out, CELL, "%.3f", v); break;
  case WEIR_COLUMN_PERCENT: snprintf(out, CELL, "%.1f %%", 100 * v); break;
  case WEIR_COLUMN_CHANGE: snprintf(out, CELL, "%+.1f %%", 100 * (v - 1)); break;
  case WEIR_COLUMN_RATIO: snprintf(out, CELL, "%.3f×", v); break;
  case WEIR_COLUMN_BYTES: put_bytes(out, v); break;
  }
}

static void put_text(char out[CELL], const struct weir_column *c, const struct weir_cell *cell) {
  if (c->format == WEIR_COLUMN_TEXT)
    snprintf(out, CELL, "%s", cell->text ? cell->text : "");
  else
    weir_table_number(out, c->format, cell->ours);
}

static void fill_cell(const struct grid *g, unsigned row, unsigned column, const struct weir_column *c,
                      const struct weir_cell *cell) {
  put_text(at(g, row, column), c, cell);
}

static void fill_column(const struct grid *g, const struct weir_table *t, unsigned from, unsigned column, bool both) {
  const struct weir_column *c = &t->columns[from];
  snprintf(at(g, 0, column), CELL, "%s", c->heading);
  if (both) snprintf(at(g, 0, column + 1), CELL, "paper");
  g->left[column] = c->format == WEIR_COLUMN_TEXT;
  for (unsigned i = 0; i < t->row_count; i++) {
    fill_cell(g, i + 1, column, c, &t->rows[i][from]);
    if (both) weir_table_number(at(g, i + 1, column + 1), c->format, t->rows[i][from].published);
  }
}

static struct grid make_grid(const struct weir_table *t) {
  struct grid g = {.columns = t->column_count, .rows = t->row_count + 1};
  for (unsigned i = 0; i < t->column_count; i++) g.columns += weir_table_has_published(t, i);
  g.cells = weir_alloc((size_t)g.rows * g.columns * CELL);
  g.width = weir_new_array(unsigned, g.columns);
  g.left = weir_new_array(bool, g.columns);
  for (unsigned i = 0, column = 0; i < t->column_count; i++) {
    bool both = weir_table_has_published(t, i);
    fill_column(&g, t, i, column, both);
    column += 1 + both;
  }
  for (unsigned r = 0; r < g.rows; r++)
    for (unsigned c = 0; c < g.columns; c++) {
      unsigned w = weir_text_width(at(&g, r, c));
      if (w > g.width[c]) g.width[c] = w;
    }
  return g;
}

static void put_spaces(unsigned n, FILE *to) {
  fprintf(to, "%*s", (int)n, "");
}

static void print_row(const struct grid *g, unsigned row, FILE *to) {
  for (unsigned c = 0; c < g->columns; c++) {
    const char *text = at(g, row, c);
    unsigned pad = g->width[c] - weir_text_width(text);
    if (c) put_spaces(GAP, to);
    if (!g->left[c]) put_spaces(pad, to);
    fputs(text, to);
    if (g->left[c] && c + 1 < g->columns) put_spaces(pad, to);
  }
  fputc('\n', to);
}

static void print_line(const struct grid *g, FILE *to) {
  unsigned total = GAP * (g->columns - 1);
  for (unsigned c = 0; c < g->columns; c++) total += g->width[c];
  for (unsigned i = 0; i < total; i++) fputs("─", to);
  fputc('\n', to);
}

static void print_legend(const struct weir_table *t, FILE *to) {
  unsigned widest = 0, shown = 0;
  for (unsigned i = 0; i < t->column_count; i++) {
    unsigned w = t->columns[i].meaning ? weir_text_width(t->columns[i].heading) : 0;
    if (w > widest) widest = w;
  }
  for (unsigned i = 0; i < t->column_count; i++) {
    const struct weir_column *c = &t->columns[i];
    if (!c->meaning) continue;
    if (!shown++) fputc('\n', to);
    fprintf(to, "  %s", c->heading);
    put_spaces(widest - weir_text_width(c->heading) + GAP, to);
    fprintf(to, "%s\n", c->meaning);
  }
}

void weir_table_print(const struct weir_table *t, FILE *to) {
  struct grid g = make_grid(t);
  if (t->title && *t->title) fprintf(to, "%s\n\n", t->title);
  print_row(&g, 0, to);
  print_line(&g, to);
  for (unsigned r = 1; r < g.rows; r++) {
    if (t->summary_row && r - 1 == t->summary_row) print_line(&g, to);
    print_row(&g, r, to);
  }
  print_legend(t, to);
  if (t->note) fprintf(to, "\n%s\n", t->note);
  weir_free(g.cells);
  weir_free(g.width);
  weir_free(g.left);
}

void weir_table_cells(const struct weir_table *t, FILE *to) {
  char row[CELL], ours[CELL], published[CELL];
  for (unsigned j = 0; j < t->column_count; j++)
    fprintf(to, "%s\t\t%s\t%s\t\n", t->name, t->columns[j].name, t->columns[j].heading);
  for (unsigned i = 0; i < t->row_count; i++) {
    put_text(row, &t->columns[0], &t->rows[i][0]);
    for (unsigned j = 0; j < t->column_count; j++) {
      put_text(ours, &t->columns[j], &t->rows[i][j]);
      weir_table_number(published, t->columns[j].format, t->rows[i][j].published);
      fprintf(to, "%s\t%s\t%s\t%s\t%s\n", t->name, row, t->columns[j].name, ours, published);
    }
  }
}
