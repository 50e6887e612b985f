// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 7, 8 and 9: what S-L1 brings, against no L1 and the hardware's, how often it hits, and with how many threads.
#include "mokhtari2015/mokhtari2015.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- figure 7 -------------------------------------------------------------------------------------------------------

void mokhtari_plan_speed(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_NO_L1, MOKHTARI_MANY);
  mokhtari_plan(p, MOKHTARI_L1, MOKHTARI_MANY);
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_MANY);
}

static double speed(const struct weir_plan *p, const char *program, const char *variant, const char *base,
                    enum mokhtari_sweep sweep) {
  return mokhtari_total(p, program, base, sweep).cycles / mokhtari_total(p, program, variant, sweep).cycles;
}

static double over_none(const struct weir_plan *p, const char *program, const char *variant) {
  return speed(p, program, variant, MOKHTARI_NO_L1, MOKHTARI_MANY);
}

static double over_l1(const struct weir_plan *p, const char *program, const char *variant) {
  return speed(p, program, variant, MOKHTARI_L1, MOKHTARI_MANY);
}

static double chip_over_none(const struct weir_plan *p, const char *program, const char *variant) {
  return speed(p, program, variant, MOKHTARI_NO_L1, MOKHTARI_CHIP_WIDE);
}

static double chip_over_l1(const struct weir_plan *p, const char *program, const char *variant) {
  return speed(p, program, variant, MOKHTARI_L1, MOKHTARI_CHIP_WIDE);
}

static double arithmetic_mean(const struct weir_table *t, unsigned column, unsigned programs) {
  double sum = 0;
  unsigned n = 0;
  for (unsigned i = 0; i < programs; i++)
    if (!isnan(t->rows[i][column].ours)) sum += t->rows[i][column].ours, n++;
  return n ? sum / n : NAN;
}

void mokhtari_add_range(struct weir_table *t, unsigned programs) {
  struct weir_cell *mean = weir_table_row(t);
  weir_table_text(t, &mean[0], "arithmetic mean");
  for (unsigned j = 1; j < t->column_count; j++) mean[j].ours = arithmetic_mean(t, j, programs);
  for (unsigned highest = 0; highest < 2; highest++) {
    struct weir_cell *c = weir_table_row(t);
    weir_table_text(t, &c[0], highest ? "highest" : "lowest");
    for (unsigned j = 1; j < t->column_count; j++)
      for (unsigned i = 0; i < programs; i++) {
        double v = t->rows[i][j].ours;
        c[j].ours = highest ? fmax(c[j].ours, v) : fmin(c[j].ours, v); // a number that is not there takes no part
      }
  }
}

// Of what the text says that the hardware's L1 slows down (section 4.2), and that S-L1 does not gain on it with; of all
// others it says, or its ranges imply, the opposite.
static const char *const slowed_by_l1[] = {"wc", "pageview", "matmul", NULL};
static const char *const not_faster_than_l1[] = {"grep", "kmeans-stream", NULL};

static bool is_among(const char *const *names, const char *name) {
  while (*names && strcmp(*names, name)) names++;
  return *names != NULL;
}

// Appends the programs on whose side of 1 the paper is not.
static void list_others(const struct weir_table *t, unsigned column, const char *const *below, char *out, size_t size) {
  const char *separator = "";
  for (unsigned i = 0; mokhtari_programs[i]; i++) {
    double v = t->rows[i][column].ours;
    if (isnan(v) || (v < 1) == is_among(below, mokhtari_programs[i])) continue;
    size_t length = strlen(out);
    snprintf(out + length, size - length, "%s%s", separator, mokhtari_programs[i]);
    separator = ", ";
  }
  if (!*separator) snprintf(out + strlen(out), size - strlen(out), "none");
}

enum { PROGRAM, L1, SL1, SL1_OVER_L1 };

static void note_signs(struct weir_table *t) {
  char text[768] = "Mean: geometric. Where the paper has the other sign: of the hardware's L1, ";
  list_others(t, L1, slowed_by_l1, text, sizeof text);
  snprintf(text + strlen(text), sizeof text - strlen(text), "; of S-L1 over it, ");
  list_others(t, SL1_OVER_L1, not_faster_than_l1, text, sizeof text);
  snprintf(text + strlen(text), sizeof text - strlen(text), ".");
  weir_table_note(t, text);
}

#define RATIO_OF(name, heading, meaning, of, variant)                                                                  \
  { name, heading, meaning, WEIR_COLUMN_RATIO, WEIR_GEOMETRIC_MEAN, NULL, of, variant }
// In the order of L1, SL1, SL1_OVER_L1.
#define SPEEDS(over_none, over_l1, s_l1)                                                                               \
  RATIO_OF("l1", "L1", "speed with the hardware's L1 over that without any", over_none, MOKHTARI_L1),                  \
    RATIO_OF("sl1", "S-L1", "with S-L1, over the same", over_none, s_l1),                                              \
    RATIO_OF("sl1_over_l1", "S-L1 over L1", NULL, over_l1, s_l1)

static void speeds(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns) {
  weir_figure_fill(t, p, columns, mokhtari_groups);
  mokhtari_add_range(t, t->summary_row);
  mokhtari_publish(t);
  note_signs(t);
}

void mokhtari_figure_7(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {SPEEDS(over_none, over_l1, MOKHTARI_SL1), {0}};
  speeds(t, p, columns);
}

void mokhtari_plan_at_1024(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_NO_L1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_L1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_FEW);
  mokhtari_plan(p, MOKHTARI_WEIR, MOKHTARI_FEW);
}

static double few_over_none(const struct weir_plan *p, const char *program, const char *variant) {
  return speed(p, program, variant, MOKHTARI_NO_L1, MOKHTARI_FEW);
}

static double few_over_l1(const struct weir_plan *p, const char *program, const char *variant) {
  return speed(p, program, variant, MOKHTARI_L1, MOKHTARI_FEW);
}

void mokhtari_at_1024(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    SPEEDS(few_over_none, few_over_l1, MOKHTARI_SL1),
    RATIO_OF("weir", "weir's defaults",
             "S-L1 with static_proof, which the paper names as future work, and original_slice, which it does not have",
             few_over_none, MOKHTARI_WEIR),
    {0}};
  speeds(t, p, columns);
}

void mokhtari_plan_chip(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_NO_L1, MOKHTARI_CHIP_WIDE);
  mokhtari_plan(p, MOKHTARI_L1, MOKHTARI_CHIP_WIDE);
  mokhtari_plan(p, MOKHTARI_SL1, MOKHTARI_CHIP_WIDE);
}

void mokhtari_chip(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {SPEEDS(chip_over_none, chip_over_l1, MOKHTARI_SL1), {0}};
  speeds(t, p, columns);
}

void mokhtari_plan_former(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_NO_L1, MOKHTARI_FORMER);
  mokhtari_plan(p, MOKHTARI_L1, MOKHTARI_FORMER);
  mokhtari_plan(p, MOKHTARI_FORMER_SL1, MOKHTARI_FORMER);
}

static double former_over_none(const struct weir_plan *p, const char *program, const char *variant) {
  return speed(p, program, variant, MOKHTARI_NO_L1, MOKHTARI_FORMER);
}

static double former_over_l1(const struct weir_plan *p, const char *program, const char *variant) {
  return speed(p, program, variant, MOKHTARI_L1, MOKHTARI_FORMER);
}

void mokhtari_former(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {SPEEDS(former_over_none, former_over_l1, MOKHTARI_FORMER_SL1),
                                                      {0}};
  speeds(t, p, columns);
}

// ---- figure 8 -------------------------------------------------------------------------------------------------------

void mokhtari_plan_hits(struct weir_plan *p) {
  mokhtari_plan(p, MOKHTARI_COUNTED, MOKHTARI_FEW);
}

// A counter summed over all structures that may get a line; NaN if the run failed.
static double counted(const struct weir_plan *p, const char *program, const char *counter) {
  const json_t *kernels = weir_run_member(mokhtari_run(p, program, MOKHTARI_COUNTED, MOKHTARI_FEW), "sl1.kernels");
  double sum = kernels ? 0 : NAN;
  size_t i, k;
  json_t *kernel, *structure;
  json_array_foreach((json_t *)kernels, i, kernel) {
    json_array_foreach(weir_run_member(kernel, "structures"), k, structure) {
      double n = weir_run_number(weir_run_member(structure, "counters"), counter);
      if (!isnan(n)) sum += n;
    }
  }
  return sum;
}

// 0 of no accesses is 0: nothing is cached (the paper's section 4.2, of Kmeans).
static double hit_rate(const struct weir_plan *p, const char *program) {
  double accesses = counted(p, program, "accesses"), hits = counted(p, program, "hits");
  return accesses > 0 ? hits / accesses : hits;
}

static double monitored_hit_rate(const struct weir_plan *p, const char *program) {
  return counted(p, program, "monitored_hits") / counted(p, program, "monitored");
}

void mokhtari_figure_8(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"hit_rate", "hit rate", "of accesses of the computation slice to cached structures", WEIR_COLUMN_PERCENT,
     WEIR_ARITHMETIC_MEAN, hit_rate, NULL, NULL},
    {"monitored", "monitored", "of the simulated accesses of the monitoring slice, to all structures",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, monitored_hit_rate, NULL, NULL},
    {0}};
  mokhtari_table(t, p, columns);
  weir_table_note(t, "Means: arithmetic.");
}

// ---- figure 9 -------------------------------------------------------------------------------------------------------

// The most of its launches.
static double online(const struct weir_plan *p, const char *program, const char *variant) {
  const json_t *kernels = weir_run_member(mokhtari_run(p, program, variant, MOKHTARI_MANY), "kernels");
  double most = NAN;
  size_t i;
  json_t *k;
  json_array_foreach((json_t *)kernels, i, k) most = fmax(most, weir_launch_of(k).online_threads);
  return most * MOKHTARI_PARTS;
}

void mokhtari_figure_9(struct weir_table *t, const struct weir_plan *p) {
#define ONLINE(name, heading, variant)                                                                                 \
  { name, heading, NULL, WEIR_COLUMN_COUNT, WEIR_ARITHMETIC_MEAN, NULL, online, variant }
  static const struct weir_figure_column columns[] = {
    ONLINE("none", "no L1", MOKHTARI_NO_L1), ONLINE("l1", "L1", MOKHTARI_L1), ONLINE("sl1", "S-L1", MOKHTARI_SL1), {0}};
#undef ONLINE
  mokhtari_table(t, p, columns);
  weir_table_note(t,
                  "Threads that are on all SMXs of the whole chip at a time (at most 30,720) in the fastest run. "
                  "Means: arithmetic.");
}
