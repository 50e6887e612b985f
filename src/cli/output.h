// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tables as the options ask for them: printed as text or as charts, and written into folders. Invariant: what could
// keep a file from being written is found before the runs, whose time a mistake should not cost.
#ifndef WEIR_CLI_OUTPUT_H
#define WEIR_CLI_OUTPUT_H

#include "cli/options.h"
#include "table/chart/chart.h"

struct output {
  const struct options *options;
  struct weir_sink *sink;
  char *gnuplot; // its path; NULL: not asked for
  struct weir_plot plot;
};

// Finds gnuplot and makes the folders if they are asked for. False and a diagnostic if that cannot be.
bool weir_output_start(struct output *out, const struct options *o, struct weir_sink *sink);
void weir_output_end(struct output *out);

// As a chart if charts are asked for and it has one, else as text.
void weir_output_print(const struct output *out, const struct weir_table *t);

// DIR/NAME.csv, DIR/NAME.svg and DIR/NAME.pdf, by the table's name, as asked for.
void weir_output_files(const struct output *out, const struct weir_table *t);

#endif
