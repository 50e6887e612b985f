// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What compare.c and compare_mix.c share. Invariant: rows stand in the order of the batch's items, the means below them.
#ifndef WEIR_REPORT_COMPARE_PRIVATE_H
#define WEIR_REPORT_COMPARE_PRIVATE_H

#include "report/compare.h"

// The table of a comparison of which at least one program is a mix: columns, rows and means.
void weir_compare_mixes(struct weir_table *t, const struct weir_batch *b, unsigned schemes, bool sweeps);

// A row per scheme below the line: geometric means of these columns over all programs.
void weir_compare_means(struct weir_table *t, const struct weir_batch *b, unsigned schemes, const unsigned *columns,
                        unsigned count);

#endif
