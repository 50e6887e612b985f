// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Source lines in a report. Invariant: two places are the same text only if they are the same line of the same file.
#ifndef WEIR_REPORT_PLACE_H
#define WEIR_REPORT_PLACE_H

#include <jansson.h>
#include <stddef.h>

enum { WEIR_PLACE_BYTES = 160 }; // room for a place

struct weir_report_files { // that the instructions of a run stand in; zero: none yet
  const char **paths;      // into the run object
  unsigned count, capacity;
};

// `instructions` is a list of a run object: `loads`, `stores`, `atomics` or `shared`.
void weir_report_files_add(struct weir_report_files *f, const json_t *instructions);
void weir_report_files_free(struct weir_report_files *f);

struct weir_report_line { // opens each row of a table by line
  char place[WEIR_PLACE_BYTES];
  const char *function;
};

// The row that the instruction counts to, among *count rows of `size` bytes: that of its place and function, or a new one
// behind them, for which there is room and which is zero but for these.
void *weir_report_line_of(void *rows, size_t size, unsigned *count, const json_t *instruction,
                          const struct weir_report_files *f);

#endif
