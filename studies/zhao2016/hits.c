// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 3 and 4: how well the L1 does, and what a larger one would bring.
#include "zhao2016/zhao2016.h"

static double with_pending(const struct weir_plan *p, const char *program, const char *scheme) {
  const struct weir_access_numbers loads = zhao_loads(p, program, scheme);
  return (loads.hits + loads.hits_on_miss) / zhao_served(p, program, scheme);
}

void zhao_figure_3(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"hit_rate", "hit rate", "loads that found their block in the L1", WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, NULL,
     zhao_hit_rate, ZHAO_BASELINE},
    {"with_pending", "or on its way", "these, and loads that found it being fetched", WEIR_COLUMN_PERCENT,
     WEIR_ARITHMETIC_MEAN, NULL, with_pending, ZHAO_BASELINE},
    {0}};
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(t, "Of the baseline. Means: arithmetic.");
}

// More ways: the set hash of Fermi is known for 32 sets (16 KiB) and 64 alone.
#define KIB(size, ways) ZHAO_BASELINE ",l1.size_kib=" #size ",l1.ways=" #ways

void zhao_plan_sizes(struct weir_plan *p) {
  static const char *const schemes[] = {ZHAO_BASELINE, KIB(32, 8), KIB(64, 16), KIB(128, 32)};
  for (unsigned i = 0; i < sizeof schemes / sizeof *schemes; i++) zhao_plan(p, schemes[i]);
}

void zhao_figure_4(struct weir_table *t, const struct weir_plan *p) {
#define SIZE(size, ways)                                                                                               \
  {                                                                                                                    \
    "l1_" #size "kib", #size " KiB", NULL, WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, NULL, zhao_speedup,                \
      KIB(size, ways)                                                                                                  \
  }
  static const struct weir_figure_column columns[] = {SIZE(32, 8), SIZE(64, 16), SIZE(128, 32), {0}};
#undef SIZE
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(t, "Speed against a 16 KiB L1 of 4 ways; the larger ones have more ways. Means: geometric.");
}
