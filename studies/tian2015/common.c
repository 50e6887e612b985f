// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "tian2015/tian2015.h"

#include <math.h>

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

struct weir_run_numbers tian_total(const struct weir_plan *p, const char *program, const char *scheme) {
  return weir_run_total(weir_plan_run(p, program, TIAN_CHIP, scheme));
}

struct weir_cache_numbers tian_l1(const struct weir_plan *p, const char *program, const char *scheme) {
  return weir_run_cache(weir_plan_run(p, program, TIAN_CHIP, scheme), WEIR_FIRST_CACHE);
}

struct weir_policy_numbers tian_policy(const struct weir_plan *p, const char *program, const char *scheme,
                                       enum weir_cache_role cache) {
  struct weir_policy_numbers policy;
  const json_t *run = weir_plan_run(p, program, TIAN_CHIP, scheme);
  return weir_run_policy(run, cache, "bypass", 0, &policy) ? policy : weir_policy_of(NULL);
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
