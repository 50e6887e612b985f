// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "holey2014/holey2014.h"

#include <string.h>

static const struct weir_published numbers[] = {
#define PUBLISHED(figure, row, column, value, quote) {figure, row, column, value},
#include "published.def"
#undef PUBLISHED
};

void holey_publish(struct weir_table *t) {
  weir_figure_publish(t, numbers, sizeof numbers / sizeof *numbers);
}

static const struct {
  const char *scheme, *heading;
} headings[] = {
  {HOLEY_DRRIP, "DRRIP"}, {HOLEY_MAT, "MAT"}, {HOLEY_SDBP, "SDBP"}, {HOLEY_TAP, "TAP-RRIP"}, {HOLEY_HELM, "HeLM"}};

const char *holey_scheme_heading(const char *scheme) {
  unsigned i = 0;
  while (strcmp(headings[i].scheme, scheme) != 0) i++;
  return headings[i].heading;
}

void holey_scheme_columns(struct weir_table *t, const char *first, enum weir_table_format format) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "row", first, NULL);
  for (const char *const *scheme = holey_schemes; *scheme; scheme++)
    weir_table_column(t, format, *scheme, holey_scheme_heading(*scheme), NULL);
}
