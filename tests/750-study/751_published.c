// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The published numbers, checked against the paper's text: each as a reader finds it there.
#include "made_runs.h"

extern const struct weir_study weir_study_tian2015;
const struct weir_study *const made_study = &weir_study_tian2015;
const char *const made_chip = "gcn-apu";

json_t *made_run(const char *program, const char *scheme) {
  (void)program;
  (void)scheme;
  return NULL; // all failed: what is published stands on its own
}

static const struct {
  const char *figure, *row, *column;
  double value;
} stated[] = {
  {"1", "average", "zero_reuse", 0.46},
  {"1", "highest", "zero_reuse", 0.84},
  {"6", "average", "bypassed", 0.58},
  {"7", "average", "energy", 1 - 0.25},
  {"7", "lowest", "energy", 1 - 0.49},
  {"9", "bfs", "pc_based", 1.13},
  {"9", "spmv", "pc_based", 1.09},
  {"9", "matrixmul", "pc_based", 1.06},
  {"9", "backprop", "pc_based", 1.043},
  {"9", "srad", "pc_based", 1.04},
  {"9", "average", "pc_over_counter", 1.023},
  {"11", "average", "coverage", 0.586},
  {"11", "average", "false_positives", 0.12},
  {"11", "average", "false_positives_sdbp", 0.01},
  {"12", "nw-nospm, 16 KiB", "time", 7},
  {"table2", "matrixmul", "instructions", 395.6},
  {"table2", "lud", "instructions", 14.2},
  {"12", "nw-nospm, PC-based", "gap_closed", 0.3},
  {"table3", "data access (pJ)", "baseline", 106.434},
  {"table3", "dynamic power (mW)", "baseline", 44.2935},
  {"table3", "static power (mW)", "bypassing", 7.72904},
  {"storage", "PC-based, per L1", "bytes", 7 * 256 / 8}, // 7 bits for each of 256 blocks, all that is printed
  {"storage", "PC-based, whole L2", "bytes", 256 * 1024 / 64 / 8},
  {"storage", "counter-based, per L1", "bytes", 128 * 128 * 5 / 8 + 256 * 20 / 8},
};

static void as_stated(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
    struct weir_table t;
    figure_make(&t, stated[i].figure);
    assert_published(&t, stated[i].row, stated[i].column, stated[i].value);
    assert_true(isnan(cell_of(&t, stated[i].row, stated[i].column)->ours));
    weir_table_free(&t);
  }
}

// The paper prints both sides of these; its own numbers agree with each other to what it rounds.
static void among_themselves(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "table3");
  const char *const rows[] = {"dynamic power (mW)", "static power (mW)"};
  for (unsigned i = 0; i < 2; i++) {
    double ratio = cell_of(&t, rows[i], "bypassing")->published / cell_of(&t, rows[i], "baseline")->published;
    assert_true(fabs(ratio - cell_of(&t, rows[i], "ratio")->published) < 0.005);
  }
  weir_table_free(&t);
}

// Where the text has no number there is none.
static void nothing_else(void **state) {
  (void)state;
  struct weir_table t;
  const char *const silent[] = {"2", "3", "4", "8", "10"};
  for (unsigned i = 0; i < 5; i++) {
    figure_make(&t, silent[i]);
    for (unsigned c = 1; c < t.column_count; c++) assert_false(weir_table_has_published(&t, c));
    weir_table_free(&t);
  }
  figure_make(&t, "9");
  assert_true(isnan(cell_of(&t, "nn", "pc_based")->published));
  weir_table_free(&t);
}

// The rows are in the order of table 2.
static void order(void **state) {
  (void)state;
  static const char *const table_2[] = {"matrixmul", "spmv", "bfs",  "nn",        "kmeans", "bitonic", "srad",
                                        "backprop",  "dct",  "sort", "histogram", "nw",     "lud",     "average"};
  struct weir_table t;
  figure_make(&t, "8");
  assert_int_equal(t.row_count, 14);
  for (unsigned i = 0; i < 14; i++) assert_string_equal(t.rows[i][0].text, table_2[i]);
  weir_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_stated), cmocka_unit_test(among_themselves),
                                     cmocka_unit_test(nothing_else), cmocka_unit_test(order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
