// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/crew.h"
#include "base/param_rows.h"
#include "cli/options.h"
#include "host/workload.h"
#include "launcher/command.h"
#include "policy/host.h"
#include "ptx/hints.h"
#include "trace/phases.h"
#include "trace/programs.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *argp_program_version = "weir " WEIR_VERSION;

struct reading {
  const struct command *command;
  struct options *options;
};

// Options that take one value each.
#define OPTIONS options
static const struct {
  enum option_key key;
  struct weir_param row;
} single[] = {
  {KEY_SEED, UINT_AT(OPTIONS, seed, "--seed", 0, INT64_MAX, NULL)},
  {KEY_SIZE, CHOICE_AT(OPTIONS, size, "--size", weir_size_names, NULL)},
  {KEY_STEP_LIMIT, UINT_AT(OPTIONS, step_limit, "--step-limit", 0, INT64_MAX, NULL)},
  {KEY_JOBS, UINT_AT(OPTIONS, jobs, "--jobs", 0, 4096, NULL)},
  {KEY_HOST_THREADS, UINT_AT(OPTIONS, host_threads, "--threads", 1, WEIR_MAX_CREW, NULL)},
  {KEY_REPEAT, UINT_AT(OPTIONS, repeat, "--repeat", 1, 1000, NULL)},
  {KEY_SKIP, UINT_AT(OPTIONS, skip, "--skip", 0, INT64_MAX, NULL)},
  {KEY_LENGTH, UINT_AT(OPTIONS, length, "--length", 1, INT64_MAX, NULL)},
  {KEY_TRACE_THREAD, UINT_AT(OPTIONS, trace_thread, "--thread", 0, UINT32_MAX - 1, NULL)},
  {KEY_INTERVAL, UINT_AT(OPTIONS, interval, "--interval", 1, INT64_MAX, NULL)},
  {KEY_PHASES, UINT_AT(OPTIONS, phases, "--phases", 1, WEIR_PHASE_MOST, NULL)},
  {KEY_LINES, UINT_AT(OPTIONS, lines, "--lines", 1, 64, NULL)},
  {KEY_RUNS, UINT_AT(OPTIONS, runs, "--runs", 0, 1000000, NULL)},
  {KEY_PERTURB, UINT_AT(OPTIONS, perturb, "--perturb", 0, 64, NULL)},
  {KEY_CORE, UINT_AT(OPTIONS, core, "--core", 0, UINT32_MAX - 1, NULL)},
  {KEY_FETCH_CYCLES, UINT_AT(OPTIONS, fetch_cycles, "--fetch-cycles", 0, UINT32_MAX - 1, NULL)},
  {KEY_SLICE, UINT_AT(OPTIONS, slice, "--slice", 0, UINT32_MAX - 1, NULL)},
  {KEY_LAUNCH, UINT_AT(OPTIONS, launch, "--launch", 0, INT64_MAX, NULL)},
  {KEY_ONLY_SET, UINT_AT(OPTIONS, only_set, "--only-set", 0, UINT32_MAX - 1, NULL)},
  {KEY_MAX_EVENTS, UINT_AT(OPTIONS, max_events, "--max-events", 0, INT64_MAX, NULL, .suffixes = true)},
  {KEY_TOP, UINT_AT(OPTIONS, top, "--top", 1, UINT16_MAX, NULL)},
  {KEY_TASKS, UINT_AT(OPTIONS, tasks, "--tasks", 1, 100000, NULL)},
  {KEY_MIXES, UINT_AT(OPTIONS, mixes, "--mixes", 1, 10000, NULL)},
  {KEY_CPU_INSTRUCTIONS, UINT_AT(OPTIONS, counts.cpu, "--cpu-instructions", 1, INT64_MAX, NULL, .suffixes = true)},
  {KEY_GPU_INSTRUCTIONS, UINT_AT(OPTIONS, counts.gpu, "--gpu-instructions", 1, INT64_MAX, NULL, .suffixes = true)},
  {KEY_MAX_LAUNCHES, UINT_AT(OPTIONS, select.most, "--max-launches", 1, INT64_MAX, NULL)},
  {KEY_WARMUP, UINT_AT(OPTIONS, counts.warmup, "--warmup", 0, INT64_MAX, NULL, .suffixes = true)},
};

static error_t parse_value(int key, const char *text, struct argp_state *state, struct options *o) {
  static const struct weir_param_table table = {.what = "weir"};
  for (unsigned i = 0; i < sizeof single / sizeof *single; i++) {
    const struct weir_param *row = &single[i].row;
    if ((int)single[i].key != key) continue;
    if (weir_param_parse(row, text, (char *)o + row->offset)) return 0;
    char message[300];
    weir_param_refuse(&table, row, row->name, text, message, sizeof message);
    argp_error(state, "%s", message);
  }
  return ARGP_ERR_UNKNOWN;
}

#define append(list, value) (*weir_push(o->list##s, o->list##_count, o->list##_capacity) = (value))

static void load_plugin(struct options *o, const char *path, struct argp_state *state) {
  char message[512];
  const char *wrong = weir_policy_load(path, message, sizeof message);
  if (wrong) argp_error(state, "--plugin %s: %s", path, wrong);
  append(plugin, path);
}

// "lru,pcbp,threshold=6" is two schemes: what has an equals sign belongs to the scheme before it.
static void add_schemes(struct options *o, char *list) {
  bool follows = false;
  for (char *rest = list, *name; (name = strsep(&rest, ","));) {
    if (follows && strchr(name, '='))
      name[-1] = ',';
    else if (*name)
      append(scheme, name);
    follows = *name;
  }
}

static void add_chips(struct options *o, char *list) {
  for (char *rest = list, *name; (name = strsep(&rest, ","));)
    if (*name) append(chip, name);
}

// "90s", "2m", "1.5h"; seconds where no letter says what they are.
static void set_budget(struct options *o, const char *text, struct argp_state *state) {
  static const char units[] = "smh";
  static const double seconds[] = {1, 60, 3600};
  char *end;
  o->budget = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
  const char *unit = o->budget > 0 && *end && !end[1] ? strchr(units, *end) : NULL;
  if (unit) o->budget *= seconds[unit - units];
  if (!(o->budget > 0) || (*end && !unit))
    argp_error(state, "--budget is a time above 0, as 90s, 2m or 1h, not '%s'", text);
}

static void set_format(struct options *o, enum output_format format, struct argp_state *state) {
  static const char *const names[] = {
    [OUTPUT_JSON] = "json", [OUTPUT_CSV] = "csv", [OUTPUT_CHART] = "chart", [OUTPUT_CELLS] = "cells"};
  if (o->format != OUTPUT_TEXT && o->format != format)
    argp_error(state, "--%s and --%s exclude each other", names[o->format], names[format]);
  o->format = format;
}

// Repeated, the option adds to what it said before.
static void add_sl1(struct options *o, const char *text) {
  char *whole =
    weir_text_format("%s%s%s", o->sl1 ? o->sl1 : "", o->sl1 && *o->sl1 && text ? "," : "", text ? text : "");
  weir_free(o->sl1);
  o->sl1 = whole;
}

static void add_hints(struct options *o, const char *lines) {
  char *whole = weir_text_format("%s%s", o->hints ? o->hints : "", lines);
  weir_free(o->hints);
  o->hints = whole;
}

static void add_hint(struct options *o, const char *text) {
  char *line = weir_text_format("--hint\t%s\n", text);
  add_hints(o, line);
  weir_free(line);
}

static void read_hints(struct options *o, const char *path) {
  struct weir_sink sink = {0};
  char *lines = weir_hints_lines(path, &sink);
  if (lines) add_hints(o, lines);
  weir_free(lines);
  if (sink.errors) exit(weir_conclude(&sink));
}

// They are values of the chip. Repeated, the option adds to what it said before.
static void add_registers(struct options *o, const char *text) {
  static const char path[] = "core.kernel_registers=";
  char *whole = weir_text_format("%s%s%s", o->registers ? o->registers : path, o->registers ? "," : "", text);
  if (!o->registers) append(set, whole);
  for (unsigned i = 0; i < o->set_count; i++)
    if (o->sets[i] == o->registers) o->sets[i] = whole;
  weir_free(o->registers);
  o->registers = whole;
}

// --bound: opt is one of the schemes, the last unless it was named.
static void add_bound(struct options *o) {
  for (unsigned i = 0; i < o->scheme_count; i++)
    if (!strcmp(o->schemes[i], "opt") || !strncmp(o->schemes[i], "opt,", 4)) return;
  append(scheme, "opt");
}

static error_t parse_arguments(int key, char *arg, struct argp_state *state, const struct reading *r) {
  struct options *o = r->options;
  switch (key) {
  case ARGP_KEY_ARG:
    if (o->program) argp_error(state, "'%s' and a program after -- exclude each other", arg);
    if (o->argument_count == r->command->most) argp_error(state, "one argument too many: '%s'", arg);
    append(argument, arg);
    return 0;
  case ARGP_KEY_END:
    if (o->argument_count < r->command->least && !o->program)
      argp_error(state, "%.*s is missing", (int)strcspn(r->command->arguments, "\n"), r->command->arguments);
    if (o->ascii && o->format != OUTPUT_CHART) argp_error(state, "--ascii says how --chart draws, which is not given");
    if (o->plot && !o->svg_path && !o->pdf_path)
      argp_error(state, "--plot says how --svg and --pdf draw, and neither is given");
    if (o->bound) add_bound(o);
    return 0;
  default: return parse_value(key, arg, state, o);
  }
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  const struct reading *r = state->input;
  struct options *o = r->options;
  switch (key) {
  case KEY_CHIP: o->chip = arg; break;
  case KEY_SCHEME: append(scheme, arg); break;
  case KEY_SCHEMES: add_schemes(o, arg); break;
  case KEY_BOUND: o->bound = true; break;
  case KEY_SET: append(set, arg); break;
  case KEY_REGISTERS: add_registers(o, arg); break;
  case KEY_PTXAS: o->ptxas = arg ? arg : "ptxas"; break;
  case KEY_INPUT: o->input = arg; break;
  case KEY_THREADS: o->threads = arg; break;
  case KEY_STRICT: o->strict = true; break;
  case KEY_KERNELS: o->select.kernels = arg; break;
  case KEY_LAUNCHES: o->select.launches = arg; break;
  case KEY_IGNORE_OUTPUT: o->ignore_output = arg; break;
  case KEY_WARM: o->select.warm = true; break;
  case KEY_SL1: add_sl1(o, arg); break;
  case KEY_HINT: add_hint(o, arg); break;
  case KEY_HINTS: read_hints(o, arg); break;
  case KEY_REPORT: o->report = true; break;
  case KEY_NCU: o->ncu = true; break;
  case KEY_FUNCTIONAL: o->functional = true; break;
  case KEY_JSON:
    set_format(o, OUTPUT_JSON, state);
    if (arg) o->output_path = arg;
    break;
  case KEY_OUT:
  case KEY_OUTPUT: o->output_path = arg; break;
  case KEY_TIMELINE: o->timeline_path = arg; break;
  case KEY_CSV: set_format(o, OUTPUT_CSV, state); break;
  case KEY_CSV_PATH: o->csv_path = arg; break;
  case KEY_CHART: set_format(o, OUTPUT_CHART, state); break;
  case KEY_ASCII: o->ascii = true; break;
  case KEY_SYMBOLS: o->symbols = true; break;
  case KEY_ALL: o->all = true; break;
  case KEY_PROGRAM: o->program_name = arg; break;
  case KEY_WHERE: o->where = arg; break;
  case KEY_DRY_RUN: o->dry_run = true; break;
  case KEY_SHARD: o->shard = arg; break;
  case KEY_STATUS: o->status = true; break;
  case KEY_SLURM: o->on_slurm = true, o->slurm = arg; break;
  case KEY_KNOWN: o->known = arg; break;
  case KEY_REGISTERS_ASKED: o->registers_asked = true; break;
  case KEY_ASSEMBLED: o->assembled = true; break;
  case KEY_SVG: o->svg_path = arg; break;
  case KEY_PDF: o->pdf_path = arg; break;
  case KEY_PLOT: o->plot = arg; break;
  case KEY_PLUGIN: load_plugin(o, arg, state); break;
  case KEY_STORE: o->store = arg; break;
  case KEY_NO_STORE: o->no_store = true; break;
  case KEY_FIGURE: o->figure = arg; break;
  case KEY_RESULTS: o->results = arg; break;
  case KEY_FROM: o->from = arg; break;
  case KEY_CHECK: o->check = arg; break;
  case KEY_SAMPLE: o->sample = arg; break;
  case KEY_CLOCK: o->clock = arg; break;
  case KEY_PIVOT: o->pivot = arg ? arg : "speedup"; break;
  case KEY_SORT: o->sort = arg ? arg : ""; break;
  case KEY_CACHE: o->cache = arg; break;
  case KEY_STEP: o->step = true; break;
  case KEY_CURVE: o->curve = true; break;
  case KEY_INSTRUCTIONS: o->instructions = true; break;
  case KEY_EXPORT: o->export_format = arg; break;
  case KEY_LOG: o->log_path = arg; break;
  case KEY_CHIPS: add_chips(o, arg); break;
  case KEY_ADVISE_BOUND: o->advise_bound = true; break;
  case KEY_REMEDIES: o->remedies = true; break;
  case KEY_HTML: o->html_path = arg; break;
  case KEY_PATCH: o->patch_path = arg; break;
  case KEY_BUILD: o->build_command = arg; break;
  case KEY_BUDGET: set_budget(o, arg, state); break;
  case KEY_CELLS: set_format(o, OUTPUT_CELLS, state); break;
  case KEY_MAN: o->man = true; break;
  case KEY_OUTPUT_DOC: o->output_doc = true; break;
  case KEY_SCHEMA: o->schema = true; break;
  case KEY_COMPLETION: o->completion = true; break;
  case KEY_INFO: o->info = true; break;
  case KEY_MISSES: o->misses = true; break;
  case KEY_PHASES: o->phases = DEFAULT_PHASES; return arg ? parse_value(key, arg, state, o) : 0;
  case KEY_WARMUP: {
    const error_t read = parse_value(key, arg, state, o);
    if (!o->counts.warmup) o->counts.warmup = WEIR_NO_WARMUP;
    return read;
  }
  default: return parse_arguments(key, arg, state, r);
  }
  return 0;
}

static const struct argp_option builtin_options[] = {
  {"help", '?', 0, 0, "", 0}, {"usage", 1, 0, 0, "", 0}, {"version", 'V', 0, 0, "", 0}, {0}};

static const struct argp_option *find_option(const struct argp_option *table, const char *name, size_t length) {
  for (; table->name; table++) // getopt takes any beginning of a name
    if (!strncmp(table->name, name, length)) return table;
  return NULL;
}

static const char *nearest_option(const struct argp_option *table, const char *word) {
  const char *names[64];
  size_t count = 0;
  for (const struct argp_option *o = table; o->name && count < 60; o++) names[count++] = o->name;
  for (const struct argp_option *o = builtin_options; o->name; o++) names[count++] = o->name;
  return weir_nearest(word, names, count);
}

static bool takes_next_word(const struct argp_option *o) {
  return o && o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

static bool is_program(const char *path) {
  if (weir_workload_find(path) || weir_cpu_program_find(path)) return false;
  char start[4] = "";
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? 0 : read(file, start, sizeof start);
  if (file >= 0) close(file);
  return n == sizeof start && (!memcmp(start, "\177ELF", 4) || (!memcmp(start, "#!", 2) && !access(path, X_OK)));
}

// getopt would only say that the option is unknown. The index of "--", or argc.
static int refuse_unknown(const struct command *c, int argc, char **argv) {
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--"); i++) {
    if (c->takes_program && argv[i][0] != '-' && is_program(argv[i])) // before its options are called unknown
      exit(weir_usage_error(
        c->name,
        "'%s' is a program of its own, no workload or launch file: put it and its arguments behind --, as in "
        "weir %s [OPTION...] -- %s%s",
        argv[i], c->name, strchr(argv[i], '/') ? "" : "./", argv[i]));
    static char help[] = "--help";
    if (!strcmp(argv[i], "-h")) argv[i] = help; // argp has -? alone
    if (strncmp(argv[i], "--", 2)) continue;
    size_t length = strcspn(argv[i] + 2, "=");
    const struct argp_option *known = find_option(c->options, argv[i] + 2, length);
    if (takes_next_word(known) && !argv[i][2 + length]) i++;
    if (known || find_option(builtin_options, argv[i] + 2, length)) continue;
    argv[i][2 + length] = 0;
    const char *nearest = nearest_option(c->options, argv[i] + 2);
    exit(nearest ? weir_usage_error(c->name, "unknown option '%s'; did you mean '--%s'?", argv[i], nearest)
                 : weir_usage_error(c->name, "unknown option '%s'", argv[i]));
  }
  return i < argc ? i : argc;
}

// Takes the program behind "--" from what argp reads; the number of words that are left.
static int take_program(const struct command *c, int argc, char **argv, int dashes, struct options *o) {
  if (!c->takes_program || dashes == argc) return argc;
  if (dashes + 1 == argc) exit(weir_usage_error(c->name, "no program follows --"));
  o->program = argv + dashes + 1;
  return dashes;
}

static void put_keys(const struct weir_param_table *t, FILE *to) {
  for (unsigned i = 0; i < t->count; i++) {
    char values[200];
    weir_param_describe(&t->rows[i], values, sizeof values);
    fprintf(to, "\n\n%s=%s (%s): %s", t->rows[i].name, t->rows[i].initial, values, t->rows[i].help);
  }
}

static char *make_doc(const struct command *c) { // freed by free
  char *doc = NULL;
  size_t size;
  FILE *to = open_memstream(&doc, &size);
  if (!to) abort();
  fprintf(to, "%s%s%s", c->summary, c->description ? "\v" : "", c->description ? c->description : "");
  if (c->keys) put_keys(c->keys, to);
  fclose(to);
  return doc;
}

void weir_options_read(const struct command *c, int argc, char **argv, struct options *o) {
  *o = (struct options){.seed = 1,
                        .lines = DEFAULT_LINES,
                        .runs = DEFAULT_RUNS,
                        .perturb = NOT_GIVEN,
                        .core = NOT_GIVEN,
                        .slice = NOT_GIVEN,
                        .only_set = NOT_GIVEN,
                        .fetch_cycles = NOT_GIVEN,
                        .max_events = DEFAULT_MAX_EVENTS};
  char name[32];
  static char *doc; // argp may end the process with it in use
  snprintf(name, sizeof name, "weir %s", c->name);
  doc = make_doc(c);
  argc = take_program(c, argc, argv, refuse_unknown(c, argc, argv), o);
  argv[0] = name;
  argp_err_exit_status = WEIR_EXIT_USER;
  const struct argp_option *table = c->options->name ? c->options : NULL; // argp's help leaks its copy of an empty one
  struct argp argp = {.options = table, .parser = parse, .args_doc = c->arguments, .doc = doc};
  struct reading r = {c, o};
  if (argp_parse(&argp, argc, argv, 0, NULL, &r)) exit(WEIR_EXIT_USER);
  free(doc);
}

void weir_options_free(struct options *o) {
  weir_free(o->arguments);
  weir_free(o->schemes);
  weir_free(o->sets);
  weir_free(o->registers);
  weir_free(o->plugins);
  weir_free(o->sl1);
  weir_free(o->hints);
  weir_free(o->chips);
}

int weir_usage_error(const char *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "weir %s: ", command);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\nTry 'weir %s --help'.\n", command);
  va_end(arguments);
  return WEIR_EXIT_USER;
}

struct weir_experiment weir_options_experiment(const struct options *o, const char *program, const char *scheme) {
  return (struct weir_experiment){
    .program = program,
    .input = o->input,
    .chip = o->chip   ? o->chip
      : o->program    ? weir_command_default_chip(o->program[0])
      : o->functional ? NULL
                      : DEFAULT_CHIP,
    .scheme = scheme,
    .sl1 = o->sl1,
    .hints = o->hints,
    .sets = o->sets,
    .set_count = o->set_count,
    .timeline = o->timeline_path,
    .plugins = o->plugins,
    .plugin_count = o->plugin_count,
    .size = o->size,
    .seed = o->seed,
    .step_limit = o->step_limit,
    .counts = o->counts,
    .clock = o->clock && strcmp(o->clock, "real") ? o->clock : NULL,
    .strict = o->strict,
    .select = {o->select.kernels, o->select.launches, o->select.most, o->select.warm, o->sample},
    .threads = o->host_threads,
  };
}

int weir_conclude(struct weir_sink *sink) {
  fflush(stdout);
  weir_sink_print(sink, stderr);
  int status = sink->errors ? WEIR_EXIT_USER : WEIR_EXIT_OK;
  weir_sink_free(sink);
  return status;
}
