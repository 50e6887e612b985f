// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every figure from runs with round numbers; what its cells should hold is worked out by hand beside them.
#include "made_runs.h"

extern const struct weir_study weir_study_tian2015;
const struct weir_study *const made_study = &weir_study_tian2015;
const char *const made_chip = "gcn-apu";

// All programs alike, but matrixmul has twice the fills, of which 90 % are not loaded again and 77.5 % not
// touched.
static json_t *baseline(const char *program) {
  bool first = !strcmp(program, "matrixmul");
  return json_pack(
    "{s:{s:I, s:i, s:i, s:{s:{s:i, s:i, s:i, s:i, s:i}, s:{s:i}, s:{s:i}, s:i, s:i, s:i, s:i, s:i, "
    "s:i, s:i}, s:{s:f, s:f, s:f, s:f, s:f}}, s:{s:{s:i, s:i}, s:{s:i, s:i}}, s:[{s:i}, {s:i}], "
    "s:[{s:i}], s:[{s:i}], "
    "s:[{s:i}, {s:i}], s:[{s:s, s:s}]}",
    "total", "time_ps", (json_int_t)1000000000, "cycles", 10240, "warp_instructions", 10000, "l1", "loads", "accesses",
    1000, "hits", 400, "hits_on_miss", 100, "misses", 500, "bypasses", 0, "stores", "accesses", 200, "stalls", "no_way",
    8192, "fills", first ? 1000 : 500, "evictions", 400, "zero_reuse_evictions", 100, "once_only_lines", 50,
    "distinct_lines", first ? 430 : 300, "tag_accesses", 1500, "predictor_accesses", 0, "energy_pj", "l1_tag", 2e9,
    "l1_data", 6e9, "l1_predictor", 0.0, "l1_leakage", 2e9, "l2_data", 10e9, "load_groups", "1", "zero_reuse_fills",
    first ? 800 : 150, "untouched_fills", first ? 700 : 100, "2", "zero_reuse_fills", 100, "untouched_fills", 75,
    "loads", "executions", 300, "executions", 200, "stores", "executions", 90, "atomics", "executions", 10, "kernels",
    "launches", 1, "launches", 3, "policy", "level", "l1", "kind", "replace");
}

static json_t *pc_based(const char *program) {
  bool bfs = !strcmp(program, "bfs");
  return json_pack("{s:{s:I, s:{s:{s:i, s:i, s:i}, s:i, s:i, s:i, s:i, s:i}, s:{}, s:{s:f, s:f, s:f, s:f, s:f}}, "
                   "s:[{s:s, s:s, s:i, s:i}, {s:s, s:s, s:i, s:i, s:{s:i, s:i, s:i}}, {s:s, s:s, s:i, s:i}]}",
                   "total", "time_ps", (json_int_t)(bfs ? 500000000 : 1000000000), "l1", "loads", "accesses", 1000,
                   "misses", 400, "bypasses", 240, "fills", 200, "bypass_corrections", 40, "bypassed_rereferences", 30,
                   "tag_accesses", 1300, "predictor_accesses", 1000, "l2", "energy_pj", "l1_tag", 3e9, "l1_data", 2.5e9,
                   "l1_predictor", 0.5e9, "l1_leakage", 3e9, "l2_data", 8e9, "policy", "level", "l1", "kind", "replace",
                   "cost_bits", 7, "instances", 8, "level", "l1", "kind", "bypass", "cost_bits", 2304, "instances", 8,
                   "counters", "predictions", 400, "predicted_bypasses", 240, "corrected_reuses", 12, "level", "l2",
                   "kind", "bypass", "cost_bits", 1024, "instances", 4);
}

// The same, but 300 predictions of a bypass.
static json_t *former(const char *program) {
  json_t *run = pc_based(program);
  json_object_set_new(json_object_get(json_array_get(json_object_get(run, "policy"), 1), "counters"),
                      "predicted_bypasses", json_integer(300));
  return run;
}

static json_t *timed(json_int_t time_ps, int misses) {
  return json_pack("{s:{s:I, s:{s:{s:i}}}, s:[{s:s, s:s, s:i}]}", "total", "time_ps", time_ps, "l1", "loads", "misses",
                   misses, "policy", "level", "l1", "kind", "bypass", "cost_bits", 87040);
}

json_t *made_run(const char *program, const char *scheme) {
  if (!strcmp(program, "nw-nospm")) { // 5 times nw; bypassing takes 1 of the 4 away
    bool pc = !strncmp(scheme, "pcbp", 4), none = !strcmp(scheme, "none,l1.census=true");
    return timed(none ? 5000000000 : pc ? 4000000000 : 4500000000, 1);
  }
  if (!strcmp(program, "nw-plain")) // 9 times nw; bypassing takes 2 of the 8 away
    return timed(strncmp(scheme, "pcbp", 4) ? 9000000000 : 7000000000, 1);
  if (!strcmp(program, "lud-plain")) // 1.5 times lud; bypassing takes half of the half away
    return timed(strncmp(scheme, "pcbp", 4) ? 1500000000 : 1250000000, 1);
  if (!strcmp(scheme, "none,l1.census=true")) return baseline(program);
  if (strstr(scheme, "stores_are_reuse=false")) return former(program);
  if (!strncmp(scheme, "pcbp", 4)) return pc_based(program);
  if (!strcmp(scheme, "ccws")) return timed(500000000, 1);
  if (!strncmp(scheme, "ccws,", 5)) return timed(250000000, 1);
  if (!strcmp(scheme, "mrpb")) return timed(4000000000, 1);
  if (!strcmp(scheme, "counter")) return strcmp(program, "lud") ? timed(800000000, 600) : NULL;
  return timed(2000000000, 250);
}

static void blocks(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "1");
  assert_ours(&t, "spmv", "zero_reuse", 0.35);       // (100 + 75) / 500
  assert_ours(&t, "spmv", "not_loaded_again", 0.5);  // (150 + 100) / 500
  assert_ours(&t, "spmv", "of_accessed", 0.175);     // 175 / 1000
  assert_ours(&t, "matrixmul", "zero_reuse", 0.775); // (700 + 75) / 1000
  assert_ours(&t, "matrixmul", "not_loaded_again", 0.9);
  assert_ours(&t, "lud", "once_only", 50 / 300.0); // of the different blocks
  assert_ours(&t, "lud", "zero_reuse_evicted", 0.25);
  assert_ours(&t, "average", "zero_reuse", (0.775 + 12 * 0.35) / 13);
  assert_ours(&t, "highest", "zero_reuse", 0.775);
  assert_int_equal(t.summary_row, 13);
  assert_int_equal(t.row_count, 15);
  weir_table_free(&t);
  figure_make(&t, "3");
  assert_ours(&t, "matrixmul", "blocks", 430);
  assert_ours(&t, "average", "blocks", 310); // (430 + 12 × 300) / 13
  weir_table_free(&t);
  figure_make(&t, "4");
  assert_ours(&t, "bfs", "load_pcs", 2);
  weir_table_free(&t);
}

static void speed(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "9");
  assert_ours(&t, "bfs", "pc_based", 2);
  assert_ours(&t, "bfs", "counter", 1.25);
  assert_ours(&t, "bfs", "l1_32kib", 0.5);
  assert_ours(&t, "bfs", "pc_over_counter", 1.6);
  assert_ours(&t, "average", "pc_based", pow(2, 1.0 / 13)); // one program at 2, twelve at 1
  assert_true(isnan(cell_of(&t, "lud", "counter")->ours));  // that run failed
  assert_ours(&t, "average", "counter", 1.25);              // of the twelve others
  weir_table_free(&t);
  figure_make(&t, "8");
  assert_ours(&t, "nn", "pc_based", 0.8); // 400 / 500
  assert_ours(&t, "nn", "counter", 1.2);
  assert_ours(&t, "average", "l1_32kib", 0.5);
  weir_table_free(&t);
  figure_make(&t, "10");
  assert_ours(&t, "nn", "hit_rate", 0.4);
  assert_ours(&t, "average", "with_pending", 0.5);
  weir_table_free(&t);
  figure_make(&t, "2");
  assert_ours(&t, "average", "l1_32kib", 0.5);
  assert_ours(&t, "sort", "l1_1024kib", 0.5);
  weir_table_free(&t);
}

static void prediction(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "6");
  assert_ours(&t, "nw", "predicted", 0.6);   // 240 / 400
  assert_ours(&t, "nw", "bypassed", 0.5);    // (240 - 40) / 400
  assert_ours(&t, "nw", "fewer_fills", 0.6); // 200 instead of 500
  assert_ours(&t, "matrixmul", "fewer_fills", 0.8);
  weir_table_free(&t);
  figure_make(&t, "11");
  assert_ours(&t, "average", "coverage", 0.6);
  assert_ours(&t, "average", "false_positives", 0.125);     // 30 / 240
  assert_ours(&t, "average", "false_positives_sdbp", 0.05); // 12 / 240
  assert_ours(&t, "average", "of_accesses", 0.03);          // 30 / 1000
  weir_table_free(&t);
}

static void energy(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "7");
  assert_ours(&t, "dct", "energy", 0.75);      // (3 + 2.5 + 0.5) / (2 + 6)
  assert_ours(&t, "dct", "with_leakage", 0.9); // 9 / 10
  assert_ours(&t, "dct", "chip", 0.85);        // 17 / 20
  assert_ours(&t, "lowest", "energy", 0.75);
  weir_table_free(&t);
  figure_make(&t, "table3");
  // 8e9 pJ are 8 mJ, over 1e9 ps (1 ms) 8 W, of 8 caches 1 W each.
  assert_ours(&t, "dynamic power (mW)", "baseline", 1000);
  assert_ours(&t, "static power (mW)", "baseline", 250);
  // bfs takes half the time: 1.5 W instead of 0.75 W.
  assert_ours(&t, "dynamic power (mW)", "bypassing", (12 * 750 + 1500) / 13.0);
  assert_ours(&t, "tag access (pJ)", "bypassing", 2e6);              // 3e9 pJ over 1300 + 200
  assert_ours(&t, "prediction table access (pJ)", "bypassing", 5e5); // 5e8 pJ over 1000
  assert_true(isnan(cell_of(&t, "prediction table access (pJ)", "baseline")->ours));
  // matrixmul: 6e9 pJ over 1500 + 1000; the others over 1500 + 500.
  assert_ours(&t, "data access (pJ)", "baseline", (12 * 3e6 + 2.4e6) / 13);
  weir_table_free(&t);
}

static void needleman_wunsch(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "12");
  assert_int_equal(t.row_count, 15);
  assert_ours(&t, "nw, 16 KiB", "time", 1);
  assert_ours(&t, "nw, counter", "time", 0.8);
  assert_ours(&t, "nw-nospm, 16 KiB", "time", 5);
  assert_ours(&t, "nw-nospm, PC-based", "time", 4);
  assert_ours(&t, "nw-nospm, PC-based", "speedup", 1.25);
  assert_ours(&t, "nw-nospm, PC-based", "gap_closed", 0.25);
  assert_ours(&t, "nw-nospm, 64 KiB", "gap_closed", 0.125);
  assert_ours(&t, "nw-plain, 16 KiB", "time", 9);
  assert_ours(&t, "nw-plain, PC-based", "gap_closed", 0.25);
  weir_table_free(&t);
  figure_make(&t, "12lud"); // against lud, not nw
  assert_int_equal(t.row_count, 10);
  assert_ours(&t, "lud-plain, 16 KiB", "time", 1.5);
  assert_ours(&t, "lud-plain, PC-based", "speedup", 1.2);
  assert_ours(&t, "lud-plain, PC-based", "gap_closed", 0.5);
  assert_true(isnan(cell_of(&t, "lud, PC-based", "gap_closed")->ours));
  weir_table_free(&t);
}

static void storage(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "storage");
  assert_ours(&t, "PC-based, per L1", "bytes", 288);   // 2304 bits of the bypass policy, not the replace policy's 7
  assert_ours(&t, "PC-based, whole L2", "bytes", 512); // 4 slices of 1024 bits
  assert_ours(&t, "PC-based, whole L2", "share", 1.0 / 512);
  assert_ours(&t, "counter-based, per L1", "bytes", 10880);
  weir_table_free(&t);
}

static void intensity(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "table2");
  assert_ours(&t, "lud", "instructions", 60); // 300 + 200 + 90 + 10 of 10000
  assert_ours(&t, "lud", "requests", 120);    // 1000 + 200 of 10000
  weir_table_free(&t);
}

static void readings(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "listing");
  assert_ours(&t, "nw", "coverage", 0.6);         // 240 / 400
  assert_ours(&t, "nw", "coverage_former", 0.75); // 300 / 400
  assert_ours(&t, "nw", "energy_former", 0.75);
  assert_ours(&t, "bfs", "speed", 2);
  weir_table_free(&t);
  figure_make(&t, "allocation");
  assert_ours(&t, "bfs", "on_miss", 2);
  assert_ours(&t, "bfs", "on_fill", 4); // 2e9 / 0.5e9
  assert_ours(&t, "spmv", "on_fill", 2);
  assert_ours(&t, "spmv", "misses_on_miss", 0.8); // 400 / 500
  assert_ours(&t, "spmv", "misses_on_fill", 1.6); // 400 / 250
  assert_ours(&t, "spmv", "no_way_none", 0.1);    // 8192 cycles of 8 L1s over 10240
  assert_none(&t, "spmv", "no_way_pc");
  weir_table_free(&t);
  figure_make(&t, "area");
  assert_ours(&t, "spmv", "same_area", 0.5);
  assert_ours(&t, "spmv", "walk", 0.1); // 4 kernels of 256 lines over 10240 cycles
  assert_ours(&t, "spmv", "walk_32kib", 0.2);
  weir_table_free(&t);
  figure_make(&t, "combinations");
  assert_ours(&t, "spmv", "pc_based", 1);
  assert_ours(&t, "spmv", "ccws", 2);
  assert_ours(&t, "spmv", "both", 4);
  assert_ours(&t, "spmv", "mrpb", 0.25);
  weir_table_free(&t);
  figure_make(&t, "singles");
  assert_ours(&t, "nw, PC-based", "speed", 1);
  assert_ours(&t, "nw, PC-based", "bypassed", 0.24); // 240 / 1000
  assert_ours(&t, "lud, scratchpad memory in 64 cycles", "speed", 0.5);
  assert_none(&t, "lud, scratchpad memory in 64 cycles", "bypassed");
  weir_table_free(&t);
}

// Of the APU's 25.6 GB/s a copy has half: 12800 bytes per us. The made kmeans has four launches, so three rounds, of 1000 us in all.
static void host(void **state) {
  (void)state;
  struct weir_table t;
  const double points = 4096 * 34 * 4, round = 34 * 5 * 4 + 4096 * 4, pixels = 1024 * 512 * 4, bins = 32 * 256 * 4;
  figure_make(&t, "host");
  assert_ours(&t, "kmeans", "kernels", 1000);
  assert_ours(&t, "kmeans", "memory", (points + 3 * round) / 12800);
  assert_ours(&t, "kmeans", "computing", 3 * 4096 * 34 / 3700.0);
  assert_ours(&t, "kmeans", "gain", 1);
  assert_ours(&t, "kmeans", "needed", 0);
  const double copies = 4 * (pixels + bins) / 12800;
  assert_ours(&t, "histogram", "memory", copies);
  assert_ours(&t, "histogram", "computing", 0);
  assert_ours(&t, "histogram", "copies_memory", copies / (copies + 1000));
  assert_ours(&t, "histogram", "share_memory", copies / (copies + 1000));
  // Pageable: latencies of the link, and its staging at 3600 bytes per us, rounded up to picoseconds.
  assert_true(fabs(cell_of(&t, "histogram", "link")->ours / (4 * (6.2 + pixels / 3600 + 7.65 + bins / 3600)) - 1) <
              1e-6);
  weir_table_free(&t);
}

// A value of the chip is the baseline's, too (2e9 ps), one of the predictor is not (1e9 ps).
static void sensitivity(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "sensitivity");
  assert_ours(&t, "threshold 12", "spmv", 1);
  assert_ours(&t, "threshold 12", "bfs", 2);
  assert_ours(&t, "threshold 12", "spmv_none", 1);
  assert_ours(&t, "16 channels, 16 slices", "spmv", 2);
  assert_ours(&t, "16 channels, 16 slices", "bfs", 4);
  assert_ours(&t, "16 channels, 16 slices", "mean", cbrt(16)); // 2, 2 and 4
  assert_ours(&t, "16 channels, 16 slices", "bfs_none", 0.5);
  weir_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks),           cmocka_unit_test(speed),
                                     cmocka_unit_test(prediction),       cmocka_unit_test(energy),
                                     cmocka_unit_test(needleman_wunsch), cmocka_unit_test(storage),
                                     cmocka_unit_test(intensity),        cmocka_unit_test(readings),
                                     cmocka_unit_test(sensitivity),      cmocka_unit_test(host)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
