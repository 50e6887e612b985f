// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The .gr files of the 9th DIMACS Implementation Challenge (shortest paths, 2006): "p sp NODES ARCS", then
// "a FROM TO WEIGHT", with comments "c …" anywhere.
#include "host/graph_private.h"

#include <inttypes.h>
#include <string.h>

static bool read_problem(struct weir_scan *s, struct weir_entries *e, uint32_t *arcs) {
  char kind[8];
  if (e->rows) return weir_fail(s->sink, weir_scan_place(s), "a second problem line");
  if (!weir_scan_word(s, "the kind of problem", kind, sizeof kind)) return false;
  if (strcmp(kind, "sp"))
    return weir_fail(s->sink, weir_scan_place(s), "the problem is '%s'; only 'sp' (shortest paths) is read", kind);
  if (!weir_scan_u32(s, "the number of nodes", 1, weir_most_nodes(s), &e->rows) ||
      !weir_scan_u32(s, "the number of arcs", 0, WEIR_MOST_ENTRIES, arcs))
    return false;
  e->columns = e->rows;
  return weir_scan_done(s);
}

static bool read_arc(struct weir_scan *s, struct weir_entries *e) {
  uint32_t from, to;
  float weight;
  if (!e->rows) return weir_fail(s->sink, weir_scan_place(s), "an arc before the problem line (p sp NODES ARCS)");
  if (!weir_scan_u32(s, "the arc's start", 1, e->rows, &from) || !weir_scan_u32(s, "the arc's end", 1, e->rows, &to) ||
      !weir_scan_f32(s, "the arc's weight", &weight) || !weir_scan_done(s))
    return false;
  weir_entries_add_value(e, from - 1, to - 1, weight);
  return true;
}

static bool read_line(struct weir_scan *s, struct weir_entries *e, uint32_t *arcs, uint32_t *seen) {
  char word[8];
  struct weir_place place = weir_scan_place(s);
  weir_scan_word(s, "the line's kind", word, sizeof word);
  if (!strcmp(word, "c")) return true;
  if (!strcmp(word, "p")) return read_problem(s, e, arcs);
  if (strcmp(word, "a")) return weir_fail(s->sink, place, "a line begins with c, p or a, not '%s'", word);
  ++*seen;
  return read_arc(s, e);
}

bool weir_read_dimacs(struct weir_scan *s, struct weir_entries *e) {
  uint32_t arcs = 0, seen = 0;
  bool ok = true;
  while (weir_scan_line(s))
    if (!weir_scan_blank(s)) ok &= read_line(s, e, &arcs, &seen);
  if (ok && !e->rows) ok = weir_fail(s->sink, weir_scan_place(s), "the problem line (p sp NODES ARCS) is missing");
  if (ok && seen != arcs)
    ok = weir_fail(s->sink, weir_scan_place(s), "the file has %" PRIu32 " arcs instead of the %" PRIu32 " announced",
                   seen, arcs);
  return ok;
}
