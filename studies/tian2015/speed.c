// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 2, 8, 9 and 10: time, misses and hit rates.
#include "tian2015/tian2015.h"

static double speedup(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_total(p, program, TIAN_BASELINE).time_ps / tian_total(p, program, scheme).time_ps;
}

static double misses(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_l1(p, program, scheme).loads.misses / tian_l1(p, program, TIAN_BASELINE).loads.misses;
}

#define COLUMN(name, heading, format, of, scheme)                                                                      \
  { name, heading, NULL, format, WEIR_GEOMETRIC_MEAN, NULL, of, scheme }

// ---- Figure 2 ---------------------------------------------------------------------------------------------------------

void tian_plan_sizes(struct weir_plan *p) {
  static const char *const schemes[] = {TIAN_BASELINE, TIAN_KIB(32),  TIAN_KIB(64),  TIAN_KIB(128),
                                        TIAN_KIB(256), TIAN_KIB(512), TIAN_KIB(1024)};
  for (unsigned i = 0; i < sizeof schemes / sizeof *schemes; i++) tian_plan(p, schemes[i]);
}

void tian_figure_2(struct weir_table *t, const struct weir_plan *p) {
#define SIZE(size) COLUMN("l1_" #size "kib", #size " KiB", WEIR_COLUMN_CHANGE, speedup, TIAN_KIB(size))
  static const struct weir_figure_column columns[] = {SIZE(32),  SIZE(64),   SIZE(128), SIZE(256),
                                                      SIZE(512), SIZE(1024), {0}};
#undef SIZE
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Speed against a 16 KiB L1. The paper shows the average alone. Average: geometric.");
}

// ---- Figures 8 and 9 --------------------------------------------------------------------------------------------------

void tian_plan_techniques(struct weir_plan *p) {
  tian_plan_both(p);
  tian_plan(p, TIAN_COUNTER);
  tian_plan(p, TIAN_KIB(32));
}

void tian_figure_8(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    COLUMN("pc_based", "PC-based", WEIR_COLUMN_REAL, misses, TIAN_PC),
    COLUMN("counter", "counter", WEIR_COLUMN_REAL, misses, TIAN_COUNTER),
    COLUMN("l1_32kib", "32 KiB", WEIR_COLUMN_REAL, misses, TIAN_KIB(32)),
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "L1 load misses over the baseline's, bypassed ones included. Average: geometric.");
}

static double pc_over_counter(const struct weir_plan *p, const char *program) {
  return speedup(p, program, TIAN_PC) / speedup(p, program, TIAN_COUNTER);
}

void tian_figure_9(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    COLUMN("pc_based", "PC-based", WEIR_COLUMN_CHANGE, speedup, TIAN_PC),
    COLUMN("counter", "counter", WEIR_COLUMN_CHANGE, speedup, TIAN_COUNTER),
    COLUMN("l1_32kib", "32 KiB", WEIR_COLUMN_CHANGE, speedup, TIAN_KIB(32)),
    {"pc_over_counter", "PC over counter", NULL, WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, pc_over_counter, NULL, NULL},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(
    t,
    "Speed against the baseline, kernels alone. The text's \"no improvement\" is given as 0 %; \"about 3%\" is "
    "its average over sort, dct and lud and all techniques. Average: geometric.");
}

// ---- Figure 10 --------------------------------------------------------------------------------------------------------

static double hit_rate(const struct weir_plan *p, const char *program) {
  return tian_l1(p, program, TIAN_BASELINE).loads.hits / tian_l1(p, program, TIAN_BASELINE).loads.accesses;
}

static double with_pending(const struct weir_plan *p, const char *program) {
  return hit_rate(p, program) +
    tian_l1(p, program, TIAN_BASELINE).loads.hits_on_miss / tian_l1(p, program, TIAN_BASELINE).loads.accesses;
}

void tian_figure_10(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"hit_rate", "hit rate", "loads that found their block in the L1", WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN,
     hit_rate, NULL, NULL},
    {"with_pending", "or on its way", "these, and loads that found it being fetched", WEIR_COLUMN_PERCENT,
     WEIR_ARITHMETIC_MEAN, with_pending, NULL, NULL},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Of the baseline. Average: arithmetic.");
}
