// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/diag.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 100, SHOWN_COLUMNS = 160, SHORTEST_PART = 3 };

static const char *severity_name(enum weir_severity s) {
  return s == WEIR_ERROR ? "error" : s == WEIR_WARNING ? "warning" : "note";
}

void weir_sink_follow(struct weir_sink *sink, const char *text) {
  if (sink->followed.text == text) return;
  sink->followed.text = sink->followed.at = text;
  sink->followed.line = 1;
}

// The place's line in its text. NULL if there is none.
static const char *find_line(struct weir_sink *sink, struct weir_place place) {
  const bool followed = place.text == sink->followed.text, later = followed && place.line >= sink->followed.line;
  const char *at = later ? sink->followed.at : place.text;
  for (unsigned line = later ? sink->followed.line : 1; at && line < place.line; line++) {
    at = strchr(at, '\n');
    if (at) at++;
  }
  if (at && followed) sink->followed.at = at, sink->followed.line = place.line;
  return at;
}

// As much of the line as can be of use: lines may be as long as the text.
static size_t shown_length(const char *line) {
  size_t length = 0;
  while (length <= SHOWN_COLUMNS && line[length] && line[length] != '\r' && line[length] != '\n') length++;
  return length;
}

static void put_caret(FILE *f, struct weir_sink *sink, struct weir_place place) {
  if (!place.text || !place.line || !place.column || place.column > SHOWN_COLUMNS) return;
  const char *line = find_line(sink, place);
  const size_t length = line ? shown_length(line) : 0;
  if (!line || place.column > length + 1) return;
  fprintf(f, "  %.*s\n  ", (int)(length > SHOWN_COLUMNS ? SHOWN_COLUMNS : length), line);
  for (size_t i = 0; i + 1 < place.column; i++) fputc(line[i] == '\t' ? '\t' : ' ', f);
  fputs("^\n", f);
}

static void put_place(FILE *f, struct weir_place p) {
  if (!p.file) {
    fputs("weir: ", f);
    return;
  }
  fprintf(f, "%s:", p.file);
  if (p.line) fprintf(f, "%u:", p.line);
  if (p.line && p.column) fprintf(f, "%u:", p.column);
  fputc(' ', f);
}

static void record(struct weir_sink *sink, enum weir_severity severity, struct weir_place place, const char *format,
                   va_list arguments) {
  if (severity == WEIR_ERROR && sink->errors++ >= (sink->limit ? sink->limit : DEFAULT_LIMIT)) return;
  char *message = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&message, &size);
  if (!f) abort();
  put_place(f, place);
  fprintf(f, "%s: ", severity_name(severity));
  if (!place.file && place.text) fprintf(f, "%s: ", place.text);
  vfprintf(f, format, arguments);
  fputc('\n', f);
  put_caret(f, sink, place);
  fclose(f);
  struct weir_diag *d = weir_push(sink->diags, sink->count, sink->capacity);
  *d = (struct weir_diag){severity, message};
}

void weir_report(struct weir_sink *sink, enum weir_severity severity, struct weir_place place, const char *format,
                 ...) {
  va_list arguments;
  va_start(arguments, format);
  record(sink, severity, place, format, arguments);
  va_end(arguments);
}

bool weir_fail(struct weir_sink *sink, struct weir_place place, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(sink, WEIR_ERROR, place, format, arguments);
  va_end(arguments);
  return false;
}

bool weir_fail_plain(struct weir_sink *sink, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record(sink, WEIR_ERROR, (struct weir_place){0}, format, arguments);
  va_end(arguments);
  return false;
}

void weir_sink_print(const struct weir_sink *sink, FILE *to) {
  size_t shown = 0;
  for (size_t i = 0; i < sink->count; i++) {
    fputs(sink->diags[i].message, to);
    shown += sink->diags[i].severity == WEIR_ERROR;
  }
  if (sink->errors > shown) fprintf(to, "weir: %zu further errors not shown\n", sink->errors - shown);
}

void weir_sink_free(struct weir_sink *sink) {
  for (size_t i = 0; i < sink->count; i++) weir_free(sink->diags[i].message);
  weir_free(sink->diags);
  *sink = (struct weir_sink){0};
}

void weir_sink_take(struct weir_sink *sink, struct weir_sink *from) {
  for (size_t i = 0; i < from->count; i++) *weir_push(sink->diags, sink->count, sink->capacity) = from->diags[i];
  sink->errors += from->errors;
  weir_free(from->diags);
  *from = (struct weir_sink){0};
}

static size_t min3(size_t a, size_t b, size_t c) {
  size_t m = a < b ? a : b;
  return m < c ? m : c;
}

// Edits that make a of b, two letters exchanged counted as one (optimal string alignment); words longer than a row count
// as far away. Three rows: those of this letter of a, of the last and of the one before it go round.
static size_t distance(const char *a, const char *b) {
  enum { ROW = 64 };
  size_t rows[3][ROW], n = strlen(b), i = 0;
  if (n + 1 > ROW) return SIZE_MAX;
  for (size_t j = 0; j <= n; j++) rows[0][j] = j;
  while (a[i++]) {
    size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = min3(row[j], row[j], before[j - 2] + 1);
    }
  }
  return rows[(i - 1) % 3][n];
}

const char *weir_nearest(const char *word, const char *const *candidates, size_t count) {
  size_t best = strlen(word) / 3 + 1;
  const char *nearest = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t d = distance(word, candidates[i]);
    if (d < best || (d == best && !nearest)) best = d, nearest = candidates[i];
  }
  if (strlen(word) < SHORTEST_PART) return nearest;
  for (size_t i = 0; i < count && !nearest; i++) // "gtx480", a kernel's name before its mangling
    if (strstr(candidates[i], word)) nearest = candidates[i];
  return nearest;
}
