// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir bench: weir's own speed over fixed programs.
#include "base/alloc.h"
#include "base/file.h"
#include "cli/machine.h"
#include "cli/options.h"
#include "batch/batch.h"
#include "batch/jobs.h"
#include "run/run.h"
#include "run/numbers.h"
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMED_CHIP "fermi-gtx480"
#define TIMED_SCHEME "lru" // of all rates that are committed

// Functional: without a chip, by one thread of the host and by two. Timing: on the chip; the workloads' mean is that of the TIMING ones.
// Mixed: CPU programs, and others beside them, on a chip of their own. Large: chips of many cores, by one thread and by two.
enum group { FUNCTIONAL, TIMING, DIVERGENT, MIXED, LARGE };
static const char *const group_names[] = {"functional", "timing", "timing", "timing", "timing"};

struct measurement {
  enum group group;
  const char *program;
  enum weir_size size;
  const char *chip; // NULL: the one that --chip says
  unsigned threads; // 0: one
};

static const struct measurement measurements[] = {
  {FUNCTIONAL, "bench/alu.yaml", WEIR_SIZE_SMALL, NULL, 0},
  {FUNCTIONAL, "matrixmul", WEIR_SIZE_PAPER, NULL, 0},
  {FUNCTIONAL, "spmv", WEIR_SIZE_PAPER, NULL, 0},
  {FUNCTIONAL, "bench/alu.yaml", WEIR_SIZE_SMALL, NULL, 2},
  {FUNCTIONAL, "matrixmul", WEIR_SIZE_PAPER, NULL, 2},
  {TIMING, "matrixmul", WEIR_SIZE_PAPER, NULL, 0},
  {TIMING, "spmv", WEIR_SIZE_PAPER, NULL, 0},
  {TIMING, "bfs", WEIR_SIZE_PAPER, NULL, 0},
  {TIMING, "kmeans", WEIR_SIZE_PAPER, NULL, 0},
  {TIMING, "nw", WEIR_SIZE_PAPER, NULL, 0},
  {TIMING, "srad", WEIR_SIZE_PAPER, NULL, 0},
  {TIMING, "backprop", WEIR_SIZE_PAPER, NULL, 0},
  {TIMING, "lud", WEIR_SIZE_PAPER, NULL, 0},
  {DIVERGENT, "bench/strided_load.yaml", WEIR_SIZE_SMALL, NULL, 0},
  {MIXED, "bzip2", WEIR_SIZE_SMALL, "apu-1c4g", 0},
  {MIXED, "bzip2+matrixmul", WEIR_SIZE_SMALL, "apu-1c4g", 0},
  {MIXED, "bzip2+omnetpp+floyd", WEIR_SIZE_SMALL, "apu-2c4g", 0},
  {LARGE, "srad", WEIR_SIZE_PAPER, "volta-v100", 1},
  {LARGE, "srad", WEIR_SIZE_PAPER, "volta-v100", 2},
  {LARGE, "spmv", WEIR_SIZE_PAPER, "hopper-h200", 1},
  {LARGE, "spmv", WEIR_SIZE_PAPER, "hopper-h200", 2},
  {LARGE, "matrixmul", WEIR_SIZE_PAPER, "hopper-h200", 1},
  {LARGE, "matrixmul", WEIR_SIZE_PAPER, "hopper-h200", 2},
};
enum { MEASUREMENTS = sizeof measurements / sizeof measurements[0] };

enum column {
  DATE,
  VERSION,
  MACHINE,
  PROGRAM,
  SIZE,
  CHIP,
  MODE,
  INSTRUCTIONS,
  SECONDS,
  CPU_SECONDS,
  RATE,
  RSS,
  BUFFERS,
  THREADS,
  CALIBRATION,
  RELATIVE
};

static void make_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "date", "date", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "version", "version", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "machine", "machine", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "program", "program", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "size", "size", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "chip", "chip", NULL);
  weir_table_column(t, WEIR_COLUMN_TEXT, "mode", "mode", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "warp_instructions", "warp instructions", "those of CPU cores included");
  weir_table_column(t, WEIR_COLUMN_REAL, "seconds", "seconds", NULL);
  weir_table_column(t, WEIR_COLUMN_REAL, "cpu_seconds", "processor", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "warp_instructions_per_cpu_second", "per second",
                    "warp instructions per second of processor time, so that other work on the machine counts little");
  weir_table_column(t, WEIR_COLUMN_BYTES, "peak_rss_bytes", "peak memory", NULL);
  weir_table_column(t, WEIR_COLUMN_BYTES, "buffer_bytes", "buffers", NULL);
  weir_table_column(t, WEIR_COLUMN_COUNT, "threads", "threads", "of this machine, for the run");
  weir_table_column(t, WEIR_COLUMN_COUNT, "calibration_per_cpu_second", "calibration",
                    "look-ups per second of processor time, right before the run, of a loop that never changes");
  weir_table_column(t, WEIR_COLUMN_REAL, "per_thousand_calibration", "per 1000",
                    "instructions in the time of a thousand of these look-ups: what two machines compare");
}

// One measurement: its batch of one run, and the machine's speed right before.
struct measured {
  struct weir_batch batch;
  double calibration;
};

static void put_result(struct weir_table *t, const struct measured *measured, const struct measurement *what,
                       const struct weir_machine *machine) {
  const struct weir_batch_item *item = &measured->batch.items[0];
  const enum group group = what->group;
  struct weir_cell *c = weir_table_row(t);
  weir_table_text(t, &c[DATE], machine->date);
  weir_table_text(t, &c[VERSION], machine->version);
  weir_table_text(t, &c[MACHINE], machine->description);
  weir_table_text(t, &c[PROGRAM], what->program);
  weir_table_text(t, &c[SIZE], weir_size_names[item->experiment.size]);
  weir_table_text(t, &c[CHIP], item->experiment.chip);
  weir_table_text(t, &c[MODE], group_names[group]);
  const struct weir_run_numbers total = weir_run_total(item->run);
  const struct weir_host_numbers host = weir_run_host(item->run);
  c[INSTRUCTIONS].ours = total.warp_instructions;
  if (group == MIXED) c[INSTRUCTIONS].ours += total.cpu_instructions;
  c[SECONDS].ours = host.seconds;
  c[CPU_SECONDS].ours = host.cpu_seconds;
  c[RATE].ours = c[INSTRUCTIONS].ours / c[CPU_SECONDS].ours;
  c[RSS].ours = host.peak_rss_bytes;
  c[BUFFERS].ours = host.buffer_bytes;
  c[THREADS].ours = what->threads ? what->threads : 1;
  c[CALIBRATION].ours = measured->calibration;
  c[RELATIVE].ours = c[RATE].ours / measured->calibration * 1000;
}

// A workload's name, or the path of a launch file of weir's data (freed by weir_free); NULL and a diagnostic.
static char *locate(const char *program, struct weir_sink *sink) {
  if (!strchr(program, '/')) return weir_text_copy(program);
  char *path = weir_data_path(program);
  if (!path) weir_fail_plain(sink, "%s is not installed: weir bench runs from weir's source tree", program);
  return path;
}

static bool measure_one(struct measured *to, const struct measurement *m, const struct options *o,
                        struct weir_sink *sink) {
  char *program = locate(m->program, sink);
  bool timed = m->group != FUNCTIONAL;
  struct weir_experiment e = {
    .program = program ? program : "", .size = m->size, .seed = o->seed, .threads = m->threads ? m->threads : 1};
  if (timed) e.chip = m->chip ? m->chip : o->chip ? o->chip : TIMED_CHIP, e.scheme = TIMED_SCHEME;
  if (m->group == MIXED)
    e.counts = (struct weir_mix_counts){.warmup = WEIR_NO_WARMUP}; // which takes time and is not counted
  weir_batch_add(&to->batch, &e);
  if (sink->errors || !weir_batch_check(&to->batch, sink)) return false;
  to->calibration = weir_machine_calibrate();
  return weir_batch_run(&to->batch, &(struct weir_batch_options){.jobs = 1}, sink);
}

// One after another, so that each has the machine for itself.
static bool measure(struct measured all[MEASUREMENTS], const struct options *o, struct weir_sink *sink) {
  for (int i = 0; i < MEASUREMENTS; i++)
    if (!measure_one(&all[i], &measurements[i], o, sink)) return false;
  return true;
}

// The table again, without what is the same in every row.
static void print_results(const struct weir_table *t, const struct weir_machine *machine) {
  static const enum column shown[] = {PROGRAM, SIZE,        CHIP, MODE,     THREADS, INSTRUCTIONS,
                                      SECONDS, CPU_SECONDS, RATE, RELATIVE, RSS,     BUFFERS};
  enum { SHOWN = sizeof shown / sizeof shown[0] };
  struct weir_table short_form;
  weir_table_start(&short_form, "bench", machine->description);
  for (int i = 0; i < SHOWN; i++) {
    const struct weir_column *c = &t->columns[shown[i]];
    weir_table_column(&short_form, c->format, c->name, c->heading, c->meaning);
  }
  for (unsigned r = 0; r < t->row_count; r++) {
    struct weir_cell *cells = weir_table_row(&short_form);
    for (int i = 0; i < SHOWN; i++) cells[i] = t->rows[r][shown[i]];
  }
  weir_table_print(&short_form, stdout);
  weir_table_free(&short_form);
}

static void print_mean(const struct weir_table *t) {
  unsigned from = MEASUREMENTS, to = 0;
  for (unsigned i = 0; i < MEASUREMENTS; i++) {
    if (measurements[i].group != TIMING) continue;
    from = i < from ? i : from;
    to = i + 1;
  }
  printf("\ntiming, geometric mean of the workloads: %.3f million warp instructions per second\n",
         weir_table_geomean(t, RATE, false, from, to, 1) * 1e-6);
}

// Wall time of matrixmul under the first `count` schemes, prepared anew; 0 if interrupted.
static double compare_seconds(unsigned count, struct weir_sink *sink) {
  static const char *const schemes[] = {"lru", "plru", "pcbp", "counter", "drrip"};
  struct weir_batch b = {0};
  for (unsigned i = 0; i < count; i++)
    weir_batch_add(
      &b, &(struct weir_experiment){.program = "matrixmul", .chip = DEFAULT_CHIP, .scheme = schemes[i], .seed = 1});
  double start = weir_seconds_now();
  bool ok = weir_batch_check(&b, sink) && weir_batch_run(&b, &(struct weir_batch_options){0}, sink);
  double seconds = weir_seconds_now() - start;
  weir_batch_free(&b);
  return ok ? seconds : 0;
}

static void print_comparison(struct weir_sink *sink) {
  double one = compare_seconds(1, sink), five = one > 0 ? compare_seconds(5, sink) : 0;
  if (five > 0)
    printf("comparing 5 schemes on %u processors takes %.2f times one run (matrixmul, small, %.2f s)\n",
           weir_processors(), five / one, one);
}

// Warp instructions per second of processor time of one run on the un-coalesced loads' chip; 0 if interrupted.
static double rate_under(const char *program, const char *scheme, struct weir_sink *sink) {
  struct weir_batch b = {0};
  weir_batch_add(&b, &(struct weir_experiment){.program = program, .chip = "fermi-bucl", .scheme = scheme, .seed = 1});
  double rate = 0;
  if (weir_batch_check(&b, sink) && weir_batch_run(&b, &(struct weir_batch_options){.jobs = 1}, sink) && b.items[0].run)
    rate = weir_run_total(b.items[0].run).warp_instructions / weir_run_host(b.items[0].run).cpu_seconds;
  weir_batch_free(&b);
  return rate;
}

// What a scheme's own work costs: its rate over lru's, the runs in turn and the best of each taken.
static void print_overhead(const char *scheme, struct weir_sink *sink) {
  static const char *const programs[] = {"kmn", "sssp", "bp"};
  enum { PROGRAMS = sizeof programs / sizeof programs[0], TURNS = 3 };
  double product = 1;
  for (unsigned i = 0; i < PROGRAMS; i++) {
    double plain = 0, under = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
      plain = fmax(plain, rate_under(programs[i], "lru", sink));
      under = fmax(under, rate_under(programs[i], scheme, sink));
    }
    product *= under / plain;
  }
  if (product > 0)
    printf("%-8s simulates at %.2f times lru's warp instructions per second (kmn, sssp, bp, small; geometric mean)\n",
           scheme, pow(product, 1.0 / PROGRAMS));
}

static void print_overheads(struct weir_sink *sink) {
  static const char *const schemes[] = {"bucl-dyn", "mrpb", "swl", "ccws"};
  for (unsigned i = 0; i < sizeof schemes / sizeof schemes[0]; i++) print_overhead(schemes[i], sink);
}

// Adds the rows to what the file has, whose first line names the columns: these.
static void append_csv(const struct weir_table *t, const char *path, struct weir_sink *sink) {
  char *old = NULL, *text = NULL, *rows = NULL;
  size_t old_size = 0, size, rows_size;
  FILE *f = fopen(path, "r");
  if (f) {
    fclose(f);
    old = weir_file_read(path, 0, &old_size, sink);
    if (!old) return;
  }
  FILE *csv = open_memstream(&rows, &rows_size), *whole = open_memstream(&text, &size);
  weir_table_csv(t, csv);
  fclose(csv);
  const size_t head = strcspn(rows, "\n") + 1;
  fprintf(whole, "%s%s", old ? old : "", rows + (old_size ? head : 0));
  fclose(whole);
  if (old_size && strncmp(old, rows, head))
    weir_fail(sink, (struct weir_place){.file = path, .line = 1},
              "its columns are not those of weir bench, so nothing is added");
  else
    weir_file_write(path, text, size, sink);
  weir_free(old);
  free(rows);
  free(text);
}

static int report(const struct measured all[MEASUREMENTS], const struct options *o, struct weir_sink *sink) {
  struct weir_machine machine;
  struct weir_table t;
  int status = WEIR_EXIT_OK;
  weir_machine_describe(&machine);
  weir_table_start(&t, "bench", machine.description);
  make_columns(&t);
  for (unsigned i = 0; i < MEASUREMENTS; i++) put_result(&t, &all[i], &measurements[i], &machine);
  print_results(&t, &machine);
  print_mean(&t);
  print_comparison(sink);
  print_overheads(sink);
  fflush(stdout);
  if (o->csv_path) append_csv(&t, o->csv_path, sink);
  weir_table_free(&t);
  for (unsigned i = 0; i < MEASUREMENTS && !status; i++) status = weir_batch_status(&all[i].batch, stderr);
  return status;
}

static int run(const struct options *o) {
  struct measured all[MEASUREMENTS] = {0};
  struct weir_sink sink = {0};
  int status = WEIR_EXIT_USER;
  if (measure(all, o, &sink))
    status = report(all, o, &sink);
  else if (!sink.errors)
    status = WEIR_EXIT_INTERRUPTED;
  for (unsigned i = 0; i < MEASUREMENTS; i++) {
    if (all[i].batch.count) weir_free((char *)all[i].batch.items[0].experiment.program);
    weir_batch_free(&all[i].batch);
  }
  int complaints = weir_conclude(&sink);
  return status ? status : complaints;
}

static const struct argp_option options[] = {
  {"chip", KEY_CHIP, "CHIP", 0, "the chip: a name (weir list chips) or a file (default: " TIMED_CHIP ")", 0},
  ROW_SEED,
  {"csv", KEY_CSV_PATH, "FILE", 0, "add the results to FILE, with date, version and machine", 0},
  {0},
};

const struct command command_bench = {
  .name = "bench",
  .arguments = "",
  .summary = "measure weir's own speed over fixed programs",
  .description = "One run after another, functional and timing (on " TIMED_CHIP " unless --chip says otherwise; mixes "
                 "on their own chips, without warm-up), in instructions per second.",
  .options = options,
  .least = 0,
  .most = 0,
  .run = run,
};
