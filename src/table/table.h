// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tables of results, ours beside the published ones, and their three forms: text, CSV, JSON. Invariant: every row has
// one cell per column; a number that is not there is NaN.
#ifndef WEIR_TABLE_TABLE_H
#define WEIR_TABLE_TABLE_H

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// How the text form shows a column's numbers; CSV and JSON have them in the unit named, unrounded.
enum weir_table_format {
  WEIR_COLUMN_TEXT,
  WEIR_COLUMN_COUNT,   // 12,345,678
  WEIR_COLUMN_REAL,    // 1.234
  WEIR_COLUMN_PERCENT, // of a fraction: 0.123 is 12.3 %
  WEIR_COLUMN_CHANGE,  // of a ratio to a baseline: 1.05 is +5.0 %
  WEIR_COLUMN_RATIO,   // 1.05×
  WEIR_COLUMN_BYTES,   // 1.5 MiB
};

struct weir_column {
  const char *name;    // in CSV and JSON: "l1_hit_rate"
  const char *heading; // in text: "L1 hit rate"
  const char *meaning; // in the legend below the text; NULL: none
  enum weir_table_format format;
};

struct weir_cell {
  const char *text; // TEXT columns; NULL: empty
  double ours, published;
};

struct weir_chart; // table/chart.h

struct weir_table {
  const char *name, *title, *note; // note (may be NULL): below the text
  const struct weir_chart *chart;  // how it is best looked at; NULL: as a table
  struct weir_column *columns;
  unsigned column_count, column_capacity;
  struct weir_cell **rows;
  unsigned row_count, row_capacity;
  unsigned summary_row;    // the text form draws a line above it (0: none)
  struct weir_arena arena; // of all texts and rows
};

void weir_table_start(struct weir_table *t, const char *name, const char *title);
void weir_table_free(struct weir_table *t);

// Texts are copied. All columns come before the first row.
void weir_table_column(struct weir_table *t, enum weir_table_format format, const char *name, const char *heading,
                       const char *meaning);
void weir_table_columns(struct weir_table *t, const struct weir_column *columns, unsigned count); // several, in order
struct weir_cell *weir_table_row(struct weir_table *t); // a new row's cells, empty
void weir_table_text(struct weir_table *t, struct weir_cell *cell, const char *text);
void weir_table_note(struct weir_table *t, const char *note);

// A new table: a row per text of column `down`, a column per text of column `across`, both in the order in which they first stand, and the
// numbers of column `value`. False if there are no such numbers; to is not begun then.
bool weir_table_pivot(struct weir_table *to, const struct weir_table *from, const char *across, const char *down,
                      const char *value);
// Orders the rows by a column's numbers. False if there are no such numbers.
bool weir_table_sort(struct weir_table *t, const char *column, bool descending);

bool weir_table_has_published(const struct weir_table *t, unsigned column);

// Geometric mean of a column's positive numbers (ours, or the published) in rows from, from + step, … below `to`; NaN if
// there is none.
double weir_table_geomean(const struct weir_table *t, unsigned column, bool published, unsigned from, unsigned to,
                          unsigned step);

// A number as the text form shows it; "" for NaN.
enum { WEIR_TABLE_CELL = 96 };
void weir_table_number(char out[WEIR_TABLE_CELL], enum weir_table_format format, double value);

unsigned weir_text_width(const char *text); // in characters of UTF-8

void weir_table_print(const struct weir_table *t, FILE *to);
void weir_table_csv(const struct weir_table *t, FILE *to);
void weir_table_csv_text(const char *text, FILE *to); // one cell, in quotes if it needs them
// A line per cell, "table row column ours published" between tabs, as the text form shows them; headings have no row.
void weir_table_cells(const struct weir_table *t, FILE *to);
json_t *weir_table_json(const struct weir_table *t);

#endif
