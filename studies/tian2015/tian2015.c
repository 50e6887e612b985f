// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "tian2015/tian2015.h"

// As the paper draws its figures: of our columns, those that it has. Figure 2, which shows the average alone, is an
// s-curve.
#define BARS(from, ...)                                                                                                \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_BARS, {__VA_ARGS__}, .baseline = from                                                                   \
  }
#define S_CURVE(from, over, ...)                                                                                       \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_S_CURVE, {__VA_ARGS__}, .by = over, .baseline = from                                                    \
  }

static const struct weir_figure figures[] = {
  {"1", "Figure 1: Zero-reuse blocks in the L1 data cache", tian_plan_baseline, tian_figure_1, BARS(0, "zero_reuse")},
  {"2", "Figure 2: Performance improvement normalized to a 16KB L1 cache with different cache sizes", tian_plan_sizes,
   tian_figure_2,
   S_CURVE(1, "l1_1024kib", "l1_32kib", "l1_64kib", "l1_128kib", "l1_256kib", "l1_512kib", "l1_1024kib")},
  {"3", "Figure 3: Number of distinct blocks accessed in execution of each benchmark", tian_plan_baseline,
   tian_figure_3, BARS(0, "blocks")},
  {"4", "Figure 4: Number of distinct load instruction PCs executed in each benchmark", tian_plan_baseline,
   tian_figure_4, BARS(0, "load_pcs")},
  {"6", "Figure 6: Ratio of bypasses to cache misses", tian_plan_both, tian_figure_6, BARS(0, "bypassed")},
  {"7", "Figure 7: Energy usage of 16KB cache with bypassing (relative to baseline)", tian_plan_both, tian_figure_7,
   BARS(0, "energy")},
  {"table3", "Table 3: Power cost", tian_plan_both, tian_table_3, NULL},
  {"8", "Figure 8: Reduction in L1 misses for different techniques", tian_plan_techniques, tian_figure_8,
   BARS(1, "pc_based", "counter", "l1_32kib")},
  {"9", "Figure 9: Speedup over the baseline for different techniques", tian_plan_techniques, tian_figure_9,
   BARS(1, "pc_based", "counter", "l1_32kib")},
  {"10", "Figure 10: L1 cache hit rate of each benchmark in the baseline", tian_plan_baseline, tian_figure_10,
   BARS(0, "hit_rate")},
  {"11", "Figure 11: False positive and coverage of bypassing predictor", tian_plan_pc, tian_figure_11,
   BARS(0, "coverage", "false_positives")},
  {"12", "Figure 12: Execution time of nw with different configurations", tian_plan_nw, tian_figure_12,
   BARS(0, "time")},
  {"12lud", "Figure 12 for lud", tian_plan_lud, tian_figure_12_of_lud, BARS(0, "time")},
  {"storage", "Section 4.1: Storage overhead", tian_plan_storage, tian_storage, NULL},
  {"table2", "Table 2: Memory intensity", tian_plan_baseline, tian_table_2, NULL},
  {"listing", "Listing 1 to the letter and as read before", tian_plan_listing, tian_figure_listing, NULL},
  {"allocation", "A line taken as the request is sent, or as data come", tian_plan_allocation, tian_figure_allocation,
   NULL},
  {"area", "Footnote 2: a chip of the same area, and the walk at a kernel's end", tian_plan_area, tian_figure_area,
   NULL},
  {"combinations", "Bypassing with CCWS, and MRPB", tian_plan_combinations, tian_figure_combinations,
   BARS(1, "pc_based", "ccws", "both", "mrpb")},
  {"singles", "What decides single programs", tian_plan_singles, tian_figure_singles, NULL},
  {"host", "kmeans and histogram with the host's time", tian_plan_host, tian_figure_host, NULL},
  {"sensitivity", "What the paper leaves open", tian_plan_sensitivity, tian_figure_sensitivity, NULL},
  {0},
};

static const char *const counters[] = {
#include "counters.def"
  NULL};

const struct weir_study weir_study_tian2015 = {
  .name = "tian2015",
  .title = "Adaptive GPU cache bypassing",
  .citation = "Tian, Puthoor, Greathouse, Beckmann, Jiménez, GPGPU 2015",
  .figures = figures,
  .judged = "judge claims at size paper",
  .counters = counters,
};
