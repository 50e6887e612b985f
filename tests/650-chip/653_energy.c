// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Energy against closed forms: Tian et al. section 5.1 and table 3, and arithmetic by hand.
#include "chip_test.h"

#include "energy/energy.h"

#include <math.h>

static void assert_near(double got, double want) {
  if (!(fabs(got - want) <= 1e-9 * fabs(want))) fail_msg("%.12g where %.12g is expected", got, want);
}

static double part(const struct weir_energy_costs *costs, const struct weir_run_stats *counts, const char *name) {
  struct weir_energy_part parts[WEIR_MAX_ENERGY_PARTS];
  unsigned n = weir_energy(costs, counts, parts, WEIR_MAX_ENERGY_PARTS);
  for (unsigned i = 0; i < n; i++)
    if (!strcmp(parts[i].name, name)) return parts[i].picojoules;
  fail_msg("no part '%s'", name);
  return 0;
}

static struct weir_energy_costs costs_of(const char *chip, const char *spec) {
  static struct weir_chip_config *config; // the costs point to its names
  weir_chip_config_free(config);
  struct weir_sink sink = {0};
  config = chip ? read_good(chip) : NULL;
  struct weir_energy_costs costs = {0};
  struct weir_scheme *s = chip ? weir_scheme_read(spec, config, &sink) : NULL;
  assert_clean(&sink);
  if (s) weir_scheme_energy_costs(s, config, &costs);
  weir_scheme_free(s);
  return costs;
}

static int forget(void **state) {
  (void)state;
  costs_of(NULL, NULL);
  return 0;
}

static double first_level(const struct weir_energy_costs *costs, const struct weir_run_stats *counts) {
  return part(costs, counts, "l1_tag") + part(costs, counts, "l1_data") + part(costs, counts, "l1_predictor");
}

// Baseline, 1000 accesses, 400 fills: (1000 + 400) × (1.34096 + 106.434) pJ = 1400 × 107.77496 pJ.
static void baseline_of_the_paper(void **state) {
  (void)state;
  struct weir_energy_costs costs = costs_of("gcn-apu", "lru");
  struct weir_run_stats n = {0};
  n.levels[0].tag_accesses = 1000;
  n.levels[0].fills = 400;
  n.levels[0].data_reads = 600; // parallel: no further energy
  assert_near(first_level(&costs, &n), 150884.944);
}

// Bypassing prevents 58 % of these fills (its average): 1000 × (1.7867 + 106.434 + 0.126232) + 168 × (1.7867 + 106.434)
// = 108346.932 + 18181.0776 pJ, 16 % less.
static void predictor_of_the_paper(void **state) {
  (void)state;
  struct weir_energy_costs costs = costs_of("gcn-apu", "pcbp");
  struct weir_run_stats n = {0};
  n.levels[0].tag_accesses = 1000;
  n.levels[0].fills = 168;
  n.levels[0].predictor_accesses = 1000;
  assert_near(first_level(&costs, &n), 126528.0096);
}

// Table 3: 7.538627 mW, and 7.72904 mW with the predictor, in each of 8 L1 caches; 1 ms is 1e9 ps.
static void leakage_of_the_paper(void **state) {
  (void)state;
  struct weir_run_stats n = {.time_ps = 1000000000};
  struct weir_energy_costs costs = costs_of("gcn-apu", "lru");
  assert_near(part(&costs, &n, "l1_leakage"), 60309016); // pJ: 60.3 µJ
  costs = costs_of("gcn-apu", "pcbp");
  assert_near(part(&costs, &n, "l1_leakage"), 61832320);
  assert_near(part(&costs, &n, "l3_leakage"), 4 * 659.75 * 1e6);
}

// A random choice keeps no table: tags are not widened for it.
static void only_predictors_widen_tags(void **state) {
  (void)state;
  struct weir_run_stats n = {0};
  n.levels[0].tag_accesses = 100;
  struct weir_energy_costs costs = costs_of("gcn-apu", "bypass-random");
  assert_near(part(&costs, &n, "l1_tag"), 134.096);
  costs = costs_of("gcn-apu", "counter");
  assert_near(part(&costs, &n, "l1_tag"), 178.67);
}

// Tags first: 10 look-ups × 2 + 3 fills × 2 in the tags; 5 reads × 3 + 4 writes × 5 + 3 fills × 7 in the data.
static void tags_before_data(void **state) {
  (void)state;
  struct weir_energy_costs costs = {.levels_count = 1,
                                    .levels = {{.name = "c", .tag_pj = 2, .read_pj = 3, .write_pj = 5, .fill_pj = 7}}};
  struct weir_run_stats n = {0};
  n.levels[0].tag_accesses = 10;
  n.levels[0].fills = 3;
  n.levels[0].data_reads = 5;
  n.levels[0].data_writes = 4;
  n.levels[0].writebacks = 2; // among the reads
  assert_near(part(&costs, &n, "c_tag"), 26);
  assert_near(part(&costs, &n, "c_data"), 56);
  costs.levels[0].parallel = true; // (10 + 2) × 3 + 3 × 7: writes go in with their access
  assert_near(part(&costs, &n, "c_data"), 57);
}

// O'Connor et al. figure 1a: 14 pJ per bit are 14.3 nJ per line of 128 bytes.
static void beyond_the_caches(void **state) {
  (void)state;
  struct weir_energy_costs costs = costs_of("fermi-gtx480", "lru");
  struct weir_run_stats n = {.network_bytes = 100, .shared_accesses = 3};
  n.dram.bytes = 128;
  n.dram.activates = 2;
  assert_near(part(&costs, &n, "dram"), 14336);
  assert_near(part(&costs, &n, "dram_activate"), 8000);
  assert_near(part(&costs, &n, "network"), 1600);
  assert_near(part(&costs, &n, "shared"), 180);
}

static void fill_with_counts(struct weir_run_stats *n, uint64_t seed) {
  uint64_t *word = (uint64_t *)n;
  for (size_t i = 0; i < sizeof *n / sizeof *word; i++) word[i] = (i * 7919 + seed * 104729) % 1000;
}

static void energy_of_a_sum_is_the_sum(void **state) {
  (void)state;
  struct weir_energy_costs costs = costs_of("gcn-apu", "pcbp");
  struct weir_run_stats a, b, sum;
  fill_with_counts(&a, 1);
  fill_with_counts(&b, 2);
  sum = a;
  weir_run_stats_add(&sum, &b);
  struct weir_energy_part of_a[WEIR_MAX_ENERGY_PARTS], of_b[WEIR_MAX_ENERGY_PARTS], of_sum[WEIR_MAX_ENERGY_PARTS];
  unsigned count = weir_energy(&costs, &sum, of_sum, WEIR_MAX_ENERGY_PARTS);
  assert_int_equal(count, 3 * 4 + 4);
  assert_int_equal(weir_energy(&costs, &a, of_a, WEIR_MAX_ENERGY_PARTS), count);
  assert_int_equal(weir_energy(&costs, &b, of_b, WEIR_MAX_ENERGY_PARTS), count);
  for (unsigned i = 0; i < count; i++) {
    assert_true(of_sum[i].picojoules > 0);
    assert_near(of_sum[i].picojoules, of_a[i].picojoules + of_b[i].picojoules);
  }
}

static void no_more_parts_than_asked_for(void **state) {
  (void)state;
  struct weir_energy_costs costs = costs_of("gcn-apu", "lru");
  struct weir_run_stats n = {0};
  struct weir_energy_part parts[3] = {0};
  assert_int_equal(weir_energy(&costs, &n, parts, 2), 2);
  assert_string_equal(parts[1].name, "l1_data");
  assert_string_equal(parts[2].name, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(baseline_of_the_paper),      cmocka_unit_test(predictor_of_the_paper),
    cmocka_unit_test(leakage_of_the_paper),       cmocka_unit_test(only_predictors_widen_tags),
    cmocka_unit_test(tags_before_data),           cmocka_unit_test(beyond_the_caches),
    cmocka_unit_test(energy_of_a_sum_is_the_sum), cmocka_unit_test(no_more_parts_than_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, forget);
}
