// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Small tables with round numbers, and their charts as text.
#ifndef WEIR_TEST_MADE_TABLES_H
#define WEIR_TEST_MADE_TABLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "table/chart/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A table of one text column, "n", and `count` columns of numbers named "a", "b", …
static inline void table_start(struct weir_table *t, const struct weir_chart *chart, enum weir_table_format format,
                               unsigned count, const char *const *headings) {
  weir_table_start(t, "1", "");
  t->chart = chart;
  weir_table_column(t, WEIR_COLUMN_TEXT, "n", "n", NULL);
  for (unsigned i = 0; i < count; i++)
    weir_table_column(t, format, (char[]){(char)('a' + i), 0}, headings ? headings[i] : (char[]){(char)('A' + i), 0},
                      NULL);
}

static inline struct weir_cell *table_row(struct weir_table *t, const char *label, const double *ours, unsigned count) {
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[0], label);
  for (unsigned i = 0; i < count; i++) c[i + 1].ours = ours[i];
  return c;
}
#define ROW(t, label, ...)                                                                                             \
  table_row(t, label, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static inline char *chart_text(const struct weir_table *t, unsigned width, bool ascii) {
  char *text;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  weir_chart_print(t, &(struct weir_chart_style){width, ascii}, f);
  fclose(f);
  return text;
}

// The glyph count times; of use until the 32nd call after it.
static inline const char *times(const char *glyph, unsigned count) {
  static char texts[32][512];
  static unsigned next;
  char *text = texts[next++ % 32];
  *text = 0;
  while (count--) strcat(text, glyph);
  return text;
}

__attribute__((format(printf, 3, 4))) static inline void assert_line(const char *text, unsigned line,
                                                                     const char *format, ...) {
  char want[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(want, sizeof want, format, arguments);
  va_end(arguments);
  const char *at = text;
  for (; line && at; line--) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
  assert_non_null(at);
  size_t length = strcspn(at, "\n");
  if (length == strlen(want) && !memcmp(at, want, length)) return;
  print_error("'%.*s' instead of '%s' in:\n%s", (int)length, at, want, text);
  fail();
}

static inline void assert_empty_line(const char *text, unsigned line) {
  assert_line(text, line, "%s", "");
}

#endif
