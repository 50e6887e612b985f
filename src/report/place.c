// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where an instruction stands, as short as it can be told: a line of a file, and with as many of the file's folders as tell
// it from the others (a header of the same name in another folder is another file).
#include "base/alloc.h"
#include "base/demangle.h"
#include "base/file.h"
#include "run/object.h"
#include "report/place.h"
#include "report/source.h"
#include "table/table.h"

#include <stdio.h>
#include <string.h>

static bool is_known(const struct weir_report_files *f, const char *path) {
  for (unsigned i = 0; i < f->count; i++)
    if (!strcmp(f->paths[i], path)) return true;
  return false;
}

void weir_report_files_add(struct weir_report_files *f, const json_t *instructions) {
  size_t i;
  json_t *instruction;
  json_array_foreach((json_t *)instructions, i, instruction) {
    const char *path = weir_run_text(instruction, "source_file");
    if (*path && !is_known(f, path)) *weir_push(f->paths, f->count, f->capacity) = path;
  }
}

void weir_report_files_free(struct weir_report_files *f) {
  weir_free(f->paths);
  weir_free(f->shown);
}

static bool ends_with(const char *path, const char *end) {
  const size_t n = strlen(path), m = strlen(end);
  return n >= m && !strcmp(path + n - m, end) && (n == m || path[n - m - 1] == '/');
}

static bool tells(const struct weir_report_files *f, const char *path, const char *end) {
  for (unsigned i = 0; i < f->count; i++)
    if (strcmp(f->paths[i], path) != 0 && ends_with(f->paths[i], end)) return false;
  return true;
}

static const char *shortest(const struct weir_report_files *f, const char *path) {
  const char *end = weir_path_name(path);
  while (end > path && !tells(f, path, end)) {
    end--; // the slash, or the path's beginning
    while (end > path && end[-1] != '/') end--;
  }
  return end;
}

// "tile.h:5", or "PTX line 12" where the PTX does not say.
static void put_place(char *out, size_t size, const json_t *instruction, const struct weir_report_files *f) {
  const char *path = weir_run_text(instruction, "source_file");
  if (*path)
    snprintf(out, size, "%s:%.0f", shortest(f, path), weir_run_number(instruction, "source_line"));
  else
    snprintf(out, size, "PTX line %.0f", weir_run_number(instruction, "line"));
}

void *weir_report_line_of(void *rows, size_t size, unsigned *count, const json_t *instruction,
                          const struct weir_report_files *f) {
  struct weir_report_line new = {.function = weir_run_text(instruction, "function"),
                                 .array = weir_run_array(instruction),
                                 .source_file = weir_run_text(instruction, "source_file")},
                          *row = rows;
  if (*new.source_file) new.source_line = (unsigned)weir_run_number(instruction, "source_line");
  put_place(new.place, sizeof new.place, instruction, f);
  for (unsigned i = 0; i < *count; i++, row = (void *)((char *)row + size))
    if (!strcmp(row->place, new.place) && !strcmp(row->function, new.function) && !strcmp(row->array, new.array))
      return row;
  memset(row, 0, size);
  *row = new;
  ++*count;
  return row;
}

int weir_report_line_order(const struct weir_report_line *a, const struct weir_report_line *b) {
  const int places = strcmp(a->place, b->place), functions = strcmp(a->function, b->function);
  return places ? places : functions ? functions : strcmp(a->array, b->array);
}

void weir_report_line_cells(struct weir_table *t, struct weir_cell *place, struct weir_cell *function,
                            struct weir_cell *array, const struct weir_report_line *l) {
  char *name = weir_demangle(l->function), *variable = weir_demangle(l->array);
  weir_table_text(t, place, l->place);
  weir_table_text(t, function, name);
  if (array) weir_table_text(t, array, *variable ? variable : "?");
  weir_free(name);
  weir_free(variable);
}

void weir_report_show(struct weir_report_files *f, const struct weir_report_line *l) {
  for (unsigned i = 0; i < f->shown_count; i++)
    if (!strcmp(f->shown[i].place, l->place)) return;
  if (l->source_line) *weir_push(f->shown, f->shown_count, f->shown_room) = *l;
}

void weir_report_print_sources(const struct weir_report_files *f, const json_t *run, FILE *to) {
  const char *program = weir_run_text(run, "program");
  bool some = false;
  for (unsigned i = 0; i < f->shown_count; i++) {
    const struct weir_report_line *l = &f->shown[i];
    char *text = weir_source_line(l->source_file, l->source_line, program);
    if (text) fprintf(to, "%s%s: %s\n", some ? "" : "\n", l->place, text);
    some |= text != NULL;
    weir_free(text);
  }
}
