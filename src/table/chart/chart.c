// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // strcasestr

#include "table/chart/canvas.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

enum { LEAST_WIDTH = 40, WIDTH = 80, GREATEST_WIDTH = 1000, GAP = 2 };

static unsigned width_of(int fd) {
  struct winsize size;
  const char *columns = getenv("COLUMNS");
  long width = columns ? strtol(columns, NULL, 10) : 0;
  if (width <= 0) width = !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : WIDTH;
  return (unsigned)(width < LEAST_WIDTH ? LEAST_WIDTH : width > GREATEST_WIDTH ? GREATEST_WIDTH : width);
}

// As setlocale would choose the locale, but without changing how anything else is read or written.
static bool speaks_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    const char *locale = getenv(names[i]);
    if (locale && *locale) return strcasestr(locale, ".UTF-8") || strcasestr(locale, ".utf8");
  }
  return false;
}

struct weir_chart_style weir_chart_style(int fd) {
  return (struct weir_chart_style){width_of(fd), !speaks_utf8()};
}

static bool drawn(const struct weir_chart *c, const char *column) {
  for (const char *const *name = c->series; *name; name++)
    if (!strcmp(*name, column)) return true;
  return c->by && !strcmp(c->by, column);
}

// What the columns drawn mean, as below a table.
static void print_legend(const struct weir_table *t, const struct weir_chart_style *s, FILE *to) {
  unsigned widest = 0;
  for (unsigned i = 0; i < t->column_count; i++) {
    const struct weir_column *c = &t->columns[i];
    unsigned w = c->meaning && drawn(t->chart, c->name) ? weir_text_width(c->heading) : 0;
    if (w > widest) widest = w;
  }
  if (widest) fputc('\n', to);
  if (widest > s->width / 4) widest = s->width / 4;
  for (unsigned i = 0; i < t->column_count; i++) {
    const struct weir_column *c = &t->columns[i];
    if (!c->meaning || !drawn(t->chart, c->name)) continue;
    char text[1024];
    int pad = (int)(widest + GAP) - (int)weir_text_width(c->heading);
    snprintf(text, sizeof text, "%*s%s%*s%s", GAP, "", c->heading, pad > 1 ? pad : 1, "", c->meaning);
    weir_chart_paragraph(s, text, widest + 2 * GAP, to);
  }
}

void weir_chart_print(const struct weir_table *t, const struct weir_chart_style *s, FILE *to) {
  struct weir_chart_view v;
  if (t->chart->kind != WEIR_CHART_BARS) {
    weir_table_print(t, to);
    fputs("\n(--svg DIR draws this table; a terminal shows bars alone)\n", to);
    return;
  }
  weir_view_make(&v, t);
  if (t->title && *t->title) weir_chart_paragraph(s, t->title, 0, to);
  if (t->title && *t->title) fputc('\n', to);
  weir_chart_bars(&v, s, to);
  print_legend(t, s, to);
  if (t->note) fputc('\n', to);
  if (t->note) weir_chart_paragraph(s, t->note, 0, to);
  weir_view_free(&v);
}
