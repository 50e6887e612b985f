// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sparse matrices and graphs from files, in compressed rows. Invariant: start[0] = 0, start[rows] = entries, and within
// a row columns ascend (equal ones in file order); all indices count from 0.
#ifndef WEIR_HOST_GRAPH_H
#define WEIR_HOST_GRAPH_H

#include "base/diag.h"

#include <stdint.h>

struct weir_graph {
  uint32_t rows, columns, entries;
  uint32_t *start;  // rows + 1
  uint32_t *column; // entries
  float *value;     // entries; NULL: a pattern, or a graph without weights
};

// Matrix Market (coordinate; real, integer or pattern; general, symmetric or skew-symmetric), DIMACS shortest-path .gr,
// or a SNAP edge list (pairs of node numbers; lines of # are comments; nodes are renumbered in ascending order).
// The format is recognised from the text. Gzipped files too. NULL and a diagnostic per malformed line.
struct weir_graph *weir_graph_read(const char *path, struct weir_sink *sink);
struct weir_graph *weir_graph_parse(const char *path, const char *text, size_t size, struct weir_sink *sink);
void weir_graph_free(struct weir_graph *g);

// Every edge in both directions, once, without loops and weights; NULL and a diagnostic if the matrix is not square.
struct weir_graph *weir_graph_undirected(const struct weir_graph *g, const char *path, struct weir_sink *sink);

#endif
