// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Table 2: memory intensity, "the global memory accesses per 1000 instructions". The paper does not say whether a wavefront's
// access is one, or one per line: both.
#include "tian2015/tian2015.h"

static double executions(const json_t *run, const char *kind) {
  const json_t *all = weir_run_member(run, kind);
  double sum = 0;
  for (size_t i = 0; i < json_array_size(all); i++) sum += weir_store_of(json_array_get(all, i)).executions;
  return sum;
}

static double per_thousand(const struct weir_plan *p, const char *program, double count) {
  return 1000 * count / tian_total(p, program, TIAN_BASELINE).warp_instructions;
}

static double instructions(const struct weir_plan *p, const char *program) {
  const json_t *run = weir_plan_run(p, program, TIAN_CHIP, TIAN_BASELINE);
  return per_thousand(p, program, executions(run, "loads") + executions(run, "stores") + executions(run, "atomics"));
}

static double requests(const struct weir_plan *p, const char *program) {
  const struct weir_cache_numbers l1 = tian_l1(p, program, TIAN_BASELINE);
  return per_thousand(p, program, l1.loads.accesses + l1.stores.accesses);
}

void tian_table_2(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"instructions", "accesses", "loads, stores and atomics per 1000 instructions of wavefronts", WEIR_COLUMN_REAL,
     WEIR_NO_MEAN, instructions, NULL, NULL},
    {"requests", "requests", "lines that these ask the L1 for, per 1000 instructions", WEIR_COLUMN_REAL, WEIR_NO_MEAN,
     requests, NULL, NULL},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "The paper's instructions are HSAIL's, ours PTX's.");
}
