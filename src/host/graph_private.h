// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the readers of single formats hand to the builder: entries in file order. Invariant: `value` is either empty or
// as long as the lists of indices.
#ifndef WEIR_HOST_GRAPH_PRIVATE_H
#define WEIR_HOST_GRAPH_PRIVATE_H

#include "host/graph.h"
#include "host/scan.h"

// Enough for the largest road networks and web graphs that fit a GPU's memory.
enum { WEIR_MOST_NODES = 1 << 27, WEIR_MOST_ENTRIES = 1 << 29 };

// How many rows, columns or nodes a file may announce. An entry takes at least four bytes, so a matrix with more rows
// than its file has bytes is next to empty; if it is large besides, the file is taken for malformed, so that a short
// one cannot make the reader allocate and walk gigabytes.
static inline uint32_t weir_most_nodes(const struct weir_scan *s) {
  const uint32_t always = 1 << 20;
  size_t bytes = (size_t)(s->end - s->text);
  return bytes <= always ? always : bytes < WEIR_MOST_NODES ? (uint32_t)bytes : WEIR_MOST_NODES;
}

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
