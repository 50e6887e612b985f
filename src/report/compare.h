// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The table of a comparison: one row per program × scheme, each beside the program's first scheme.
#ifndef WEIR_REPORT_COMPARE_H
#define WEIR_REPORT_COMPARE_H

#include "batch/batch.h"
#include "table/table.h"

#define WEIR_COMPARE_MEAN "geometric mean" // the program of the rows that are of all programs

// The batch's items are in the order program by program, `schemes` to a program. Runs that failed have empty cells. With a mix
// among the programs, the columns are those of mixes.
void weir_compare_table(struct weir_table *t, const struct weir_batch *b, unsigned schemes);

// Notes to the sink which schemes differ from the first also in the replacement that their bypassing or throttling runs on.
void weir_compare_tell_bases(const struct weir_batch *b, unsigned schemes, struct weir_sink *sink);

// Notes to the sink which cache hints of the programs their chip ignores, once per program.
void weir_compare_tell_ignored(const struct weir_batch *b, struct weir_sink *sink);

// … and how many of a program's launches the numbers are of, or are estimated from.
void weir_compare_tell_selections(const struct weir_batch *b, unsigned schemes, struct weir_sink *sink);

#endif
