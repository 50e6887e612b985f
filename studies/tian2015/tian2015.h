// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the figures of Tian et al., Adaptive GPU cache bypassing (GPGPU 2015) have in common. Rows are the programs in the
// order of the paper's table 2 (by memory intensity), then their mean.
#ifndef WEIR_STUDY_TIAN2015_H
#define WEIR_STUDY_TIAN2015_H

#include "report/figure.h"
#include "run/numbers.h"
#include "run/object.h"

// The baseline counts distinct blocks and the predictor is watched by shadow tags; both only measure.
#define TIAN_CHIP "gcn-apu"
#define TIAN_BASELINE "none,l1.census=true"
#define TIAN_PC "pcbp,l1.shadow_tags=true"
#define TIAN_COUNTER "counter"
#define TIAN_KIB(size) "none,l1.size_kib=" #size

enum tian_extreme { TIAN_NO_EXTREME, TIAN_HIGHEST, TIAN_LOWEST };

extern const char *const tian_programs[]; // ends with NULL

// A table over the programs with what the paper states beside ours. A last row for the highest or lowest of each column if asked for.
void tian_table(struct weir_table *t, const struct weir_plan *p, const struct weir_figure_column *columns,
                enum tian_extreme extreme);

void tian_plan(struct weir_plan *p, const char *scheme); // all programs under a scheme
void tian_plan_baseline(struct weir_plan *p);
void tian_plan_pc(struct weir_plan *p);
void tian_plan_both(struct weir_plan *p); // baseline and PC-based

// NaN if the run failed or the number is not there.
struct weir_run_numbers tian_total(const struct weir_plan *p, const char *program, const char *scheme);
struct weir_cache_numbers tian_l1(const struct weir_plan *p, const char *program, const char *scheme);

// The bypass policy at a cache.
struct weir_policy_numbers tian_policy(const struct weir_plan *p, const char *program, const char *scheme,
                                       enum weir_cache_role cache);

double tian_launches(const json_t *run); // of all kernels; NaN if the run failed

void tian_label(struct weir_table *t, struct weir_cell *cells, const char *text); // the row's first cell

// Puts what the paper states (published.def) beside our numbers. After the last row.
void tian_publish(struct weir_table *t);

// The figures, by file.
void tian_figure_1(struct weir_table *t, const struct weir_plan *p); // blocks.c
void tian_figure_3(struct weir_table *t, const struct weir_plan *p);
void tian_figure_4(struct weir_table *t, const struct weir_plan *p);
void tian_plan_sizes(struct weir_plan *p); // speed.c
void tian_figure_2(struct weir_table *t, const struct weir_plan *p);
void tian_plan_techniques(struct weir_plan *p);
void tian_figure_8(struct weir_table *t, const struct weir_plan *p);
void tian_figure_9(struct weir_table *t, const struct weir_plan *p);
void tian_figure_10(struct weir_table *t, const struct weir_plan *p);
void tian_figure_6(struct weir_table *t, const struct weir_plan *p); // prediction.c
void tian_figure_11(struct weir_table *t, const struct weir_plan *p);
void tian_figure_7(struct weir_table *t, const struct weir_plan *p); // energy.c
double tian_dynamic_energy(const struct weir_plan *p, const char *program, const char *scheme);
void tian_table_3(struct weir_table *t, const struct weir_plan *p);
void tian_plan_nw(struct weir_plan *p); // scratchpad.c
void tian_figure_12(struct weir_table *t, const struct weir_plan *p);
void tian_plan_lud(struct weir_plan *p);
void tian_figure_12_of_lud(struct weir_table *t, const struct weir_plan *p);
void tian_plan_storage(struct weir_plan *p); // storage.c
void tian_storage(struct weir_table *t, const struct weir_plan *p);
void tian_table_2(struct weir_table *t, const struct weir_plan *p); // intensity.c
void tian_plan_listing(struct weir_plan *p);                        // readings.c
void tian_figure_listing(struct weir_table *t, const struct weir_plan *p);
void tian_plan_allocation(struct weir_plan *p);
void tian_figure_allocation(struct weir_table *t, const struct weir_plan *p);
void tian_plan_area(struct weir_plan *p);
void tian_figure_area(struct weir_table *t, const struct weir_plan *p);
void tian_plan_combinations(struct weir_plan *p);
void tian_figure_combinations(struct weir_table *t, const struct weir_plan *p);
void tian_plan_singles(struct weir_plan *p);
void tian_figure_singles(struct weir_table *t, const struct weir_plan *p);
void tian_plan_sensitivity(struct weir_plan *p); // sensitivity.c
void tian_figure_sensitivity(struct weir_table *t, const struct weir_plan *p);
void tian_plan_host(struct weir_plan *p); // host.c
void tian_figure_host(struct weir_table *t, const struct weir_plan *p);

#endif
