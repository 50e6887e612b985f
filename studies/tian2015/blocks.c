// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Figures 1, 3 and 4: what becomes of blocks, how many there are, and how many instructions ask for them.
#include "tian2015/tian2015.h"

#include <math.h>

// Figure 1 shows shares of "dynamically accessed cache blocks" (talk): of the blocks that were brought in, or of the
// accesses, each to a block.
static double of_fills(const struct weir_plan *p, const char *program, double count) {
  return count / tian_l1(p, program, TIAN_BASELINE).fills;
}

enum touch { BY_LOADS, BY_LOADS_OR_STORES };

static double zero_reuse_blocks(const struct weir_plan *p, const char *program, enum touch by) {
  const json_t *groups = weir_run_member(weir_plan_run(p, program, TIAN_CHIP, TIAN_BASELINE), "load_groups");
  double sum = groups ? 0 : NAN;
  const char *name;
  json_t *group;
  json_object_foreach((json_t *)groups, name, group) {
    const struct weir_load_numbers n = weir_load_of(group);
    sum += by == BY_LOADS ? n.zero_reuse_fills : n.untouched_fills;
  }
  return sum;
}

static double zero_reuse(const struct weir_plan *p, const char *program) {
  return of_fills(p, program, zero_reuse_blocks(p, program, BY_LOADS_OR_STORES));
}

static double not_loaded_again(const struct weir_plan *p, const char *program) {
  return of_fills(p, program, zero_reuse_blocks(p, program, BY_LOADS));
}

static double zero_reuse_of_accessed(const struct weir_plan *p, const char *program) {
  return zero_reuse_blocks(p, program, BY_LOADS_OR_STORES) / tian_l1(p, program, TIAN_BASELINE).loads.accesses;
}

static double once_only(const struct weir_plan *p, const char *program) {
  const struct weir_cache_numbers l1 = tian_l1(p, program, TIAN_BASELINE);
  return l1.once_only_lines / l1.distinct_lines;
}

static double zero_reuse_evicted(const struct weir_plan *p, const char *program) {
  double evictions = tian_l1(p, program, TIAN_BASELINE).evictions;
  return evictions > 0 ? tian_l1(p, program, TIAN_BASELINE).zero_reuse_evictions / evictions : NAN;
}

void tian_figure_1(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"zero_reuse", "zero-reuse", "blocks that left the L1 (by eviction or at a kernel's end) without a second access",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, zero_reuse, NULL, NULL},
    {"not_loaded_again", "not loaded again", "the same if a store that hits is no access", WEIR_COLUMN_PERCENT,
     WEIR_ARITHMETIC_MEAN, not_loaded_again, NULL, NULL},
    {"of_accessed", "of accessed", "the same over all accesses of loads, each to one block", WEIR_COLUMN_PERCENT,
     WEIR_ARITHMETIC_MEAN, zero_reuse_of_accessed, NULL, NULL},
    {"once_only", "accessed once",
     "different blocks that the whole run asks for only once, by load or store (\"lifetimeNoReuse\"), of all that it asks for",
     WEIR_COLUMN_PERCENT, WEIR_ARITHMETIC_MEAN, once_only, NULL, NULL},
    {"zero_reuse_evicted", "of evicted", "not loaded again, among the evicted alone", WEIR_COLUMN_PERCENT,
     WEIR_ARITHMETIC_MEAN, zero_reuse_evicted, NULL, NULL},
    {0}};
  tian_table(t, p, columns, TIAN_HIGHEST);
  weir_table_note(
    t,
    "Shares of the blocks brought into the baseline's L1; of those accessed once, of all different blocks. "
    "Average: arithmetic.");
}

static double distinct(const struct weir_plan *p, const char *program) {
  return tian_l1(p, program, TIAN_BASELINE).distinct_lines;
}

void tian_figure_3(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {
    {"blocks", "64 B blocks", "different blocks of memory that loads and stores ask the L1 for", WEIR_COLUMN_COUNT,
     WEIR_ARITHMETIC_MEAN, distinct, NULL, NULL},
    {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(t, "The text: \"hundreds of thousands of memory blocks\", at size paper. Average: arithmetic.");
}

static double load_pcs(const struct weir_plan *p, const char *program) {
  const json_t *run = weir_plan_run(p, program, TIAN_CHIP, TIAN_BASELINE);
  return run ? (double)json_array_size(weir_run_member(run, "loads")) : NAN;
}

void tian_figure_4(struct weir_table *t, const struct weir_plan *p) {
  static const struct weir_figure_column columns[] = {{"load_pcs", "load PCs",
                                                       "load instructions that were executed, each counted once",
                                                       WEIR_COLUMN_COUNT, WEIR_ARITHMETIC_MEAN, load_pcs, NULL, NULL},
                                                      {0}};
  tian_table(t, p, columns, TIAN_NO_EXTREME);
  weir_table_note(
    t, "The text: \"only tens to hundreds\", of a compiler for another instruction set. Average: arithmetic.");
}
