// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "zhao2016/zhao2016.h"

#define BARS(from, ...)                                                                                                \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_BARS, {__VA_ARGS__}, .baseline = from                                                                   \
  }
// With an end of the axis: the paper's means leave no program of Figures 7 and 9 more than 2.1 times.
#define BARS_UP_TO(end, from, ...)                                                                                     \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_BARS, {__VA_ARGS__}, .baseline = from, .most = end                                                      \
  }
#define SHARES(...)                                                                                                    \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_STACKED, {__VA_ARGS__}, .baseline = 0                                                                   \
  }
#define LINES(over, ...)                                                                                               \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_LINES, {__VA_ARGS__}, .by = over                                                                        \
  }
#define DEGREES "degree_1", "degree_2", "degree_3_10", "degree_11_20", "degree_21_32"

static const struct weir_figure figures[] = {
  {"table1", "Table I: GPU benchmarks, number of dynamic instructions", zhao_plan_baseline, zhao_table_1, NULL},
  {"2", "Figure 2: Distribution of load instructions with different memory un-coalescing degrees", zhao_plan_baseline,
   zhao_figure_2, SHARES(DEGREES)},
  {"3", "Figure 3: L1D hit rate", zhao_plan_baseline, zhao_figure_3, BARS(0, "hit_rate")},
  {"4", "Figure 4: Performance improvement by increasing L1D capacity", zhao_plan_sizes, zhao_figure_4,
   BARS(1, "l1_32kib", "l1_64kib", "l1_128kib")},
  {"5a", "Figure 5a: All-hit loads by un-coalescing degree", zhao_plan_baseline, zhao_figure_5a, BARS(0, DEGREES)},
  {"5b", "Figure 5b: Normalized latency by un-coalescing degree", zhao_plan_baseline, zhao_figure_5b, BARS(0, DEGREES)},
  {"5c", "Figure 5c: Normalized cache block reuse by un-coalescing degree", zhao_plan_baseline, zhao_figure_5c,
   BARS(0, DEGREES)},
  {"partitions", "Section III.D: Utilization of the memory sub-partitions", zhao_plan_partitions, zhao_partitions,
   BARS(0, "lowest", "mean", "highest")},
  {"partitions-over-time", "Section III.D: Utilization of the memory sub-partitions over time",
   zhao_plan_partitions_over_time, zhao_partitions_over_time, LINES("cycle", "lowest", "mean", "highest")},
  {"7", "Figure 7: Normalized IPC improvement", zhao_plan_schemes, zhao_figure_7,
   BARS_UP_TO(2.5, 1, "mrpb", "ccws", "bucl_prf5k", "bucl_prf10k", "swl_best", "bucl_dyn")},
  {"8", "Figure 8: L1D hit rate under the schemes", zhao_plan_hit_rates, zhao_figure_8,
   BARS(0, "baseline", "mrpb", "swl_best", "bucl_dyn")},
  {"unswept", "Figures 7 and 8 but for what sweeps over warps", zhao_plan_unswept, zhao_unswept, NULL},
  {"9", "Figure 9: Normalized IPC of BUCL combined with warp limiting", zhao_plan_combined, zhao_figure_9,
   BARS_UP_TO(2.5, 1, "swl_best", "bucl", "swbu")},
  {"table3", "Table III: The optimal warp numbers for SWL-Best and SWBU", zhao_plan_warps, zhao_table_3, NULL},
  {"objectives", "What SWL-Best's number of warps is the best of", zhao_plan_objectives, zhao_objectives, NULL},
  {"features", "KMN with 34 and with 136 features", zhao_plan_features, zhao_features, NULL},
  {"cost", "Section V.D: Hardware cost", zhao_plan_cost, zhao_cost, NULL},
  {"held", "Single programs with a value held", zhao_plan_held, zhao_held, NULL},
  {"open", "What the paper leaves open, over the un-coalesced programs", zhao_plan_open, zhao_open, NULL},
  {"access", "BUCL's access level on coherent programs", zhao_plan_access, zhao_access, NULL},
  {0},
};

// Samples over time are too many to keep.
static const char *const whole_runs[] = {"partitions", "partitions-over-time", NULL};

static const char *const counters[] = {
#include "counters.def"
  NULL};

const struct weir_study weir_study_zhao2016 = {
  .name = "zhao2016",
  .title = "Selectively GPU cache bypassing for un-coalesced loads",
  .citation = "Zhao, Wang, Lin, Zhou, Zheng (BUCL)",
  .figures = figures,
  .judged = "judge claims at size paper, those of Figure 9 and Table III at size small",
  .whole_runs = whole_runs,
  .counters = counters,
};
