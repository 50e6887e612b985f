// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Section III.D: how evenly, over time, the sub-partitions of memory are used. Its figure is not in the paper; the text says
// that use may be unbalanced in some programs, and that it may change much while a program runs.
#include "zhao2016/zhao2016.h"

#include <math.h>

#define SAMPLED ZHAO_BASELINE ",sample_cycles=1000" // the sampling period of Table II

enum { ROWS = 48 }; // of the table over time: samples are put together

static const char over_time[] = "bfs-random";

void zhao_plan_partitions(struct weir_plan *p) {
  zhao_plan_uncoalesced(p, SAMPLED);
}

void zhao_plan_partitions_over_time(struct weir_plan *p) {
  weir_plan_add(p, over_time, ZHAO_CHIP, SAMPLED);
}

// What the sub-partitions' input buffers were used over some samples, each weighted by its cycles.
struct use {
  double lowest, mean, highest; // of the sub-partitions
};

static double weighted(const json_t *use, const json_t *cycles, size_t from, size_t to) {
  double sum = 0, weights = 0;
  for (size_t i = from; i < to; i++) {
    double weight = json_number_value(json_array_get(cycles, i));
    sum += weight * json_number_value(json_array_get(use, i));
    weights += weight;
  }
  return weights > 0 ? sum / weights : NAN;
}

static struct use use_of(const json_t *samples, size_t from, size_t to) {
  const json_t *slices = weir_run_member(samples, "input_utilisation"), *cycles = weir_run_member(samples, "cycles");
  size_t n = json_array_size(slices);
  struct use u = {.lowest = NAN, .mean = 0, .highest = NAN};
  for (size_t i = 0; i < n; i++) {
    double v = weighted(json_array_get(slices, i), cycles, from, to);
    u.lowest = fmin(u.lowest, v);
    u.highest = fmax(u.highest, v);
    u.mean += v / (double)n;
  }
  return u;
}

static const json_t *samples_of(const struct weir_plan *p, const char *program) {
  const json_t *run = weir_plan_run(p, program, ZHAO_CHIP, SAMPLED);
  return run ? weir_run_member(run, "samples") : NULL;
}

static size_t sample_count(const json_t *samples) {
  return json_array_size(weir_run_member(samples, "cycles"));
}

// ---- over time ------------------------------------------------------------------------------------------------------------

static void add_moment(struct weir_table *t, const json_t *samples, size_t from, size_t to) {
  struct weir_cell *cells = weir_table_row(t);
  struct use u = use_of(samples, from, to);
  cells[0].ours = json_number_value(json_array_get(weir_run_member(samples, "end_cycle"), to - 1));
  cells[1].ours = u.lowest;
  cells[2].ours = u.mean;
  cells[3].ours = u.highest;
}

static void use_columns(struct weir_table *t) {
  weir_table_column(t, WEIR_COLUMN_PERCENT, "lowest", "lowest", "the least used sub-partition");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "mean", "mean", "over the sub-partitions");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "highest", "highest", "the most used sub-partition");
}

void zhao_partitions_over_time(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_COUNT, "cycle", "core cycle", NULL);
  use_columns(t);
  const json_t *samples = samples_of(p, over_time);
  size_t count = samples ? sample_count(samples) : 0, rows = count < ROWS ? count : ROWS;
  for (size_t i = 0; i < rows; i++) add_moment(t, samples, count * i / rows, count * (i + 1) / rows);
  weir_table_note(t, "Places taken in the input buffers of the sub-partitions while bfs-random runs, baseline.");
}

// ---- by program -----------------------------------------------------------------------------------------------------------

static void add_program(struct weir_table *t, const struct weir_plan *p, const char *program) {
  struct weir_cell *cells = weir_table_row(t);
  const json_t *samples = samples_of(p, program);
  weir_table_text(t, &cells[0], program);
  if (!samples) return;
  size_t count = sample_count(samples);
  struct use all = use_of(samples, 0, count);
  cells[1].ours = all.lowest;
  cells[2].ours = all.mean;
  cells[3].ours = all.highest;
  for (size_t i = 0; i < count; i++) {
    double mean = use_of(samples, i, i + 1).mean;
    cells[4].ours = i ? fmin(cells[4].ours, mean) : mean;
    cells[5].ours = i ? fmax(cells[5].ours, mean) : mean;
  }
}

void zhao_partitions(struct weir_table *t, const struct weir_plan *p) {
  weir_table_column(t, WEIR_COLUMN_TEXT, "program", "program", NULL);
  use_columns(t);
  weir_table_column(t, WEIR_COLUMN_PERCENT, "calmest", "calmest",
                    "the mean over the sub-partitions in the least busy sample");
  weir_table_column(t, WEIR_COLUMN_PERCENT, "busiest", "busiest", "… in the busiest");
  for (const char *const *program = zhao_uncoalesced; *program; program++) add_program(t, p, *program);
  add_program(t, p, "sssp-rmat");
  weir_table_note(t,
                  "Places taken in the input buffers of the sub-partitions, baseline, samples of 1000 core cycles "
                  "(of runs above 4096 samples, longer ones).");
}
