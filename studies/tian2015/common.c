// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "tian2015/tian2015.h"

#include <math.h>
#include <string.h>

const char *const tian_programs[] = {"matrixmul", "spmv", "bfs",  "nn",        "kmeans", "bitonic", "srad",
                                     "backprop",  "dct",  "sort", "histogram", "nw",     "lud",     NULL};

// ---- runs -------------------------------------------------------------------------------------------------------------

void tian_plan(struct weir_plan *p, const char *scheme) {
  for (const char *const *program = tian_programs; *program; program++) weir_plan_add(p, *program, TIAN_CHIP, scheme);
}

void tian_plan_baseline(struct weir_plan *p) {
  tian_plan(p, TIAN_BASELINE);
}

void tian_plan_pc(struct weir_plan *p) {
  tian_plan(p, TIAN_PC);
}

void tian_plan_both(struct weir_plan *p) {
  tian_plan(p, TIAN_BASELINE);
  tian_plan(p, TIAN_PC);
}

double tian_number(const struct weir_plan *p, const char *program, const char *scheme, const char *path) {
  return weir_run_number(weir_plan_run(p, program, TIAN_CHIP, scheme), path);
}

double tian_baseline(const struct weir_plan *p, const char *program, const char *path) {
  return tian_number(p, program, TIAN_BASELINE, path);
}

double tian_pc(const struct weir_plan *p, const char *program, const char *path) {
  return tian_number(p, program, TIAN_PC, path);
}

double tian_load_sum(const struct weir_plan *p, const char *program, const char *scheme, const char *member) {
  const json_t *loads = weir_run_member(weir_plan_run(p, program, TIAN_CHIP, scheme), "loads");
  if (!loads) return NAN;
  double sum = 0;
  for (size_t i = 0; i < json_array_size(loads); i++) sum += weir_run_number(json_array_get(loads, i), member);
  return sum;
}

double tian_policy(const struct weir_plan *p, const char *program, const char *scheme, const char *level,
                   const char *path) {
  const json_t *all = weir_run_member(weir_plan_run(p, program, TIAN_CHIP, scheme), "policy");
  for (size_t i = 0; i < json_array_size(all); i++) {
    const json_t *one = json_array_get(all, i);
    if (!strcmp(weir_run_text(one, "level"), level) && !strcmp(weir_run_text(one, "kind"), "bypass"))
      return weir_run_number(one, path);
  }
  return NAN;
}

// ---- tables -----------------------------------------------------------------------------------------------------------

void tian_label(struct weir_table *t, struct weir_cell *cells, const char *text) {
  weir_table_text(t, &cells[0], text);
}

static double extreme_of(const struct weir_table *t, unsigned column, enum tian_extreme kind) {
  double v = NAN;
  for (unsigned i = 0; i < t->row_count; i++)
    v = kind == TIAN_HIGHEST ? fmax(v, t->rows[i][column].ours) : fmin(v, t->rows[i][column].ours);
  return v;
}

static void add_extreme(struct weir_table *t, enum tian_extreme kind) {
  double extremes[16];
  for (unsigned i = 1; i < t->column_count; i++) extremes[i] = extreme_of(t, i, kind);
  struct weir_cell *last = weir_table_row(t);
  tian_label(t, last, kind == TIAN_HIGHEST ? "highest" : "lowest");
  for (unsigned i = 1; i < t->column_count; i++) last[i].ours = extremes[i];
}

void tian_table(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns,
                enum tian_extreme extreme) {
  static const struct weir_figure_group groups[] = {{tian_programs, "average"}, {NULL, NULL}};
  weir_figure_fill(t, p, columns, groups);
  if (extreme != TIAN_NO_EXTREME) add_extreme(t, extreme);
  tian_publish(t);
}
