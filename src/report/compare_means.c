// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/compare_private.h"

enum { PROGRAM, SCHEME }; // the first columns of every comparison

void weir_compare_means(struct weir_table *t, const struct weir_batch *b, unsigned schemes, const unsigned *columns,
                        unsigned count) {
  unsigned rows = t->row_count;
  t->summary_row = rows;
  for (unsigned s = 0; s < schemes; s++) {
    struct weir_cell *c = weir_table_row(t);
    weir_table_text(t, &c[PROGRAM], WEIR_COMPARE_MEAN);
    weir_table_text(t, &c[SCHEME], b->items[s].experiment.scheme);
    for (unsigned k = 0; k < count; k++)
      c[columns[k]].ours = weir_table_geomean(t, columns[k], false, s, rows, schemes);
  }
}
