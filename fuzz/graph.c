// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Graphs and matrices in all three formats. What is accepted keeps the invariant of host/graph.h, whatever was written.
#include "base/alloc.h"
#include "host/graph.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_invariant(const struct weir_graph *g) {
  if (g->start[0] != 0 || g->start[g->rows] != g->entries) abort();
  for (uint32_t r = 0; r < g->rows; r++) {
    if (g->start[r] > g->start[r + 1]) abort();
    for (uint32_t i = g->start[r]; i < g->start[r + 1]; i++)
      if (g->column[i] >= g->columns || (i > g->start[r] && g->column[i - 1] > g->column[i])) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct weir_sink sink = {0};
  char *text = weir_alloc(size + 1); // ends in NUL, as weir_file_read returns it
  memcpy(text, data, size);
  struct weir_graph *g = weir_graph_parse("fuzz.mtx", text, size, &sink);
  if (!g != (sink.errors > 0)) abort(); // says why exactly when it fails
  if (g) {
    check_invariant(g);
    struct weir_graph *both = weir_graph_undirected(g, "fuzz.mtx", &sink);
    if (both) check_invariant(both);
    if (both) weir_graph_free(both);
    weir_graph_free(g);
  }
  weir_sink_free(&sink);
  weir_free(text);
  return 0;
}
