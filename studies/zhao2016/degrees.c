// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Table I and Figures 2 and 5: how far loads are un-coalesced, and what that does to them. All of the baseline.
#include "zhao2016/zhao2016.h"

#include <math.h>

static double instructions(const struct weir_plan *p, const char *program, const char *scheme) {
  return zhao_total(p, program, scheme).thread_instructions;
}

void zhao_table_1(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {{"thread_instructions", "instructions",
                                                       "dynamic instructions, by thread", WEIR_COLUMN_COUNT,
                                                       WEIR_NO_MEAN, NULL, instructions, ZHAO_BASELINE},
                                                      {0}};
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(t,
                  weir_plan_size(p) == WEIR_SIZE_PAPER
                    ? "The paper's inputs are not stated."
                    : "Size small: far fewer than the paper's, whose inputs are not stated.");
}

// ---- by group -----------------------------------------------------------------------------------------------------------

// The groups of load_groups in the run object; a column's `scheme` is the name of one.
#define PERCENT(group, name, heading, of)                                                                              \
  { name, heading, NULL, WEIR_COLUMN_PERCENT, WEIR_NO_MEAN, NULL, of, group }

static struct weir_load_numbers group_of(const struct weir_plan *p, const char *program, const char *group) {
  return weir_run_load_group(weir_plan_run(p, program, ZHAO_CHIP, ZHAO_BASELINE), group);
}

static bool has_loads(const struct weir_plan *p, const char *program, const char *group) {
  return group_of(p, program, group).executions > 0;
}

static double share(const struct weir_plan *p, const char *program, const char *group) {
  return group_of(p, program, group).share;
}

static double all_accesses(const struct weir_plan *p, const char *program) {
  static const char *const groups[] = {"1", "2", "3-10", "11-20", "21-32"};
  double sum = 0;
  for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) sum += group_of(p, program, groups[i]).transactions;
  return sum;
}

static double of_accesses(const struct weir_plan *p, const char *program, const char *group) {
  return group_of(p, program, group).transactions / all_accesses(p, program);
}

static double above_two(const struct weir_plan *p, const char *program) {
  return share(p, program, "3-10") + share(p, program, "11-20") + share(p, program, "21-32");
}

void zhao_figure_2(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    PERCENT("1", "degree_1", "1", share),
    PERCENT("2", "degree_2", "2", share),
    PERCENT("3-10", "degree_3_10", "3-10", share),
    PERCENT("11-20", "degree_11_20", "11-20", share),
    PERCENT("21-32", "degree_21_32", "21-32", share),
    {"above_two", "above 2", "more than 10 % puts a program in the un-coalesced group (section III.A)",
     WEIR_COLUMN_PERCENT, WEIR_NO_MEAN, above_two, NULL, NULL},
    PERCENT("21-32", "accesses_21_32", "accesses of 21-32", of_accesses),
    {0}};
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(t, "Shares of the loads by un-coalescing degree; the last column: of all their accesses.");
}

// Fraction of a group's loads whose every access hit.
static double all_hit(const struct weir_plan *p, const char *program, const char *group) {
  return has_loads(p, program, group) ? group_of(p, program, group).all_hit_ratio : NAN;
}

static double mean_latency(const struct weir_plan *p, const char *program, const char *group) {
  return has_loads(p, program, group) ? group_of(p, program, group).mean_latency_cycles : NAN;
}

static double latency(const struct weir_plan *p, const char *program, const char *group) {
  return mean_latency(p, program, group) / mean_latency(p, program, "1");
}

static double reuse_ratio(const struct weir_plan *p, const char *program, const char *group) {
  return group_of(p, program, group).fills > 0 ? group_of(p, program, group).reuse_ratio : NAN;
}

static double reuse(const struct weir_plan *p, const char *program, const char *group) {
  double coherent = reuse_ratio(p, program, "1");
  return coherent > 0 ? reuse_ratio(p, program, group) / coherent : NAN;
}

#define FIVE(format, of)                                                                                               \
  {                                                                                                                    \
    {"degree_1", "1", NULL, format, WEIR_NO_MEAN, NULL, of, "1"},                                                      \
      {"degree_2", "2", NULL, format, WEIR_NO_MEAN, NULL, of, "2"},                                                    \
      {"degree_3_10", "3-10", NULL, format, WEIR_NO_MEAN, NULL, of, "3-10"},                                           \
      {"degree_11_20", "11-20", NULL, format, WEIR_NO_MEAN, NULL, of, "11-20"},                                        \
      {"degree_21_32", "21-32", NULL, format, WEIR_NO_MEAN, NULL, of, "21-32"}, {                                      \
      0                                                                                                                \
    }                                                                                                                  \
  }

void zhao_figure_5a(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = FIVE(WEIR_COLUMN_PERCENT, all_hit);
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(t, "Loads all of whose accesses hit the L1, of the loads of that degree. Empty: no such loads.");
}

void zhao_figure_5b(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = FIVE(WEIR_COLUMN_RATIO, latency);
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(t, "Mean time from issue to the last byte, over that of loads of degree 1. Empty: no such loads.");
}

void zhao_figure_5c(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = FIVE(WEIR_COLUMN_REAL, reuse);
  zhao_table(t, p, columns, zhao_groups);
  weir_table_note(
    t,
    "Share of the blocks that loads of the degree brought which were used again before they left, over that "
    "of degree 1. Empty: no such blocks, or none of degree 1 was used again.");
}
