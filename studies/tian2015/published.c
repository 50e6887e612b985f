// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "tian2015/tian2015.h"

static const struct weir_published numbers[] = {
#define PUBLISHED(figure, row, column, value, quote) {figure, row, column, value},
#include "published.def"
#undef PUBLISHED
};

void tian_publish(struct weir_table *t) {
  weir_figure_publish(t, numbers, sizeof numbers / sizeof *numbers);
}
