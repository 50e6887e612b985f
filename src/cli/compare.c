// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir compare: programs × schemes on one chip.
#include "base/alloc.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/ptxas.h"
#include "launcher/command.h"
#include "report/compare.h"
#include "run/mix.h"

#include <limits.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

static void print_runs(const struct weir_batch *b, const struct output *out) {
  json_t **runs = weir_new_array(json_t *, b->count);
  unsigned count = 0;
  for (unsigned i = 0; i < b->count; i++)
    if (b->items[i].run) runs[count++] = b->items[i].run;
  weir_print_runs(out->options, runs, count, true, out->sink);
  weir_free(runs);
}

static void print_table(const struct output *out, const struct weir_table *t) {
  switch (out->options->format) {
  case OUTPUT_JSON: break;
  case OUTPUT_CSV: weir_table_csv(t, stdout); break;
  case OUTPUT_CELLS: weir_table_cells(t, stdout); break;
  case OUTPUT_TEXT:
  case OUTPUT_CHART: weir_output_print(out, t); break;
  }
}

// ---- a pivot --------------------------------------------------------------------------------------------------------------

// Of what the more is the better.
static bool is_gain(const char *value) {
  static const char *const gains[] = {"speedup", "l1_hit_rate", "ipc", "of_bound"};
  for (unsigned i = 0; i < sizeof gains / sizeof *gains; i++)
    if (!strcmp(value, gains[i])) return true;
  return false;
}

static const char *names_of_numbers(const struct weir_table *t, struct weir_arena *texts) {
  const char *all = "";
  for (unsigned i = 0; i < t->column_count; i++) {
    if (t->columns[i].format == WEIR_COLUMN_TEXT) continue;
    char *longer = weir_text_format("%s%s%s", all, *all ? ", " : "", t->columns[i].name);
    all = weir_arena_text(texts, longer, strlen(longer));
    weir_free(longer);
  }
  return all;
}

static bool has_numbers(const struct weir_table *t, unsigned column) {
  for (unsigned r = 0; r < t->row_count; r++)
    if (!isnan(t->rows[r][column].ours)) return true;
  return false;
}

// What the schemes are ordered by: a program that is named; else the mean of several, or the only one. NULL: there is no mean of that.
static const char *order_of(struct weir_table *p, const struct options *o) {
  const unsigned last = p->column_count - 1;
  const bool is_mean = !strcmp(p->columns[last].name, WEIR_COMPARE_MEAN), mean = is_mean && has_numbers(p, last);
  if (is_mean && !mean) p->column_count = last; // an empty column
  if (o->sort && *o->sort) return o->sort;
  return mean || p->column_count == 2 ? p->columns[p->column_count - 1].name : NULL;
}

static bool sort(struct weir_table *p, const char *by, const struct output *out, struct weir_arena *texts) {
  return weir_table_sort(p, by, is_gain(out->options->pivot)) ||
    weir_fail_plain(out->sink, "--sort takes one of %s; not '%s'", names_of_numbers(p, texts), by);
}

static bool order(struct weir_table *p, const struct output *out, struct weir_arena *texts) {
  const struct options *o = out->options;
  const char *by = order_of(p, o);
  if (!o->sort && !o->top) return true;
  if (!by)
    return weir_fail_plain(out->sink,
                           "there is no mean of %s: name the program whose best schemes come first (--sort=%s)",
                           o->pivot, p->columns[1].name);
  if (!sort(p, by, out, texts)) return false;
  if (o->top && o->top < p->row_count) p->row_count = o->top;
  return true;
}

// Makes a row per scheme of the table, and a column per program. False and a diagnostic if what is asked for is not there.
static bool turn(struct weir_table *p, const struct weir_table *t, const struct output *out, struct weir_arena *texts) {
  return weir_table_pivot(p, t, t->columns[0].name, "scheme", out->options->pivot) ||
    weir_fail_plain(out->sink, "--pivot takes a column of numbers: %s; not '%s'", names_of_numbers(t, texts),
                    out->options->pivot);
}

static bool pivot(struct weir_table *p, const struct weir_table *t, const struct output *out) {
  struct weir_arena texts = {0};
  bool ok = turn(p, t, out, &texts);
  if (ok && !(ok = order(p, out, &texts))) weir_table_free(p);
  weir_arena_free(&texts);
  return ok;
}

// Before anything runs: whether there are the column and the program that are asked for. Whether there are bounds, or a mean, is
// known once there are results.
static bool pivot_fits(const struct weir_batch *b, const struct options *o, struct weir_sink *sink) {
  if (!o->pivot || !strcmp(o->pivot, "of_bound")) return true;
  const struct output out = {.options = o, .sink = sink};
  struct weir_arena texts = {0};
  struct weir_table t, p;
  weir_compare_table(&t, b, o->scheme_count);
  bool ok = turn(&p, &t, &out, &texts);
  if (ok) {
    ok = !o->sort || !*o->sort || sort(&p, o->sort, &out, &texts);
    weir_table_free(&p);
  }
  weir_table_free(&t);
  weir_arena_free(&texts);
  return ok;
}

static void show(const struct weir_batch *b, const struct output *out) {
  struct weir_table t, p;
  weir_compare_table(&t, b, out->options->scheme_count);
  weir_output_files(out, &t);
  if (!out->options->pivot) {
    print_table(out, &t);
  } else if (pivot(&p, &t, out)) {
    print_table(out, &p);
    weir_table_free(&p);
  }
  weir_table_free(&t);
  weir_compare_tell_bases(b, out->options->scheme_count, out->sink);
  weir_compare_tell_ignored(b, out->sink);
  weir_compare_tell_selections(b, out->options->scheme_count, out->sink);
  if (out->options->format == OUTPUT_JSON) print_runs(b, out);
}

static unsigned programs_of(const struct options *o) {
  return o->program ? 1 : o->argument_count;
}

// counts[programs]: what the experiments borrow of --ptxas.
static bool plan(struct weir_batch *b, const struct options *o, const struct weir_command_line *line, char **counts,
                 struct weir_sink *sink) {
  bool ok = true;
  for (unsigned p = 0; p < programs_of(o); p++) {
    struct weir_experiment e = weir_options_experiment(o, o->program ? o->program[0] : o->arguments[p], NULL);
    if (o->program) e.command = line;
    ok &= weir_ptxas_ask(o, &e, &counts[p], sink);
    for (unsigned s = 0; s < o->scheme_count; s++) {
      e.scheme = o->schemes[s];
      weir_batch_add(b, &e);
    }
  }
  return ok;
}

static void free_texts(char **texts, unsigned count) {
  for (unsigned i = 0; i < count; i++) weir_free(texts[i]);
  weir_free(texts);
}

// The counts given are of use to some program; they are the same for all items, and so is the chip.
static bool counts_fit(const struct weir_batch *b, const struct options *o, struct weir_sink *sink) {
  return weir_mix_counts_meant(&o->counts, o->arguments, o->argument_count, b->runs[0].setup.chip, sink);
}

// What there is to say of each scheme, once.
static void tell_schemes(const struct weir_batch *b, const struct options *o, struct weir_sink *sink) {
  for (unsigned s = 0; s < o->scheme_count; s++) {
    const struct weir_batch_item *item = &b->items[s];
    if (!item->setup.scheme && item->run_count)
      weir_setup_tell_idle(&b->runs[item->runs[0]].setup, &item->experiment, sink);
  }
}

// *ok: false if one is asked for that cannot be used. The default one is done without, if need be; an empty WEIR_STORE asks for none.
static struct weir_store *open_store(const struct options *o, bool *ok, struct weir_sink *sink) {
  const char *named = getenv("WEIR_STORE");
  *ok = true;
  if (o->no_store || (!o->store && named && !*named)) return NULL;
  struct weir_sink own = {0};
  const bool must = o->store || named;
  struct weir_store *s = weir_store_open(o->store, WEIR_STORE_WAL, must ? sink : &own);
  *ok = s || !must;
  if (!s && !must)
    weir_report(sink, WEIR_WARNING, (struct weir_place){0},
                "the results store below XDG_CACHE_HOME cannot be used: no run is kept (--store FILE, --no-store)");
  weir_sink_free(&own);
  return s;
}

static void tell_recalled(const struct weir_batch *b, const struct weir_store *s, struct weir_sink *sink) {
  if (b->recalled)
    weir_report(sink, WEIR_NOTE, (struct weir_place){0},
                "%u of %u runs had been made before, and are from %s (--no-store makes them anew)", b->recalled,
                b->run_count, weir_store_path(s));
}

static int run_all(struct weir_batch *b, const struct output *out) {
  bool ok;
  struct weir_batch_options options = {.jobs = out->options->jobs,
                                       .store = open_store(out->options, &ok, out->sink),
                                       .run_command = weir_command_experiment};
  if (!ok) return WEIR_EXIT_USER;
  tell_schemes(b, out->options, out->sink);
  ok = weir_batch_run(b, &options, out->sink);
  if (options.store) tell_recalled(b, options.store, out->sink);
  if (options.store) weir_store_close(options.store);
  if (!ok) return WEIR_EXIT_INTERRUPTED;
  show(b, out);
  const bool same = weir_command_agree(b, out->sink);
  fflush(stdout);
  const int status = weir_batch_status(b, stderr);
  return status || same ? status : WEIR_EXIT_INTERNAL;
}

// ---- a program behind "--" ----------------------------------------------------------------------------------------------

static bool ignored_fits(const char *text, struct weir_sink *sink) {
  regex_t ignored;
  const int wrong = text ? regcomp(&ignored, text, REG_EXTENDED) : 0;
  char why[200];
  if (text && !wrong) regfree(&ignored);
  if (!wrong) return true;
  regerror(wrong, &ignored, why, sizeof why);
  return weir_fail_plain(sink, "--ignore-output takes a POSIX extended regular expression, and '%s' is none: %s", text,
                         why);
}

// The command line of the experiments; NULL and a diagnostic if there is no such program.
static char *find_program(const struct options *o, struct weir_command_line *line, struct weir_sink *sink) {
  const bool fits = ignored_fits(o->ignore_output, sink);
  char *path = weir_command_find(o->program[0], sink);
  *line = (struct weir_command_line){
    .argv = o->program, .path = path, .ignored = o->ignore_output, .tells_inputs = !o->no_store};
  if (path && fits && weir_command_fits(path, sink)) return path;
  weir_free(path);
  return NULL;
}

static int run(const struct options *o) {
  if (!o->scheme_count) return weir_usage_error("compare", "no scheme given: --scheme NAME or --schemes NAME,NAME,...");
  if (!weir_clock_option("compare", o) || (o->program && !weir_program_options("compare", o))) return WEIR_EXIT_USER;
  if (!o->pivot && (o->sort || o->top)) return weir_usage_error("compare", "--sort and --top are of --pivot");
  if (!o->program && o->ignore_output)
    return weir_usage_error("compare", "--ignore-output is for a program after --: weir checks workloads itself");
  struct weir_batch b = {0};
  struct weir_sink sink = {0};
  struct output out = {0};
  struct weir_command_line line;
  char **counts = weir_new_array(char *, programs_of(o)), *path = o->program ? find_program(o, &line, &sink) : NULL;
  bool ready = (path || !o->program) && plan(&b, o, &line, counts, &sink) && weir_batch_check(&b, &sink) &&
    (o->program || counts_fit(&b, o, &sink)) && pivot_fits(&b, o, &sink) && weir_output_start(&out, o, &sink);
  int status = ready ? run_all(&b, &out) : WEIR_EXIT_USER;
  weir_output_end(&out);
  weir_batch_free(&b);
  free_texts(counts, programs_of(o));
  weir_free(path);
  int complaints = weir_conclude(&sink);
  return status ? status : complaints;
}

static const struct argp_option options[] = {
  ROW_CHIP,
  {"scheme", KEY_SCHEME, "SCHEME", 0,
   "NAME[,key=value...]; repeatable; a key is a policy's knob, a chip path as in lru,l1.size_kib=32, or "
   "CACHE.bypass as in lru,l1.bypass=pcbp; the value best:LIST "
   "(1..8|12) stands for the fastest of the list",
   0},
  {"schemes", KEY_SCHEMES, "NAME,NAME,...", 0, "several schemes, each followed by its overrides", 0},
  {"bound", KEY_BOUND, 0, 0,
   "add the scheme opt, Belady's choice on a run recorded before, and say how much each scheme has of what that spares",
   0},
  ROW_SIZE,
  ROW_SET,
  ROW_REGISTERS,
  ROW_PTXAS,
  ROWS_PROGRAM,
  ROWS_COUNTS,
  ROW_STRICT,
  ROW_CLOCK,
  ROWS_SELECT,
  {"ignore-output", KEY_IGNORE_OUTPUT, "REGEX", 0,
   "of a program after --: what REGEX matches of a line that it prints is not compared, as a wall time (time: .* ms)",
   0},
  ROW_JOBS,
  ROW_STORE,
  {"no-store", KEY_NO_STORE, 0, 0, "neither keep runs nor take kept ones", 0},
  {"pivot", KEY_PIVOT, "COLUMN", OPTION_ARG_OPTIONAL,
   "a row per scheme and a column per program, of one column of the table by its name in CSV (default: speedup)", 0},
  {"sort", KEY_SORT, "PROGRAM", OPTION_ARG_OPTIONAL,
   "of --pivot: the best scheme of that program first (default: in the mean)", 0},
  {"top", KEY_TOP, "N", 0, "of --pivot: the N best schemes alone", 0},
  {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
   "print an array of run objects as JSON (docs/OUTPUT.md), or write it to FILE", 0},
  {"csv", KEY_CSV, 0, 0, "print the table as comma-separated values", 0},
  ROW_CHART("draw the speedups as bars, as wide as the terminal (or COLUMNS), in place of the table"),
  ROW_ASCII,
  ROWS_PLOT("the speedups", "compare"),
  ROW_PLUGIN,
  {0},
};

const struct command command_compare = {
  .name = "compare",
  .arguments = "PROGRAM...\n-- ./program ARGUMENT...",
  .summary = "compare schemes on programs: cycles, misses, traffic and energy side by side",
  .description =
    "Each program is prepared once; its schemes run as forks of that process on all cores. The first scheme "
    "is the one that the others are measured against. Each run is kept as it ends, and taken from there if it is asked for "
    "again: an interrupted comparison goes on. A scheme that sweeps is shown by its best run. Of mixes "
    "(bzip2+mcf+floyd, docs/MIXES.md) the speedup is the geometric mean of their programs' own. A run "
    "that fails costs its own row only: exits with 1 if one crashed or computed wrong results, with 2 if "
    "one was stopped by a mistake in its input. A program after -- is run once per scheme, without "
    "input, and kept while nothing that it read changes (docs/STORE.md); what it prints is compared (1 if it differs; --ignore-output) and not shown. "
    "--plot takes",
  .keys = &weir_plot_table,
  .options = options,
  .least = 1,
  .most = UINT_MAX,
  .takes_program = true,
  .run = run,
};
