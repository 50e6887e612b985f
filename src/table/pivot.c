// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "table/table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned column_named(const struct weir_table *t, const char *name) {
  unsigned i = 0;
  while (i < t->column_count && strcmp(t->columns[i].name, name) != 0) i++;
  return i;
}

// The row whose first cell has the text; the count of rows if there is none.
static unsigned row_of(const struct weir_table *t, const char *text) {
  unsigned i = 0;
  while (i < t->row_count && strcmp(t->rows[i][0].text, text) != 0) i++;
  return i;
}

static void make_columns(struct weir_table *to, const struct weir_table *from, unsigned across, unsigned down,
                         unsigned value) {
  const struct weir_column *c = from->columns;
  weir_table_column(to, WEIR_COLUMN_TEXT, c[down].name, c[down].heading, NULL);
  for (unsigned r = 0; r < from->row_count; r++) {
    const char *text = from->rows[r][across].text;
    if (column_named(to, text) == to->column_count) weir_table_column(to, c[value].format, text, text, NULL);
  }
}

bool weir_table_pivot(struct weir_table *to, const struct weir_table *from, const char *across, const char *down,
                      const char *value) {
  const unsigned a = column_named(from, across), d = column_named(from, down), v = column_named(from, value);
  if (v == from->column_count || from->columns[v].format == WEIR_COLUMN_TEXT) return false;
  assert(a < from->column_count && d < from->column_count);
  weir_table_start(to, from->name, from->columns[v].heading);
  make_columns(to, from, a, d, v);
  for (unsigned r = 0; r < from->row_count; r++) {
    const char *text = from->rows[r][d].text;
    const unsigned at = row_of(to, text);
    if (at == to->row_count) weir_table_text(to, weir_table_row(to), text);
    struct weir_cell *row = to->rows[at];
    row[column_named(to, from->rows[r][a].text)].ours = from->rows[r][v].ours;
  }
  weir_table_note(to, from->columns[v].meaning);
  return true;
}

// ---- order -------------------------------------------------------------------------------------------------------------

// Numbers that are not there come last.
static bool comes_before(double a, double b, bool descending) {
  if (isnan(a) || isnan(b)) return !isnan(a) && isnan(b);
  return descending ? a > b : a < b;
}

bool weir_table_sort(struct weir_table *t, const char *name, bool descending) {
  const unsigned c = column_named(t, name);
  if (c == t->column_count || t->columns[c].format == WEIR_COLUMN_TEXT) return false;
  for (unsigned i = 1; i < t->row_count; i++) { // equals stay in their order
    struct weir_cell *row = t->rows[i];
    unsigned k = i;
    for (; k && comes_before(row[c].ours, t->rows[k - 1][c].ours, descending); k--) t->rows[k] = t->rows[k - 1];
    t->rows[k] = row;
  }
  return true;
}
