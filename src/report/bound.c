// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The bound of a run under a scheme that foresees: of each line's fills, those that the best of decisions would not have kept.
#include "report/part.h"

#include "base/alloc.h"
#include "report/place.h"
#include "report/share.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>

struct bound_line {
  struct weir_report_line is;
  double misses, least_misses, fills, unkept_fills;
};

static int by_unkept(const void *a, const void *b) {
  const struct bound_line *x = a, *y = b;
  const double p = x->unkept_fills, q = y->unkept_fills;
  return p != q ? (p < q) - (p > q) : weir_report_line_order(&x->is, &y->is);
}

// The load of that pc; both lists are in the order of it. *at: where to go on.
static const json_t *load_of(const json_t *loads, double pc, size_t *at) {
  while (*at < json_array_size(loads) && weir_run_number(json_array_get(loads, *at), "pc") < pc) ++*at;
  const json_t *load = json_array_get(loads, *at);
  return load && weir_run_number(load, "pc") == pc ? load : NULL;
}

static struct bound_line *gather(const json_t *run, const json_t *instructions, const struct weir_report_files *files,
                                 unsigned *count) {
  struct bound_line *lines = weir_new_array(struct bound_line, json_array_size(instructions));
  const json_t *loads = weir_run_member(run, "loads");
  size_t i, at = 0;
  json_t *instruction;
  *count = 0;
  json_array_foreach((json_t *)instructions, i, instruction) {
    const json_t *load = load_of(loads, weir_run_number(instruction, "pc"), &at);
    if (!load) continue;
    const struct weir_bound_numbers n = weir_bound_of(instruction);
    struct bound_line *l = weir_report_line_of(lines, sizeof *lines, count, load, files);
    l->misses += n.misses;
    l->least_misses += n.least_misses;
    l->fills += n.fills;
    l->unkept_fills += n.unkept_fills;
  }
  qsort(lines, *count, sizeof *lines, by_unkept);
  return lines;
}

enum column { PLACE, FUNCTION, ARRAY, FILLS, UNKEPT, MISSES, LEAST };

static void make_columns(struct weir_table *t) {
  static const struct weir_column columns[] = {
    [PLACE] = {"line", "line", NULL, WEIR_COLUMN_TEXT},
    [FUNCTION] = {"function", "function", NULL, WEIR_COLUMN_TEXT},
    [ARRAY] = {"array", "array", NULL, WEIR_COLUMN_TEXT},
    [FILLS] = {"fills", "fills", "of the recorded run", WEIR_COLUMN_COUNT},
    [UNKEPT] = {"unkept", "not worth it",
                "of these, those that the best of decisions would not have kept until a next use", WEIR_COLUMN_PERCENT},
    [MISSES] = {"misses", "misses", "of the recorded run", WEIR_COLUMN_COUNT},
    [LEAST] = {"least_misses", "at least", "misses with the best of decisions", WEIR_COLUMN_COUNT},
  };
  weir_table_columns(t, columns, LEAST + 1);
}

static void print_lines(const struct bound_line *lines, unsigned count, FILE *to) {
  struct weir_table t;
  weir_table_start(&t, "bound", "");
  make_columns(&t);
  for (unsigned i = 0; i < count && i < WEIR_REPORT_LINES; i++) {
    struct weir_cell *c = weir_table_row(&t);
    weir_report_line_cells(&t, &c[PLACE], &c[FUNCTION], &c[ARRAY], &lines[i].is);
    c[FILLS].ours = lines[i].fills;
    c[UNKEPT].ours = weir_share(lines[i].unkept_fills, lines[i].fills);
    c[MISSES].ours = lines[i].misses;
    c[LEAST].ours = lines[i].least_misses;
  }
  weir_table_print(&t, to);
  weir_table_free(&t);
}

void weir_print_bound(const json_t *run, FILE *to) {
  const json_t *bound = weir_run_bound(run, WEIR_FIRST_CACHE);
  if (!bound) return;
  const struct weir_bound_numbers n = weir_bound_of(bound);
  const struct weir_cache_numbers cache = weir_run_cache(run, WEIR_FIRST_CACHE);
  if (!n.load_misses) { // as where loads go past it
    fprintf(to, "\nthe bound: no load missed %s in the recorded run, so that no decision could do better\n",
            cache.name);
    return;
  }
  fprintf(
    to,
    "\nthe bound: of %.0f loads that missed %s in the recorded run, %.0f (%.1f %%) would have missed with the best of "
    "decisions; in this run, which comes in another order, %.0f did\n\n",
    n.load_misses, cache.name, n.least_load_misses, 100 * weir_share(n.least_load_misses, n.load_misses),
    cache.loads.misses);
  struct weir_report_files files = {0};
  weir_report_files_add(&files, weir_run_member(run, "loads"));
  unsigned count;
  struct bound_line *lines = gather(run, weir_run_member(bound, "instructions"), &files, &count);
  print_lines(lines, count, to);
  weir_free(lines);
  weir_report_files_free(&files);
}
