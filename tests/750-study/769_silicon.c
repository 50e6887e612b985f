// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The curves measured on silicon, where they are at hand: the study's points are theirs, and volta-v100 comes as near to them as
// docs/VALIDATION.md says.
#include "weir_process.h"

#include "made_runs.h"
#include "silicon/silicon.h"

#include <stdlib.h>
#include <unistd.h>

#define SILICON WEIR_SOURCE_DIR "/../shared/reference/silicon/"

extern const struct weir_study weir_study_silicon;
const struct weir_study *const made_study = &weir_study_silicon;
const char *const made_chip = "volta-v100";

// A few points run; the others are as if they had failed.
static const char *const runs[] = {
  "chase none,launch.footprint_kib=35",
  "chase none,launch.footprint_kib=95",
  "chase none,launch.footprint_kib=1832",
  "chase none,launch.footprint_kib=13620",
  "one-buffer none,launch.blocks=80,launch.footprint_kib=64",
  "one-buffer none,launch.blocks=80,launch.footprint_kib=384",
};

static bool runs_here(const char *program, const char *scheme) {
  const size_t length = strlen(program);
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    if (!strncmp(runs[i], program, length) && !strcmp(runs[i] + length + 1, scheme)) return true;
  return !strcmp(program, "strides");
}

json_t *made_run(const char *program, const char *scheme) {
  if (!runs_here(program, scheme)) return NULL;
  struct process p = process_run("run", program, "--chip", made_chip, "--scheme", scheme, "--json");
  assert_int_equal(p.status, 0);
  json_t *run = json_loads(p.out, 0, NULL);
  assert_non_null(run);
  process_free(&p);
  return run;
}

// ---- what was measured ----------------------------------------------------------------------------------------------

enum { MEASURED = 512 };

struct measured {
  double at[MEASURED], value[MEASURED];
  unsigned count;
};

// The rows of a file whose line begins with `prefix`: of comma-separated fields, which of them is where and what.
static struct measured read_measured(const char *file, const char *prefix, unsigned at, unsigned value) {
  struct measured m = {.count = 0};
  char path[512], line[256];
  snprintf(path, sizeof path, SILICON "%s.csv", file);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    if (strncmp(line, prefix, strlen(prefix)) != 0) continue;
    assert_true(m.count < MEASURED);
    char *rest = line, *field;
    for (unsigned i = 0; (field = strsep(&rest, ",\n")); i++) {
      if (i == at) m.at[m.count] = atof(field);
      if (i == value) m.value[m.count] = atof(field);
    }
    m.count++;
  }
  fclose(f);
  assert_true(m.count > 0);
  return m;
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median(const struct measured *m, double from, double to) {
  double values[MEASURED];
  size_t n = 0;
  for (unsigned i = 0; i < m->count; i++)
    if (m->at[i] >= from && m->at[i] <= to) values[n++] = m->value[i];
  assert_true(n > 0);
  qsort(values, n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double value_at(const struct measured *m, double at) {
  for (unsigned i = 0; i < m->count; i++)
    if (m->at[i] == at) return m->value[i];
  fail_msg("nothing was measured at %g", at);
  return NAN;
}

static const struct silicon_chip chips[] = {
#define CHIP(symbol, name, cores, mhz, strides_of) {name, cores, mhz, strides_of},
#include "silicon/chips.def"
#undef CHIP
};

static const struct silicon_chip *chip_of(const char *name) {
  unsigned i = 0;
  while (strcmp(chips[i].name, name) != 0) assert_true(++i < sizeof chips / sizeof *chips);
  return &chips[i];
}

static void assert_points(enum silicon_curve curve, const struct measured *m) {
  unsigned i = 0, count = 0;
  for (const struct silicon_point *p; (p = silicon_next(chip_of(made_chip), curve, &i)); count++)
    assert_near(p->value, value_at(m, p->at));
  assert_true(count >= 10);
}

// ---- ours beside it -------------------------------------------------------------------------------------------------

static double error(const struct weir_table *t, const char *row, const char *column, double measured) {
  return fabs(cell_of(t, row, column)->ours / measured - 1);
}

static void latency(void **state) {
  (void)state;
  const struct measured m = read_measured("latency", "v100-pcie,", 2, 3);
  assert_points(SILICON_LATENCY, &m);
  struct weir_table t;
  figure_make(&t, "volta-v100-latency");
  // Plateaus: of the L1 to 95 KiB, of the L2 from 239 to 5770, of DRAM from 13620, before TLBs add theirs.
  assert_true(error(&t, "35 KiB", "cycles", median(&m, 1, 95)) < 0.03);
  assert_true(error(&t, "95 KiB", "cycles", median(&m, 1, 95)) < 0.03);
  assert_true(error(&t, "1832 KiB", "cycles", median(&m, 239, 5770)) < 0.03);
  assert_true(error(&t, "13620 KiB", "cycles", median(&m, 13620, 32129)) < 0.03);
  weir_table_free(&t);
}

static void strides(void **state) {
  (void)state;
  const struct measured m = read_measured("l1-strides", "a100,float,stride,", 3, 4);
  assert_points(SILICON_STRIDES, &m);
  struct weir_table t;
  figure_make(&t, "volta-v100-strides");
  double sum = 0;
  unsigned count = t.row_count - 1; // the mean is below
  for (unsigned i = 0; i < count; i++) sum += error(&t, t.rows[i][0].text, "cycles", value_at(&m, t.rows[i][2].ours));
  assert_true(sum / count <= 0.10);
  weir_table_free(&t);
}

static void bandwidth(void **state) {
  (void)state;
  const struct measured m = read_measured("bandwidth-shared-buffer", "v100-pcie,", 1, 2);
  const double l1 = median(&m, 2, 92), l2 = median(&m, 384, 5540), ghz = 1.38;
  struct weir_table t;
  figure_make(&t, "volta-v100-bandwidth");
  assert_published(&t, "64 KiB", "bytes", l1 / ghz);
  assert_published(&t, "512 KiB", "bytes", l2 / ghz);
  assert_published(&t, "384 KiB", "bytes", value_at(&m, 384) / ghz);
  assert_true(error(&t, "64 KiB", "bytes", l1 / ghz) < 0.10);
  assert_true(error(&t, "384 KiB", "bytes", l2 / ghz) < 0.10);
  weir_table_free(&t);
}

int main(void) {
  if (access(SILICON "latency.csv", R_OK)) {
    puts("skipped: the measured curves are not here");
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(latency), cmocka_unit_test(strides), cmocka_unit_test(bandwidth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
