// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir replay: a recorded stream through the caches of a chip, without the program and without time.
#include "base/alloc.h"
#include "base/crew.h"
#include "base/file.h"
#include "batch/jobs.h"
#include "cli/options.h"
#include "config/config.h"
#include "replay/export.h"
#include "replay/replay.h"
#include "table/table.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct job {
  const struct options *options;
  struct weir_recording *stream;
  struct weir_sink *sink;
};

static struct weir_experiment experiment(const struct job *j, unsigned scheme) {
  const struct options *o = j->options;
  struct weir_experiment e =
    weir_options_experiment(o, o->arguments[0], o->scheme_count ? o->schemes[scheme] : WEIR_DEFAULT_SCHEME);
  if (!o->chip) e.chip = json_string_value(json_object_get(j->stream->about, "chip"));
  if (!e.chip) e.chip = DEFAULT_CHIP;
  return e;
}

// ---- schemes side by side ---------------------------------------------------------------------------------------------------

static const struct weir_column columns[] = {
  {"scheme", "scheme", NULL, WEIR_COLUMN_TEXT},
  {"l1_loads", "L1 loads", "accesses of loads to the first level, those that go past it included", WEIR_COLUMN_COUNT},
  {"l1_hit_rate", "L1 hits", "of these, in the first level or on its way into it", WEIR_COLUMN_PERCENT},
  {"l1_misses", "L1 misses", "load misses, against the first scheme's", WEIR_COLUMN_CHANGE},
  {"bypass_rate", "bypassed", "loads whose line was kept out of the first level", WEIR_COLUMN_PERCENT},
  {"l2_loads", "L2 loads", "of the cache behind it", WEIR_COLUMN_COUNT},
  {"l2_hit_rate", "L2 hits", NULL, WEIR_COLUMN_PERCENT},
  {"dram_reads", "DRAM reads", "requests", WEIR_COLUMN_COUNT},
  {"dram_writes", "DRAM writes", "requests", WEIR_COLUMN_COUNT},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double share(uint64_t part, uint64_t of) {
  return of ? (double)part / (double)of : NAN;
}

static void add_row(struct weir_table *t, const char *scheme, const struct weir_replayed *r, uint64_t base_misses) {
  const struct weir_access_counts *l1 = &r->loads[0];
  struct weir_cell *row = weir_table_row(t);
  weir_table_text(t, &row[0], scheme);
  row[1].ours = (double)l1->accesses;
  row[2].ours = share(l1->hits + l1->hits_on_miss, l1->accesses);
  row[3].ours = share(l1->misses, base_misses);
  row[4].ours = share(l1->bypasses, l1->accesses);
  if (r->levels > 1) {
    row[5].ours = (double)r->loads[1].accesses;
    row[6].ours = share(r->loads[1].hits, r->loads[1].accesses);
  }
  row[7].ours = (double)r->dram_reads;
  row[8].ours = (double)r->dram_writes;
}

static void print(const struct weir_table *t, const struct options *o) {
  if (o->format == OUTPUT_CSV) {
    weir_table_csv(t, stdout);
  } else if (o->format == OUTPUT_JSON) {
    json_t *j = weir_table_json(t);
    json_dumpf(j, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(j);
  } else {
    weir_table_print(t, stdout);
  }
}

static uint32_t fetch_cycles(const struct options *o) {
  return o->fetch_cycles == NOT_GIVEN ? WEIR_REPLAY_AS_RECORDED : o->fetch_cycles;
}

static bool replay_one(struct job *j, const struct weir_experiment *e, const struct weir_replay_options *options,
                       struct weir_replayed *r) {
  struct weir_setup setup;
  if (!weir_setup_read(&setup, e, j->sink)) return false;
  const bool ok = weir_replay_recording(j->stream, &setup, e, options, r, j->sink);
  weir_setup_free(&setup);
  return ok;
}

// A scheme's replay, which has its own diagnostics.
struct trial {
  struct weir_experiment experiment;
  struct weir_setup setup;
  struct weir_replayed result;
  struct weir_sink sink;
  bool ready, ok;
};

struct trials {
  const struct options *options;
  struct weir_recording *stream; // the first thread's
  struct trial *all;
  unsigned count;
  atomic_uint next;
};

// One of several threads: each has its own reader of the recording, and takes the next scheme until there is none.
static void replay_some(void *context, unsigned member) {
  struct trials *t = context;
  const struct weir_replay_options as = {.fetch_cycles = fetch_cycles(t->options)};
  struct weir_recording *stream = member ? NULL : t->stream;
  for (unsigned i; (i = atomic_fetch_add(&t->next, 1)) < t->count;) {
    struct trial *r = &t->all[i];
    if (!stream) stream = weir_recording_open(t->stream->path, &r->sink);
    r->ok = stream && weir_replay_recording(stream, &r->setup, &r->experiment, &as, &r->result, &r->sink);
  }
  if (member) weir_recording_free(stream);
}

static void replay_all(struct trials *t) {
  unsigned members = t->options->jobs ? t->options->jobs : weir_processors();
  if (members > t->count) members = t->count;
  if (members > WEIR_MAX_CREW) members = WEIR_MAX_CREW;
  struct weir_crew *crew = weir_crew_create(members);
  weir_crew_run(crew, replay_some, t);
  weir_crew_free(crew);
}

// Up to the first that cannot be read: false.
static bool read_setups(struct job *j, struct trials *all) {
  for (unsigned i = 0; i < all->count; i++) {
    struct trial *r = &all->all[i];
    r->experiment = experiment(j, i);
    r->ready = weir_setup_read(&r->setup, &r->experiment, j->sink);
    if (!r->ready) return false;
  }
  return true;
}

static bool print_trials(struct job *j, const struct trials *all) {
  struct weir_table t;
  bool ok = true;
  weir_table_start(&t, "replay", j->options->arguments[0]);
  weir_table_columns(&t, columns, COLUMNS);
  for (unsigned i = 0; ok && i < all->count; i++) {
    const struct trial *r = &all->all[i];
    ok = r->ok;
    weir_sink_take(j->sink, &all->all[i].sink);
    if (ok) add_row(&t, r->experiment.scheme, &r->result, all->all[0].result.loads[0].misses);
  }
  if (ok) print(&t, j->options);
  weir_table_free(&t);
  return ok;
}

static bool compare(struct job *j) {
  struct trials all = {.options = j->options, .stream = j->stream};
  all.count = j->options->scheme_count ? j->options->scheme_count : 1;
  all.all = weir_new_array(struct trial, all.count);
  bool ok = read_setups(j, &all);
  if (ok) {
    replay_all(&all);
    ok = print_trials(j, &all);
  }
  for (unsigned i = 0; i < all.count; i++) {
    if (all.all[i].ready) weir_setup_free(&all.all[i].setup);
    weir_sink_free(&all.all[i].sink);
  }
  weir_free(all.all);
  return ok;
}

// ---- other sizes --------------------------------------------------------------------------------------------------------------

static bool line_bytes(struct job *j, uint32_t *bytes) {
  const struct weir_experiment e = experiment(j, 0);
  struct weir_setup setup;
  if (!weir_setup_read(&setup, &e, j->sink)) return false;
  *bytes = setup.chip->caches[0].line_bytes;
  weir_setup_free(&setup);
  return true;
}

static bool curve(struct job *j) {
  struct weir_replay_curve c;
  struct weir_table t;
  uint32_t bytes;
  if (!line_bytes(j, &bytes) || !weir_replay_curve(j->stream, bytes, &c, j->sink)) return false;
  weir_table_start(&t, "curve", "loads that miss in a fully associative LRU cache of each core");
  weir_table_column(&t, WEIR_COLUMN_BYTES, "bytes", "size", NULL);
  weir_table_column(&t, WEIR_COLUMN_COUNT, "misses", "misses", NULL);
  weir_table_column(&t, WEIR_COLUMN_PERCENT, "miss_rate", "of loads", NULL);
  for (unsigned i = 0; i < WEIR_REPLAY_SIZES; i++) {
    struct weir_cell *row = weir_table_row(&t);
    row[0].ours = ldexp(bytes, (int)i);
    row[1].ours = (double)c.misses[i];
    row[2].ours = share(c.misses[i], c.loads);
    if (i && c.misses[i] == c.misses[WEIR_REPLAY_SIZES - 1]) break; // larger ones miss as often
  }
  print(&t, j->options);
  weir_table_free(&t);
  return true;
}

// ---- for other tools ----------------------------------------------------------------------------------------------------------

struct to_memory {
  enum weir_replay_format format;
  FILE *to;
};

static void put_memory(void *context, uint64_t cycle, uint64_t address, uint32_t bytes, bool writes) {
  const struct to_memory *m = context;
  (void)bytes;
  weir_replay_export_memory(m->format, cycle, address, writes, m->to);
}

static bool export_to(struct job *j, enum weir_replay_format format, FILE *to) {
  const struct options *o = j->options;
  uint32_t bytes;
  if (format == WEIR_REPLAY_CSV || format == WEIR_REPLAY_ORACLE)
    return line_bytes(j, &bytes) &&
      weir_replay_export(j->stream, format, o->core == NOT_GIVEN ? WEIR_REPLAY_ALL_CORES : o->core, bytes, to, j->sink);
  struct to_memory m = {format, to};
  const struct weir_replay_options as = {fetch_cycles(o), put_memory, &m};
  const struct weir_experiment e = experiment(j, 0);
  struct weir_replayed r;
  return replay_one(j, &e, &as, &r);
}

static bool export(struct job *j, enum weir_replay_format format) {
  struct weir_draft d;
  if (!j->options->output_path) return export_to(j, format, stdout);
  if (!weir_draft_open(&d, j->options->output_path, j->sink)) return false;
  const bool ok = export_to(j, format, d.to);
  return weir_draft_close(&d, ok, j->sink) && ok;
}

static bool format_of(const char *name, enum weir_replay_format *format) {
  for (unsigned i = 0; i < WEIR_REPLAY_FORMAT_COUNT; i++) {
    *format = i;
    if (!strcmp(weir_replay_format_names[i], name)) return true;
  }
  return false;
}

static int run(const struct options *o) {
  enum weir_replay_format format = WEIR_REPLAY_CSV;
  if (o->export_format && !format_of(o->export_format, &format)) {
    const char *nearest = weir_nearest(o->export_format, weir_replay_format_names, WEIR_REPLAY_FORMAT_COUNT);
    return weir_usage_error("replay", "--export: there is no format '%s'; did you mean '%s'?", o->export_format,
                            nearest ? nearest : weir_replay_format_names[0]);
  }
  if (o->curve && o->export_format) return weir_usage_error("replay", "--curve and --export exclude each other");
  if (o->export_format && o->scheme_count > 1) return weir_usage_error("replay", "--export is of one --scheme");
  if (!o->export_format && (o->output_path || o->core != NOT_GIVEN))
    return weir_usage_error("replay", "%s is for --export", o->output_path ? "--output" : "--core");
  struct weir_sink sink = {0};
  struct job j = {.options = o, .sink = &sink, .stream = weir_recording_open(o->arguments[0], &sink)};
  const bool ok = j.stream && (o->curve ? curve(&j) : o->export_format ? export(&j, format) : compare(&j));
  weir_recording_free(j.stream);
  const int complaints = weir_conclude(&sink);
  return ok ? complaints : WEIR_EXIT_USER;
}

static const struct argp_option options[] = {
  {"chip", KEY_CHIP, "CHIP", 0, "the chip: a name (weir list chips) or a file (default: that of the recording)", 0},
  {"scheme", KEY_SCHEME, "SCHEME", 0, "NAME[,key=value...]; repeatable (" DEFAULT_SCHEME_HELP ")", 0},
  {"schemes", KEY_SCHEMES, "NAME,NAME,...", 0, "several schemes", 0},
  ROW_SET,
  ROW_SEED,
  ROW_PLUGIN,
  {"jobs", KEY_JOBS, "N", 0, "schemes at a time (default: one per processor)", 0},
  {"fetch-cycles", KEY_FETCH_CYCLES, "N", 0,
   "core cycles for which what a first-level cache fetches is on its way; 0: it is there at once (default: their mean in the launch that was "
   "recorded)",
   0},
  {"curve", KEY_CURVE, 0, 0, "the misses of first-level caches of other sizes, fully associative and LRU, in one pass",
   0},
  {"export", KEY_EXPORT, "FORMAT", 0,
   "write for another tool: csv or oracle-general (libCacheSim) what the first-level caches are asked for, ramulator2 or dramsim3 what "
   "DRAM is, under the scheme",
   0},
  {"core", KEY_CORE, "N", 0, "of --export=csv and oracle-general: of this core (default: of all, in order)", 0},
  {"output", KEY_OUT, "FILE", 0, "of --export: write FILE in place of standard output", 0},
  {"csv", KEY_CSV, 0, 0, "print the table as comma-separated values", 0},
  ROW_JSON("the table"),
  {0},
};

const struct command command_replay = {
  .name = "replay",
  .arguments = "STREAM",
  .summary = "put a recorded stream through the caches of a chip, under any scheme, without the program",
  .description =
    "The accesses go through the caches and their policies one after the other: counts of hits, misses and "
    "requests to DRAM, many times faster than weir run, and no cycles. Schemes that need time are refused (docs/STREAMS.md).",
  .options = options,
  .least = 1,
  .most = 1,
  .run = run,
};
