// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "holey2014/holey2014.h"

static const struct weir_published numbers[] = {
#define PUBLISHED(figure, row, column, value, quote) {figure, row, column, value},
#include "published.def"
#undef PUBLISHED
};

void holey_publish(struct weir_table *t) {
  weir_figure_publish(t, numbers, sizeof numbers / sizeof *numbers);
}

void holey_scheme_columns(struct weir_table *t, const char *first, enum weir_table_format format) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", first, NULL);
  weir_table_column(t, format, HOLEY_DRRIP, "DRRIP", NULL);
  weir_table_column(t, format, HOLEY_MAT, "MAT", NULL);
  weir_table_column(t, format, HOLEY_SDBP, "SDBP", NULL);
  weir_table_column(t, format, HOLEY_TAP, "TAP-RRIP", NULL);
  weir_table_column(t, format, HOLEY_HELM, "HeLM", NULL);
}
