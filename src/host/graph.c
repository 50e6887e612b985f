// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/graph.h"

#include "base/alloc.h"
#include "base/file.h"
#include "host/graph_private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// One stable counting sort: order[] lists entry numbers by ascending key. start[] (keys + 1) is filled on the way.
static void sort_by(const uint32_t *key, uint32_t keys, const uint32_t *from, uint32_t *order, size_t n,
                    uint32_t *start) {
  memset(start, 0, ((size_t)keys + 1) * sizeof *start);
  for (size_t i = 0; i < n; i++) start[key[i] + 1]++;
  for (uint32_t k = 0; k < keys; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < n; i++) {
    uint32_t entry = from ? from[i] : (uint32_t)i;
    order[start[key[entry]]++] = entry;
  }
  for (uint32_t k = keys; k > 0; k--) start[k] = start[k - 1];
  start[0] = 0;
}

// By column, then stably by row: so columns ascend within rows.
static struct weir_graph *build(const struct weir_entries *e) {
  struct weir_graph *g = weir_new(struct weir_graph);
  size_t n = e->count;
  uint32_t *by_column = weir_new_array(uint32_t, n), *by_row = weir_new_array(uint32_t, n);
  uint32_t *column_start = weir_new_array(uint32_t, (size_t)e->columns + 1);
  g->rows = e->rows;
  g->columns = e->columns;
  g->entries = (uint32_t)n;
  g->start = weir_new_array(uint32_t, (size_t)e->rows + 1);
  g->column = weir_new_array(uint32_t, n);
  if (e->value_capacity) g->value = weir_new_array(float, n);
  sort_by(e->column, e->columns, NULL, by_column, n, column_start);
  sort_by(e->row, e->rows, by_column, by_row, n, g->start);
  for (size_t i = 0; i < n; i++) {
    g->column[i] = e->column[by_row[i]];
    if (g->value) g->value[i] = e->value[by_row[i]];
  }
  weir_free(column_start);
  weir_free(by_column);
  weir_free(by_row);
  return g;
}

static void free_entries(struct weir_entries *e) {
  weir_free(e->row);
  weir_free(e->column);
  weir_free(e->value);
}

// A DIMACS file's first line that is no blank one is a comment (c), its problem (p) or an arc (a).
static bool looks_dimacs(const char *text) {
  text += strspn(text, " \t\r\n");
  return strchr("cpa", text[0]) && text[0] && strchr(" \t\r\n", text[1]);
}

struct weir_graph *weir_graph_parse(const char *path, const char *text, size_t size, struct weir_sink *sink) {
  struct weir_scan s = weir_scan_begin(path, text, size, sink);
  struct weir_entries e = {0};
  bool ok = !strncasecmp(text, "%%MatrixMarket", 14) ? weir_read_matrix_market(&s, &e)
    : looks_dimacs(text)                             ? weir_read_dimacs(&s, &e)
                                                     : weir_read_snap(&s, &e);
  struct weir_graph *g = ok ? build(&e) : NULL;
  free_entries(&e);
  return g;
}

struct weir_graph *weir_graph_read(const char *path, struct weir_sink *sink) {
  const size_t MOST_BYTES = UINT32_MAX;
  size_t size;
  char *text = weir_file_read(path, MOST_BYTES, &size, sink);
  struct weir_graph *g = text ? weir_graph_parse(path, text, size, sink) : NULL;
  weir_free(text);
  return g;
}

void weir_graph_free(struct weir_graph *g) {
  if (!g) return;
  weir_free(g->start);
  weir_free(g->column);
  weir_free(g->value);
  weir_free(g);
}

// Doubled edges stand side by side, since columns ascend.
static void drop_doubles(struct weir_graph *g) {
  uint32_t kept = 0, begin = 0;
  for (uint32_t r = 0; r < g->rows; r++) {
    uint32_t first = kept, end = g->start[r + 1];
    for (uint32_t i = begin; i < end; i++)
      if (kept == first || g->column[kept - 1] != g->column[i]) g->column[kept++] = g->column[i];
    begin = end;
    g->start[r + 1] = kept;
  }
  g->entries = kept;
}

struct weir_graph *weir_graph_undirected(const struct weir_graph *g, const char *path, struct weir_sink *sink) {
  if (g->rows != g->columns) {
    weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "a graph's matrix is square, but this one is %u × %u",
              g->rows, g->columns);
    return NULL;
  }
  struct weir_entries e = {.rows = g->rows, .columns = g->columns};
  for (uint32_t r = 0; r < g->rows; r++)
    for (uint32_t i = g->start[r]; i < g->start[r + 1]; i++)
      if (g->column[i] != r) {
        weir_entries_add(&e, r, g->column[i]);
        weir_entries_add(&e, g->column[i], r);
      }
  struct weir_graph *both = build(&e);
  free_entries(&e);
  drop_doubles(both);
  return both;
}
