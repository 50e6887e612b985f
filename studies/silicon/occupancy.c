// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Streams against occupancy as a table: a row per size of block, a column per kernel, ours beside the measured one.
#include "silicon/silicon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THREADS, X, FIRST, NAME = 32 };

static const char *const kernels[] = {SILICON_STREAMS};
enum { KERNELS = sizeof kernels / sizeof *kernels, ERROR = FIRST + KERNELS };

static void add_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "at", "threads", "of a block; a core has two blocks at a time");
  weir_table_column(t, WEIR_COLUMN_COUNT, "x", "threads of a core", NULL);
  for (unsigned k = 0; k < KERNELS; k++) weir_table_column(t, WEIR_COLUMN_REAL, kernels[k], kernels[k], "GB/s");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "error", "error", "mean distance from what was measured, over that");
}

// The row of that many threads: points of one follow one another.
static struct weir_cell *row_of(struct weir_table *t, unsigned threads) {
  char name[NAME];
  snprintf(name, sizeof name, "%u", threads);
  if (t->row_count && !strcmp(t->rows[t->row_count - 1][THREADS].text, name)) return t->rows[t->row_count - 1];
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[THREADS], name);
  cells[X].ours = 2 * threads;
  return cells;
}

// Means over the kernels of each row, and over all of them.
static void add_errors(struct weir_table *t) {
  double sum = 0;
  unsigned count = 0;
  for (unsigned i = 0; i < t->row_count; i++) {
    double of_row = 0;
    for (unsigned k = FIRST; k < ERROR; k++) of_row += fabs(t->rows[i][k].ours / t->rows[i][k].published - 1);
    if (!isfinite(of_row)) continue;
    t->rows[i][ERROR].ours = of_row / KERNELS;
    sum += of_row / KERNELS, count++;
  }
  t->summary_row = t->row_count;
  struct weir_cell *cells = weir_table_row(t);
  weir_table_text(t, &cells[THREADS], "mean");
  if (count) cells[ERROR].ours = sum / count;
}

void silicon_occupancy_table(struct weir_table *t, const struct weir_plan *plan, const struct silicon_chip *c) {
  unsigned i = 0;
  add_columns(t);
  for (const struct silicon_point *p; (p = silicon_next(c, SILICON_OCCUPANCY, &i));) {
    struct weir_cell *cells = row_of(t, p->at);
    unsigned k = 0;
    while (strcmp(kernels[k], p->level) != 0) k++;
    cells[FIRST + k].ours = silicon_ours(plan, c, p);
    cells[FIRST + k].published = silicon_measured(c, p);
  }
  add_errors(t);
  weir_table_note(t, "Six kernels that stream (workload stream-kernels-rrze). Measured: RRZE-HPC, gpu-benches.");
}
