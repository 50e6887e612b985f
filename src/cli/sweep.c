// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir sweep: the runs that a file asks for.
#include "base/alloc.h"
#include "batch/batch.h"
#include "batch/jobs.h"
#include "batch/plan.h"
#include "cli/options.h"
#include "cli/slurm.h"
#include "launcher/command.h"
#include "report/share.h"
#include "run/numbers.h"
#include "run/object.h"
#include "run/run.h"
#include "table/table.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// So many experiments at a time: their results are kept as they end, and none is held in memory once it is in the table. A part's
// last runs leave processors idle, so that many processors have longer parts.
enum { LEAST_PART = 128, PART_PER_JOB = 32 };

struct sweep {
  const struct options *options;
  struct weir_plan plan;
  unsigned count;                     // of the plan's items those of this shard: the first
  struct weir_store *store, **others; // others: read alone
  unsigned other_count, other_capacity;
  struct weir_table table;
  unsigned columns; // of the table
  unsigned part;    // experiments
  struct weir_sink *sink;
  unsigned runs, kept, failed; // runs: of the items so far
  double began;
};

// ---- which ---------------------------------------------------------------------------------------------------------------

// "3/64": every 64th item from the third on.
static bool take_shard(struct sweep *s, const char *text) {
  unsigned long part = 1, parts = 1;
  char *end = NULL;
  if (text) {
    part = strtoul(text, &end, 10);
    parts = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
    if (*end || !part || part > parts || parts > WEIR_PLAN_MOST) return false;
  }
  for (unsigned i = (unsigned)part - 1; i < s->plan.count; i += (unsigned)parts)
    s->plan.items[s->count++] = s->plan.items[i];
  return true;
}

static bool same_setup(const struct weir_experiment *a, const struct weir_experiment *b) {
  return a->sets == b->sets && !strcmp(a->chip, b->chip) && !strcmp(a->scheme, b->scheme);
}

// What the file names, told where it does.
static bool tell_at(struct sweep *s, const struct weir_plan_name *name, struct weir_sink *own) {
  const char *said = own->count ? strstr(own->diags[0].message, "error: ") : NULL;
  if (said) weir_fail(s->sink, name->place, "%.*s", (int)strcspn(said + 7, "\n"), said + 7);
  const bool ok = !own->errors;
  weir_sink_free(own);
  return ok;
}

static void find_command(struct sweep *s, struct weir_command_line *l, struct weir_sink *sink) {
  char *path = weir_command_find(l->path ? l->path : l->argv[0], sink);
  l->path = path ? weir_arena_text(&s->plan.texts, path, strlen(path)) : NULL;
  if (path) weir_command_fits(path, sink);
  weir_free(path);
}

static bool names_known(struct sweep *s) {
  bool ok = true;
  for (unsigned i = 0; i < s->plan.program_count; i++) {
    struct weir_sink own = {0};
    weir_program_known(s->plan.programs[i].text, &own);
    ok &= tell_at(s, &s->plan.programs[i], &own);
  }
  for (unsigned i = 0; i < s->plan.command_count; i++) {
    struct weir_sink own = {0};
    find_command(s, s->plan.commands[i].line, &own);
    ok &= tell_at(s, &(struct weir_plan_name){s->plan.commands[i].name, s->plan.commands[i].place}, &own);
  }
  for (unsigned i = 0; i < s->plan.chip_count; i++) {
    if (!access(s->plan.chips[i].text, R_OK)) continue; // a file, which has places of its own
    struct weir_sink own = {0};
    struct weir_chip_config *c = weir_chip_read(s->plan.chips[i].text, &own);
    if (c) weir_chip_config_free(c);
    ok &= tell_at(s, &s->plan.chips[i], &own);
  }
  return ok;
}

// Every chip, set and scheme with the first program that has it, and every program, before anything runs.
static bool all_fit(struct sweep *s) {
  struct weir_batch b = {0};
  const struct weir_experiment *items = s->plan.items;
  for (unsigned i = 0; i < s->plan.count; i++) {
    bool known_setup = false, known_program = false;
    for (unsigned k = 0; k < b.count && !(known_setup && known_program); k++) {
      known_setup |= same_setup(&b.items[k].experiment, &items[i]);
      known_program |= !strcmp(b.items[k].experiment.program, items[i].program);
    }
    if (!known_setup || !known_program) weir_batch_add(&b, &items[i]);
  }
  const bool ok = weir_batch_check(&b, s->sink);
  weir_batch_free(&b);
  return ok;
}

// ---- the table -------------------------------------------------------------------------------------------------------------

enum column {
  PROGRAM,
  SIZE,
  SEED,
  CHIP,
  SET,
  SCHEME,
  CYCLES,
  IPC,
  HIT_RATE,
  DRAM,
  ENERGY,
  CHECK,
  CHOSEN,
  TIMED,
  LAUNCHED,
  ERROR
};

// Which launches its rows are of.
static const struct weir_select *selected(const struct sweep *s) {
  static const struct weir_select all;
  return s->plan.count ? &s->plan.items[0].select : &all;
}

static bool is_part(const struct weir_select *w) {
  return w->kernels || w->launches || w->most || w->sample;
}

static void start_table(struct sweep *s) {
  static const struct weir_column columns[] = {
    [PROGRAM] = {"program", "program", NULL, WEIR_COLUMN_TEXT},
    [SIZE] = {"size", "size", NULL, WEIR_COLUMN_TEXT},
    [SEED] = {"seed", "seed", NULL, WEIR_COLUMN_TEXT},
    [CHIP] = {"chip", "chip", NULL, WEIR_COLUMN_TEXT},
    [SET] = {"set", "set", NULL, WEIR_COLUMN_TEXT},
    [SCHEME] = {"scheme", "scheme", NULL, WEIR_COLUMN_TEXT},
    [CYCLES] = {"cycles", "cycles", "core cycles from the first launch to the last thread's end", WEIR_COLUMN_COUNT},
    [IPC] = {"ipc", "IPC", "warp instructions per cycle", WEIR_COLUMN_REAL},
    [HIT_RATE] = {"l1_hit_rate", "L1 hits",
                  "loads that found their line in the first-level cache, or on its way into it", WEIR_COLUMN_PERCENT},
    [DRAM] = {"dram_bytes", "DRAM", "bytes moved to and from memory", WEIR_COLUMN_BYTES},
    [ENERGY] = {"energy_mj", "energy, mJ", "of the whole chip as modelled", WEIR_COLUMN_REAL},
    [CHECK] = {"check", "results", "against the program's own reference", WEIR_COLUMN_TEXT},
    [CHOSEN] = {"chosen", "chosen", "by a scheme that sweeps: the values that its row is of", WEIR_COLUMN_TEXT},
    [TIMED] = {"timed", "timed", "launches that the row's numbers are of, or are estimated from", WEIR_COLUMN_COUNT},
    [LAUNCHED] = {"launched", "launched", "launches of the whole program", WEIR_COLUMN_COUNT},
    [ERROR] = {"cycles_error", "± cycles",
               "of a sample: the bound of their error by how launches spread, no guarantee (docs/SAMPLING.md)",
               WEIR_COLUMN_PERCENT},
  };
  weir_table_start(&s->table, "sweep", "Sweep");
  s->columns = selected(s)->sample ? ERROR + 1u : is_part(selected(s)) ? LAUNCHED + 1u : CHOSEN + 1u;
  weir_table_columns(&s->table, columns, s->columns);
}

static char *joined(const struct weir_experiment *e) { // freed by weir_free
  char *text = weir_text_copy("");
  for (unsigned i = 0; i < e->set_count; i++) {
    char *longer = weir_text_format("%s%s%s", text, i ? " " : "", e->sets[i]);
    weir_free(text);
    text = longer;
  }
  return text;
}

static void put_names(struct sweep *s, struct weir_cell *c, const struct weir_experiment *e) {
  struct weir_table *t = &s->table;
  char *set = joined(e), seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)e->seed);
  weir_table_text(t, &c[PROGRAM], weir_plan_label(&s->plan, e->program));
  weir_table_text(t, &c[SIZE], weir_size_names[e->size]);
  weir_table_text(t, &c[SEED], seed);
  weir_table_text(t, &c[CHIP], weir_plan_label(&s->plan, e->chip));
  weir_table_text(t, &c[SET], set);
  weir_table_text(t, &c[SCHEME], weir_plan_label(&s->plan, e->scheme));
  weir_free(set);
}

// What a row shows of a run object.

static double either(double a, double b) {
  return isnan(a) ? b : a;
}

static const char *const shown[] = {"check", "total", "selection", "sampling", NULL}; // members that its numbers are of

static void numbers_of(const json_t *run, const struct weir_run_numbers *n, double numbers[static ERROR + 1]) {
  const struct weir_access_numbers loads = weir_cache_of(n, WEIR_FIRST_CACHE).loads;
  numbers[CYCLES] = n->cycles;
  numbers[IPC] = n->ipc;
  numbers[HIT_RATE] = weir_share(loads.hits + loads.hits_on_miss, loads.accesses);
  numbers[DRAM] = n->dram.bytes;
  numbers[ENERGY] = n->energy_pj / 1e9;
  numbers[TIMED] = either(weir_run_number(run, "selection.selected"), weir_run_number(run, "sampling.timed"));
  numbers[LAUNCHED] = either(weir_run_number(run, "selection.launched"), weir_run_number(run, "sampling.launched"));
  numbers[ERROR] = weir_run_number(run, "sampling.cycles_error");
}

static bool is_number(unsigned column) {
  return column >= CYCLES && column != CHECK && column != CHOSEN;
}

// Its numbers, by column.
static json_t *keep(const json_t *run, const struct weir_run_numbers *total) {
  double numbers[ERROR + 1];
  numbers_of(run, total, numbers);
  json_t *row = json_object(), *all = json_array();
  for (unsigned c = 0; c <= ERROR; c++)
    json_array_append_new(all, is_number(c) && !isnan(numbers[c]) ? json_real(numbers[c]) : json_null());
  json_object_set_new(row, "numbers", all);
  json_object_set(row, "check", json_object_get(run, "check"));
  return row;
}

static void put_item(struct sweep *s, const struct weir_batch_item *item) {
  struct weir_table *t = &s->table;
  struct weir_cell *c = weir_table_row(t);
  put_names(s, c, &item->experiment);
  if (!item->run) {
    weir_table_text(t, &c[CHECK], "failed");
    return;
  }
  const bool whole = item->experiment.command;
  const struct weir_run_numbers n = weir_run_total(whole ? item->run : NULL);
  json_t *row = whole ? keep(item->run, &n) : json_incref(item->run);
  const json_t *numbers = json_object_get(row, "numbers");
  for (unsigned k = 0; k < s->columns; k++)
    if (is_number(k)) c[k].ours = weir_run_number(json_array_get(numbers, k), "");
  char *chosen = weir_batch_choice(item);
  weir_table_text(t, &c[CHECK], weir_run_text(row, "check"));
  weir_table_text(t, &c[CHOSEN], chosen);
  weir_free(chosen);
  json_decref(row);
}

static void print_table(struct sweep *s) {
  const char *part = "";
  if (selected(s)->sample)
    part = "\nnumbers are estimates of whole runs, from the launches that were timed (docs/SAMPLING.md)";
  else if (is_part(selected(s)))
    part = "\nnumbers are of the launches that were timed, not of whole runs (docs/SAMPLING.md)";
  char *note = weir_text_format("%u runs, %u of them kept from before%s%s", s->runs, s->kept,
                                s->plan.excluded ? "; some are excluded" : "", part);
  weir_table_note(&s->table, note);
  if (s->options->format == OUTPUT_CSV)
    weir_table_csv(&s->table, stdout);
  else
    weir_table_print(&s->table, stdout);
  weir_free(note);
}

// ---- running ---------------------------------------------------------------------------------------------------------------

static void fill(struct sweep *s, struct weir_batch *b, unsigned from) {
  for (unsigned i = from; i < s->count && i - from < s->part; i++) {
    struct weir_experiment e = s->plan.items[i];
    e.plugins = s->options->plugins;
    e.plugin_count = s->options->plugin_count;
    e.step_limit = s->options->step_limit;
    weir_batch_add(b, &e);
  }
}

// A line for logs, after each part: what is done, and how long the rest takes if it goes on like this.
static void tell(struct sweep *s, unsigned done) {
  const double seconds = weir_seconds_now() - s->began;
  const unsigned ran = s->runs - s->kept;
  fprintf(stderr, "weir: %u of %u experiments done; %u runs, %u of them kept from before, %u failed; %.0f s", done,
          s->count, s->runs, s->kept, s->failed, seconds);
  if (ran && done < s->count) fprintf(stderr, ", about %.0f s left", seconds / done * (s->count - done));
  putc('\n', stderr);
}

static int worse(int a, int b) { // 1 is worse than 2, and 2 than 0
  return a == WEIR_EXIT_INTERNAL || b == WEIR_EXIT_INTERNAL ? WEIR_EXIT_INTERNAL : a ? a : b;
}

static const char *name_of(const struct sweep *s, const char *of) { // NULL: it has none
  const char *label = weir_plan_label(&s->plan, of);
  return label == of ? NULL : label;
}

// Tells the store what the file calls the runs. One of several that a scheme is the best of is called by what it is.
static void name_runs(struct sweep *s, const struct weir_batch *b) {
  struct weir_store_name *names = weir_new_array(struct weir_store_name, b->run_count);
  unsigned count = 0;
  for (unsigned i = 0; s->plan.label_count && i < b->count; i++) {
    const struct weir_batch_item *item = &b->items[i];
    const struct weir_experiment *e = &item->experiment;
    for (unsigned c = 0; c < item->run_count; c++) {
      const struct weir_batch_run *run = &b->runs[item->runs[c]];
      const struct weir_store_name name = {run->key, name_of(s, e->program), name_of(s, e->chip),
                                           item->run_count == 1 ? name_of(s, e->scheme) : NULL};
      if (run->ended && *run->key && count < b->run_count && (name.program || name.chip || name.scheme))
        names[count++] = name;
    }
  }
  weir_store_name(s->store, names, count);
  weir_free(names);
}

static bool run_part(struct sweep *s, unsigned from, int *status) {
  struct weir_batch b = {.keep = keep, .members = shown};
  fill(s, &b, from);
  const struct weir_batch_options options = {.jobs = s->options->jobs,
                                             .store = s->store,
                                             .others = s->others,
                                             .other_count = s->other_count,
                                             .run_command = weir_command_experiment,
                                             .must_keep = true};
  const bool ok = weir_batch_check(&b, s->sink) && weir_batch_run(&b, &options, s->sink);
  name_runs(s, &b);
  s->runs += b.run_count;
  s->kept += b.recalled;
  for (unsigned k = 0; k < b.run_count; k++) s->failed += b.runs[k].failure != NULL;
  if (ok) *status = worse(*status, weir_batch_status(&b, stderr));
  if (ok && !weir_command_agree(&b, s->sink)) *status = worse(*status, WEIR_EXIT_INTERNAL);
  for (unsigned i = 0; ok && i < b.count; i++) put_item(s, &b.items[i]);
  if (ok) tell(s, from + b.count);
  weir_batch_free(&b);
  return ok;
}

static int run_all(struct sweep *s) {
  int status = WEIR_EXIT_OK;
  s->began = weir_seconds_now();
  start_table(s);
  for (unsigned i = 0; i < s->count; i += s->part) {
    if (run_part(s, i, &status)) continue;
    weir_table_free(&s->table);
    if (s->sink->errors) return WEIR_EXIT_USER;
    fprintf(stderr, "weir: interrupted: what has ended is kept in %s, and the same command goes on from there\n",
            weir_store_path(s->store));
    return WEIR_EXIT_INTERRUPTED;
  }
  print_table(s);
  weir_table_free(&s->table);
  return status;
}

// ---- --dry-run, --status -----------------------------------------------------------------------------------------------------

// What is kept of each experiment's runs; printed a line each if `list`.
static bool look_up_part(struct sweep *s, unsigned from, bool list, unsigned *whole) {
  struct weir_batch b = {0};
  fill(s, &b, from);
  const bool ok = weir_batch_check(&b, s->sink);
  if (ok)
    weir_batch_look_up(
      &b, &(struct weir_batch_options){.store = s->store, .others = s->others, .other_count = s->other_count}, s->sink);
  for (unsigned i = 0; ok && i < b.count; i++) {
    const struct weir_batch_item *item = &b.items[i];
    unsigned kept = 0;
    for (unsigned k = 0; k < item->run_count; k++) kept += b.runs[item->runs[k]].kept;
    *whole += kept == item->run_count;
    if (!list) continue;
    char *set = joined(&item->experiment);
    printf("%s\t%s\t%llu\t%s\t%s\t%s\t%u of %u kept\n", item->experiment.program,
           weir_size_names[item->experiment.size], (unsigned long long)item->experiment.seed, item->experiment.chip,
           set, item->experiment.scheme, kept, item->run_count);
    weir_free(set);
  }
  for (unsigned k = 0; ok && k < b.run_count; k++) s->kept += b.runs[k].kept;
  name_runs(s, &b);
  s->runs += b.run_count;
  weir_batch_free(&b);
  return ok;
}

static int look_up(struct sweep *s, bool list) {
  unsigned whole = 0;
  if (list) puts("program\tsize\tseed\tchip\tset\tscheme\truns");
  for (unsigned i = 0; i < s->count; i += s->part)
    if (!look_up_part(s, i, list, &whole)) return WEIR_EXIT_USER;
  printf("%s%u of %u experiments, %u of %u runs are kept in %s; %u excluded\n", list ? "# " : "", whole, s->count,
         s->kept, s->runs, weir_store_path(s->store), s->plan.excluded);
  return WEIR_EXIT_OK;
}

// ---- the command ---------------------------------------------------------------------------------------------------------------

static void open_other(struct sweep *s, const char *path, bool still) {
  if (access(path, R_OK)) return; // it may not be there yet
  struct weir_store *other = weir_store_open_to_read(path, still, s->sink);
  if (other) *weir_push(s->others, s->other_count, s->other_capacity) = other;
}

// --known, and of --status what tasks of Slurm have kept so far.
static void open_others(struct sweep *s) {
  if (s->options->known) open_other(s, s->options->known, true);
  if (!s->options->status) return;
  char *folder = weir_slurm_folder(weir_store_path(s->store)), *pattern = weir_text_format("%s/part-*.sqlite", folder);
  glob_t found;
  if (!glob(pattern, 0, NULL, &found)) {
    for (size_t i = 0; i < found.gl_pathc; i++) open_other(s, found.gl_pathv[i], false);
    globfree(&found);
  }
  weir_free(folder);
  weir_free(pattern);
}

static void close_stores(struct sweep *s) {
  for (unsigned i = 0; i < s->other_count; i++) weir_store_close(s->others[i]);
  weir_free(s->others);
  weir_store_close(s->store);
}

enum { TASKS = 64 }; // of an array job, unless asked for otherwise

static int submit(struct sweep *s) {
  const unsigned wanted = s->options->tasks ? s->options->tasks : TASKS, tasks = wanted < s->count ? wanted : s->count;
  return weir_slurm_submit(s->options, weir_store_path(s->store), tasks, s->sink) ? WEIR_EXIT_OK : WEIR_EXIT_USER;
}

static int usage(const struct options *o) {
  if (o->tasks && !o->on_slurm) return weir_usage_error("sweep", "--tasks is of --slurm");
  if (o->on_slurm + o->status + o->dry_run + (o->shard != NULL) > 1)
    return weir_usage_error("sweep", "--slurm, --shard, --status and --dry-run exclude one another");
  return 0;
}

static int run_file(struct sweep *s) {
  const struct options *o = s->options;
  if (usage(o)) return WEIR_EXIT_USER;
  if (!weir_plan_read(&s->plan, o->arguments[0], s->sink)) return WEIR_EXIT_USER;
  if (!names_known(s) || !all_fit(s)) return WEIR_EXIT_USER;
  if (!take_shard(s, o->shard)) return weir_usage_error("sweep", "--shard is I/N, from 1/N to N/N, not '%s'", o->shard);
  s->store = weir_store_open(o->store, o->shard ? WEIR_STORE_JOURNAL : WEIR_STORE_WAL, s->sink);
  if (!s->store) return WEIR_EXIT_USER;
  open_others(s);
  const int status = o->on_slurm ? submit(s) : o->dry_run || o->status ? look_up(s, o->dry_run) : run_all(s);
  close_stores(s);
  return status;
}

static int run(const struct options *o) {
  struct weir_sink sink = {0};
  const unsigned jobs = o->jobs ? o->jobs : weir_processors();
  struct sweep s = {.options = o, .sink = &sink, .part = jobs * PART_PER_JOB};
  if (s.part < LEAST_PART) s.part = LEAST_PART;
  const int status = run_file(&s);
  weir_plan_free(&s.plan);
  fflush(stdout);
  const int complaints = weir_conclude(&sink);
  return status ? status : complaints;
}

static const struct argp_option options[] = {
  ROW_STORE,
  ROW_JOBS,
  {"shard", KEY_SHARD, "I/N", 0,
   "every N-th experiment from the I-th on: N machines with N stores, and weir store merge", 0},
  {"dry-run", KEY_DRY_RUN, 0, 0, "run nothing: list the experiments, and how many of their runs are kept already", 0},
  {"status", KEY_STATUS, 0, 0, "run nothing: say how many of them are kept", 0},
  {"slurm", KEY_SLURM, "SBATCH-OPTIONS", OPTION_ARG_OPTIONAL,
   "submit the sweep to Slurm as an array job, and a job that merges what its tasks keep into the store; the options are sbatch's: "
   "--slurm='--partition=long --cpus-per-task=8'",
   0},
  {"tasks", KEY_TASKS, "N", 0, "of --slurm: so many tasks (default: 64, at most one per experiment)", 0},
  {"known", KEY_KNOWN, "FILE", 0, "take what this store has, too, and write nothing to it", 0},
  {"csv", KEY_CSV, 0, 0, "print the table as comma-separated values", 0},
  ROW_STEP_LIMIT,
  ROW_PLUGIN,
  {0},
};

const struct command command_sweep = {
  .name = "sweep",
  .arguments = "FILE.yaml",
  .summary = "run programs x chips x schemes x values x seeds, as a file lists them",
  .description =
    "Every run is kept in the results store as it ends, and nothing that is there runs again: what was interrupted "
    "goes on with the same command, and what is kept can be read while the rest runs (weir store). Exits as compare does: 1 if a "
    "run crashed or computed wrong results, 2 if one was stopped by a mistake in its input. docs/SWEEPS.md has the "
    "file's keys.",
  .options = options,
  .least = 1,
  .most = 1,
  .run = run,
};
