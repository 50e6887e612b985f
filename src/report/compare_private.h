// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What compare.c and compare_mix.c share. Invariant: rows stand in the order of the batch's items, the means below them.
#ifndef WEIR_REPORT_COMPARE_PRIVATE_H
#define WEIR_REPORT_COMPARE_PRIVATE_H

#include "report/compare.h"

// The table of a comparison of which at least one program is a mix: columns, rows and means.
void weir_compare_mixes(struct weir_table *t, const struct weir_batch *b, unsigned schemes, bool sweeps);

#define WEIR_REPLACEMENT_HELP "of every cache, or of each; a scheme that names none runs on the chip's own"

// "lru", or "l1 lru, l2 plru"; freed by weir_free.
char *weir_compare_replacement(const json_t *run);

// A row per scheme below the line: geometric means of these columns over all programs.
void weir_compare_means(struct weir_table *t, const struct weir_batch *b, unsigned schemes, const unsigned *columns,
                        unsigned count);

#endif
