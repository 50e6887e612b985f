// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 6 and 11: how often the predictor bypasses, and how often it should not have.
#include "tian2015/tian2015.h"

static double bypassed(const struct weir_plan *p, const char *program) {
  return tian_l1(p, program, TIAN_PC).loads.bypasses / tian_l1(p, program, TIAN_PC).loads.misses;
}

// A request that bypasses but is installed at the second level's word fills the L1 after all.
static double prevented(const struct weir_plan *p, const char *program) {
  return bypassed(p, program) -
    tian_l1(p, program, TIAN_PC).bypass_corrections / tian_l1(p, program, TIAN_PC).loads.misses;
}

static double fewer_fills(const struct weir_plan *p, const char *program) {
  return 1 - tian_l1(p, program, TIAN_PC).fills / tian_l1(p, program, TIAN_BASELINE).fills;
}

void tian_figure_6(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"bypassed", "bypassed", "of the misses, those whose fill was prevented", WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN,
     prevented, NULL, NULL},
    {"predicted", "predicted", "these, and those installed after all as the L2 corrected the prediction",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, bypassed, NULL, NULL},
    {"fewer_fills", "fewer fills", "than the baseline", WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, fewer_fills, NULL,
     NULL},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "For nw the text says \"more than 95%\". Average: arithmetic.");
}

// A counter of the predictor's own.
static double counter(const struct weir_plan *p, const char *program, const char *name) {
  return weir_run_number(tian_policy(p, program, TIAN_PC, WEIR_FIRST_CACHE).counters, name);
}

static double predicted_bypasses(const struct weir_plan *p, const char *program) {
  return counter(p, program, "predicted_bypasses");
}

static double coverage(const struct weir_plan *p, const char *program) {
  return predicted_bypasses(p, program) / counter(p, program, "predictions");
}

// 0 of 0 is no false positive.
static double of_predicted(const struct weir_plan *p, const char *program, double count) {
  double predicted = predicted_bypasses(p, program);
  return predicted == 0 ? 0 : count / predicted;
}

static double false_positives(const struct weir_plan *p, const char *program) {
  return of_predicted(p, program, tian_l1(p, program, TIAN_PC).bypassed_rereferences);
}

static double false_positives_sdbp(const struct weir_plan *p, const char *program) {
  return of_predicted(p, program, counter(p, program, "corrected_reuses"));
}

static double of_accesses(const struct weir_plan *p, const char *program) {
  return tian_l1(p, program, TIAN_PC).bypassed_rereferences / tian_l1(p, program, TIAN_PC).loads.accesses;
}

void tian_figure_11(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"coverage", "coverage", "bypass predictions over all predictions", WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN,
     coverage, NULL, NULL},
    {"false_positives", "false positives",
     "bypassed blocks that a cache without bypassing would still hold when they are asked for again, over bypass predictions",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, false_positives, NULL, NULL},
    {"false_positives_sdbp", "as SDBP counts",
     "blocks predicted dead that were accessed while in the cache (the L2 had corrected the bypass), over the same",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, false_positives_sdbp, NULL, NULL},
    {"of_accesses", "of accesses", "false positives over all loads' accesses to the L1 (the axis of the talk's figure)",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, of_accesses, NULL, NULL},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "Average: arithmetic.");
}
