// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir store: what the results store holds.
#include "base/alloc.h"
#include "batch/store.h"
#include "cli/options.h"
#include "table/table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct job {
  const struct options *options;
  struct weir_store *store;
  struct weir_store_filter filter;
  FILE *to;
  struct weir_sink *sink;
};

// ---- list --------------------------------------------------------------------------------------------------------------

static const struct weir_column shown[] = {
  {"program", "program", NULL, WEIR_COLUMN_TEXT},
  {"size", "size", NULL, WEIR_COLUMN_TEXT},
  {"chip", "chip", NULL, WEIR_COLUMN_TEXT},
  {"scheme", "scheme", NULL, WEIR_COLUMN_TEXT},
  {"seed", "seed", NULL, WEIR_COLUMN_TEXT},
  {"check", "check", "of the program's results", WEIR_COLUMN_TEXT},
  {"cycles", "cycles", NULL, WEIR_COLUMN_COUNT},
  {"ipc", "IPC", "warp instructions per cycle", WEIR_COLUMN_REAL},
  {"l1_hit_rate", "L1 hits", "of loads, in the cache nearest the cores", WEIR_COLUMN_PERCENT},
  {"dram_bytes", "DRAM", NULL, WEIR_COLUMN_BYTES},
  {"timed", "timed", "launches, if not all were timed: the numbers are of these, or estimated from them",
   WEIR_COLUMN_COUNT},
  {"made", "made", "UTC", WEIR_COLUMN_TEXT},
};
enum { SHOWN = sizeof shown / sizeof *shown };

static void print_table(const struct job *j, const struct weir_table *t) {
  if (j->options->format == OUTPUT_CSV)
    weir_table_csv(t, j->to);
  else
    weir_table_print(t, j->to);
}

static void add_row(void *context, const struct weir_store_cell *cells, unsigned count) {
  struct weir_table *t = context;
  struct weir_cell *row = weir_table_row(t);
  for (unsigned i = 0; i < count; i++) {
    const char *text = cells[i].text;
    if (shown[i].format == WEIR_COLUMN_TEXT)
      weir_table_text(t, &row[i], text ? text : "");
    else if (text)
      row[i].ours = strtod(text, NULL);
  }
}

static bool list(struct job *j) {
  struct weir_table t;
  weir_table_start(&t, "results", weir_store_path(j->store));
  weir_table_columns(&t, shown, SHOWN);
  const bool ok = weir_store_each(
    j->store,
    "coalesce(program_name, program), size, coalesce(chip_name, chip), coalesce(scheme_name, scheme), seed, \"check\", cycles, ipc, l1_hit_rate, dram_bytes,"
    " coalesce(selected_launches, sampled_launches), made",
    &j->filter, add_row, &t, j->sink);
  char *note = weir_text_format("%u run%s", t.row_count, t.row_count == 1 ? "" : "s");
  weir_table_note(&t, note);
  if (ok) print_table(j, &t);
  weir_free(note);
  weir_table_free(&t);
  return ok;
}

// ---- export ------------------------------------------------------------------------------------------------------------

struct csv {
  FILE *to;
  bool begun;
};

static void csv_row(void *context, const struct weir_store_cell *cells, unsigned count) {
  struct csv *c = context;
  for (unsigned i = 0; !c->begun && i < count; i++) fprintf(c->to, "%s%s", i ? "," : "", cells[i].name);
  if (!c->begun) putc('\n', c->to);
  c->begun = true;
  for (unsigned i = 0; i < count; i++) {
    if (i) putc(',', c->to);
    weir_table_csv_text(cells[i].text ? cells[i].text : "", c->to);
  }
  putc('\n', c->to);
}

static void print_object(void *context, const char *object, const struct weir_store_name *name) {
  (void)name; // the object is as it was stored
  fprintf(context, "%s\n", object);
}

static bool export(struct job *j) {
  struct csv c = {.to = j->to};
  return j->options->format == OUTPUT_CSV ? weir_store_each(j->store, "*", &j->filter, csv_row, &c, j->sink)
                                          : weir_store_each_object(j->store, &j->filter, print_object, j->to, j->sink);
}

// ---- merge, prune, columns -------------------------------------------------------------------------------------------------

static bool merge(struct job *j) {
  const struct options *o = j->options;
  bool ok = true;
  for (unsigned i = 1; i < o->argument_count; i++) {
    struct weir_store_merged m;
    if (!weir_store_merge(j->store, o->arguments[i], &m, j->sink)) {
      ok = false;
      continue;
    }
    fprintf(j->to, "%s: %u runs taken, %u known already", o->arguments[i], m.taken, m.known);
    fprintf(j->to, m.changed ? ", %u left that are not as they were stored\n" : "\n", m.changed);
  }
  return ok;
}

static void count_row(void *context, const struct weir_store_cell *cells, unsigned count) {
  (void)cells, (void)count;
  ++*(unsigned *)context;
}

static bool prune(struct job *j) {
  unsigned removed = 0;
  const bool dry = j->options->dry_run,
             ok = dry ? weir_store_each(j->store, "key", &j->filter, count_row, &removed, j->sink)
                      : weir_store_prune(j->store, &j->filter, &removed, j->sink);
  if (ok) fprintf(j->to, dry ? "%u runs would be removed\n" : "%u runs removed\n", removed);
  return ok;
}

static bool columns(struct job *j) {
  static const struct weir_column of[] = {{"column", "column", NULL, WEIR_COLUMN_TEXT},
                                          {"type", "type", NULL, WEIR_COLUMN_TEXT},
                                          {"meaning", "meaning", NULL, WEIR_COLUMN_TEXT}};
  unsigned count;
  const struct weir_store_column *c = weir_store_columns(&count);
  struct weir_table t;
  weir_table_start(&t, "columns", "Columns of the table runs, and of the view results");
  weir_table_columns(&t, of, sizeof of / sizeof *of);
  for (unsigned i = 0; i < count; i++) {
    struct weir_cell *row = weir_table_row(&t);
    weir_table_text(&t, &row[0], c[i].name);
    weir_table_text(&t, &row[1], c[i].type);
    weir_table_text(&t, &row[2], c[i].help);
  }
  print_table(j, &t);
  weir_table_free(&t);
  return true;
}

// ---- the command ---------------------------------------------------------------------------------------------------------

static const struct action {
  const char *name;
  bool (*act)(struct job *j);
  bool filters, files; // takes
} actions[] = {{"list", list, true, false},
               {"export", export, true, false},
               {"merge", merge, false, true},
               {"prune", prune, true, false},
               {"columns", columns, false, false}};
enum { ACTIONS = sizeof actions / sizeof *actions };

static const struct action *find(const char *name) {
  for (unsigned i = 0; i < ACTIONS; i++)
    if (!strcmp(actions[i].name, name)) return &actions[i];
  return NULL;
}

static bool is_filtered(const struct options *o) {
  return o->program_name || o->chip || o->scheme_count || o->where;
}

// What is wrong with the action and what stands beside it; 0: nothing.
static int usage(const struct action *a, const struct options *o) {
  const char *names[ACTIONS];
  for (unsigned i = 0; i < ACTIONS; i++) names[i] = actions[i].name;
  if (!a) {
    const char *nearest = weir_nearest(o->arguments[0], names, ACTIONS);
    return weir_usage_error("store", "there is no action '%s'%s%s%s", o->arguments[0],
                            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  }
  if (!a->files && o->argument_count > 1)
    return weir_usage_error("store", "%s takes no '%s'", a->name, o->arguments[1]);
  if (a->files && o->argument_count < 2)
    return weir_usage_error("store", "merge takes the stores to merge: merge FILE...");
  if (!a->filters && is_filtered(o)) return weir_usage_error("store", "%s takes no filter", a->name);
  if (o->scheme_count > 1) return weir_usage_error("store", "--scheme is given twice: one pattern, or --where");
  if (a->act == prune && !is_filtered(o) && !o->all)
    return weir_usage_error("store", "prune removes what a filter lets through; --all, everything");
  if (a->act != prune && (o->dry_run || o->all))
    return weir_usage_error("store", "%s is for prune", o->dry_run ? "--dry-run" : "--all");
  if (o->format == OUTPUT_JSON && a->act != export) return weir_usage_error("store", "--json is for export");
  return 0;
}

static int act(const struct action *a, const struct options *o, struct weir_sink *sink) {
  struct job j = {.options = o, .to = stdout, .sink = sink};
  j.filter = (struct weir_store_filter){
    .program = o->program_name, .chip = o->chip, .scheme = o->scheme_count ? o->schemes[0] : NULL, .where = o->where};
  j.store = weir_store_open(o->store, WEIR_STORE_AS_IT_IS, sink);
  if (!j.store) return WEIR_EXIT_USER;
  if (o->output_path && !(j.to = fopen(o->output_path, "w")))
    weir_fail(sink, (struct weir_place){o->output_path, NULL, 0, 0}, "cannot be written: %m");
  const bool ok = j.to && a->act(&j);
  const bool written = j.to && !(j.to == stdout ? fflush(j.to) : fclose(j.to));
  if (j.to && !written)
    weir_fail_plain(sink, "%s cannot be written: %m", o->output_path ? o->output_path : "the output");
  weir_store_close(j.store);
  return ok ? WEIR_EXIT_OK : WEIR_EXIT_USER;
}

static int run(const struct options *o) {
  struct weir_sink sink = {0};
  const struct action *a = o->argument_count ? find(o->arguments[0]) : &actions[0];
  int status = usage(a, o);
  if (!status) status = act(a, o, &sink);
  const int complaints = weir_conclude(&sink);
  return status ? status : complaints;
}

static const struct argp_option options[] = {
  ROW_STORE,
  {"program", KEY_PROGRAM, "PATTERN", 0, "runs of these programs, as the shell matches names: 'bfs*'", 0},
  {"chip", KEY_CHIP, "PATTERN", 0, "runs on these chips", 0},
  {"scheme", KEY_SCHEME, "PATTERN", 0, "runs under these schemes", 0},
  {"where", KEY_WHERE, "CONDITION", 0,
   "runs of which this is true, in SQL, on the columns of results: 'l1_hit_rate < 0.1 AND cycles > 1e6'", 0},
  {"csv", KEY_CSV, 0, 0, "print comma-separated values; of export every column of results", 0},
  {"json", KEY_JSON, 0, 0, "of export, and its default: a run object per line, as it was stored (docs/OUTPUT.md)", 0},
  {"output", KEY_OUT, "FILE", 0, "write FILE in place of standard output", 0},
  {"dry-run", KEY_DRY_RUN, 0, 0, "of prune: say how many runs it would remove", 0},
  {"all", KEY_ALL, 0, 0, "of prune: remove every run", 0},
  {0},
};

const struct command command_store = {
  .name = "store",
  .arguments = "[list|export|prune|columns]\nmerge FILE...",
  .summary = "list, filter, export, merge and prune the runs that were kept",
  .description =
    "compare and study keep each run as it ends (docs/STORE.md). Without an action the runs are listed. export prints them whole; merge takes "
    "the runs that other stores have and this one lacks; prune removes those that a filter lets through; columns says "
    "what the table of runs and the view results hold, for SQL.",
  .options = options,
  .least = 0,
  .most = UINT_MAX,
  .run = run,
};
