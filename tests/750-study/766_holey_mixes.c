// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The mixes of Holey et al.: drawn as section 4.1 says, the same whatever their number; schemes by size; published
// numbers as a reader finds them in the text.
#include "made_runs.h"

#include "holey2014/holey2014.h"
#include "trace/programs.h"

extern const struct weir_study weir_study_holey2014;
const struct weir_study *const made_study = &weir_study_holey2014;
const char *const made_chip = NULL;

json_t *made_run(const char *program, const char *scheme) {
  (void)program;
  (void)scheme;
  return NULL;
}

static const struct weir_plan none = {.count = 0};

static unsigned drawn(enum holey_cores cores, unsigned wanted, struct holey_mix *out) {
  made_mixes = wanted;
  unsigned count = holey_draw(&none, cores, out);
  made_mixes = 0;
  return count;
}

// Table IV.
static void numbers(void **state) {
  (void)state;
  struct holey_mix m[HOLEY_MIXES];
  const unsigned table_4[] = {100, 40, 30};
  for (unsigned c = 0; c < HOLEY_CORES; c++) {
    made_size = WEIR_SIZE_PAPER;
    assert_int_equal(drawn(c, 0, m), table_4[c]);
    assert_int_equal(drawn(c, 7, m), 7);
    made_size = WEIR_SIZE_SMALL;
    assert_true(drawn(c, 0, m) < table_4[c]);
    assert_int_equal(drawn(c, 1000, m), table_4[c]); // there are no more
  }
}

static void prefixes(void **state) {
  (void)state;
  struct holey_mix few[HOLEY_MIXES], many[HOLEY_MIXES];
  for (unsigned c = 0; c < HOLEY_CORES; c++) {
    unsigned n = drawn(c, 5, few);
    drawn(c, 30, many);
    for (unsigned i = 0; i < n; i++) assert_string_equal(few[i].name, many[i].name);
  }
}

static bool gpu_is(const char *name, const char *const *among) {
  while (*among && strcmp(*among, name) != 0) among++;
  return *among;
}

// Splits the name; the number of its CPU programs that are sensitive.
static unsigned sensitive_cpus(const struct holey_mix *m, unsigned *cpus, struct holey_mix *gpu) {
  struct holey_mix copy = *m;
  unsigned sensitive = 0;
  *cpus = 0;
  char *at = copy.name;
  for (char *plus; (plus = strchr(at, '+')); at = plus + 1) {
    *plus = 0;
    const struct weir_cpu_program *c = weir_cpu_program_find(at);
    assert_non_null(c);
    sensitive += c->measured == WEIR_TRACE_SENSITIVE;
    (*cpus)++;
  }
  memmove(gpu->name, at, strlen(at) + 1);
  return sensitive;
}

static void check_mixes(enum holey_cores cores, unsigned cpus, const char *chip) {
  struct holey_mix m[HOLEY_MIXES];
  unsigned count = drawn(cores, 100, m), gpus = 0, all_sensitive = 0;
  for (unsigned i = 0; i < count; i++) {
    struct holey_mix gpu;
    unsigned of_mix, sensitive = sensitive_cpus(&m[i], &of_mix, &gpu);
    assert_int_equal(of_mix, cpus);
    assert_string_equal(holey_chip(m[i].name), chip);
    assert_true(gpu_is(gpu.name, m[i].gpu_sensitive ? holey_gpu_sensitive : holey_gpu_insensitive));
    assert_int_equal(sensitive, cpus > 1 ? cpus / 2 : m[i].cpu_sensitive);
    gpus += m[i].gpu_sensitive;
    all_sensitive += sensitive;
    for (unsigned k = 0; k < i; k++) assert_string_not_equal(m[i].name, m[k].name);
  }
  assert_int_equal(2 * gpus, count);                 // as many of one kind as of the other
  assert_int_equal(2 * all_sensitive, cpus * count); // of CPU programs too
}

static void balanced(void **state) {
  (void)state;
  check_mixes(HOLEY_1C4G, 1, "apu-1c4g");
  check_mixes(HOLEY_2C4G, 2, "apu-2c4g");
  check_mixes(HOLEY_4C4G, 4, "apu-4c4g");
}

// Table III has 17 GPU programs, five of them sensitive.
static void programs(void **state) {
  (void)state;
  unsigned all = 0, sensitive = 0, classes = 0;
  while (holey_gpu_all->programs[all]) all++;
  while (holey_gpu_sensitive[sensitive]) sensitive++;
  for (const struct weir_figure_group *g = holey_gpu_classes; g->programs; g++)
    for (const char *const *name = g->programs; *name; name++) classes++;
  assert_int_equal(all, 17);
  assert_int_equal(sensitive, 5);
  assert_int_equal(classes, 17);
}

// Size paper has what the paper says: the schemes' own periods.
static void schemes(void **state) {
  (void)state;
  assert_non_null(strstr(holey_spec(&none, HOLEY_HELM), "period_cycles="));
  made_size = WEIR_SIZE_PAPER;
  assert_string_equal(holey_spec(&none, HOLEY_HELM), "helm,chop_by=gpu");
  assert_string_equal(holey_spec(&none, HOLEY_TAP), "tap-rrip"); // always_demote is off: see 623
  made_size = WEIR_SIZE_SMALL;
}

// ---- published numbers ---------------------------------------------------------------------------------------------

static const struct {
  const char *figure, *row, *column;
  double value;
} stated[] = {
  // "HeLM reduces CPU LLC misses by 29.5%, 39.1%, and 33% …, while the corresponding reduction for TAP
  // are 13.9%, 18.1%, and
  // 18.8%"
  {"11a", "1C4G, CPU", "helm", 0.705},
  {"11a", "2C4G, CPU", "helm", 0.609},
  {"11a", "4C4G, CPU", "helm", 0.67},
  {"11a", "1C4G, CPU", "tap_rrip", 0.861},
  {"11a", "2C4G, CPU", "tap_rrip", 0.819},
  {"11a", "4C4G, CPU", "tap_rrip", 0.812},
  // "9.6%, 10.4%, and 12.5% better than LRU …. The corresponding improvements in TAP over LRU are 3.4%, 4.5%,
  // and 6.5%"
  {"11c", "1C4G", "helm", 1.096},
  {"11c", "2C4G", "helm", 1.104},
  {"11c", "4C4G", "helm", 1.125},
  {"11c", "1C4G", "tap_rrip", 1.034},
  {"11c", "2C4G", "tap_rrip", 1.045},
  {"11c", "4C4G", "tap_rrip", 1.065},
  {"means1c4g", "1C4G, combined speed, TAP-RRIP", "mean", 1.034},
  {"means1c4g", "1C4G, combined speed, HeLM", "mean", 1.096},
  {"means1c4g", "1C4G, CPU programs' misses, TAP-RRIP", "mean", 0.861},
  {"means1c4g", "1C4G, CPU programs' misses, HeLM", "mean", 0.705},
  {"means2c4g", "2C4G, combined speed, TAP-RRIP", "mean", 1.045},
  {"means2c4g", "2C4G, combined speed, HeLM", "mean", 1.104},
  {"means2c4g", "2C4G, CPU programs' misses, TAP-RRIP", "mean", 0.819},
  {"means2c4g", "2C4G, CPU programs' misses, HeLM", "mean", 0.609},
  {"means4c4g", "4C4G, combined speed, TAP-RRIP", "mean", 1.065},
  {"means4c4g", "4C4G, combined speed, HeLM", "mean", 1.125},
  {"means4c4g", "4C4G, CPU programs' misses, TAP-RRIP", "mean", 0.812},
  {"means4c4g", "4C4G, CPU programs' misses, HeLM", "mean", 0.67},
  {"means2c4g", "2C4G, combined speed, HeLM over TAP-RRIP", "mean", 1.059},
  {"11on1c4g", "combined speed", "tap_rrip", 1.034},
  {"11on1c4g", "combined speed", "helm", 1.096},
  {"11on1c4g", "CPU programs' misses", "tap_rrip", 0.861},
  {"11on1c4g", "CPU programs' misses", "helm", 0.705},
  {"11on2c4g", "combined speed", "tap_rrip", 1.045},
  {"11on2c4g", "combined speed", "helm", 1.104},
  {"11on2c4g", "CPU programs' misses", "tap_rrip", 0.819},
  {"11on2c4g", "CPU programs' misses", "helm", 0.609},
  {"11on4c4g", "combined speed", "tap_rrip", 1.065},
  {"11on4c4g", "combined speed", "helm", 1.125},
  {"11on4c4g", "CPU programs' misses", "tap_rrip", 0.812},
  {"11on4c4g", "CPU programs' misses", "helm", 0.67},
  {"11on2c4g", "off-chip utilization", "tap_rrip", 1.034},
  {"11on2c4g", "off-chip utilization", "helm", 1.07},
  {"12a", "mean", "helm", 1.096},
  {"12b", "mean", "helm", 1.125},
  {"13a", "mean", "helm", 1.104},
  {"12a", "mean", "tap_rrip", 1.034},
  {"12b", "mean", "tap_rrip", 1.065},
  {"13a", "mean", "tap_rrip", 1.045},
  // "outperforms TAP by 5.9% for the baseline processor configuration"
  {"11c", "2C4G", "helm_over_tap", 1.059},
  // "nearly 40% on average, to be reused"; "nearly 25% of the shared LLC space"
  {"14", "average", "reused", 0.4},
  {"15", "average", "dead", 0.25},
  // "HeLM increases the off-chip bandwidth utilization by only 7% over LRU …. TAP also increases … by 3.4%"
  {"bandwidth", "2C4G, utilization", "helm", 1.07},
  {"bandwidth", "2C4G, utilization", "tap_rrip", 1.034},
  {"table5", "MAT", "bytes", 14848},
  {"table5", "SDBP", "bytes", 13.7 * 1024},
  {"table5", "TAP-RRIP, over DRRIP", "bits", 120},
  {"table5", "HeLM", "bits", 166},
  // "by about 2% compared to TAP"; "about 2% less"; "outperforms TAP in energy consumption by about 3%"
  {"18a", "system", "helm_over_tap", 0.98},
  {"18c", "system", "helm_over_tap", 0.98},
  {"19b", "system", "helm_over_tap", 0.97},
  // "reducing ED² value by 18% over LRU"; "nearly 8% better than TAP"
  {"20", "system", "helm", 0.82},
  {"20", "system", "helm_over_tap", 0.92},
};

enum { STATED = sizeof stated / sizeof *stated };

static void as_stated(void **state) {
  (void)state;
  made_mixes = 1;
  for (unsigned i = 0; i < STATED; i++) {
    struct weir_table t;
    figure_make(&t, stated[i].figure);
    assert_published(&t, stated[i].row, stated[i].column, stated[i].value);
    weir_table_free(&t);
  }
  made_mixes = 0;
}

static void nothing_else(void **state) {
  (void)state;
  made_mixes = 1;
  unsigned count = 0;
  for (const struct weir_figure *f = made_study->figures; f->number; f++) {
    struct weir_table t;
    figure_compute(&t, f);
    for (unsigned i = 0; i < t.row_count; i++)
      for (unsigned j = 0; j < t.column_count; j++) count += isnan(t.rows[i][j].published) ? 0 : 1;
    weir_table_free(&t);
  }
  made_mixes = 0;
  assert_int_equal(count, STATED);
}

// 4096 entries of 29 bits; and the conclusion's 5.9 % is what 10.4 % over 4.5 % rounds to, nearly.
static void among_themselves(void **state) {
  (void)state;
  assert_near(4096 * (20 + 8 + 1) / 8.0, 14.5 * 1024);
  assert_true(fabs(1.104 / 1.045 - 1.059) < 0.003);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers),      cmocka_unit_test(prefixes),
                                     cmocka_unit_test(balanced),     cmocka_unit_test(programs),
                                     cmocka_unit_test(schemes),      cmocka_unit_test(as_stated),
                                     cmocka_unit_test(nothing_else), cmocka_unit_test(among_themselves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
