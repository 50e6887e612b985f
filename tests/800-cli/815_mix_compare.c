// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Eq. 1 and 2 of Holey et al. on runs that never ran, derived by hand.
#include "weir_process.h"

#include "report/compare.h"

#include <math.h>

// IPC, demand misses and occupancy in the last of two shared caches, and bytes of DRAM.
// IPC, demand misses and occupancy in the last of two shared caches, bytes of DRAM, energy, and time.
static json_t *program(int requester, double ipc, int misses, double occupancy, int bytes, double pj, int ps) {
  return json_pack("{s:i, s:f, s:{s:{s:i}, s:{s:i, s:f}}, s:{s:i}, s:{s:f, s:f}, s:i}", "requester", requester, "ipc",
                   ipc, "shared", "l2", "demand_misses", 1000 * misses, "llc", "demand_misses", misses, "occupancy",
                   occupancy, "traffic", "dram_bytes", bytes, "energy_pj", "dram", 1e9, "total", pj, "time_ps", ps);
}

static json_t *run_of(json_t *gpu, json_t *first, json_t *second) {
  json_t *programs = json_array();
  if (gpu) json_array_append_new(programs, gpu);
  json_array_append_new(programs, first);
  if (second) json_array_append_new(programs, second);
  return json_pack("{s:s, s:{s:o}}", "check", "none", "mix", "programs", programs);
}

static void add(struct weir_batch *b, const char *program, const char *scheme, json_t *run) {
  weir_batch_add(b, &(struct weir_experiment){.program = program, .chip = "apu-2c4g", .scheme = scheme});
  b->items[b->count - 1].run = run;
}

static double cell(const struct weir_table *t, unsigned row, const char *column) {
  for (unsigned i = 0; i < t->column_count; i++)
    if (!strcmp(t->columns[i].name, column)) return t->rows[row][i].ours;
  fail_msg("no column '%s'", column);
  return NAN;
}

static void is(double value, double expected) {
  if (!(fabs(value - expected) < 1e-12)) fail_msg("%.15g instead of %.15g", value, expected);
}

static void by_hand(void **state) {
  (void)state;
  struct weir_batch b = {0};
  struct weir_table t;
  add(&b, "p+q+g", "lru",
      run_of(program(0, 2, 100, 0.75, 10, 8, 100), program(1, 1, 300, 0.125, 20, 5, 100),
             program(2, 0.5, 100, 0.125, 30, 3, 90)));
  // speedups 5/4, 6/5 and 9/16, whose product is 27/32; the cube root of that
  add(&b, "p+q+g", "helm",
      run_of(program(0, 2.5, 150, 0.25, 15, 4, 80), program(1, 1.2, 200, 0.5, 20, 5, 50),
             program(2, 0.28125, 100, 0.25, 5, 6, 180)));
  // a mix without a GPU's program, and with one core only: its speedup 1.28 is that of the mix
  add(&b, "mcf", "lru", run_of(NULL, program(1, 1, 0, 1, 0, 1, 1), NULL));
  add(&b, "mcf", "helm", run_of(NULL, program(1, 1.28, 0, 1, 0, 1, 1), NULL));
  weir_compare_table(&t, &b, 2);
  is(cell(&t, 0, "speedup"), 1);
  is(cell(&t, 0, "speedup_cpu_2"), 1);
  is(cell(&t, 1, "speedup_gpu"), 1.25);
  is(cell(&t, 1, "speedup_cpu_1"), 1.2);
  is(cell(&t, 1, "speedup_cpu_2"), 0.5625);
  is(cell(&t, 1, "speedup"), cbrt(27.0 / 32));
  is(cell(&t, 1, "cpu_misses"), 300.0 / 400);
  is(cell(&t, 1, "gpu_misses"), 1.5);
  is(cell(&t, 1, "gpu_occupancy"), 0.25);
  is(cell(&t, 1, "dram_bytes"), 40);
  is(cell(&t, 1, "energy"), 1);       // 4/8 × 5/5 × 6/3
  is(cell(&t, 1, "ed2"), cbrt(0.64)); // the squares of 80/100, 50/100 and 180/90: their product
  is(cell(&t, 3, "speedup"), 1.28);
  is(cell(&t, 3, "speedup_cpu_1"), 1.28);
  assert_true(isnan(cell(&t, 3, "speedup_cpu_2")));
  assert_true(isnan(cell(&t, 3, "speedup_gpu")));
  assert_true(isnan(cell(&t, 3, "cpu_misses"))); // none under the first scheme
  assert_int_equal(t.row_count, 6);
  assert_string_equal(t.rows[5][0].text, "geometric mean");
  is(cell(&t, 5, "speedup"), sqrt(cbrt(27.0 / 32) * 1.28));
  is(cell(&t, 5, "speedup_cpu_2"), 0.5625); // of the one that there is
  weir_table_free(&t);
  weir_batch_free(&b);
}

// One that failed has an empty row, and others are still measured against the first.
static void failed(void **state) {
  (void)state;
  struct weir_batch b = {0};
  struct weir_table t;
  add(&b, "mcf", "lru", run_of(NULL, program(1, 2, 1, 1, 1, 1, 1), NULL));
  add(&b, "mcf", "srrip", NULL);
  add(&b, "mcf", "helm", run_of(NULL, program(1, 3, 1, 1, 1, 1, 1), NULL));
  b.items[1].failure = "it broke\n";
  weir_compare_table(&t, &b, 3);
  assert_true(isnan(cell(&t, 1, "speedup")));
  is(cell(&t, 2, "speedup"), 1.5);
  assert_int_equal(t.row_count, 3);
  weir_table_free(&t);
  weir_batch_free(&b);
}

static json_t *policy(const char *kind, const char *level, const char *name) {
  return json_pack("{s:s, s:s, s:s}", "kind", kind, "level", level, "name", name);
}

// What a bypass scheme runs on stands beside it: of each cache, where they differ; a bypass policy is none.
static void replacements_are_named(void **state) {
  (void)state;
  struct weir_batch b = {0};
  struct weir_table t;
  json_t *same = run_of(NULL, program(1, 2, 1, 1, 1, 1, 1), NULL), *other = json_deep_copy(same);
  json_object_set_new(same, "policy",
                      json_pack("[o, o]", policy("replace", "l1", "lru"), policy("replace", "llc", "lru")));
  json_object_set_new(other, "policy",
                      json_pack("[o, o, o]", policy("replace", "l1", "lru"), policy("bypass", "llc", "helm"),
                                policy("replace", "llc", "drrip")));
  add(&b, "p+q+g", "lru", same);
  add(&b, "p+q+g", "helm", other);
  weir_compare_table(&t, &b, 2);
  assert_string_equal(t.columns[2].name, "replacement");
  assert_string_equal(t.rows[0][2].text, "lru");
  assert_string_equal(t.rows[1][2].text, "l1 lru, llc drrip");
  weir_table_free(&t);
  weir_batch_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(failed),
                                     cmocka_unit_test(replacements_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
