// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/points.h"

#include "base/alloc.h"
#include "base/file.h"
#include "host/graph_private.h"

#include <string.h>
#include <strings.h>

static struct weir_points *from_matrix(const char *path, const char *text, size_t size, struct weir_sink *sink) {
  struct weir_graph *g = weir_graph_parse(path, text, size, sink);
  if (!g) return NULL;
  struct weir_points *p = NULL;
  if (g->columns != 2 || !g->rows || (g->entries && !g->value)) {
    weir_fail(sink, (struct weir_place){path, NULL, 0, 0},
              "points are a matrix of two columns with values, but this one is %u × %u%s", g->rows, g->columns,
              g->value ? "" : " without values");
  } else {
    p = weir_new(struct weir_points);
    *p = (struct weir_points){g->rows, weir_new_array(float, g->rows), weir_new_array(float, g->rows)};
    for (uint32_t r = 0; r < g->rows; r++)
      for (uint32_t i = g->start[r]; i < g->start[r + 1]; i++) (g->column[i] ? p->y : p->x)[r] = g->value[i];
  }
  weir_graph_free(g);
  return p;
}

// "v ID X Y", where c and p begin comments and the announcement; or "X Y", where # begins a comment.
static bool read_line(struct weir_scan *s, struct weir_points *p, size_t capacity[2]) {
  char word[8];
  uint32_t id, count = p->count;
  float x, y;
  if (weir_scan_blank(s) || strchr("#cp", *s->at)) return true;
  bool named = *s->at == 'v';
  if (named && !(weir_scan_word(s, "v", word, sizeof word) && weir_scan_u32(s, "the node", 1, WEIR_MOST_NODES, &id)))
    return false;
  if (!weir_scan_f32(s, "the first coordinate", &x) || !weir_scan_f32(s, "the second coordinate", &y) ||
      !weir_scan_done(s))
    return false;
  *weir_push(p->x, count, capacity[0]) = x;
  *weir_push(p->y, p->count, capacity[1]) = y;
  return true;
}

struct weir_points *weir_points_parse(const char *path, const char *text, size_t size, struct weir_sink *sink) {
  if (!strncasecmp(text, "%%MatrixMarket", 14)) return from_matrix(path, text, size, sink);
  struct weir_scan s = weir_scan_begin(path, text, size, sink);
  struct weir_points *p = weir_new(struct weir_points);
  size_t capacity[2] = {0, 0};
  bool ok = true;
  while (weir_scan_line(&s) && p->count < WEIR_MOST_NODES) ok &= read_line(&s, p, capacity);
  if (ok && !p->count) ok = weir_fail(sink, weir_scan_place(&s), "the file has no point");
  if (ok) return p;
  weir_points_free(p);
  return NULL;
}

struct weir_points *weir_points_read(const char *path, struct weir_sink *sink) {
  size_t size;
  char *text = weir_file_read(path, 0, &size, sink);
  struct weir_points *p = text ? weir_points_parse(path, text, size, sink) : NULL;
  weir_free(text);
  return p;
}

void weir_points_free(struct weir_points *p) {
  if (!p) return;
  weir_free(p->x);
  weir_free(p->y);
  weir_free(p);
}
