// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stores and atomics, by the line of source that they stand in: what they become, and what that comes to where it is taken.
#include "report/part.h"

#include "base/alloc.h"
#include "report/place.h"
#include "report/share.h"
#include "run/numbers.h"
#include "run/object.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>

struct store_line {
  struct weir_report_line is;
  const char *kind;
  double executions, transactions, accesses, hits;
};

static int by_transactions(const void *a, const void *b) {
  const struct store_line *x = a, *y = b;
  const double p = x->transactions, q = y->transactions;
  return p != q ? (p < q) - (p > q) : weir_report_line_order(&x->is, &y->is);
}

// Of a list of the run object, behind the *count lines there are.
static void gather(struct store_line *lines, unsigned *count, const json_t *list, const char *kind,
                   const struct weir_report_files *files) {
  size_t i;
  json_t *instruction;
  unsigned own = 0;
  json_array_foreach((json_t *)list, i, instruction) {
    struct store_line *l = weir_report_line_of(lines + *count, sizeof *lines, &own, instruction, files);
    const struct weir_store_numbers n = weir_store_of(instruction);
    l->kind = kind;
    l->executions += n.executions;
    l->transactions += n.transactions;
    l->accesses += n.accesses;
    l->hits += n.hits + n.hits_on_miss;
  }
  *count += own;
}

enum column { PLACE, FUNCTION, ARRAY, KIND, EXECUTIONS, ACCESSES, TRANSACTIONS, HIT };

static void make_columns(struct weir_table *t) {
  static const struct weir_column columns[] = {
    [PLACE] = {"line", "line", NULL, WEIR_COLUMN_TEXT},
    [FUNCTION] = {"function", "function", NULL, WEIR_COLUMN_TEXT},
    [ARRAY] = {"array", "array", NULL, WEIR_COLUMN_TEXT},
    [KIND] = {"kind", "kind", NULL, WEIR_COLUMN_TEXT},
    [EXECUTIONS] = {"executions", "executions", "by warps", WEIR_COLUMN_COUNT},
    [ACCESSES] = {"accesses", "accesses", "that these became", WEIR_COLUMN_COUNT},
    [TRANSACTIONS] = {"transactions_per_request", "trans/req", "accesses that one warp's store becomes, on average",
                      WEIR_COLUMN_REAL},
    [HIT] = {"hits", "hit", "in the first level; of atomics in the shared cache that performs them",
             WEIR_COLUMN_PERCENT},
  };
  weir_table_columns(t, columns, HIT + 1);
}

static void put_row(struct weir_table *t, const struct store_line *l) {
  struct weir_cell *c = weir_table_row(t);
  weir_report_line_cells(t, &c[PLACE], &c[FUNCTION], &c[ARRAY], &l->is);
  weir_table_text(t, &c[KIND], l->kind);
  c[EXECUTIONS].ours = l->executions;
  c[ACCESSES].ours = l->transactions;
  c[TRANSACTIONS].ours = weir_share(l->transactions, l->executions);
  c[HIT].ours = weir_share(l->hits, l->accesses);
}

static void print_lines(const struct store_line *lines, unsigned count, struct weir_report_files *files, FILE *to) {
  struct weir_table t;
  fputs("\nstores and atomics, by the accesses they become\n\n", to);
  weir_table_start(&t, "stores", "");
  make_columns(&t);
  for (unsigned i = 0; i < count && i < WEIR_REPORT_LINES; i++) {
    put_row(&t, &lines[i]);
    weir_report_show(files, &lines[i].is);
  }
  weir_table_print(&t, to);
  weir_table_free(&t);
  if (count > WEIR_REPORT_LINES)
    fprintf(to, "\n%u rows with fewer accesses are not shown (--json has them)\n", count - WEIR_REPORT_LINES);
}

void weir_print_stores(const json_t *run, struct weir_report_files *files, FILE *to) {
  const json_t *stores = weir_run_member(run, "stores"), *atomics = weir_run_member(run, "atomics");
  const size_t room = json_array_size(stores) + json_array_size(atomics);
  if (!room) return;
  struct store_line *lines = weir_new_array(struct store_line, room);
  unsigned count = 0;
  gather(lines, &count, stores, "store", files);
  gather(lines, &count, atomics, "atomic", files);
  qsort(lines, count, sizeof *lines, by_transactions);
  print_lines(lines, count, files, to);
  weir_free(lines);
}
