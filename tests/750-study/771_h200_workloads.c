// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The bundled workloads on an NVIDIA H200: the committed files agree with one another, the documents' numbers are what follows from
// them, worked out here a second time, and what docs/differences/h200-workloads.md says in words is so.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER WEIR_SOURCE_DIR "/studies/silicon/workloads/"
enum { ROWS = 256, COLUMNS = 48, WORKLOADS = 59, PROFILED = 18 };

// ---- tables -------------------------------------------------------------------------------------------------------------

struct table {
  char *text;
  char *cells[ROWS][COLUMNS]; // row 0 is the heading
  unsigned rows, columns;
};

static struct table times, counts, here, counts_here; // measured; hopper-h200's beside them

static char *text_of(const char *path) {
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char *text = NULL;
  size_t size = 0;
  assert_true(getdelim(&text, &size, 0, f) > 0);
  fclose(f);
  return text;
}

static void read_table(struct table *t, const char *name) {
  char path[512];
  snprintf(path, sizeof path, FOLDER "%s.csv", name);
  t->text = text_of(path);
  char *rest = t->text, *line;
  for (t->rows = 0; (line = strsep(&rest, "\n")) && *line; t->rows++) {
    assert_true(t->rows < ROWS);
    unsigned n = 0;
    for (char *cell; (cell = strsep(&line, ",")); n++) {
      assert_true(n < COLUMNS);
      t->cells[t->rows][n] = cell;
    }
    if (!t->rows) t->columns = n;
    assert_int_equal(n, t->columns);
  }
}

static const char *cell(const struct table *t, unsigned row, const char *column) {
  unsigned i = 0;
  while (strcmp(t->cells[0][i], column) != 0) assert_true(++i < t->columns);
  return t->cells[row][i];
}

static double number(const struct table *t, unsigned row, const char *column) {
  return atof(cell(t, row, column));
}

static unsigned row_of(const struct table *t, const char *workload, const char *second) {
  for (unsigned i = 1; i < t->rows; i++)
    if (!strcmp(t->cells[i][0], workload) && !strcmp(t->cells[i][1], second)) return i;
  fail_msg("no row %s,%s", workload, second);
  return 0;
}

// Over the launches of a workload.
static double sum(const struct table *t, const char *workload, const char *column) {
  double s = 0;
  for (unsigned i = 1; i < t->rows; i++)
    if (!strcmp(t->cells[i][0], workload)) s += number(t, i, column);
  return s;
}

static unsigned launches(const char *workload) {
  unsigned n = 0;
  for (unsigned i = 1; i < counts.rows; i++) n += !strcmp(counts.cells[i][0], workload);
  return n;
}

static int read_tables(void **state) {
  (void)state;
  read_table(&times, "h200");
  read_table(&counts, "h200-counters");
  read_table(&here, "hopper-h200");
  read_table(&counts_here, "hopper-h200-counters");
  return 0;
}

static int free_tables(void **state) {
  (void)state;
  struct table *all[] = {&times, &counts, &here, &counts_here};
  for (unsigned i = 0; i < 4; i++) free(all[i]->text);
  return 0;
}

// ---- the files ----------------------------------------------------------------------------------------------------------

static void assert_beside(const struct table *measured, const struct table *model, unsigned keys) {
  assert_int_equal(measured->rows, model->rows);
  for (unsigned i = 1; i < model->rows; i++)
    for (unsigned k = 0; k < model->columns; k++) {
      const char *name = model->cells[0][k];
      if (k < keys) assert_string_equal(model->cells[i][k], cell(measured, i, name));
      if (!strncmp(name, "measured_", 9)) assert_string_equal(model->cells[i][k], cell(measured, i, name + 9));
    }
}

static void files_agree(void **state) {
  (void)state;
  assert_beside(&times, &here, 2);
  assert_beside(&counts, &counts_here, 3);
  assert_int_equal(times.rows, 3 * WORKLOADS + 1);
}

// Both columns are rounded.
static void assert_speedup(const struct table *t, unsigned base, unsigned row) {
  const double speedup = number(t, base, "milliseconds") / number(t, row, "milliseconds");
  assert_true(fabs(speedup / number(t, row, "speedup") - 1) < 0.001);
}

static void speedups(void **state) {
  (void)state;
  unsigned stopped = 0;
  for (unsigned i = 1; i < times.rows; i++) {
    const unsigned base = row_of(&times, times.cells[i][0], "no L1");
    assert_speedup(&here, base, i);
    if (!strcmp(cell(&times, i, "check"), "stopped")) {
      assert_string_equal(cell(&times, i, "milliseconds"), "");
      stopped++;
    } else {
      assert_string_equal(cell(&times, i, "check"), "passed");
      assert_speedup(&times, base, i);
    }
  }
  assert_int_equal(stopped, 3 * 7);
}

// Part of a whole in every launch, measured and modelled.
static void parts_and_wholes(void **state) {
  (void)state;
  const struct table *both[] = {&counts, &counts_here};
  for (unsigned b = 0; b < 2; b++)
    for (unsigned i = 1; i < counts.rows; i++) {
      const struct table *t = both[b];
      assert_true(number(t, i, "l1_load_hit_sectors") <= number(t, i, "l1_load_sectors"));
      assert_true(number(t, i, "l2_read_hit_sectors") <= number(t, i, "l2_read_sectors"));
      assert_true(number(t, i, "l1_load_sectors") >= number(t, i, "l1_load_requests"));
      assert_true(number(t, i, "thread_instructions") <= 32 * number(t, i, "warp_instructions"));
    }
}

// ---- the documents' numbers, worked out once more ---------------------------------------------------------------------------

static void assert_said(const char *page, const char *name, const char *wanted) {
  char path[512], mark[128];
  snprintf(path, sizeof path, WEIR_SOURCE_DIR "/%s", page);
  snprintf(mark, sizeof mark, "<!--h200 %s-->", name);
  char *text = text_of(path);
  char *at = strstr(text, mark);
  if (!at) fail_msg("%s does not say %s", page, name);
  for (; at; at = strstr(at, mark)) {
    at += strlen(mark);
    const size_t length = (size_t)(strstr(at, "<!--/-->") - at);
    if (length != strlen(wanted) || strncmp(at, wanted, length) != 0)
      fail_msg("%s says of %s %.*s, which is %s", page, name, (int)length, at, wanted);
  }
  free(text);
}

static const char *real(const char *form, double x) {
  static char text[32];
  snprintf(text, sizeof text, form, x);
  return text;
}

struct pairs {
  double there[WORKLOADS], here[WORKLOADS];
  unsigned count;
};

// Speedups of `of` over `over` of all workloads that take so many microseconds per launch without L1.
static struct pairs pairs_of(const char *over, const char *of, double least) {
  struct pairs p = {.count = 0};
  for (unsigned i = 1; i < times.rows; i += 3) {
    const char *w = times.cells[i][0];
    if (strcmp(cell(&times, i, "check"), "passed") != 0) continue;
    if (1000 * number(&times, row_of(&times, w, "no L1"), "milliseconds") / number(&times, i, "launches") < least)
      continue;
    const unsigned a = row_of(&times, w, over), b = row_of(&times, w, of);
    p.there[p.count] = number(&times, a, "milliseconds") / number(&times, b, "milliseconds");
    p.here[p.count++] = number(&here, a, "milliseconds") / number(&here, b, "milliseconds");
  }
  return p;
}

static double geometric_mean(const double *x, unsigned n) {
  double logs = 0;
  for (unsigned i = 0; i < n; i++) logs += log(x[i]);
  return exp(logs / n);
}

static double rank(const double *x, unsigned n, unsigned which) {
  double r = 0.5;
  for (unsigned i = 0; i < n; i++) r += x[i] < x[which] ? 1 : x[i] == x[which] ? 0.5 : 0;
  return r;
}

// Spearman's: with ties, Pearson's of the ranks, whose mean is (n + 1) / 2.
static double rank_correlation(const struct pairs *p) {
  double xy = 0, xx = 0, yy = 0;
  for (unsigned i = 0; i < p->count; i++) {
    const double x = rank(p->there, p->count, i) - (p->count + 1) / 2.0,
                 y = rank(p->here, p->count, i) - (p->count + 1) / 2.0;
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  return xy / sqrt(xx * yy);
}

static unsigned agreeing(const struct pairs *p) {
  unsigned n = 0;
  for (unsigned i = 0; i < p->count; i++)
    n += (p->there[i] - 1) * (p->here[i] - 1) > 0 || (fabs(p->there[i] - 1) <= 0.02 && fabs(p->here[i] - 1) <= 0.02);
  return n;
}

static void statistics(void **state) {
  (void)state;
  static const struct { const char *name, *of; } of[] = {{"l1", "hardware L1"}, {"sl1", "S-L1"}};
  for (unsigned i = 0; i < 2; i++) {
    const struct pairs p = pairs_of("no L1", of[i].of, 20);
    char name[64];
#define SAID(what, form, value)                                                                                        \
  snprintf(name, sizeof name, "%s.judged." what, of[i].name);                                                          \
  assert_said("docs/VALIDATION.md", name, real(form, value));
    SAID("measured", "%.2f", geometric_mean(p.there, p.count));
    SAID("weir", "%.2f", geometric_mean(p.here, p.count));
    SAID("agree", "%.0f", agreeing(&p));
    SAID("rank", "%.2f", rank_correlation(&p));
#undef SAID
    if (!i) assert_said("docs/VALIDATION.md", "l1.judged.count", real("%.0f", p.count));
  }
}

static double mean_of_cycles(void) {
  double off = 0;
  unsigned n = 0;
  for (unsigned i = 1; i < counts.rows; i++) {
    const char *w = counts.cells[i][0];
    if (strcmp(counts.cells[i][1], "0") != 0 || sum(&counts, w, "cycles") < 20000 * launches(w)) continue;
    off += fabs(sum(&counts_here, w, "cycles") / sum(&counts, w, "cycles") - 1);
    n++;
  }
  return 100 * off / n;
}

static void counters(void **state) {
  (void)state;
  unsigned workloads = 0, equal = 0;
  double l2 = 0;
  for (unsigned i = 1; i < counts.rows; i++) {
    const char *w = counts.cells[i][0];
    if (strcmp(counts.cells[i][1], "0") != 0) continue;
    workloads++;
    equal += sum(&counts, w, "l1_load_sectors") == sum(&counts_here, w, "l1_load_sectors");
    l2 += fabs(sum(&counts_here, w, "l2_read_sectors") / sum(&counts, w, "l2_read_sectors") - 1);
  }
  assert_int_equal(workloads, PROFILED);
  assert_said("docs/VALIDATION.md", "l1_load_sectors.equal", real("%.0f", equal));
  assert_said("docs/VALIDATION.md", "cycles.error", real("%.1f %%", mean_of_cycles()));
  assert_said("docs/differences/h200-workloads.md", "l2_read_sectors.error", real("%.1f %%", 100 * l2 / PROFILED));
}

// ---- what the text says in words -----------------------------------------------------------------------------------------

static double misses(const char *workload) {
  return sum(&counts, workload, "l1_load_sectors") - sum(&counts, workload, "l1_load_hit_sectors");
}

static void words_of_counts(void **state) {
  (void)state;
  // The L2 is read for fewer sectors than the L1s miss, where SMs read the same at once.
  static const char *const shared[] = {"matrixmul", "lud", "lud-plain", "srad"};
  for (unsigned i = 0; i < 4; i++) assert_true(sum(&counts, shared[i], "l2_read_sectors") < 0.9 * misses(shared[i]));
  // Of 19, 18 and 17 blocks that read 64 sectors each and one tile of 32, ten times the tile.
  static const char *const perimeters[] = {"1", "4", "7"};
  for (unsigned i = 0; i < 3; i++)
    assert_true(number(&counts, row_of(&counts, "lud", perimeters[i]), "l2_read_sectors") == 64 * (19 - i) + 10 * 32);
  // Each sector once, and half of the reads hit.
  const unsigned bfs = row_of(&counts, "bfs", "0");
  assert_true(number(&counts, bfs, "l2_read_hit_sectors") == 993 && number(&counts, bfs, "l2_read_sectors") == 2011);
  // A block's own stores hit in its L1: no more reads of the L2 than with tiles in shared memory.
  assert_true(sum(&counts, "nw-nospm", "l2_read_sectors") == sum(&counts, "nw", "l2_read_sectors"));
  assert_true(sum(&counts, "nw-plain", "l2_read_sectors") <= sum(&counts, "nw", "l2_read_sectors"));
  // Two stores of a warp to the same sectors are one write of each, but for pairs that are eight words apart.
  for (unsigned k = 0; k < 10; k++) {
    const unsigned row = row_of(&counts, "bitonic", (const char[2]){(char)('0' + k), 0});
    assert_true(number(&counts, row, "l1_store_sectors") ==
                (k == 6 ? 1 : 2) * number(&counts, row, "l2_write_sectors"));
  }
}

// Kernels without shared memory have 32 KiB set aside, no kernel fewer than 16 registers.
static void words_of_kernels(void **state) {
  (void)state;
  static const char *const without[] = {"matrixmul", "spmv",     "bfs",      "nn", "kmeans",
                                        "bitonic",   "nw-nospm", "nw-plain", "kmn"};
  for (unsigned i = 1; i < counts.rows; i++) {
    assert_true(number(&counts, i, "registers") >= 16);
    for (unsigned k = 0; k < sizeof without / sizeof *without; k++)
      if (!strcmp(counts.cells[i][0], without[k])) assert_true(number(&counts, i, "carveout_bytes") == 32 << 10);
  }
}

static void words_of_times(void **state) {
  (void)state;
  // What the same code differs by: no lines are no S-L1.
  const unsigned row = row_of(&times, "blackscholes", "S-L1");
  assert_string_equal(cell(&times, row, "lines"), "0");
  assert_true(round(100 * number(&times, row, "speedup")) == 122);
  // Over the hardware's L1, S-L1 loses on most.
  const struct pairs p = pairs_of("hardware L1", "S-L1", 20);
  unsigned wins = 0;
  for (unsigned i = 0; i < p.count; i++) wins += p.there[i] > 1;
  assert_true(wins <= p.count / 10);
  // Clocks, as README.md there has them.
  double least = INFINITY, most = 0, cycles = 0, nanoseconds = 0;
  for (unsigned i = 1; i < counts.rows; i++) {
    const double mhz = 1000 * number(&counts, i, "cycles") / number(&counts, i, "nanoseconds");
    least = fmin(least, mhz);
    most = fmax(most, mhz);
    cycles += number(&counts, i, "cycles");
    nanoseconds += number(&counts, i, "nanoseconds");
  }
  assert_true(round(least) == 1653 && round(most) == 2281 && round(1000 * cycles / nanoseconds) == 1976);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_agree),      cmocka_unit_test(speedups),
                                     cmocka_unit_test(parts_and_wholes), cmocka_unit_test(statistics),
                                     cmocka_unit_test(counters),         cmocka_unit_test(words_of_counts),
                                     cmocka_unit_test(words_of_kernels), cmocka_unit_test(words_of_times)};
  return cmocka_run_group_tests(tests, read_tables, free_tables);
}
