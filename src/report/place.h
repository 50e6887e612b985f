// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Source lines in a report. Invariant: two places are the same text only if they are the same line of the same file.
#ifndef WEIR_REPORT_PLACE_H
#define WEIR_REPORT_PLACE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

enum { WEIR_PLACE_BYTES = 160 }; // room for a place

struct weir_report_line { // opens each row of a table by line
  char place[WEIR_PLACE_BYTES];
  const char *function, *array; // symbols; "": the array is not known
  const char *source_file;      // "": the PTX does not say
  unsigned source_line;
};

struct weir_report_files { // that the instructions of a run stand in; zero: none yet
  const char **paths;      // into the run object
  unsigned count, capacity;
  struct weir_report_line *shown; // of tables, each place once
  unsigned shown_count, shown_room;
};

// `instructions` is a list of a run object: `loads`, `stores`, `atomics` or `shared`.
void weir_report_files_add(struct weir_report_files *f, const json_t *instructions);
void weir_report_files_free(struct weir_report_files *f);

// The row that the instruction counts to, among *count rows of `size` bytes: that of its place, function and array, or a new one
// behind them, for which there is room and which is zero but for these.
void *weir_report_line_of(void *rows, size_t size, unsigned *count, const json_t *instruction,
                          const struct weir_report_files *f);

// The order of rows that are otherwise equal.
int weir_report_line_order(const struct weir_report_line *a, const struct weir_report_line *b);

// Cells of a row: the place, the function as its source names it, and the array (`?`: not known; NULL: the table has none).
struct weir_table;
struct weir_cell;
void weir_report_line_cells(struct weir_table *t, struct weir_cell *place, struct weir_cell *function,
                            struct weir_cell *array, const struct weir_report_line *l);

// A table has a row of the line; and the text of all such lines, where the source is at hand.
void weir_report_show(struct weir_report_files *f, const struct weir_report_line *l);
void weir_report_print_sources(const struct weir_report_files *f, const json_t *run, FILE *to);

#endif
