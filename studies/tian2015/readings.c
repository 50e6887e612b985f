// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the paper leaves open, or speaks of without a figure: the predictor read in two ways, when a miss takes its line,
// the walk of an L1 at a kernel's end, footnote 2's chip of the same area, bypassing beside warp scheduling and MRPB, and
// what decides single programs.
#include "tian2015/tian2015.h"

#include <math.h>

#define FORMER "pcbp,stores_are_reuse=false,train_on_correction=true,l1.shadow_tags=true"
#define NONE_ON_FILL "none,l1.allocate=on_fill"
#define PC_ON_FILL "pcbp,l1.allocate=on_fill"
#define CCWS "ccws"
#define CCWS_PC "ccws,l1.bypass=pcbp,l2.bypass=pcbp-verify"
#define MRPB "mrpb"
#define SAME_AREA "none,l1.size_kib=32,core.count=7" // footnote 2: 28 of 32 CUs

static double speedup(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_total(p, program, TIAN_BASELINE).time_ps / tian_total(p, program, scheme).time_ps;
}

#define SPEED(name, heading, meaning, scheme)                                                                          \
  { name, heading, meaning, WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, NULL, speedup, scheme }

// ---- Listing 1 to the letter, and as it was read before ----------------------------------------------------------------

static double coverage(const struct weir_plan *p, const char *program, const char *scheme) {
  const json_t *counters = tian_policy(p, program, scheme, WEIR_FIRST_CACHE).counters;
  return weir_run_number(counters, "predicted_bypasses") / weir_run_number(counters, "predictions");
}

static double energy(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_dynamic_energy(p, program, scheme) / tian_dynamic_energy(p, program, TIAN_BASELINE);
}

void tian_plan_listing(struct weir_plan *p) {
  tian_plan_both(p);
  tian_plan(p, FORMER);
}

void tian_figure_listing(struct weir_table *t, const struct weir_plan *p) {
#define BOTH(name, heading, format, mean, of)                                                                          \
  {name, heading, NULL, format, mean, NULL, of, TIAN_PC}, {                                                            \
    name "_former", heading ", former", NULL, format, mean, NULL, of, FORMER                                           \
  }
  static const struct weir_figure_column columns[] = {
    BOTH("coverage", "coverage", WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, coverage),
    BOTH("energy", "L1 energy", WEIR_COLUMN_REAL, WEIR_ARITHMETIC_MEAN, energy),
    BOTH("speed", "speed", WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, speedup),
    {0}};
#undef BOTH
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Former: stores that hit do not train, the victim of a correction does.");
}

// ---- when a miss takes its line ----------------------------------------------------------------------------------------

static double on_fill_speed(const struct weir_plan *p, const char *program) {
  return tian_total(p, program, NONE_ON_FILL).time_ps / tian_total(p, program, PC_ON_FILL).time_ps;
}

static double misses(const struct weir_plan *p, const char *program) {
  return tian_l1(p, program, TIAN_PC).loads.misses / tian_l1(p, program, TIAN_BASELINE).loads.misses;
}

static double on_fill_misses(const struct weir_plan *p, const char *program) {
  return tian_l1(p, program, PC_ON_FILL).loads.misses / tian_l1(p, program, NONE_ON_FILL).loads.misses;
}

enum { L1S = 8 }; // table 1: one per compute unit

static double waits_for_way(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_l1(p, program, scheme).stalls[WEIR_STALL_NO_WAY] / L1S / tian_total(p, program, scheme).cycles;
}

void tian_plan_allocation(struct weir_plan *p) {
  tian_plan_both(p);
  tian_plan(p, NONE_ON_FILL);
  tian_plan(p, PC_ON_FILL);
}

void tian_figure_allocation(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    SPEED("on_miss", "speed, on miss", "PC-based bypassing over none", TIAN_PC),
    {"on_fill", "on fill", "the same, both with an L1 that takes a line as data come", WEIR_COLUMN_CHANGE,
     WEIR_GEOMETRIC_MEAN, on_fill_speed, NULL, NULL},
    {"misses_on_miss", "misses, on miss", NULL, WEIR_COLUMN_REAL, WEIR_GEOMETRIC_MEAN, misses, NULL, NULL},
    {"misses_on_fill", "on fill", NULL, WEIR_COLUMN_REAL, WEIR_GEOMETRIC_MEAN, on_fill_misses, NULL, NULL},
    {"no_way_none", "no way, baseline", "cycles in which an L1's oldest request found all ways of its set in flight",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, NULL, waits_for_way, TIAN_BASELINE},
    {"no_way_pc", "no way, PC-based", NULL, WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, NULL, waits_for_way, TIAN_PC},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "With on_miss, as Listing 1 has it, a line is taken as the request is sent.");
}

// ---- the walk at a kernel's end, and footnote 2 ------------------------------------------------------------------------

double tian_launches(const json_t *run) {
  const json_t *kernels = weir_run_member(run, "kernels");
  double sum = kernels ? 0 : NAN;
  for (size_t i = 0; i < json_array_size(kernels); i++) sum += weir_launch_of(json_array_get(kernels, i)).launches;
  return sum;
}

enum { LINES_16_KIB = 16 * 1024 / 64 };

// Our flush of a write-through L1 takes no time. A walk of one line per cycle would add this much.
static double walk(const struct weir_plan *p, const char *program) {
  return tian_launches(weir_plan_run(p, program, TIAN_CHIP, TIAN_BASELINE)) * LINES_16_KIB /
    tian_total(p, program, TIAN_BASELINE).cycles;
}

static double walk_32_kib(const struct weir_plan *p, const char *program) {
  return 2 * walk(p, program);
}

void tian_plan_area(struct weir_plan *p) {
  tian_plan_both(p);
  tian_plan(p, TIAN_KIB(32));
  tian_plan(p, SAME_AREA);
}

void tian_figure_area(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    SPEED("pc_based", "PC-based", "16 KiB with bypassing", TIAN_PC),
    SPEED("l1_32kib", "32 KiB", NULL, TIAN_KIB(32)),
    SPEED("same_area", "32 KiB, 7 CUs", "footnote 2: one CU of eight gives its area to the other L1s", SAME_AREA),
    {"walk", "walk, 16 KiB", "of the baseline's time: what a walk of one line per cycle at each kernel's end would add",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, walk, NULL, NULL},
    {"walk_32kib", "walk, 32 KiB", NULL, WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, walk_32_kib, NULL, NULL},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Speed against the baseline. The flush of our L1, which writes through, takes no time.");
}

// ---- combinations ------------------------------------------------------------------------------------------------------

void tian_plan_combinations(struct weir_plan *p) {
  tian_plan_both(p);
  tian_plan(p, CCWS);
  tian_plan(p, CCWS_PC);
  tian_plan(p, MRPB);
}

void tian_figure_combinations(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    SPEED("pc_based", "PC-based", NULL, TIAN_PC),
    SPEED("ccws", "CCWS", "Rogers et al., MICRO 2012", CCWS),
    SPEED("both", "both", "section 3.2: \"can be used along with them\"", CCWS_PC),
    SPEED("mrpb", "MRPB", "Jia et al., HPCA 2014 (section 6)", MRPB),
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Speed against the baseline. The paper states no number. Average: geometric.");
}

// ---- single programs ---------------------------------------------------------------------------------------------------

static const struct {
  const char *label, *program, *scheme;
} singles[] = {
  {"kmeans, PC-based", "kmeans", TIAN_PC},
  {"kmeans, a random half of the misses bypasses", "kmeans", "bypass-random,probability=0.5"},
  {"nw, PC-based", "nw", TIAN_PC},
  {"nw, lines that a kernel's end drops train, too", "nw", TIAN_PC ",flush_trains=true"},
  {"nw, scratchpad memory in 64 cycles", "nw", "none,core.shared_latency_cycles=64"},
  {"lud, scratchpad memory in 64 cycles", "lud", "none,core.shared_latency_cycles=64"},
};
enum { SINGLES = sizeof singles / sizeof *singles };

void tian_plan_singles(struct weir_plan *p) {
  for (unsigned i = 0; i < SINGLES; i++) {
    weir_plan_add(p, singles[i].program, TIAN_CHIP, TIAN_BASELINE);
    weir_plan_add(p, singles[i].program, TIAN_CHIP, singles[i].scheme);
  }
}

void tian_figure_singles(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "reading", "", NULL);
  weir_table_column(t, WEIR_COLUMN_CHANGE, "speed", "speed", "over the baseline");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "bypassed", "bypassed", "of the loads' accesses");
  for (unsigned i = 0; i < SINGLES; i++) {
    struct weir_cell *cells = weir_table_row(t);
    const struct weir_access_numbers loads = tian_l1(p, singles[i].program, singles[i].scheme).loads;
    tian_label(t, cells, singles[i].label);
    cells[1].ours = speedup(p, singles[i].program, singles[i].scheme);
    cells[2].ours = loads.bypasses / loads.accesses;
  }
}
