// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures of Zhao et al. from runs with round numbers: loads by transactions per request, and the sub-partitions of memory.
// What cells should hold is worked out by hand beside them.
#include "made_runs.h"

extern const struct weir_study weir_study_zhao2016;
const struct weir_study *const made_study = &weir_study_zhao2016;
const char *const made_chip = "fermi-bucl";

// ---- by transactions --------------------------------------------------------------------------------------------------------

struct group {
  const char *name;
  double share;
  int executions, accesses;
  double all_hit, latency;
  int fills;
  double reuse;
};

enum { GROUPS = 6 };

static const struct made_loads {
  const char *program; // the last: all others
  struct group groups[GROUPS];
} made_loads[] = {
  {"kmn", {{"1", 0.5, 100, 100, 0.25, 40, 60, 0.5}, {"21-32", 0.5, 100, 3200, 0.05, 100, 3000, 0.1}}},
  {"bp", {{"2", 1, 100, 200, 0.5, 60, 100, 0.25}}}, // none of one transaction
  {"bt",
   {{"1", 0.5, 100, 100, 0, 50, 100, 0}, {"2", 0.5, 100, 200, 0, 50, 100, 0.5}}}, // whose blocks are not used again
  {"2dc",
   {{"1", 0.9, 90, 90, 0.5, 50, 40, 0.5}, {"2", 0.1, 10, 20, 1, 60, 0, 0}}}, // transactions 2 finds all it asks for
  {NULL,
   {{"1", 0.5, 200, 200, 0.8, 50, 40, 0.5},
    {"2", 0.25, 100, 200, 0.4, 100, 50, 0.25},
    {"3-10", 0.125, 50, 300, 0.1, 200, 90, 0.1},
    {"11-20", 0.125, 50, 600, 0.02, 450, 100, 0.05}}},
};

static json_t *group_json(const struct made_loads *m, const char *name) {
  struct group g = {0};
  for (unsigned i = 0; i < GROUPS && m->groups[i].name; i++)
    if (!strcmp(m->groups[i].name, name)) g = m->groups[i];
  return json_pack("{s:f, s:i, s:i, s:f, s:f, s:i, s:f}", "share", g.share, "executions", g.executions, "transactions",
                   g.accesses, "all_hit_ratio", g.all_hit, "mean_latency_cycles", g.latency, "fills", g.fills,
                   "reuse_ratio", g.reuse);
}

static json_t *loads_run(const char *program) {
  static const char *const names[GROUPS] = {"1", "2", "3-10", "11-20", "21-32", "33-64"};
  const struct made_loads *m = made_loads;
  while (m->program && strcmp(m->program, program)) m++;
  json_t *groups = json_object();
  for (unsigned i = 0; i < GROUPS; i++) json_object_set_new(groups, names[i], group_json(m, names[i]));
  return json_pack("{s:o}", "load_groups", groups);
}

static void distribution(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "2");
  assert_ours(&t, "gau", "degree_1", 0.5);
  assert_ours(&t, "gau", "degree_2", 0.25);
  assert_ours(&t, "gau", "degree_3_10", 0.125);
  assert_ours(&t, "gau", "degree_11_20", 0.125);
  assert_ours(&t, "gau", "degree_21_32", 0);
  assert_ours(&t, "gau", "above_two", 0.25);
  assert_ours(&t, "gau", "accesses_21_32", 0);
  assert_ours(&t, "kmn", "above_two", 0.5);
  assert_ours(&t, "kmn", "accesses_21_32", 32.0 / 33); // 3200 / 3300
  const struct weir_cell *none = cell_of(&t, "2dc", "above_two");
  assert_true(none->ours == 0 && !signbit(none->ours)); // although 1 - 0.9 - 0.1 is below 0
  assert_none(&t, "myc", "degree_1");
  assert_none(&t, "myc", "above_two");
  assert_int_equal(t.row_count, 11); // without means
  weir_table_free(&t);
}

static void all_hit(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "5a");
  assert_ours(&t, "kmn", "degree_1", 0.25);
  assert_none(&t, "kmn", "degree_2");
  assert_ours(&t, "kmn", "degree_21_32", 0.05);
  assert_none(&t, "bp", "degree_1");
  assert_ours(&t, "bt", "degree_1", 0); // loads, but none of them
  assert_ours(&t, "ptf", "degree_3_10", 0.1);
  assert_ours(&t, "ptf", "degree_11_20", 0.02);
  assert_int_equal(t.row_count, 11);
  weir_table_free(&t);
}

static void latency(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "5b");
  assert_ours(&t, "ptf", "degree_1", 1);
  assert_ours(&t, "ptf", "degree_2", 2);
  assert_ours(&t, "ptf", "degree_3_10", 4);
  assert_ours(&t, "ptf", "degree_11_20", 9); // 450 / 50
  assert_none(&t, "ptf", "degree_21_32");
  assert_ours(&t, "kmn", "degree_21_32", 2.5); // 100 / 40
  assert_none(&t, "bp", "degree_2");           // there is nothing to compare with
  weir_table_free(&t);
}

static void reuse(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "5c");
  assert_ours(&t, "ptf", "degree_1", 1);
  assert_ours(&t, "ptf", "degree_2", 0.5);
  assert_ours(&t, "ptf", "degree_11_20", 0.1); // 0.05 / 0.5
  assert_none(&t, "ptf", "degree_21_32");
  assert_ours(&t, "kmn", "degree_21_32", 0.2);
  assert_ours(&t, "2dc", "degree_1", 1);
  assert_none(&t, "2dc", "degree_2"); // brought no blocks
  assert_none(&t, "bt", "degree_1");  // 0 over 0
  assert_none(&t, "bt", "degree_2");  // over 0
  assert_none(&t, "bp", "degree_2");
  weir_table_free(&t);
}

// ---- sub-partitions ---------------------------------------------------------------------------------------------------

// Two samples of 1000 cycles and one of 500, of three sub-partitions.
static json_t *short_run(void) {
  return json_pack("{s:{s:[i,i,i], s:[i,i,i], s:[[f,f,f],[f,f,f],[f,f,f]]}}", "samples", "cycles", 1000, 1000, 500,
                   "end_cycle", 1000, 2000, 2500, "input_utilisation", 0.1, 0.2, 0.6, 0.3, 0.4, 0.2, 0.5, 0.5, 0.5);
}

static unsigned long_samples;

// Of two sub-partitions. The last sample has 500 cycles; one sub-partition is used in the last two alone.
static json_t *long_run(void) {
  json_t *cycles = json_array(), *ends = json_array(), *late = json_array(), *steady = json_array();
  for (unsigned i = 0; i < long_samples; i++) {
    unsigned from_end = long_samples - 1 - i;
    json_array_append_new(cycles, json_integer(from_end ? 1000 : 500));
    json_array_append_new(ends, json_integer(1000 * (json_int_t)(i + 1) - (from_end ? 0 : 500)));
    json_array_append_new(late, json_real(from_end == 0 ? 0.6 : from_end == 1 ? 0.3 : 0));
    json_array_append_new(steady, json_real(0.5));
  }
  return json_pack("{s:{s:o, s:o, s:[o,o]}}", "samples", "cycles", cycles, "end_cycle", ends, "input_utilisation", late,
                   steady);
}

static void partitions(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "partitions");
  // The first: (100 + 200 + 300) / 2500 = 0.24; the second: (300 + 400 + 100) / 2500 = 0.32; the third: 0.5.
  assert_ours(&t, "kmn", "lowest", 0.24);
  assert_ours(&t, "kmn", "mean", 1.06 / 3);
  assert_ours(&t, "kmn", "highest", 0.5);
  assert_ours(&t, "kmn", "calmest", 0.3); // of 0.9 / 3, 1.1 / 3, 1.3 / 3
  assert_ours(&t, "kmn", "busiest", 1.3 / 3);
  assert_none(&t, "ptf", "mean"); // that run failed
  assert_none(&t, "ptf", "busiest");
  assert_int_equal(t.row_count, 6);
  weir_table_free(&t);
}

static void assert_moment(const struct weir_table *t, unsigned row, double cycle, double lowest, double highest) {
  const struct weir_cell *c = t->rows[row];
  assert_near(c[0].ours, cycle);
  assert_near(c[1].ours, lowest);
  assert_near(c[2].ours, (lowest + highest) / 2); // of two
  assert_near(c[3].ours, highest);
}

// Two samples to a row. The last: (1000 × 0.3 + 500 × 0.6) / 1500 = 0.4.
static void over_time(void **state) {
  (void)state;
  struct weir_table t;
  long_samples = 96;
  figure_make(&t, "partitions-over-time");
  assert_int_equal(t.row_count, 48);
  assert_moment(&t, 0, 2000, 0, 0.5);
  assert_moment(&t, 46, 94000, 0, 0.5);
  assert_moment(&t, 47, 95500, 0.4, 0.5);
  weir_table_free(&t);
}

// Of 50 samples two rows have two: 24 in the first half and 25 in 24 rows are 25, of which the last row of a half has two.
static void not_a_multiple(void **state) {
  (void)state;
  struct weir_table t;
  long_samples = 50;
  figure_make(&t, "partitions-over-time");
  assert_int_equal(t.row_count, 48);
  for (unsigned i = 0; i < 23; i++) assert_moment(&t, i, 1000 * (i + 1), 0, 0.5);
  for (unsigned i = 23; i < 47; i++) assert_moment(&t, i, 1000 * (i + 2), 0, 0.5);
  assert_moment(&t, 47, 49500, 0.4, 0.5);
  weir_table_free(&t);
}

static void few_samples(void **state) {
  (void)state;
  struct weir_table t;
  long_samples = 3;
  figure_make(&t, "partitions-over-time");
  assert_int_equal(t.row_count, 3);
  assert_moment(&t, 0, 1000, 0, 0.5);
  assert_moment(&t, 1, 2000, 0.3, 0.5);
  assert_moment(&t, 2, 2500, 0.5, 0.6);
  weir_table_free(&t);
}

json_t *made_run(const char *program, const char *scheme) {
  bool sampled = !strcmp(scheme, "lru,sample_cycles=1000");
  if (!sampled) assert_string_equal(scheme, "lru");
  if (!strcmp(program, sampled ? "ptf" : "myc")) return NULL;
  return !sampled ? loads_run(program) : strcmp(program, "bfs-random") ? short_run() : long_run();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(distribution),   cmocka_unit_test(all_hit),
                                     cmocka_unit_test(latency),        cmocka_unit_test(reuse),
                                     cmocka_unit_test(partitions),     cmocka_unit_test(over_time),
                                     cmocka_unit_test(not_a_multiple), cmocka_unit_test(few_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
