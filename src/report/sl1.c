// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The part of a report that tells of S-L1.
#include "run/object.h"
#include "report/part.h"

#include "base/alloc.h"
#include "base/demangle.h"
#include "report/share.h"
#include "table/table.h"

static void columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "kernel", "S-L1", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "lines", "lines", "of each thread, in the kernel's last launch");
  weir_table_column(t, WEIR_COLUMN_TEXT, "structure", "structure", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "verdict", "verdict", NULL);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "caching", "cached by",
                    "of the threads that came to decide (sl1.counters=true)");
  weir_table_column(t, WEIR_COLUMN_COUNT, "accesses", "accesses",
                    "of threads, once they had decided (sl1.counters=true)");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "hits", "hit", NULL);
}

static void row(struct weir_table *t, const json_t *kernel, const json_t *structure) {
  struct weir_cell *c = weir_table_row(t);
  const json_t *counters = weir_run_member(structure, "counters");
  char *name = weir_demangle(weir_run_text(kernel, "name"));
  weir_table_text(t, &c[0], name);
  weir_free(name);
  c[1].ours = weir_run_number(kernel, "lines");
  if (!structure) return;
  weir_table_text(t, &c[2], weir_run_text(structure, "parameter"));
  weir_table_text(t, &c[3], weir_run_text(structure, "verdict"));
  c[4].ours = weir_share(weir_run_number(counters, "caching"), weir_run_number(counters, "threads"));
  c[5].ours = weir_run_number(counters, "accesses");
  c[6].ours = weir_run_number(counters, "hit_rate");
}

void weir_print_sl1(const json_t *run, FILE *to) {
  struct weir_table t;
  const json_t *kernels = weir_run_member(run, "sl1.kernels");
  size_t i, k;
  json_t *kernel, *structure;
  if (!json_array_size(kernels)) return;
  weir_table_start(&t, "sl1", "");
  columns(&t);
  json_array_foreach((json_t *)kernels, i, kernel) {
    const json_t *structures = weir_run_member(kernel, "structures");
    if (!json_array_size(structures)) row(&t, kernel, NULL);
    json_array_foreach((json_t *)structures, k, structure) row(&t, kernel, structure);
  }
  fputc('\n', to);
  weir_table_print(&t, to);
  weir_table_free(&t);
}
