// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 2, 8, 9 and 10: time, misses and hit rates.
#include "tian2015/tian2015.h"

static double speedup(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_baseline(p, program, "total.time_ps") / tian_number(p, program, scheme, "total.time_ps");
}

static double misses(const struct weir_plan *p, const char *program, const char *scheme) {
  return tian_number(p, program, scheme, "total.l1.loads.misses") /
         tian_baseline(p, program, "total.l1.loads.misses");
}

#define OF(what, name, scheme)                                                    \
  static double name##_##what(const struct weir_plan *p, const char *program) {   \
    return what(p, program, scheme);                                              \
  }

// ---- Figure 2 ---------------------------------------------------------------------------------------------------------

OF(speedup, kib_32, TIAN_KIB(32))
OF(speedup, kib_64, TIAN_KIB(64))
OF(speedup, kib_128, TIAN_KIB(128))
OF(speedup, kib_256, TIAN_KIB(256))
OF(speedup, kib_512, TIAN_KIB(512))
OF(speedup, kib_1024, TIAN_KIB(1024))

void tian_plan_sizes(struct weir_plan *p) {
  static const char *const schemes[] = {TIAN_BASELINE,  TIAN_KIB(32),  TIAN_KIB(64),  TIAN_KIB(128),
                                        TIAN_KIB(256), TIAN_KIB(512), TIAN_KIB(1024)};
  for (unsigned i = 0; i < sizeof schemes / sizeof *schemes; i++) tian_plan(p, schemes[i]);
}

void tian_figure_2(struct weir_table *t, const struct weir_plan *p) {
#define SIZE(size) {"l1_" #size "kib", #size " KiB", NULL, WEIR_COLUMN_CHANGE, TIAN_GEOMETRIC, kib_##size##_speedup}
  static const struct tian_column columns[] = {SIZE(32), SIZE(64), SIZE(128), SIZE(256), SIZE(512), SIZE(1024), {0}};
#undef SIZE
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Speed against a 16 KiB L1. The paper shows the average alone. Average: geometric.");
}

// ---- Figures 8 and 9 --------------------------------------------------------------------------------------------------

OF(speedup, pc, TIAN_PC)
OF(speedup, counter, TIAN_COUNTER)
OF(misses, pc, TIAN_PC)
OF(misses, counter, TIAN_COUNTER)
OF(misses, kib_32, TIAN_KIB(32))

void tian_plan_techniques(struct weir_plan *p) {
  tian_plan_both(p);
  tian_plan(p, TIAN_COUNTER);
  tian_plan(p, TIAN_KIB(32));
}

void tian_figure_8(struct weir_table *t, const struct weir_plan *p) {
  static const struct tian_column columns[] = {
    {"pc_based", "PC-based", NULL, WEIR_COLUMN_REAL, TIAN_GEOMETRIC, pc_misses},
    {"counter", "counter", NULL, WEIR_COLUMN_REAL, TIAN_GEOMETRIC, counter_misses},
    {"l1_32kib", "32 KiB", NULL, WEIR_COLUMN_REAL, TIAN_GEOMETRIC, kib_32_misses},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "L1 load misses over the baseline's, bypassed ones included. Average: geometric.");
}

static double pc_over_counter(const struct weir_plan *p, const char *program) {
  return pc_speedup(p, program) / counter_speedup(p, program);
}

void tian_figure_9(struct weir_table *t, const struct weir_plan *p) {
  static const struct tian_column columns[] = {
    {"pc_based", "PC-based", NULL, WEIR_COLUMN_CHANGE, TIAN_GEOMETRIC, pc_speedup},
    {"counter", "counter", NULL, WEIR_COLUMN_CHANGE, TIAN_GEOMETRIC, counter_speedup},
    {"l1_32kib", "32 KiB", NULL, WEIR_COLUMN_CHANGE, TIAN_GEOMETRIC, kib_32_speedup},
    {"pc_over_counter", "PC over counter", NULL, WEIR_COLUMN_CHANGE, TIAN_GEOMETRIC, pc_over_counter},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Speed against the baseline, kernels alone. The text's \"no improvement\" is given as 0 %; \"about 3%\" is "
                     "its average over sort, dct and lud and all techniques. Average: geometric.");
}

// ---- Figure 10 --------------------------------------------------------------------------------------------------------

static double hit_rate(const struct weir_plan *p, const char *program) {
  return tian_baseline(p, program, "total.l1.loads.hits") / tian_baseline(p, program, "total.l1.loads.accesses");
}

static double with_pending(const struct weir_plan *p, const char *program) {
  return hit_rate(p, program) +
         tian_baseline(p, program, "total.l1.loads.pending_hits") / tian_baseline(p, program, "total.l1.loads.accesses");
}

void tian_figure_10(struct weir_table *t, const struct weir_plan *p) {
  static const struct tian_column columns[] = {
    {"hit_rate", "hit rate", "loads that found their block in the L1", WEIR_COLUMN_PERCENT, TIAN_ARITHMETIC, hit_rate},
    {"with_pending", "or on its way", "these, and loads that found it being fetched", WEIR_COLUMN_PERCENT,
     TIAN_ARITHMETIC, with_pending},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Of the baseline. Average: arithmetic.");
}
