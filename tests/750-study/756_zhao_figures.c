// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures of Zhao et al. from runs with round numbers: speed, hit rates, warps. What cells should hold is worked out by
// hand beside them.
#include "made_runs.h"

extern const struct weir_study weir_study_zhao2016;
const struct weir_study *const made_study = &weir_study_zhao2016;
const char *const made_chip = "fermi-bucl";

#define SWL "swl-best,warps=best-ipc:1..8|10..24/2|28..48/4"
#define SWBU "swbu,warps=best-ipc:1..8|10..24/2|28..48/4"

struct counts {
  const char *scheme;
  int instructions, cycles, accesses, bypasses, hits, pending, warps;
};

// All programs alike but for the differences below. Where a scheme changes the instructions, cycles alone mislead.
static const struct counts usual[] = {
  {"lru", 1000, 1000, 1000, 200, 400, 80, 0},                  // one per cycle; 400 of 800 hit
  {"lru,l1.size_kib=32,l1.ways=8", 1100, 1000, 0, 0, 0, 0, 0}, // of 128 bytes, 8 ways: 32 sets, as the 16 KiB of 4 ways
  {"lru,l1.size_kib=64,l1.ways=16", 1000, 800, 0, 0, 0, 0, 0}, // 1.25
  {"lru,l1.size_kib=128,l1.ways=32", 1000, 500, 0, 0, 0, 0, 0}, // 2
  {"mrpb", 1200, 1000, 1000, 200, 480, 0, 0},                   // 1.2; 0.6
  {"mrpb-bypass", 1000, 800, 0, 0, 0, 0, 0},                    // 1.25
  {"ccws", 900, 1000, 0, 0, 0, 0, 0},                           // 0.9
  {"swl-best", 800, 400, 0, 0, 0, 0, 9},                        // by time: 2 × the IPC, 2.5 × the speed
  {"swl", 1000, 250, 1000, 0, 750, 0, 0},                       // 4; 0.75
  {"bucl-prf5k", 1000, 500, 0, 0, 0, 0, 0},                     // 2
  {"bucl-prf10k", 1400, 1000, 0, 0, 0, 0, 0},                   // 1.4
  {SWL, 1000, 625, 1000, 0, 550, 0, 7},                         // 1.6; 0.55
  {"bucl-dyn", 3000, 2000, 1000, 500, 450, 0, 0},               // 1.5; 0.9
  {SWBU, 1000, 250, 0, 0, 0, 0, 14},                            // 4
};

static bool is(const char *program, const char *scheme, const struct counts *c, const char *wanted) {
  return !strcmp(program, wanted) && !strcmp(c->scheme, scheme);
}

static void differ(const char *program, struct counts *c) {
  if (is(program, "lru", c, "kmn")) c->instructions = 2000, c->hits = 80; // all its speeds are half; 80 of 800 hit
  if (is(program, "mrpb", c, "bp")) c->cycles = 2400;                     // 0.5
  if (is(program, SWL, c, "kmn")) c->warps = 3;
  if (is(program, SWBU, c, "kmn")) c->warps = 12;
  if (is(program, "bucl-dyn", c, "2dc")) c->bypasses = 1000, c->hits = 0; // the L1 serves nothing
  if (is(program, "bucl-dyn", c, "myc")) c->hits = 50;                    // 50 of 500
}

// Of figures "open", "access" and "held": as with the chip as shipped, with differences.
static struct counts setting(const char *scheme) {
  struct counts c = {0};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    const size_t length = strcspn(scheme, ",");
    if (strlen(usual[i].scheme) == length && !strncmp(usual[i].scheme, scheme, length)) c = usual[i];
  }
  if (c.scheme) c.scheme = scheme;
  if (!strcmp(scheme, "lru,l1.mshrs=16") || !strcmp(scheme, "lru,l1.index=linear")) c.cycles = 2000;
  if (!strcmp(scheme, "bucl-dyn,instruction_level=false")) c.cycles = 4000;
  return c;
}

json_t *made_run(const char *program, const char *scheme) {
  struct counts c = {0};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (!strcmp(usual[i].scheme, scheme)) c = usual[i];
  if (!c.scheme) c = setting(scheme);
  if (!c.scheme) fail_msg("no run under %s is made", scheme);
  differ(program, &c);
  if (is(program, "lru", &c, "myc") || is(program, "bucl-prf5k", &c, "gau")) return NULL;
  json_t *run = json_pack("{s:{s:i, s:i, s:{s:{s:i, s:i, s:i, s:i}}}}", "total", "thread_instructions", c.instructions,
                          "cycles", c.cycles, "l1", "loads", "accesses", c.accesses, "bypasses", c.bypasses, "hits",
                          c.hits, "hits_on_miss", c.pending);
  if (c.warps) json_object_set_new(run, "sweep", json_pack("{s:{s:i}}", "best", "warps", c.warps));
  if (!strcmp(scheme, "mrpb") || !strcmp(scheme, "ccws"))
    json_object_set_new(run, "policy",
                        json_pack("[{s:s, s:s, s:s, s:i, s:i}]", "level", "l1", "kind",
                                  *scheme == 'm' ? "bypass" : "throttle", "name", scheme, "instances", 15, "cost_bits",
                                  *scheme == 'm' ? 128 : 64));
  return run;
}

static void instructions(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "table1");
  assert_ours(&t, "kmn", "thread_instructions", 2000);
  assert_ours(&t, "2dc", "thread_instructions", 1000);
  assert_none(&t, "myc", "thread_instructions");
  assert_int_equal(t.row_count, 11); // there is no mean of counts
  assert_int_equal(t.summary_row, 0);
  assert_non_null(strstr(t.note, "small"));
  weir_table_free(&t);
  made_size = WEIR_SIZE_PAPER;
  figure_make(&t, "table1");
  assert_null(strstr(t.note, "small"));
  made_size = WEIR_SIZE_SMALL;
  weir_table_free(&t);
}

static void baseline_hit_rates(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "3");
  assert_ours(&t, "bfs-random", "hit_rate", 0.5);     // 400 / (1000 - 200)
  assert_ours(&t, "kmn", "hit_rate", 0.1);            // 80 / 800
  assert_ours(&t, "bfs-random", "with_pending", 0.6); // (400 + 80) / 800
  assert_ours(&t, "kmn", "with_pending", 0.2);        // (80 + 80) / 800
  assert_ours(&t, "un-coalesced", "hit_rate", (0.1 + 4 * 0.5) / 5);
  assert_ours(&t, "un-coalesced", "with_pending", (0.2 + 4 * 0.6) / 5);
  assert_none(&t, "myc", "hit_rate");           // that run failed
  assert_ours(&t, "coherent", "hit_rate", 0.5); // of the four others
  assert_int_equal(t.summary_row, 11);
  assert_int_equal(t.row_count, 13);
  weir_table_free(&t);
}

static void sizes(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "4");
  assert_ours(&t, "sssp-rmat", "l1_32kib", 1.1);
  assert_ours(&t, "sssp-rmat", "l1_64kib", 1.25);
  assert_ours(&t, "nw", "l1_128kib", 2);
  assert_ours(&t, "kmn", "l1_64kib", 0.625);                          // 1.25 / 2
  assert_ours(&t, "un-coalesced", "l1_32kib", 1.1 / pow(2, 1.0 / 5)); // one of five at half
  assert_ours(&t, "coherent", "l1_64kib", 1.25);
  weir_table_free(&t);
}

static void schemes(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "7");
  assert_ours(&t, "sssp", "mrpb", 1.2);
  assert_ours(&t, "sssp", "mrpb_bypass", 1.25);
  assert_ours(&t, "sssp", "ccws", 0.9);
  assert_ours(&t, "sssp", "bucl_prf5k", 2);
  assert_ours(&t, "sssp", "bucl_prf10k", 1.4);
  assert_ours(&t, "sssp", "swl_best", 1.6);
  assert_ours(&t, "sssp", "bucl_dyn",
              1.5); // 3000 instructions in 2000 cycles: slower by cycles, faster by instructions
  assert_ours(&t, "sssp", "bucl_over_mrpb", 1.25);
  assert_ours(&t, "kmn", "mrpb", 0.6);
  assert_ours(&t, "bp", "mrpb", 0.5);
  assert_ours(&t, "bp", "bucl_over_mrpb", 3);
  assert_ours(&t, "un-coalesced", "bucl_dyn", 1.5 / pow(2, 1.0 / 5));
  assert_none(&t, "gau", "bucl_prf5k");
  assert_ours(&t, "un-coalesced", "bucl_prf5k", pow(2, 3.0 / 4)); // kmn at 1, three at 2
  assert_none(&t, "myc", "swl_best");                             // without a baseline
  assert_ours(&t, "coherent", "mrpb", pow(0.5 * 1.2 * 1.2 * 1.2, 1.0 / 4));
  assert_ours(&t, "coherent", "swl_best", 1.6);
  assert_int_equal(t.row_count, 13);
  weir_table_free(&t);
}

static void without_sweeps(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "unswept");
  assert_ours(&t, "sssp", "mrpb", 1.2);
  assert_ours(&t, "sssp", "mrpb_bypass", 1.25);
  assert_ours(&t, "sssp", "bucl_prf10k", 1.4);
  assert_ours(&t, "bp", "bucl_over_mrpb", 3);
  assert_ours(&t, "un-coalesced", "bucl_dyn", 1.5 / pow(2, 1.0 / 5));
  assert_ours(&t, "ptf", "hit_rate", 0.5);
  assert_ours(&t, "ptf", "hit_rate_mrpb", 0.6);
  assert_ours(&t, "ptf", "hit_rate_bucl", 0.9);
  weir_table_free(&t);
}

static void hit_rates(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "8");
  assert_ours(&t, "ptf", "baseline", 0.5);
  assert_ours(&t, "ptf", "mrpb", 0.6);      // 480 / (1000 - 200)
  assert_ours(&t, "ptf", "swl_best", 0.55); // 550 / 1000
  assert_ours(&t, "ptf", "bucl_dyn", 0.9);  // 450 / (1000 - 500)
  assert_ours(&t, "un-coalesced", "baseline", (0.1 + 4 * 0.5) / 5);
  assert_none(&t, "2dc", "bucl_dyn"); // 0 of 0
  assert_ours(&t, "myc", "bucl_dyn", 0.1);
  assert_ours(&t, "coherent", "bucl_dyn", (3 * 0.9 + 0.1) / 4);
  weir_table_free(&t);
}

static void combined(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "9");
  assert_ours(&t, "gau", "swl_best", 1.6);
  assert_ours(&t, "gau", "bucl", 1.5);
  assert_ours(&t, "gau", "swbu", 4);
  assert_ours(&t, "kmn", "swbu", 2);
  assert_ours(&t, "un-coalesced", "swbu", 4 / pow(2, 1.0 / 5));
  assert_int_equal(t.summary_row, 6);
  assert_int_equal(t.row_count, 7); // the coherent group is not in it
  weir_table_free(&t);
  figure_make(&t, "table3");
  assert_ours(&t, "kmn", "swl_best", 3);
  assert_ours(&t, "kmn", "swbu", 12);
  assert_ours(&t, "sssp-rmat", "swl_best", 7);
  assert_ours(&t, "sssp-rmat", "swbu", 14);
  assert_int_equal(t.row_count, 6);
  weir_table_free(&t);
}

// 1000 cycles of the baseline, 625 of the best IPC, 400 of the least time.
static void objectives(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "objectives");
  assert_ours(&t, "sssp", "ipc", 1.6);
  assert_ours(&t, "sssp", "ipc_by_time", 2);
  assert_ours(&t, "sssp", "time", 1.6);
  assert_ours(&t, "sssp", "time_by_time", 2.5);
  assert_ours(&t, "sssp", "warps", 7);
  assert_ours(&t, "sssp", "warps_by_time", 9);
  assert_ours(&t, "un-coalesced", "time_by_time", 2.5);
  assert_int_equal(t.row_count, 7);
  weir_table_free(&t);
}

static void features(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "features");
  assert_ours(&t, "kmn", "swl_best", 0.8); // 1.6 / 2
  assert_ours(&t, "kmn-136", "swl_best", 1.6);
  assert_ours(&t, "kmn-136", "bucl_dyn", 1.5);
  assert_ours(&t, "kmn", "hits", 0.1);
  assert_ours(&t, "kmn-136", "hits_bucl", 0.9);
  assert_ours(&t, "kmn", "warps", 3);
  assert_int_equal(t.row_count, 2);
  weir_table_free(&t);
}

// 128 bits of 16 KiB; a policy of another kind is not meant.
static void hardware_cost(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "cost");
  assert_ours(&t, "MRPB", "bits", 128);
  assert_ours(&t, "MRPB", "share", 128.0 / 131072);
  assert_ours(&t, "CCWS", "bits", 64);
  assert_none(&t, "BUCL-Dyn", "bits");
  assert_int_equal(t.row_count, 5);
  weir_table_free(&t);
}

// All settings' runs are alike here but two: 16 MSHRs halve the baseline's IPC; BUCL's access level alone is at 0.75.
static void open_settings(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "open");
  assert_ours(&t, "as shipped", "mrpb", 1.25 / pow(2, 1.0 / 5)); // kmn's baseline is twice as fast
  assert_ours(&t, "as shipped", "bucl", 1.5 / pow(2, 1.0 / 5));
  assert_ours(&t, "as shipped", "bucl_hits", 0.9);
  assert_ours(&t, "16 MSHRs", "bucl", 3); // of all five
  assert_ours(&t, "access level alone", "bucl", 0.75 / pow(2, 1.0 / 5));
  assert_none(&t, "access level alone", "mrpb");
  weir_table_free(&t);
  figure_make(&t, "held");
  assert_ours(&t, "kmn, 2 warps", "ipc", 2); // kmn's baseline is twice as fast
  assert_ours(&t, "kmn, 2 warps", "hits", 0.75);
  assert_ours(&t, "kmn, 2 warps, linear index", "ipc", 8);
  assert_ours(&t, "gau, TUCD of 8", "ipc", 1.5);
  assert_none(&t, "gau, BUCL-Prf5k", "ipc"); // failed
  weir_table_free(&t);
  figure_make(&t, "access");
  assert_ours(&t, "bt", "bucl_dyn", 1.5);
  assert_int_equal(t.row_count, 3);
  weir_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(instructions),  cmocka_unit_test(baseline_hit_rates), cmocka_unit_test(sizes),
    cmocka_unit_test(schemes),       cmocka_unit_test(without_sweeps),     cmocka_unit_test(hit_rates),
    cmocka_unit_test(combined),      cmocka_unit_test(objectives),         cmocka_unit_test(features),
    cmocka_unit_test(hardware_cost), cmocka_unit_test(open_settings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
