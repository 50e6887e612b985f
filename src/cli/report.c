// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir report: runs as one page of HTML.
#include "base/alloc.h"
#include "base/file.h"
#include "batch/store.h"
#include "cli/options.h"
#include "report/page.h"
#include "run/object.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct job {
  const struct options *options;
  struct weir_store_filter filter;
  json_t *runs;
  const char *path; // that is being read
  double schema;    // of the runs so far; 0: there are none
  const char *schema_path;
  struct weir_sink *sink;
};

static bool fail(struct job *j, unsigned line, const char *what) {
  return weir_fail(j->sink, (struct weir_place){j->path, NULL, line, 0}, "%s", what);
}

// Takes the run.
static bool add_run(struct job *j, json_t *run) {
  const double schema = weir_run_number(run, "schema_version");
  bool ok = (json_is_object(run) && json_is_object(json_object_get(run, "total")) && *weir_run_text(run, "program") &&
             schema > 0) ||
    fail(j, 0, "has a value that is no run object: weir run --json and weir compare --json write them");
  if (ok && j->schema && schema != j->schema) {
    ok = weir_fail(j->sink, (struct weir_place){j->path, NULL, 0, 0},
                   "has a run object of schema %.0f, and %s one of %.0f: a page cannot compare them", schema,
                   j->schema_path, j->schema);
  }
  if (ok) {
    j->schema = schema;
    j->schema_path = j->path;
    json_array_append(j->runs, run);
  }
  json_decref(run);
  return ok;
}

// ---- files of run objects ------------------------------------------------------------------------------------------------

static bool add_value(struct job *j, json_t *value) { // takes it
  bool ok = true;
  size_t i;
  json_t *run;
  if (!json_is_array(value)) return add_run(j, value);
  json_array_foreach(value, i, run) ok = ok && add_run(j, json_incref(run));
  json_decref(value);
  return ok;
}

static unsigned lines_before(const char *text, size_t end) {
  unsigned lines = 0;
  for (size_t i = 0; i < end; i++) lines += text[i] == '\n';
  return lines;
}

// One value after the other: an object, an array of them, or an object a line.
static bool read_objects(struct job *j, const char *text, size_t size) {
  const size_t before = json_array_size(j->runs);
  for (size_t at = 0; (at += strspn(text + at, " \t\r\n")) < size;) {
    json_error_t error;
    json_t *value = json_loadb(text + at, size - at, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
    if (!value) {
      char *what = weir_text_format("is neither a results store nor JSON: %s", error.text);
      fail(j, lines_before(text, at) + (unsigned)error.line, what);
      weir_free(what);
      return false;
    }
    at += (size_t)error.position;
    if (!add_value(j, value)) return false;
  }
  return json_array_size(j->runs) > before || fail(j, 0, "holds no run");
}

// ---- stores ----------------------------------------------------------------------------------------------------------------

static void set_name(json_t *names, const char *of, const char *name) {
  if (name) json_object_set_new(names, of, json_string(name));
}

static void add_object(void *context, const char *object, const struct weir_store_name *name) {
  struct job *j = context;
  json_t *run = j->sink->errors ? NULL : json_loads(object, 0, NULL);
  if (run) {
    json_t *names = json_object();
    set_name(names, "program", name->program);
    set_name(names, "chip", name->chip);
    set_name(names, "scheme", name->scheme);
    json_object_set_new(run, "names", names);
    add_run(j, run);
  }
  if (!run && !j->sink->errors) fail(j, 0, "holds a run that is no JSON");
}

static bool read_store(struct job *j, const char *path) {
  const size_t before = json_array_size(j->runs);
  struct weir_store *s = weir_store_open(path, WEIR_STORE_AS_IT_IS, j->sink);
  bool ok = s && weir_store_each_object(s, &j->filter, add_object, j, j->sink) && !j->sink->errors;
  if (ok && json_array_size(j->runs) == before) ok = fail(j, 0, "holds no run that is asked for");
  weir_store_close(s);
  return ok;
}

// False also if it cannot be read: who reads it says why.
static bool is_store(const char *path) {
  static const char head[] = "SQLite format 3"; // and its NUL
  char start[sizeof head] = "";
  FILE *file = fopen(path, "r");
  const bool is = file && fread(start, 1, sizeof head, file) == sizeof head && !memcmp(start, head, sizeof head);
  if (file) fclose(file);
  return is;
}

static bool read_file(struct job *j, const char *path) {
  size_t size;
  j->path = path;
  if (is_store(path)) return read_store(j, path);
  char *text = weir_file_read(path, 0, &size, j->sink);
  const bool ok = text && read_objects(j, text, size);
  weir_free(text);
  return ok;
}

// ---- the page ----------------------------------------------------------------------------------------------------------------

static char *command_line(const struct options *o) {
  char *line = weir_text_copy("weir report");
  for (unsigned i = 0; i < o->argument_count; i++) {
    char *longer = weir_text_format("%s %s", line, o->arguments[i]);
    weir_free(line);
    line = longer;
  }
  return line;
}

static bool write_page(struct job *j) {
  const char *path = j->options->output_path;
  char *page = NULL, *command = command_line(j->options);
  size_t size;
  FILE *to = open_memstream(&page, &size);
  if (!to) abort();
  weir_report_page(j->runs, command, to);
  fclose(to);
  const bool ok = weir_file_write(path, page, size, j->sink);
  const size_t count = json_array_size(j->runs);
  if (ok) fprintf(stderr, "weir: %s: %zu run%s\n", path, count, count == 1 ? "" : "s");
  weir_free(command);
  free(page);
  return ok;
}

static int run(const struct options *o) {
  if (!o->output_path) return weir_usage_error("report", "-o FILE is missing: the page to write");
  if (o->scheme_count > 1) return weir_usage_error("report", "--scheme is given twice: one pattern, or --where");
  struct weir_sink sink = {0};
  struct job j = {.options = o, .runs = json_array(), .sink = &sink};
  j.filter = (struct weir_store_filter){
    .program = o->program_name, .chip = o->chip, .scheme = o->scheme_count ? o->schemes[0] : NULL, .where = o->where};
  bool ok = true;
  for (unsigned i = 0; ok && i < o->argument_count; i++) ok = read_file(&j, o->arguments[i]);
  if (ok) write_page(&j);
  json_decref(j.runs);
  return weir_conclude(&sink);
}

static const struct argp_option options[] = {
  {"output", KEY_OUT, "FILE", 0, "the page to write", 0},
  {"program", KEY_PROGRAM, "PATTERN", 0, "of a store, runs of these programs, as the shell matches names: 'bfs*'", 0},
  {"chip", KEY_CHIP, "PATTERN", 0, "of a store, runs on these chips", 0},
  {"scheme", KEY_SCHEME, "PATTERN", 0, "of a store, runs under these schemes", 0},
  {"where", KEY_WHERE, "CONDITION", 0, "of a store, runs of which this is true, in SQL (weir store columns)", 0},
  {0},
};

const struct command command_report = {
  .name = "report",
  .arguments = "FILE...",
  .summary = "write runs as one page of HTML: tables, charts, source lines",
  .description =
    "Each FILE is a results store (docs/STORE.md) or run objects as run --json, compare --json and store export write them. "
    "The page stands alone: it needs no network and nothing of weir (docs/REPORTS.md).",
  .options = options,
  .least = 1,
  .most = UINT_MAX,
  .run = run,
};
