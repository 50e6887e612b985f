// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A study of two figures: plans are shared, figures are selected, results are kept, in the store and in files.
#include "weir_process.h"

#include "base/alloc.h"
#include "base/file.h"
#include "report/results.h"
#include "report/study.h"
#include "run/object.h"
#include "run/numbers.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char chip[] = "gcn-apu";

static void plan_one(struct weir_plan *p) {
  weir_plan_add(p, "backprop", chip, "lru");
}

static void plan_two(struct weir_plan *p) {
  weir_plan_add(p, "backprop", chip, "lru");
  weir_plan_add(p, "backprop", chip, "lru,l1.size_kib=32");
}

static double cycles(const struct weir_plan *p, const char *scheme) {
  return weir_run_number(weir_plan_run(p, "backprop", chip, scheme), "total.cycles");
}

static void compute_one(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_COUNT, "cycles", "cycles", NULL);
  weir_table_row(t)[0].ours = cycles(p, "lru");
}

static void compute_two(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_RATIO, "speedup", "speedup", NULL);
  struct weir_cell *c = weir_table_row(t);
  c[0].ours = cycles(p, "lru") / cycles(p, "lru,l1.size_kib=32");
  c[0].published = 1.5;
}

static const struct weir_figure figures[] = {
  {"1", "Figure 1", plan_one, compute_one, NULL}, {"2", "Figure 2", plan_two, compute_two, NULL}, {0}};
static const struct weir_study study = {"tiny", "A tiny study", "nobody", figures, .draws_mixes = false};

struct seen {
  unsigned count;
  char numbers[8];
  double ours[8];
};

static void see(void *context, const struct weir_table *t) {
  struct seen *s = context;
  s->numbers[s->count] = t->name[0];
  s->ours[s->count++] = t->rows[0][0].ours;
}

static char store[] = "/tmp/weir-study-XXXXXX";

// The store and what lies beside it: SQLite's own files, and which runs are being made.
static void remove_store(const char *path) {
  static const char *const beside[] = {"", "-claims", "-wal", "-shm", "-journal"};
  for (unsigned k = 0; k < sizeof beside / sizeof *beside; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", path, beside[k]);
    unlink(name);
  }
}

static struct seen run(const char *figure, int status, const char *complaint) {
  struct weir_study_options o = {.figure = figure, .store = store, .seed = 1};
  struct weir_sink sink = {0};
  struct seen s = {0};
  assert_int_equal(weir_study_run(&study, &o, see, &s, &sink), status);
  assert_int_equal(sink.errors, complaint != NULL);
  if (complaint) assert_holds(sink.diags[0].message, complaint);
  weir_sink_free(&sink);
  return s;
}

static void figures_and_runs(void **state) {
  (void)state;
  close(mkstemp(store));
  struct seen one = run("1", 0, NULL), all = run(NULL, 0, NULL), two = run("2", 0, NULL);
  assert_int_equal(one.count, 1);
  assert_string_equal(one.numbers, "1");
  assert_string_equal(all.numbers, "12");
  assert_string_equal(two.numbers, "2");
  assert_true(one.ours[0] > 0 && one.ours[0] == all.ours[0]);
  assert_true(two.ours[0] > 0 && two.ours[0] == all.ours[1]);
  struct seen none = run("3", 2, "tiny has no figure '3'"), both = run("2,1", 0, NULL);
  assert_int_equal(none.count, 0);
  assert_string_equal(both.numbers, "12");
  assert_int_equal(run("1,3", 2, "tiny has no figure '3'").count, 0);
  assert_int_equal(run("1,", 2, "tiny has no figure ''").count, 0);
  remove_store(store);
}

// ---- a results file of some figures ----------------------------------------------------------------------------------

static struct seen with_file(const struct weir_study *s, const char *figure, const char *results, const char *from,
                             const char *complaint) {
  struct weir_study_options o = {.figure = figure, .store = store, .seed = 1, .results = results, .from = from};
  struct weir_sink sink = {0};
  struct seen seen = {0};
  assert_int_equal(weir_study_run(s, &o, see, &seen, &sink), complaint ? 2 : 0);
  if (complaint) assert_holds(sink.diags[0].message, complaint);
  weir_sink_free(&sink);
  return seen;
}

static void file_of_figures(void **state) {
  (void)state;
  static const char *const counters[] = {"gcn-apu:total.l1.fills", "fermi-bucl:total.l1.evictions", NULL};
  static const char *const whole[] = {"3", NULL};
  static const struct weir_figure more[] = {{"1", "Figure 1", plan_one, compute_one, NULL},
                                            {"2", "Figure 2", plan_two, compute_two, NULL},
                                            {"3", "Figure 3", plan_one, compute_one, NULL},
                                            {0}};
  const struct weir_study kept = {.name = "tiny", .figures = more, .counters = counters, .whole_runs = whole};
  close(mkstemp(strcpy(store, "/tmp/weir-study-XXXXXX")));
  char file[64];
  snprintf(file, sizeof file, "%s.csv", store);
  const struct seen made = with_file(&kept, "1", file, NULL, NULL);
  size_t size;
  struct weir_sink sink = {0};
  char *text = weir_file_read(file, 0, &size, &sink);
  assert_holds(text, " figures=1\n"); // one row: figure 2's second scheme was not run
  assert_holds(text, ",total.l1.fills");
  assert_null(strstr(text, "evictions"));
  assert_null(strstr(text, "size_kib"));
  weir_free(text);
  const struct seen from = with_file(&kept, NULL, NULL, file, NULL), again = with_file(&kept, NULL, file, NULL, NULL);
  assert_string_equal(made.numbers, "1");
  assert_string_equal(from.numbers, "1");
  assert_string_equal(again.numbers, "1");
  assert_true(from.ours[0] == made.ours[0] && again.ours[0] == made.ours[0]);
  with_file(&kept, "2", NULL, file, "has no row for backprop under lru,l1.size_kib=32");
  with_file(&kept, "3", file, NULL, "figure '3' of tiny needs more of its runs than a results file keeps");
  assert_string_equal(with_file(&kept, "1,2", file, NULL, NULL).numbers, "12"); // now it is for both
  assert_string_equal(with_file(&kept, NULL, NULL, file, NULL).numbers, "12");
  assert_string_equal(with_file(&kept, "2", file, NULL, NULL).numbers, "2");
  assert_string_equal(with_file(&kept, NULL, NULL, file, NULL).numbers, "12"); // what it had of figure 1 has stayed
  struct weir_study_options other = {.figure = "2", .store = store, .seed = 2, .results = file};
  struct seen none = {0};
  assert_int_equal(weir_study_run(&kept, &other, see, &none, &sink), 2);
  assert_holds(sink.diags[0].message, "is for other figures, too, with another seed");
  weir_sink_free(&sink);
  unlink(file);
  remove_store(store);
}

// ---- a study that draws mixes ---------------------------------------------------------------------------------------

static uint64_t expected; // of the GPU's program
#define MIX WEIR_SOURCE_DIR "/tests/450-trace/data/mcf.wtrace+nn"

static void plan_mixes(struct weir_plan *p) {
  assert_int_equal(weir_plan_mixes(p), 3);
  weir_plan_add(p, MIX, "apu-1c4g", "lru");
  weir_plan_add(p, "backprop", "apu-1c4g", "lru");
}

// Both to the count, also the program alone.
static void compute_mixes(struct weir_table *t, const struct weir_plan *p) {
  const json_t *mix = weir_plan_run(p, MIX, "apu-1c4g", "lru"),
               *alone = weir_plan_run(p, "backprop", "apu-1c4g", "lru");
  weir_table_column(t, WEIR_COLUMN_COUNT, "cpu", "cpu", NULL);
  weir_table_row(t)[0].ours = weir_run_number(weir_run_requester(mix, 1), "instructions");
  uint64_t beside = (uint64_t)weir_run_number(weir_run_requester(mix, 0), "instructions");
  assert_in_range(beside, expected, expected + 3);
  assert_in_range((uint64_t)weir_run_number(weir_run_requester(alone, 0), "instructions"), expected, expected + 3);
  assert_true(weir_run_number(mix, "mix.counts.warmup") == 0);
}

static void mixes(void **state) {
  (void)state;
  static const struct weir_figure drawn[] = {{"1", "Figure 1", plan_mixes, compute_mixes, NULL}, {0}};
  struct weir_study mixing = {"mixing", "A study of mixes", "nobody", drawn, .draws_mixes = true};
  char path[] = "/tmp/weir-study-XXXXXX";
  close(mkstemp(path));
  struct weir_study_options o = {.store = path, .seed = 1, .mixes = 3, .counts = {5000, 2000, WEIR_NO_WARMUP}};
  struct weir_sink sink = {0};
  struct seen s = {0};
  expected = 2000;
  assert_int_equal(weir_study_run(&mixing, &o, see, &s, &sink), 0);
  assert_in_range((uint64_t)s.ours[0], 5000, 5003);
  o.counts.gpu = 0; // the default of size small, also for the program alone
  expected = 1200000;
  assert_int_equal(weir_study_run(&mixing, &o, see, &s, &sink), 0);
  mixing.draws_mixes = false;
  assert_int_equal(weir_study_run(&mixing, &o, see, &s, &sink), 2);
  assert_holds(sink.diags[0].message, "mixing runs no mixes");
  weir_sink_free(&sink);
  remove_store(path);
}

// ---- a results file outlives the process that makes it --------------------------------------------------------------

enum { QUICK = 12 };

// A dozen that end at once, and one that takes a minute.
static void plan_thirteen(struct weir_plan *p) {
  char scheme[64];
  for (unsigned kib = 1; kib <= QUICK; kib++) {
    snprintf(scheme, sizeof scheme, "none,launch.footprint_kib=%u", kib);
    weir_plan_add(p, "chase", chip, scheme);
  }
  weir_plan_add(p, "kmeans-stream", "kepler-titan-black", "lru,core.count=1,launch.footprint_kib=65536");
}

static void compute_nothing(struct weir_table *t, const struct weir_plan *p) {
  (void)p;
  weir_table_column(t, WEIR_COLUMN_COUNT, "none", "none", NULL);
}

static void killed(void **state) {
  (void)state;
  static const char *const counters[] = {"total.time_ps", NULL};
  static const struct weir_figure one[] = {{"1", "Figure 1", plan_thirteen, compute_nothing, NULL}, {0}};
  const struct weir_study kept = {.name = "tiny", .figures = one, .counters = counters};
  close(mkstemp(strcpy(store, "/tmp/weir-study-XXXXXX")));
  char file[64];
  snprintf(file, sizeof file, "%s.csv", store);
  const struct weir_study_options o = {.store = store, .seed = 1, .results = file, .jobs = 1};
  const pid_t child = fork();
  struct weir_sink sink = {0};
  struct seen s = {0};
  if (!child) _exit(weir_study_run(&kept, &o, see, &s, &sink));
  for (unsigned tenths = 0; access(file, F_OK) && tenths < 600; tenths++) usleep(100000);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  struct weir_results r;
  assert_true(weir_results_read(&r, file, &sink));
  assert_int_equal(r.count, QUICK);
  for (unsigned i = 0; i < r.count; i++) assert_string_equal(r.rows[i].experiment.program, "chase");
  weir_results_free(&r);
  unlink(file);
  remove_store(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(figures_and_runs), cmocka_unit_test(file_of_figures),
                                     cmocka_unit_test(killed), cmocka_unit_test(mixes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
