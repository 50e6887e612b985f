// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "tian2015/tian2015.h"

static const struct weir_figure figures[] = {
  {"1", "Figure 1: Zero-reuse blocks in the L1 data cache", tian_plan_baseline, tian_figure_1},
  {"2", "Figure 2: Performance improvement normalized to a 16KB L1 cache with different cache sizes", tian_plan_sizes,
   tian_figure_2},
  {"3", "Figure 3: Number of distinct blocks accessed in execution of each benchmark", tian_plan_baseline, tian_figure_3},
  {"4", "Figure 4: Number of distinct load instruction PCs executed in each benchmark", tian_plan_baseline, tian_figure_4},
  {"6", "Figure 6: Ratio of bypasses to cache misses", tian_plan_both, tian_figure_6},
  {"7", "Figure 7: Energy usage of 16KB cache with bypassing (relative to baseline)", tian_plan_both, tian_figure_7},
  {"table3", "Table 3: Power cost", tian_plan_both, tian_table_3},
  {"8", "Figure 8: Reduction in L1 misses for different techniques", tian_plan_techniques, tian_figure_8},
  {"9", "Figure 9: Speedup over the baseline for different techniques", tian_plan_techniques, tian_figure_9},
  {"10", "Figure 10: L1 cache hit rate of each benchmark in the baseline", tian_plan_baseline, tian_figure_10},
  {"11", "Figure 11: False positive and coverage of bypassing predictor", tian_plan_both, tian_figure_11},
  {"12", "Figure 12: Execution time of nw with different configurations", tian_plan_nw, tian_figure_12},
  {"storage", "Section 4.1: Storage overhead", tian_plan_storage, tian_storage},
  {NULL, NULL, NULL, NULL},
};

const struct weir_study weir_study_tian2015 = {
  .name = "tian2015",
  .title = "Adaptive GPU cache bypassing",
  .citation = "Tian, Puthoor, Greathouse, Beckmann, Jiménez, GPGPU 2015",
  .figures = figures,
};
