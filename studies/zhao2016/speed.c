// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 7, 8 and 9 and Table III: speed and hit rates under the schemes.
#include "zhao2016/zhao2016.h"

static void plan_each(struct weir_plan *p, void (*plan)(struct weir_plan *, const char *), const char *const *schemes) {
  for (; *schemes; schemes++) plan(p, *schemes);
}
#define PLAN(p, plan, ...) plan_each(p, plan, (const char *const[]){__VA_ARGS__, NULL})

void zhao_plan_schemes(struct weir_plan *p) {
  PLAN(p, zhao_plan, ZHAO_BASELINE, "mrpb", "mrpb-bypass", "ccws", "bucl-prf5k", "bucl-prf10k", ZHAO_SWL, "bucl-dyn");
}

void zhao_plan_hit_rates(struct weir_plan *p) {
  PLAN(p, zhao_plan, ZHAO_BASELINE, "mrpb", ZHAO_SWL, "bucl-dyn");
}

void zhao_plan_unswept(struct weir_plan *p) {
  PLAN(p, zhao_plan, ZHAO_BASELINE, "bucl-dyn", "mrpb", "mrpb-bypass", "bucl-prf5k", "bucl-prf10k");
}

void zhao_plan_combined(struct weir_plan *p) {
  PLAN(p, zhao_plan_uncoalesced, ZHAO_BASELINE, ZHAO_SWL, "bucl-dyn", ZHAO_SWBU);
}

void zhao_plan_warps(struct weir_plan *p) {
  PLAN(p, zhao_plan_uncoalesced, ZHAO_SWL, ZHAO_SWBU);
}

static double over_mrpb(const struct weir_plan *p, const char *program, const char *scheme) {
  return zhao_speedup(p, program, scheme) / zhao_speedup(p, program, "mrpb");
}

#define SPEEDUP(name, heading, scheme)                                                                                 \
  { name, heading, NULL, WEIR_COLUMN_CHANGE, WEIR_GEOMETRIC_MEAN, NULL, zhao_speedup, scheme }
#define HIT_RATE(name, heading, scheme)                                                                                \
  { name, heading, NULL, WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, NULL, zhao_hit_rate, scheme }

void zhao_figure_7(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {SPEEDUP("mrpb", "MRPB", "mrpb"),
                                                      SPEEDUP("mrpb_bypass", "MRPB's bypass", "mrpb-bypass"),
                                                      SPEEDUP("ccws", "CCWS", "ccws"),
                                                      SPEEDUP("bucl_prf5k", "BUCL-Prf5k", "bucl-prf5k"),
                                                      SPEEDUP("bucl_prf10k", "BUCL-Prf10k", "bucl-prf10k"),
                                                      SPEEDUP("swl_best", "SWL-Best", ZHAO_SWL),
                                                      SPEEDUP("bucl_dyn", "BUCL-Dyn", "bucl-dyn"),
                                                      {"bucl_over_mrpb", "BUCL-Dyn over MRPB", NULL, WEIR_COLUMN_CHANGE,
                                                       WEIR_GEOMETRIC_MEAN, NULL, over_mrpb, "bucl-dyn"},
                                                      {0}};
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(t,
                  "Instructions per cycle against the baseline's. MRPB's bypass: without its queues, as section V "
                  "describes it. CCWS is not in the paper's figure. Means: geometric.");
}

void zhao_figure_8(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {HIT_RATE("baseline", "baseline", ZHAO_BASELINE),
                                                      HIT_RATE("mrpb", "MRPB", "mrpb"),
                                                      HIT_RATE("swl_best", "SWL-Best", ZHAO_SWL),
                                                      HIT_RATE("bucl_dyn", "BUCL", "bucl-dyn"),
                                                      {0}};
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(t,
                  "Loads that found their block, of those that the L1 served: bypassed ones are in neither number. "
                  "Means: arithmetic.");
}

// What Figures 7 and 8 show that no sweep over warps is needed for: at size paper a sweep takes hours.
void zhao_unswept(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {SPEEDUP("mrpb", "MRPB", "mrpb"),
                                                      SPEEDUP("mrpb_bypass", "MRPB's bypass", "mrpb-bypass"),
                                                      SPEEDUP("bucl_prf5k", "BUCL-Prf5k", "bucl-prf5k"),
                                                      SPEEDUP("bucl_prf10k", "BUCL-Prf10k", "bucl-prf10k"),
                                                      SPEEDUP("bucl_dyn", "BUCL-Dyn", "bucl-dyn"),
                                                      {"bucl_over_mrpb", "BUCL-Dyn over MRPB", NULL, WEIR_COLUMN_CHANGE,
                                                       WEIR_GEOMETRIC_MEAN, NULL, over_mrpb, "bucl-dyn"},
                                                      HIT_RATE("hit_rate", "hit rate", ZHAO_BASELINE),
                                                      HIT_RATE("hit_rate_mrpb", "under MRPB", "mrpb"),
                                                      HIT_RATE("hit_rate_bucl", "under BUCL", "bucl-dyn"),
                                                      {0}};
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(
    t,
    "Instructions per cycle against the baseline's, and hit rates of loads that the L1 served. Means: geometric, of "
    "hit rates arithmetic.");
}

// ---- the combination ----------------------------------------------------------------------------------------------------

void zhao_figure_9(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {SPEEDUP("swl_best", "SWL-Best", ZHAO_SWL),
                                                      SPEEDUP("bucl", "BUCL", "bucl-dyn"),
                                                      SPEEDUP("swbu", "SWBU", ZHAO_SWBU),
                                                      {0}};
  zhao_table(t, p, columns, zhao_uncoalesced_alone);
  weir_table_note(t,
                  "Instructions per cycle against the baseline's. SWBU: the best number of warps over BUCL. "
                  "Mean: geometric.");
}

static double best_warps(const struct weir_plan *p, const char *program, const char *scheme) {
  return weir_run_number(weir_plan_run(p, program, ZHAO_CHIP, scheme), "sweep.best.warps");
}

void zhao_table_3(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"swl_best", "SWL-Best", NULL, WEIR_COLUMN_COUNT, WEIR_NO_MEAN, NULL, best_warps, ZHAO_SWL},
    {"swbu", "SWBU", NULL, WEIR_COLUMN_COUNT, WEIR_NO_MEAN, NULL, best_warps, ZHAO_SWBU},
    {0}};
  zhao_table(t, p, columns, zhao_uncoalesced_alone);
  weir_table_note(t, "Warps per SM of the run with the highest IPC; of equals the fewest.");
}
