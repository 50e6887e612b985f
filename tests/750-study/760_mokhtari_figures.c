// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures of Mokhtari and Stumm from runs with round numbers. What cells should hold is worked out by hand beside them.
#include "made_runs.h"

extern const struct weir_study weir_study_mokhtari2015;
const struct weir_study *const made_study = &weir_study_mokhtari2015;
const char *const made_chip = "kepler-titan-black";

// The study's S-L1 is the paper's: it monitors what a proof would rule out, and has no untouched loop to go back to.
#define PAPER "sl1,sl1.static_proof=off,sl1.original_slice=off"
#define PART                                                                                                           \
  ",core.count=1,dram.channels=1,clocks.dram_mhz=1400,l2.size_kib=104,l2.ways=13,launch.threads=128,launch.blocks="
#define NONE "lru,core.count=1"
#define L1 "lru,core.skip_l1_global=false,core.count=1"
#define SL1 PAPER ",core.count=1"
#define COUNTED PAPER ",sl1.counters"
#define MONITORED "sl1,sl1.static_proof=off,sl1.original_slice=on"

struct counts {
  const char *variant; // what the scheme begins with; the first that fits
  int cycles, instructions, replays, online;
};

// All programs alike but for the differences below.
static const struct counts usual[] = {
  {COUNTED, 0, 0, 0, 0},
  {PAPER ",sl1.cacheable=none", 1100, 0, 0, 0},     // +10 %
  {MONITORED ",sl1.cacheable=none", 1010, 0, 0, 0}, // +1 %
  {PAPER ",sl1.line_bytes=8", 625, 0, 0, 0},        // 500 / 625
  {PAPER ",sl1.line_bytes=24", 400, 0, 0, 0},       // 500 / 400
  {PAPER ",sl1.line_bytes=32", 500, 0, 0, 0},
  {SL1, 500, 3000, 1000, 600},        // 2 times as fast as without
  {L1, 800, 1000, 2000, 200},         // 1.25
  {NONE, 1000, 1000, 2000, 400},      // without L1
  {"sl1,core.count=1", 800, 0, 0, 0}, // with weir's defaults: 1.25
  // On the whole chip: 1.5 with S-L1, 0.75 with the L1.
  {PAPER ",launch", 400, 0, 0, 0},
  {"lru,core.skip_l1_global=false,launch", 800, 0, 0, 0},
  {"lru,launch", 600, 0, 0, 0},
};

static const struct counts *usual_of(const char *scheme) {
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (!strncmp(scheme, usual[i].variant, strlen(usual[i].variant))) return &usual[i];
  fail_msg("no run under %s is made", scheme);
  return NULL;
}

static bool is(const char *program, const char *scheme, const char *wanted, const char *variant) {
  return !strcmp(program, wanted) && usual_of(scheme) == usual_of(variant);
}

// Two structures that may be cached, one that may not, of one kernel; of another, one that no loop has.
static json_t *slice(const char *program) {
  bool idle = !strcmp(program, "kmeans-stream");
  return json_pack("{s:[{s:[{s:s, s:{s:i, s:i, s:i, s:i}}, {s:s, s:n}, {s:s, s:{s:i, s:i, s:i, s:i}}]}, {s:[{s:s}]}]}",
                   "kernels", "structures", "verdict", "candidate", "counters", "monitored", 300, "monitored_hits", 250,
                   "accesses", idle ? 0 : 1000, "hits", idle ? 0 : 900, "verdict", "atomic", "counters", "verdict",
                   "candidate", "counters", "monitored", 100, "monitored_hits", 50, "accesses", idle ? 0 : 600, "hits",
                   idle ? 0 : 300, "structures", "verdict", "no loop");
}

// The micro-benchmarks: 1000 accesses of 32 bytes in 1000 cycles more per block, from DRAM half as many; wc on one SMX.
static json_t *made_reads(const char *program, const char *scheme) {
  unsigned blocks = 0;
  const char *at = strstr(scheme, "launch.blocks=");
  assert_non_null(at);
  sscanf(at, "launch.blocks=%u", &blocks);
  int more = (int)blocks * (strcmp(program, "reads-dram") ? 1000 : 500);
  if (!strcmp(program, "reads-shared"))
    return json_pack("{s:[{}, {s:i, s:i}, {s:i, s:i}]}", "kernels", "cycles", 300, "shared_accesses", 10, "cycles",
                     1300, "shared_accesses", 10 + (int)blocks * 500);
  return json_pack("{s:[{s:i, s:{s:{s:i}}}, {s:i, s:{s:{s:i}}}, {s:i, s:{s:{s:i}}}]}", "kernels", "cycles", 5, "l1",
                   "loads", "accesses", 7, "cycles", 300, "l1", "loads", "accesses", 70, "cycles", 1300, "l1", "loads",
                   "accesses", 70 + more);
}

// On the CPU, 1300 cycles per us: as long for one thread as for four, 1 ms; but gathering by lines, which takes no time.
static json_t *made_threads(const char *program) {
  return json_pack("{s:{s:i}}", "total", "cycles", strncmp(program, "assemble16", 10) ? 1300000 : 1);
}

json_t *made_run(const char *program, const char *scheme) {
  if (strstr(program, "-1")) return made_threads(program);
  if (!strncmp(program, "reads", 5)) return made_reads(program, scheme);
  if (strstr(scheme, "core.count=1,launch")) // hits out of 200
    return json_pack("{s:{s:{s:{s:i, s:i}}}}", "total", "l1", "loads", "accesses", 200, "hits",
                     strstr(scheme, "launch.threads=32") ? 190 : 40);
  if (strstr(scheme, "core.count=5,")) { // the former form: the programs' own inputs
    assert_null(strstr(scheme, "footprint"));
    const bool of_sl1 = !strncmp(scheme, "sl1,sl1.threshold=32,", 21);
    return json_pack("{s:{s:i}}", "total", "cycles", of_sl1 ? 100 : strstr(scheme, "skip_l1_global=false") ? 400 : 200);
  }
  // One SMX and its share, or the whole chip; the paper's 300 accesses are monitored, which is the default.
  assert_true(strstr(scheme, PART) || strstr(scheme, ",launch.threads=128,launch.blocks=best:15|30"));
  assert_non_null(strstr(scheme, ",launch.footprint_kib="));
  assert_null(strstr(scheme, "threshold"));
  const bool little = strstr(scheme, ",launch.blocks=16,") != NULL; // kernels are looked at, not runs
  if (!strcmp(program, "wc"))                                       // a byte per access
    assert_non_null(strstr(scheme, little ? ",launch.footprint_kib=48" : ",launch.footprint_kib=3072"));
  if (is(program, scheme, "dna", L1) || is(program, scheme, "grep", COUNTED)) return NULL;
  struct counts c = *usual_of(scheme);
  if (is(program, scheme, "wc", L1)) c.cycles = 2000;                                       // 0.5
  if (is(program, scheme, "pageview", L1)) c.cycles = 1250;                                 // 0.8
  if (is(program, scheme, "wc", SL1)) c.cycles = 250, c.instructions = 2000, c.replays = 0; // 4
  if (is(program, scheme, "grep", SL1)) c.cycles = 1000;                                    // 1
  if (is(program, scheme, "affinity", SL1)) c.cycles = 2000;                                // 0.5
  if (is(program, scheme, "upper", SL1)) c.online = 1800;
  const int registers = is(program, scheme, "wc", SL1) ? 40 : 20;
  return json_pack("{s:{s:i, s:i, s:i}, s:[{s:i, s:i, s:i, s:i}, {s:i, s:i, s:i, s:i}], s:o}", "total", "cycles",
                   c.cycles, "warp_instructions", c.instructions, "replays", c.replays, "kernels", "cycles", c.cycles,
                   "online_threads", c.online, "registers", 16, "core_blocks", 16, "cycles", 2 * c.cycles,
                   "online_threads", c.online / 2, "registers", registers, "core_blocks", registers == 40 ? 12 : 16,
                   "sl1", slice(program));
}

static void speed(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "7");
  assert_ours(&t, "upper", "l1", 1.25);
  assert_ours(&t, "upper", "sl1", 2);
  assert_ours(&t, "upper", "sl1_over_l1", 1.6);
  assert_ours(&t, "wc", "l1", 0.5);
  assert_ours(&t, "wc", "sl1_over_l1", 8);
  assert_none(&t, "dna", "l1"); // that run failed
  assert_none(&t, "dna", "sl1_over_l1");
  assert_ours(&t, "mean", "sl1", pow(pow(2, 7) * 4 * 1 * 0.5, 0.1));
  assert_ours(&t, "mean", "l1", pow(0.5 * 0.8 * pow(1.25, 7), 1.0 / 9));
  assert_ours(&t, "lowest", "sl1", 0.5);
  assert_ours(&t, "highest", "sl1", 4);
  assert_ours(&t, "lowest", "l1", 0.5);
  assert_ours(&t, "highest", "l1", 1.25);
  assert_ours(&t, "highest", "sl1_over_l1", 8);
  assert_ours(&t, "lowest", "sl1_over_l1", 0.4); // affinity: 800 / 2000
  assert_int_equal(t.summary_row, 10);
  assert_int_equal(t.row_count, 14);
  // S-L1: 7 times 2, and 4, 1, 0.5: 19.5 / 10. Over L1: 8; 2 / 0.8 = 2.5; 1 / 1.25; 0.5 / 1.25; 5 times 1.6: 19.7 / 9.
  assert_ours(&t, "arithmetic mean", "sl1", 1.95);
  assert_ours(&t, "arithmetic mean", "sl1_over_l1", 19.7 / 9);
  // The paper's matmul is slower with L1; its affinity is faster with S-L1, its kmeans is not; ours of grep is not
  // either.
  assert_non_null(strstr(t.note, "of the hardware's L1, matmul; of S-L1 over it, affinity, kmeans-stream."));
  weir_table_free(&t);
  made_size = WEIR_SIZE_PAPER;
  figure_make(&t, "7");
  assert_ours(&t, "upper", "sl1", 2);
  weir_table_free(&t);
  made_size = WEIR_SIZE_SMALL;
}

static void hit_rates(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "8");
  assert_ours(&t, "wc", "hit_rate", 0.75);           // 1200 / 1600
  assert_ours(&t, "kmeans-stream", "hit_rate", 0);   // of no accesses
  assert_none(&t, "grep", "hit_rate");               // that run failed
  assert_ours(&t, "wc", "monitored", 0.75);          // 300 / 400
  assert_ours(&t, "mean", "hit_rate", 8 * 0.75 / 9); // one at 0, one failed
  weir_table_free(&t);
}

// Of several launches the one with the most; a fifteenth of the chip has a fifteenth of the threads.
static void online_threads(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "9");
  assert_ours(&t, "upper", "none", 6000);
  assert_ours(&t, "upper", "l1", 3000);
  assert_ours(&t, "upper", "sl1", 27000);
  assert_ours(&t, "mean", "sl1", 10800); // nine at 9000
  assert_none(&t, "dna", "l1");
  weir_table_free(&t);
}

static void whole_chip(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "chip");
  assert_ours(&t, "upper", "l1", 0.75);
  assert_ours(&t, "upper", "sl1", 1.5);
  assert_ours(&t, "mean", "sl1_over_l1", 2);
  assert_published(&t, "mean", "sl1", 2.1);
  weir_table_free(&t);
}

static void former_form(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "former");
  assert_ours(&t, "dna", "l1", 0.5);
  assert_ours(&t, "dna", "sl1", 2);
  assert_ours(&t, "highest", "sl1_over_l1", 4);
  weir_table_free(&t);
}

static void variants(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "7at1024");
  assert_ours(&t, "upper", "l1", 1.25);
  assert_ours(&t, "upper", "sl1", 2);
  assert_ours(&t, "wc", "sl1_over_l1", 8);
  assert_ours(&t, "upper", "weir", 1.25);
  assert_published(&t, "mean", "sl1_over_l1", 1.9);
  weir_table_free(&t);
  figure_make(&t, "registers"); // of the kernel that takes most; 16 blocks of 128 threads, or 12
  assert_ours(&t, "upper", "registers", 20);
  assert_ours(&t, "wc", "registers_sl1", 40);
  assert_ours(&t, "wc", "threads", 2048);
  assert_ours(&t, "wc", "threads_sl1", 1536);
  assert_ours(&t, "mean", "registers_sl1", 22); // nine at 20
  assert_ours(&t, "upper", "ptxas", 14);        // ptxas.def
  assert_ours(&t, "upper", "ptxas_sl1", 32);
  weir_table_free(&t);
  figure_make(&t, "table1");
  assert_ours(&t, "opinion", "structures", 2); // neither what is atomic nor what no loop has
  assert_published(&t, "opinion", "structures", 4);
  assert_published(&t, "grep", "structures", 2); // "2 (1 in shared memory)"
  weir_table_free(&t);
}

static void instructions(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "11");
  assert_ours(&t, "upper", "executed", 3);       // 3000 / 1000
  assert_ours(&t, "upper", "issued", 4.0 / 3);   // (3000 + 1000) / (1000 + 2000)
  assert_ours(&t, "wc", "issued", 2.0 / 3);      // 2000 / 3000
  assert_ours(&t, "mean", "executed", 26.0 / 9); // eight at 3, wc at 2
  weir_table_free(&t);
  figure_make(&t, "11at1024"); // of the same made runs
  assert_ours(&t, "upper", "issued", 4.0 / 3);
  assert_ours(&t, "mean", "executed", 26.0 / 9);
  assert_published(&t, "mean", "executed", 3.2);
  weir_table_free(&t);
}

static void unused(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "12");
  assert_ours(&t, "grep", "unused", 1.1);
  assert_ours(&t, "grep", "monitoring", 1.01);
  assert_ours(&t, "mean", "unused", 1.1);
  weir_table_free(&t);
}

static void lines(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "13");
  assert_ours(&t, "upper", "bytes_8", 0.8);
  assert_ours(&t, "upper", "bytes_24", 1.25);
  assert_ours(&t, "upper", "bytes_32", 1);
  assert_ours(&t, "wc", "bytes_24", 0.625); // 250 / 400
  weir_table_free(&t);
}

static void memory(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "1");
  assert_ours(&t, "32", "hit_rate", 0.95);
  assert_ours(&t, "2048", "hit_rate", 0.2);
  assert_ours(&t, "2048", "threads", 2048);
  weir_table_free(&t);
  figure_make(&t, "5");
  assert_ours(&t, "64", "blocks_1", 31.36); // an access of 32 bytes per cycle of 980 MHz
  assert_ours(&t, "1024", "blocks_15", 470.4);
  assert_ours(&t, "512", "apart", 31.36);
  assert_ours(&t, "512", "dram", 15.68);
  weir_table_free(&t);
  figure_make(&t, "6");
  assert_ours(&t, "7", "l2", 219.52);
  assert_ours(&t, "7", "dram", 109.76);
  assert_int_equal(t.row_count, 15);
  weir_table_free(&t);
  figure_make(&t, "shared"); // a warp's 128 bytes every other cycle of 980 MHz, on every SMX
  assert_ours(&t, "512", "one", 62.72);
  assert_ours(&t, "1024", "all", 62.72);
  assert_published(&t, "1024", "one", 60);
  weir_table_free(&t);
}

static void assert_about(struct weir_table *t, const char *column, double value) { // stages are whole picoseconds
  assert_true(fabs(cell_of(t, "wc", column)->ours / value - 1) < 1e-8);
}

// wc: 192 chunks, each copied in 8.8 us and 64 MiB × 84 / 64 at 15754 bytes per us. A thread of the CPU goes over 1572864 × 2920000 / 11799208
// bytes in 1 ms, and gathers 393216 × 2357000 / 2381076 in as long; the CPU's memory lets through a third of 29856 bytes per us. A kernel
// of c cycles on an SMX takes c / 980 us × 64 / 45 for a chunk.
static void large(void **state) {
  (void)state;
  enum { CHUNKS = 192 };
  const double chunk = 64.0 * 1048576, copy = 8.8 + chunk * 84 / 64 / 15754, // us
    serial = CHUNKS * chunk / (1572864 * (2920000 / 11799208.0)) * 1000, kernel = 1000 / 980.0 * 64 / 45,
               big = 0.6 * kernel, big_sl1 = 0.4 * kernel,
               by_byte = chunk / (4 * 393216 * (2357000 / 2381076.0)) * 1000, by_line = chunk * 3 / 29856;
  struct weir_table t;
  figure_make(&t, "10");
  assert_ours(&t, "wc", "cores", 4);
  assert_about(&t, "single", serial / (CHUNKS * (copy + kernel)));
  assert_about(&t, "double", serial / (CHUNKS * copy + kernel)); // the link never rests
  assert_about(&t, "big", serial / (CHUNKS * by_byte + copy + big));
  assert_about(&t, "big_sl1", serial / (CHUNKS * by_line + copy + big_sl1));
  assert_published(&t, "mean", "over_big", 1.19);
  assert_published(&t, "highest", "over_cores", 6.37);
  weir_table_free(&t);
}

// As in `large`, of all four applications: kernels take microseconds, and so the gather or the link is what limits.
static void causes(void **state) {
  (void)state;
  enum { CHUNKS = 192 };
  const double chunk = 64.0 * 1048576, copy = 8.8 + chunk * 84 / 64 / 15754, kernel = 1000 / 980.0 * 64 / 45, // us
    by_byte = chunk / (4 * 393216 * (2357000 / 2381076.0)) * 1000, by_line = chunk * 3 / 29856;
  struct weir_table t;
  figure_make(&t, "10causes");
  // 1 % is for the pipelines' filling.
  const double over_big = cell_of(&t, "as in the figure", "over_big")->ours;
  assert_true(fabs(over_big / (by_byte / by_line) - 1) < 0.01);
  assert_true(fabs(cell_of(&t, "the gather takes no time", "over_big")->ours - 1) < 0.01);
  assert_true(fabs(cell_of(&t, "BigKernel alone gathers by line, too", "over_big")->ours - 1) < 0.01);
  assert_true(
    fabs(cell_of(&t, "the gather moves each byte twice", "over_big")->ours / (by_byte / fmax(by_line * 2 / 3, copy)) -
         1) < 0.01);
  assert_true(
    fabs(cell_of(&t, "two threads on each core of the CPU", "over_big")->ours / (by_byte / 1.3 / by_line) - 1) < 0.01);
  const double doubled = cell_of(&t, "as in the figure", "double")->ours;
  assert_true(fabs(cell_of(&t, "the link at half its rate", "double")->ours / (doubled / 2) - 1) < 0.01);
  assert_true(fabs(cell_of(&t, "the link at twice its rate", "double")->ours / (doubled * 2) - 1) < 0.01);
  assert_near(cell_of(&t, "copies take no time", "slower")->ours,
              3.7 / cell_of(&t, "copies take no time", "over_cores")->ours);
  assert_string_equal(cell_of(&t, "as in the figure", "best")->text, "none"); // the link is faster than the gather
  assert_string_equal(cell_of(&t, "the gather takes no time", "best")->text, "(wc), (dna), (opinion), (affinity)");
  weir_table_free(&t);
  figure_make(&t, "10times"); // in ms
  assert_about(&t, "copy", copy / 1000);
  assert_about(&t, "kernel", kernel / 1000);
  weir_table_free(&t);
  figure_make(&t, "10addresses"); // sent: 4 bytes each in packets of 128 and 24, at 15754 bytes per us, after 6.9 us
  const double sent = 6.9 + 4 * chunk * 152 / 128 / 15754, us = chunk / (1572864 * (2920000 / 11799208.0)) * 1000;
  assert_about(&t, "generation", 0.6 * kernel / 1000);
  assert_about(&t, "computation", 1.2 * kernel / 1000); // the second kernel
  assert_about(&t, "computation_sl1", 0.8 * kernel / 1000);
  assert_about(&t, "sending", sent / 1000);
  assert_about(&t, "speed", us / fmax(by_byte, sent));
  assert_about(&t, "speed_by_pattern", us / by_byte);
  weir_table_free(&t);
  figure_make(&t, "10gathers");
  assert_true(fabs(cell_of(&t, "by byte", "ms")->ours / (by_byte / 1000) - 1) < 1e-8);
  assert_true(fabs(cell_of(&t, "by line", "rate")->ours / 9.952 - 1) < 1e-8);
  weir_table_free(&t);
}

// Of the text, section by section; the ends of figure 1 are 127 of 128 hits, and none.
static void published(void **state) {
  (void)state;
  struct weir_table t;
  figure_make(&t, "1");
  assert_published(&t, "32", "hit_rate", 0.9921875);
  assert_published(&t, "2048", "hit_rate", 0);
  weir_table_free(&t);
  figure_make(&t, "6");
  assert_published(&t, "15", "l2", 480);
  assert_published(&t, "10", "dram", 300);
  weir_table_free(&t);
  figure_make(&t, "7");
  assert_published(&t, "mean", "sl1", 2.1);
  assert_published(&t, "mean", "sl1_over_l1", 1.9);
  assert_published(&t, "lowest", "sl1_over_l1", 0.86);
  assert_published(&t, "highest", "l1", 1.35);
  weir_table_free(&t);
  figure_make(&t, "8");
  assert_published(&t, "wc", "hit_rate", 0.9375);
  weir_table_free(&t);
  figure_make(&t, "11");
  assert_published(&t, "mean", "executed", 3.2);
  weir_table_free(&t);
  figure_make(&t, "12");
  assert_published(&t, "mean", "unused", 1.08);
  weir_table_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(speed),        cmocka_unit_test(hit_rates),  cmocka_unit_test(online_threads),
    cmocka_unit_test(instructions), cmocka_unit_test(whole_chip), cmocka_unit_test(former_form),
    cmocka_unit_test(variants),     cmocka_unit_test(unused),     cmocka_unit_test(lines),
    cmocka_unit_test(memory),       cmocka_unit_test(published),  cmocka_unit_test(large),
    cmocka_unit_test(causes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
