// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures of Holey et al. from mixes with round numbers. All mixes are alike but for what is said below; what cells
// should hold is worked out by hand beside them.
#include "made_runs.h"

#include "holey2014/holey2014.h"

#include <stdlib.h>

extern const struct weir_study weir_study_holey2014;
const struct weir_study *const made_study = &weir_study_holey2014;
const char *const made_chip = NULL;

// What a scheme does to all mixes, in parts of LRU's: by name of the spec up to the first comma.
struct effect {
  const char *scheme;
  double cpu, gpu;             // speed
  double misses, bytes;        // of all
  double dynamic, still, dram; // energy
};

static const struct effect effects[] = {
  {"lru", 1, 1, 1, 1, 1, 1, 1},  {"ta-drrip", 1.21, 1, 0.9, 1, 1, 1, 0.5},  {"mat", 1, 1, 1, 1, 1, 1, 1},
  {"sdbp", 1, 4, 1, 1, 1, 1, 1}, {"tap-rrip", 1, 0.25, 0.8, 1, 1.25, 1, 1}, {"helm", 2, 0.5, 0.5, 2, 1, 0.5, 3},
};

static struct effect effect_of(const char *scheme) {
  for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
    size_t n = strlen(effects[i].scheme);
    if (!strncmp(scheme, effects[i].scheme, n) && (scheme[n] == ',' || !scheme[n])) return effects[i];
  }
  fail_msg("no run under %s is made", scheme);
  return (struct effect){0};
}

static bool uneven; // mixes whose GPU program is cache sensitive move three times as much under LRU

static double bytes_of(const struct effect *e, const char *program) {
  double bytes = 6400 * e->bytes;
  for (const char *const *gpu = holey_gpu_sensitive; uneven && *gpu && !strcmp(e->scheme, "lru"); gpu++)
    if (strstr(program, *gpu)) return 3 * bytes;
  return bytes;
}

// A program whose time under LRU is 1000 ps: so 1000 over its speed.
static json_t *counted(const struct effect *e, const char *program, int requester, bool alone) {
  double speed = requester ? e->cpu : e->gpu, base = requester ? 1.5 : 3;
  json_t *a = json_pack("{s:i, s:s, s:f, s:f, s:f}", "requester", requester, "kind", requester ? "cpu" : "gpu", "ipc",
                        base * speed, "time_ps", 1000 / speed, "cycles", 500 / speed);
  json_object_set_new(a, "shared",
                      json_pack("{s:{s:f, s:f}}", "llc", "demand_misses", 400 * e->misses, "occupancy",
                                alone         ? 0.9
                                  : requester ? 0.25
                                              : 0.625));
  json_object_set_new(a, "traffic", json_pack("{s:f}", "dram_bytes", bytes_of(e, program)));
  json_object_set_new(a, "energy_pj",
                      json_pack("{s:f, s:f, s:f, s:f}", "on_chip_dynamic", 100 * e->dynamic, "on_chip_static",
                                100 * e->still, "dram", 100 * e->dram, "total",
                                100 * (e->dynamic + e->still + e->dram)));
  json_t *memory = json_pack("{s:{s:f}}", "memory", "read_bits", 1e6 * e->dram); // of what is priced again, this alone
  json_object_set_new(a, "energy_counts", json_pack("{s:O, s:o}", "by_accesses", memory, "by_events", memory));
  return a;
}

// The GPU's four cores: ports 0 to 3; core 1 is TAP's that stays. In all 1000 line cycles, of which the CPU's 400.
static json_t *ports(void) {
  json_t *list = json_array();
  for (int i = 0; i < 5; i++)
    json_array_append_new(list,
                          json_pack("{s:i, s:i, s:{s:{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}}}", "port", i,
                                    "requester", i == 4, "shared", "llc", "line_cycles",
                                    i == 4     ? 400
                                      : i == 1 ? 300
                                               : 100,
                                    "dead_cycles", i == 1 ? 200 : 10, "never_hit_cycles", i == 1 ? 150 : 5, "ended_0",
                                    60, "ended_1", 20, "ended_2", 10, "ended_3", 5, "ended_more", 5));
  return list;
}

static json_t *policies(const char *scheme) {
  bool tap = !strncmp(scheme, "tap-rrip", 8), drrip = !strncmp(scheme, "ta-drrip", 8);
  json_t *list = json_array();
  json_array_append_new(
    list,
    json_pack("{s:s, s:s, s:i, s:i, s:{}}", "level", "l1", "kind", "replace", "cost_bits", 7, "instances", 4, "knobs"));
  json_t *replace = json_pack("{s:s, s:s, s:i, s:i, s:{}}", "level", "llc", "kind", "replace", "cost_bits",
                              tap       ? 1040
                                : drrip ? 1000
                                        : 500,
                              "instances", 4, "knobs");
  if (tap) json_object_set_new(json_object_get(replace, "knobs"), "long_core", json_integer(1));
  json_array_append_new(list, replace);
  json_array_append_new(list,
                        json_pack("{s:s, s:s, s:i, s:i, s:{}}", "level", "llc", "kind", "bypass", "cost_bits",
                                  strstr(scheme, "tie=keep") ? 42 : 82, "instances", 4, "knobs"));
  return list;
}

// Alone: twice as fast in each cache twice as large; a quarter of the speed where all bypasses.
static json_t *alone(const char *program, const char *scheme) {
  const char *size = strstr(scheme, "size_kib=");
  double kib = size ? atof(size + 9) : 2048, cycles = 1e6 * 2048 / kib;
  if (strstr(scheme, "probability=")) cycles *= 1 + 3 * atof(strstr(scheme, "probability=") + 12);
  if (!strcmp(program, "floyd")) cycles *= 10;
  return json_pack("{s:{s:i, s:f, s:i, s:i, s:{}, s:{s:{s:f}, s:{s:i}}}, s:{s:o}}", "total", "warp_instructions",
                   1000000, "cycles", cycles, "core_cycles", 50, "ready_warp_cycles",
                   strstr(scheme, "hazard_free") ? 300 : 100, "l1", "llc", "loads", "misses", 2048 * 10000 / kib,
                   "stores", "misses", 0, "mix", "ports", ports());
}

json_t *made_run(const char *program, const char *scheme) {
  int cpus = 0;
  for (const char *c = program; *c; c++) cpus += *c == '+';
  if (!cpus && strcmp(program, "bzip2") != 0) return alone(program, scheme);
  struct effect e = effect_of(scheme);
  if (strstr(scheme, "hazard_free")) e.gpu *= 4;
  bool failed = !strcmp(program, "bzip2+reduction") && e.cpu > 1.5;
  if (failed) return NULL;
  json_t *programs = json_array();
  if (cpus) json_array_append_new(programs, counted(&e, program, 0, false));
  for (int i = 0; i < (cpus ? cpus : 1); i++) json_array_append_new(programs, counted(&e, program, i + 1, !cpus));
  return json_pack("{s:{s:{}, s:{}}, s:{s:o, s:o}, s:o}", "total", "l1", "llc", "mix", "programs", programs, "ports",
                   ports(), "policy", policies(scheme));
}

// ---- mixes ---------------------------------------------------------------------------------------------------------

static void misses_and_speeds(void **state) {
  (void)state;
  struct weir_table t;
  made_mixes = 4;
  figure_make(&t, "11a");
  assert_ours(&t, "1C4G, CPU", "helm", 0.5);
  assert_ours(&t, "4C4G, GPU", "drrip", 0.9);
  assert_ours(&t, "2C4G, CPU", "mat", 1);
  assert_int_equal(t.row_count, 6);
  weir_table_free(&t);
  figure_make(&t, "11b");
  assert_ours(&t, "1C4G, CPU", "drrip", 1.21);
  assert_ours(&t, "4C4G, CPU", "helm", 2);
  assert_ours(&t, "4C4G, GPU", "helm", 0.5);
  assert_ours(&t, "2C4G, GPU", "tap_rrip", 0.25);
  weir_table_free(&t);
}

static void combined(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "11c");
  assert_ours(&t, "1C4G", "drrip", 1.1);        // √(1.21 · 1)
  assert_ours(&t, "1C4G", "helm", 1);           // √(2 · 0.5)
  assert_ours(&t, "2C4G", "helm", cbrt(2));     // ∛(2 · 2 · 0.5)
  assert_ours(&t, "4C4G", "helm", pow(8, 0.2)); // 2⁴ · 0.5, the fifth root
  assert_ours(&t, "4C4G", "sdbp", pow(4, 0.2));
  assert_ours(&t, "1C4G", "tap_rrip", 0.5); // √(1 · 0.25)
  assert_ours(&t, "1C4G", "helm_over_tap", 2);
  assert_non_null(strstr(t.note, "4, 4 and 4 mixes"));
  weir_table_free(&t);
}

// All mixes are alike, so that the interval has no width; a mix of 2C4G has two CPU programs.
static void means(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "means2c4g");
  static const char *const columns[] = {"mean",           "median",      "bootstrap_low",
                                        "bootstrap_high", "without_low", "without_high"};
  for (unsigned i = 0; i < 6; i++) {
    assert_ours(&t, "2C4G, combined speed, HeLM", columns[i], cbrt(2));
    assert_ours(&t, "2C4G, CPU programs' misses, TAP-RRIP", columns[i], 0.8);
    assert_ours(&t, "2C4G, GPU program's speed, SDBP", columns[i], 4);
    assert_ours(&t, "2C4G, combined speed, HeLM over TAP-RRIP", columns[i], cbrt(2 / 0.25));
    assert_ours(&t, "2C4G, off-chip bytes per second, TAP-RRIP", columns[i], (1 + 1 + 0.25) / 3); // the same bytes
    assert_ours(&t, "2C4G, off-chip bytes per second, HeLM", columns[i], 2 * (2 + 2 + 0.5) / 3);  // twice the bytes
  }
  assert_ours(&t, "2C4G, combined speed, HeLM", "mixes", 4);
  weir_table_free(&t);
}

// The same means alone.
static void one_configuration(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "11on2c4g");
  assert_ours(&t, "combined speed", "helm", cbrt(2));
  assert_ours(&t, "CPU programs' misses", "tap_rrip", 0.8);
  assert_ours(&t, "GPU program's speed", "sdbp", 4);
  assert_ours(&t, "off-chip bytes per second", "helm", 2 * (2 + 2 + 0.5) / 3);
  assert_non_null(strstr(t.note, "mixes: 4."));
  weir_table_free(&t);
  uneven = true; // as of the bandwidth below
  figure_make(&t, "11on1c4g");
  uneven = false;
  assert_ours(&t, "off-chip utilization", "helm", 2.5 / 2);
  assert_ours(&t, "off-chip bytes per second", "helm", 2.5 / sqrt(3));
  weir_table_free(&t);
  figure_make(&t, "11on4c4g");
  assert_ours(&t, "CPU programs' speed", "helm", 2);
  weir_table_free(&t);
}

// Made by half and full: in this test's runs a program is twice as fast in twice the cache, whatever its footprint.
static void inputs(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "inputs");
  assert_int_equal(t.row_count, 15);
  assert_ours(&t, "1C4G, floyd", "gain_30", 2);
  assert_ours(&t, "4C4G, gaussian", "gain_60", 2);
  assert_ours(&t, "1C4G, floyd", "kib", 1843); // 90 % of 2048, rounded down
  assert_ours(&t, "4C4G, fastwalsh", "kib", 6144);
  weir_table_free(&t);
}

static void one_by_one(void **state) {
  (void)state;
  struct weir_table t;
  const struct {
    const char *figure;
    double helm;
  } of[] = {{"13a", cbrt(2)}, {"13b", 2}, {"13c", 2}, {"13d", 0.5}};
  for (unsigned i = 0; i < 4; i++) {
    figure_make(&t, of[i].figure);
    assert_int_equal(t.row_count, 5);
    assert_int_equal(t.summary_row, 4);
    assert_near(t.rows[0][5].ours, of[i].helm);
    assert_near(t.rows[0][6].ours, cbrt(2)); // all are put in the order of the combined speed
    assert_ours(&t, "mean", "helm", of[i].helm);
    weir_table_free(&t);
  }
}

static void kinds_sizes_and_bytes(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "17");
  assert_int_equal(t.row_count, 4);
  assert_ours(&t, "CIGS", "drrip", 1.1);
  weir_table_free(&t);
  figure_make(&t, "16");
  assert_ours(&t, "2 MiB, 8 ways", "helm", pow(8, 0.2));
  assert_ours(&t, "8 MiB, 32 ways", "sdbp", pow(4, 0.2));
  weir_table_free(&t);
  figure_make(&t, "bandwidth");
  assert_ours(&t, "1C4G, bytes", "helm", 2);
  assert_ours(&t, "1C4G, bytes per second", "helm",
              2 * (2 + 0.5) / 2); // twice the bytes; one at twice the speed, one at half
  assert_ours(&t, "2C4G, bytes per second", "tap_rrip", (1 + 1 + 0.25) / 3);
  weir_table_free(&t);
  // Under LRU every other mix moves three times as much: per program 1, 3, 1 and 3, and 2 · (2 + 0.5) / 2 under HeLM.
  uneven = true;
  figure_make(&t, "bandwidth");
  uneven = false;
  assert_ours(&t, "1C4G, utilization", "helm", 2.5 / 2);
  assert_ours(&t, "1C4G, bytes per second", "helm", 2.5 / sqrt(3));
  weir_table_free(&t);
}

static void energies(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "18a");
  assert_ours(&t, "CPU 1", "tap_rrip", 1.25);
  assert_ours(&t, "system", "helm_over_tap", 0.8);
  weir_table_free(&t);
  figure_make(&t, "18b");
  assert_ours(&t, "GPU", "helm", 0.5);
  weir_table_free(&t);
  figure_make(&t, "18c");
  assert_ours(&t, "GPU", "helm", 0.75); // (100 + 50) / 200
  weir_table_free(&t);
  figure_make(&t, "19a");
  assert_ours(&t, "CPU 2", "helm", 3);
  assert_ours(&t, "CPU 2", "drrip", 0.5);
  assert_ours(&t, "system", "helm_low", 3); // thrice the bits, whatever a bit costs
  assert_ours(&t, "system", "helm_high", 3);
  weir_table_free(&t);
  figure_make(&t, "19b");
  assert_ours(&t, "system", "helm", 1.5); // (100 + 50 + 300) / 300
  weir_table_free(&t);
  figure_make(&t, "20");
  assert_ours(&t, "CPU 1", "helm", 0.375); // 1.5 in half the time
  assert_ours(&t, "GPU", "helm", 6);       // in twice the time
  assert_ours(&t, "GPU", "helm_high", 12); // thrice the bits in twice the time
  assert_ours(&t, "system", "helm", cbrt(0.375 * 0.375 * 6));
  weir_table_free(&t);
}

// ---- bzip2 beside each ---------------------------------------------------------------------------------------------

static void beside_bzip2(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "1");
  assert_int_equal(t.row_count, 8);
  assert_ours(&t, "LRU, 1 GPU core", "cpu", 0.25);
  assert_ours(&t, "LRU, 4 GPU cores", "gpu", 0.625);
  assert_ours(&t, "DRRIP, 2 GPU cores", "ipc", 1.21);
  assert_ours(&t, "HeLM, 4 GPU cores", "ipc", 2); // of the three that ran
  weir_table_free(&t);
  figure_make(&t, "15");
  assert_ours(&t, "floyd", "cpu", 0.4);
  assert_ours(&t, "floyd", "dead", 0.2);
  assert_ours(&t, "floyd", "gpu", 0.4); // 600 less the 200
  assert_ours(&t, "average", "never_hit", 0.15);
  weir_table_free(&t);
}

// ---- alone ---------------------------------------------------------------------------------------------------------

static void by_size(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "4");
  assert_near(t.rows[3][0].ours, 2048);
  assert_near(t.rows[3][1].ours, 0.1); // a million in ten million cycles
  assert_near(t.rows[3][2].ours, 10);  // 10000 per million
  assert_near(t.rows[0][4].ours, 1 / 32.0);
  assert_near(t.rows[5][5].ours, 1 / 32.0);
  weir_table_free(&t);
  figure_make(&t, "10");
  assert_ours(&t, "floyd", "ipc_8192", 16);
  assert_ours(&t, "streaming", "ipc_1024", 2);
  assert_ours(&t, "compute intensive", "mpki_512", 40);
  assert_int_equal(t.row_count, 21);
  weir_table_free(&t);
}

static void bypassing_and_reuse(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "5");
  assert_ours(&t, "dct", "bypass_25", 1 / 1.75);
  assert_ours(&t, "average", "bypass_100", 0.25);
  weir_table_free(&t);
  figure_make(&t, "14");
  assert_ours(&t, "scan", "ended_0", 0.6);
  assert_ours(&t, "scan", "ended_more", 0.05);
  assert_ours(&t, "average", "reused", 0.4);
  weir_table_free(&t);
}

static void overhead(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "table5");
  assert_ours(&t, "HeLM", "bits", 4 * 42);
  assert_ours(&t, "HeLM, ties by energy", "bits", 4 * 82);
  assert_ours(&t, "HeLM, ties by energy", "bytes", 41);
  assert_ours(&t, "TAP-RRIP, over DRRIP", "bits", 4 * 40);
  weir_table_free(&t);
}

static void readings(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "open");
  assert_ours(&t, "HeLM as shipped", "cpu", 2);
  assert_ours(&t, "TAP-RRIP: the GPU always leaves first", "gpu", 0.25);
  assert_ours(&t, "SDBP: dead lines leave first", "combined", cbrt(4));
  assert_ours(&t, "8: no hold", "gpu", 0.5);
  assert_ours(&t, "8: no hold", "combined", cbrt(2));
  assert_ours(&t, "8: no hold", "utilization", 2 * (2 + 2 + 0.5) / 3);
  assert_ours(&t, "9: ready whether or not a unit is free", "gpu", 2); // 0.5 x 4, over LRU on the chip as shipped
  weir_table_free(&t);
  figure_make(&t, "former"); // of which the chip is LRU's too
  assert_ours(&t, "HeLM in the former form", "cpu", 2);
  assert_ours(&t, "HeLM in the former form", "gpu", 0.5);
  assert_ours(&t, "9: ready only if a unit is free", "gpu", 0.5);
  assert_ours(&t, "TAP-RRIP in the former form", "gpu", 0.25);
  weir_table_free(&t);
  figure_make(&t, "loses");
  assert_ours(&t, "dealii+gaussian, HeLM", "combined", 1); // 2 and 0.5
  assert_ours(&t, "dealii+gaussian, HeLM", "cpu", 2);
  assert_ours(&t, "astar+floyd, HeLM", "gpu", 0.5);
  assert_ours(&t, "dealii+gaussian, TAP-RRIP", "cpu_misses", 0.8);
  assert_ours(&t, "dealii+gaussian, HeLM, twice the memory", "gpu_misses", 0.5);
  weir_table_free(&t);
  figure_make(&t, "ready");
  assert_ours(&t, "dct", "issuable", 2);
  assert_ours(&t, "dct", "hazard_free", 6);
  assert_ours(&t, "average", "hazard_free", 6);
  weir_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(misses_and_speeds),
                                     cmocka_unit_test(combined),
                                     cmocka_unit_test(means),
                                     cmocka_unit_test(one_configuration),
                                     cmocka_unit_test(inputs),
                                     cmocka_unit_test(one_by_one),
                                     cmocka_unit_test(kinds_sizes_and_bytes),
                                     cmocka_unit_test(energies),
                                     cmocka_unit_test(beside_bzip2),
                                     cmocka_unit_test(by_size),
                                     cmocka_unit_test(bypassing_and_reuse),
                                     cmocka_unit_test(overhead),
                                     cmocka_unit_test(readings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
