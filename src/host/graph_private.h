// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the readers of single formats hand to the builder: entries in file order. Invariant: `value` is either empty or
// as long as the lists of indices.
#ifndef WEIR_HOST_GRAPH_PRIVATE_H
#define WEIR_HOST_GRAPH_PRIVATE_H

#include "host/graph.h"
#include "host/scan.h"

// Enough for the largest road networks and web graphs that fit a GPU's memory, and a bound on what a short malformed
// file can make the reader allocate.
enum { WEIR_MOST_NODES = 1 << 27, WEIR_MOST_ENTRIES = 1 << 29 };

struct weir_entries {
  uint32_t rows, columns;
  uint32_t *row, *column;
  float *value;
  size_t count, row_capacity, column_capacity, value_capacity;
};

void weir_entries_add(struct weir_entries *e, uint32_t row, uint32_t column);
void weir_entries_add_value(struct weir_entries *e, uint32_t row, uint32_t column, float value);

// Readers of one format each; the scan stands before the first line. False after any diagnostic.
bool weir_read_matrix_market(struct weir_scan *s, struct weir_entries *e);
bool weir_read_dimacs(struct weir_scan *s, struct weir_entries *e);
bool weir_read_snap(struct weir_scan *s, struct weir_entries *e);

#endif
