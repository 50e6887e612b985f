// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the figures of Zhao et al., Selectively GPU cache bypassing for un-coalesced loads (BUCL) have in common. Rows are
// the programs of the paper's Table I in its two groups, then each group's mean. Its BFS is our bfs-random, on the kind of
// graph that Rodinia brings. The paper does not say which graph its SSSP runs on: ours runs on roads (sssp), which means
// count, and also on a power-law graph (sssp-rmat), which they do not: the paper's group has five programs.
#ifndef WEIR_STUDY_ZHAO2016_H
#define WEIR_STUDY_ZHAO2016_H

#include "report/figure.h"
#include "run/numbers.h"
#include "run/object.h"

#define ZHAO_CHIP "fermi-bucl"
#define ZHAO_BASELINE "lru"

// The best number of warps is that of the highest IPC, which the paper's figures show: sssp's work depends on its timing,
// so that its fewest cycles are at another number.
#define ZHAO_WARPS ",warps=best-ipc:1..8|10..24/2|28..48/4"
#define ZHAO_SWL "swl-best" ZHAO_WARPS
#define ZHAO_SWBU "swbu" ZHAO_WARPS

extern const char *const zhao_uncoalesced[], *const zhao_coherent[]; // end with NULL
extern const struct weir_figure_group zhao_groups[];                 // both
extern const struct weir_figure_group zhao_uncoalesced_alone[];

// A table over the groups with what the paper states beside ours.
void zhao_table(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns,
                const struct weir_figure_group *groups);

void zhao_plan(struct weir_plan *p, const char *scheme); // all programs under a scheme
void zhao_plan_uncoalesced(struct weir_plan *p, const char *scheme);
void zhao_plan_baseline(struct weir_plan *p);

// NaN if the run failed or the number is not there.
struct weir_run_numbers zhao_total(const struct weir_plan *p, const char *program, const char *scheme);
struct weir_access_numbers zhao_loads(const struct weir_plan *p, const char *program, const char *scheme); // in the L1

// Accesses of loads that the L1 served: those that did not bypass it.
double zhao_served(const struct weir_plan *p, const char *program, const char *scheme);

// Columns' values; the argument is a scheme's spec.
double zhao_speedup(const struct weir_plan *p, const char *program, const char *scheme);  // IPC over the baseline's
double zhao_hit_rate(const struct weir_plan *p, const char *program, const char *scheme); // of those that the L1 served

void zhao_publish(struct weir_table *t); // published.def; after the last row

// The figures, by file.
void zhao_table_1(struct weir_table *t, const struct weir_plan *p); // degrees.c
void zhao_figure_2(struct weir_table *t, const struct weir_plan *p);
void zhao_figure_5a(struct weir_table *t, const struct weir_plan *p);
void zhao_figure_5b(struct weir_table *t, const struct weir_plan *p);
void zhao_figure_5c(struct weir_table *t, const struct weir_plan *p);
void zhao_figure_3(struct weir_table *t, const struct weir_plan *p); // hits.c
void zhao_plan_sizes(struct weir_plan *p);
void zhao_figure_4(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_schemes(struct weir_plan *p); // speed.c
void zhao_figure_7(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_hit_rates(struct weir_plan *p);
void zhao_figure_8(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_unswept(struct weir_plan *p);
void zhao_unswept(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_combined(struct weir_plan *p);
void zhao_figure_9(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_warps(struct weir_plan *p);
void zhao_table_3(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_objectives(struct weir_plan *p); // readings.c
void zhao_objectives(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_features(struct weir_plan *p);
void zhao_features(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_cost(struct weir_plan *p);
void zhao_cost(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_held(struct weir_plan *p);
void zhao_held(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_open(struct weir_plan *p); // sensitivity.c
void zhao_open(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_access(struct weir_plan *p);
void zhao_access(struct weir_table *t, const struct weir_plan *p);
void zhao_plan_partitions(struct weir_plan *p); // partitions.c
void zhao_plan_partitions_over_time(struct weir_plan *p);
void zhao_partitions_over_time(struct weir_table *t, const struct weir_plan *p);
void zhao_partitions(struct weir_table *t, const struct weir_plan *p);

#endif
