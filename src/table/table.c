// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "table/table.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static char *copy(struct weir_table *t, const char *text) {
  return text ? weir_arena_text(&t->arena, text, strlen(text)) : NULL;
}

void weir_table_start(struct weir_table *t, const char *name, const char *title) {
  *t = (struct weir_table){0};
  t->name = copy(t, name);
  t->title = copy(t, title);
}

void weir_table_free(struct weir_table *t) {
  weir_free(t->columns);
  weir_free(t->rows);
  weir_arena_free(&t->arena);
}

void weir_table_column(struct weir_table *t, enum weir_table_format format, const char *name, const char *heading,
                       const char *meaning) {
  assert(!t->row_count);
  struct weir_column *c = weir_push(t->columns, t->column_count, t->column_capacity);
  *c = (struct weir_column){copy(t, name), copy(t, heading), copy(t, meaning), format};
}

void weir_table_columns(struct weir_table *t, const struct weir_column *columns, unsigned count) {
  for (const struct weir_column *c = columns; c < columns + count; c++)
    weir_table_column(t, c->format, c->name, c->heading, c->meaning);
}

struct weir_cell *weir_table_row(struct weir_table *t) {
  struct weir_cell *cells = weir_arena_array(&t->arena, struct weir_cell, t->column_count);
  for (unsigned i = 0; i < t->column_count; i++) cells[i] = (struct weir_cell){NULL, NAN, NAN};
  *weir_push(t->rows, t->row_count, t->row_capacity) = cells;
  return cells;
}

void weir_table_text(struct weir_table *t, struct weir_cell *cell, const char *text) {
  cell->text = copy(t, text);
}

void weir_table_note(struct weir_table *t, const char *note) {
  t->note = copy(t, note);
}

double weir_table_geomean(const struct weir_table *t, unsigned column, bool published, unsigned from, unsigned to,
                          unsigned step) {
  double sum = 0;
  unsigned count = 0;
  for (unsigned i = from; i < to; i += step) {
    const struct weir_cell *c = &t->rows[i][column];
    double v = published ? c->published : c->ours;
    if (v > 0) sum += log(v), count++;
  }
  return count ? exp(sum / count) : NAN;
}

// ---- CSV and JSON ---------------------------------------------------------------------------------------------------

bool weir_table_has_published(const struct weir_table *t, unsigned column) {
  for (unsigned i = 0; i < t->row_count; i++)
    if (!isnan(t->rows[i][column].published)) return true;
  return false;
}

void weir_table_csv_text(const char *text, FILE *to) {
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, to);
    return;
  }
  fputc('"', to);
  for (; *text; text++) {
    if (*text == '"') fputc('"', to);
    fputc(*text, to);
  }
  fputc('"', to);
}

static void csv_number(double v, FILE *to) {
  if (!isnan(v)) fprintf(to, "%.15g", v);
}

static void csv_row(const struct weir_table *t, const struct weir_cell *cells, FILE *to) {
  for (unsigned i = 0; i < t->column_count; i++) {
    if (i) fputc(',', to);
    if (t->columns[i].format == WEIR_COLUMN_TEXT) {
      weir_table_csv_text(cells[i].text ? cells[i].text : "", to);
      continue;
    }
    csv_number(cells[i].ours, to);
    if (!weir_table_has_published(t, i)) continue;
    fputc(',', to);
    csv_number(cells[i].published, to);
  }
  fputc('\n', to);
}

void weir_table_csv(const struct weir_table *t, FILE *to) {
  for (unsigned i = 0; i < t->column_count; i++) {
    fprintf(to, "%s%s", i ? "," : "", t->columns[i].name);
    if (weir_table_has_published(t, i)) fprintf(to, ",%s_published", t->columns[i].name);
  }
  fputc('\n', to);
  for (unsigned i = 0; i < t->row_count; i++) csv_row(t, t->rows[i], to);
}

static json_t *number_or_null(double v) {
  return isfinite(v) ? json_real(v) : json_null();
}

static json_t *row_json(const struct weir_table *t, const struct weir_cell *cells) {
  json_t *o = json_object();
  for (unsigned i = 0; i < t->column_count; i++) {
    const struct weir_column *c = &t->columns[i];
    if (c->format == WEIR_COLUMN_TEXT) {
      json_object_set_new(o, c->name, cells[i].text ? json_string(cells[i].text) : json_null());
      continue;
    }
    json_object_set_new(o, c->name, number_or_null(cells[i].ours));
    char published[128];
    snprintf(published, sizeof published, "%s_published", c->name);
    if (weir_table_has_published(t, i)) json_object_set_new(o, published, number_or_null(cells[i].published));
  }
  return o;
}

json_t *weir_table_json(const struct weir_table *t) {
  json_t *rows = json_array();
  for (unsigned i = 0; i < t->row_count; i++) json_array_append_new(rows, row_json(t, t->rows[i]));
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(t->name));
  json_object_set_new(o, "title", json_string(t->title));
  json_object_set_new(o, "rows", rows);
  return o;
}
