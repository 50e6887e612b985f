// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Edge lists as in the Stanford Large Network Dataset Collection: "FROM TO" per line, # begins a comment. Node
// numbers have gaps there, so they are replaced by their ranks.
#include "base/alloc.h"
#include "host/graph_private.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static uint32_t rank(const uint32_t *ids, size_t n, uint32_t id) {
  size_t low = 0;
  while (n > 1) {
    size_t half = n / 2;
    if (ids[low + half] <= id) low += half;
    n -= half;
  }
  return (uint32_t)low;
}

static size_t unique(uint32_t *ids, size_t n) {
  size_t kept = 0;
  qsort(ids, n, sizeof *ids, compare);
  for (size_t i = 0; i < n; i++)
    if (!kept || ids[kept - 1] != ids[i]) ids[kept++] = ids[i];
  return kept;
}

static void renumber(struct weir_entries *e) {
  uint32_t *ids = weir_new_array(uint32_t, 2 * e->count);
  memcpy(ids, e->row, e->count * sizeof *ids);
  memcpy(ids + e->count, e->column, e->count * sizeof *ids);
  size_t n = unique(ids, 2 * e->count);
  for (size_t i = 0; i < e->count; i++) {
    e->row[i] = rank(ids, n, e->row[i]);
    e->column[i] = rank(ids, n, e->column[i]);
  }
  e->rows = e->columns = (uint32_t)n;
  weir_free(ids);
}

bool weir_read_snap(struct weir_scan *s, struct weir_entries *e) {
  bool ok = true;
  uint32_t from, to;
  while (weir_scan_line(s)) {
    if (weir_scan_blank(s) || *s->at == '#') continue;
    bool line = weir_scan_u32(s, "the edge's start", 0, UINT32_MAX, &from) &&
      weir_scan_u32(s, "the edge's end", 0, UINT32_MAX, &to) && weir_scan_done(s);
    if (line && e->count < WEIR_MOST_ENTRIES) weir_entries_add(e, from, to);
    ok &= line;
    if (!ok && !e->count) break; // no edge list at all
  }
  if (!ok && !e->count)
    weir_report(s->sink, WEIR_NOTE, (struct weir_place){s->path, NULL, 0, 0},
                "is read as an edge list: it begins neither as Matrix Market (%%%%MatrixMarket) nor as DIMACS (c, p)");
  if (ok && !e->count) ok = weir_fail(s->sink, weir_scan_place(s), "the edge list has no edge");
  if (ok) renumber(e);
  return ok;
}
