// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "holey2014/holey2014.h"

#define BARS(from, ...)                                                                                                \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_BARS, {__VA_ARGS__}, .baseline = from                                                                   \
  }
#define SHARES(...)                                                                                                    \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_STACKED, {__VA_ARGS__}, .baseline = 0                                                                   \
  }
#define LINES(over, ...)                                                                                               \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_LINES, {__VA_ARGS__}, .by = over                                                                        \
  }
#define SCHEMES HOLEY_DRRIP, HOLEY_MAT, HOLEY_SDBP, HOLEY_TAP, HOLEY_HELM
#define S_CURVE                                                                                                        \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_S_CURVE, {SCHEMES}, .by = "order", .baseline = 1                                                        \
  }

static const struct weir_figure figures[] = {
  {"1", "Figure 1: Occupancy of the LLC, and normalized IPC of bzip2", holey_plan_interference, holey_figure_1,
   BARS(0, "cpu", "gpu", "ipc")},
  {"3", "Figure 3: Cache sensitivity of BoxFilter", holey_plan_boxfilter, holey_figure_3,
   LINES("llc_kib", "ipc_relative", "mpki_relative")},
  {"4", "Figure 4: TLP availability and cache sensitivity of Floyd", holey_plan_floyd, holey_figure_4,
   LINES("llc_kib", "ipc_relative", "mpki_relative")},
  {"5", "Figure 5: Performance impact of bypassing LLC for memory accesses of GPU applications", holey_plan_bypassing,
   holey_figure_5, BARS(1, "bypass_25", "bypass_50", "bypass_75", "bypass_100")},
  {"10", "Figure 10: LLC sensitivity of GPU benchmarks", holey_plan_sizes, holey_figure_10,
   BARS(1, "ipc_1024", "ipc_2048", "ipc_4096", "ipc_8192")},
  {"inputs", "Inputs of the cache-sensitive GPU programs, by Figure 10 on their chip", holey_plan_inputs,
   holey_figure_inputs, NULL},
  {"11a", "Figure 11(a): Cache performance of CPU and GPU benchmarks", holey_plan_all, holey_figure_11a,
   BARS(1, SCHEMES)},
  {"11b", "Figure 11(b): Speedup for CPU and GPU benchmarks", holey_plan_all, holey_figure_11b, BARS(1, SCHEMES)},
  {"11c", "Figure 11(c): Combined speedup for various workloads", holey_plan_all, holey_figure_11c, BARS(1, SCHEMES)},
  {"11on1c4g", "Figure 11 on 1C4G", holey_plan_1c4g, holey_figure_11_1c4g, BARS(1, SCHEMES)},
  {"11on2c4g", "Figure 11 on 2C4G", holey_plan_2c4g, holey_figure_11_2c4g, BARS(1, SCHEMES)},
  {"11on4c4g", "Figure 11 on 4C4G", holey_plan_4c4g, holey_figure_11_4c4g, BARS(1, SCHEMES)},
  {"means1c4g", "Means of Figure 11, and how far they depend on the mixes: 1C4G", holey_plan_1c4g, holey_means_1c4g,
   NULL},
  {"means2c4g", "Means of Figure 11, and how far they depend on the mixes: 2C4G", holey_plan_2c4g, holey_means_2c4g,
   NULL},
  {"means4c4g", "Means of Figure 11, and how far they depend on the mixes: 4C4G", holey_plan_4c4g, holey_means_4c4g,
   NULL},
  {"leaders", "TAP-RRIP and HeLM, mix by mix: 1C4G", holey_plan_leaders, holey_leaders, NULL},
  {"leadersmeans", "Means of TAP-RRIP and HeLM, and how far they depend on the mixes: 1C4G", holey_plan_leaders,
   holey_leaders_means, NULL},
  {"12a", "Figure 12(a): S-curve for the combined speedup, 1C4G", holey_plan_1c4g, holey_figure_12a, S_CURVE},
  {"12b", "Figure 12(b): S-curve for the combined speedup, 4C4G", holey_plan_4c4g, holey_figure_12b, S_CURVE},
  {"13a", "Figure 13(a): S-curve of the combined speedup, 2C4G", holey_plan_2c4g, holey_figure_13a, S_CURVE},
  {"13b", "Figure 13(b): Speedup of CPU 1, 2C4G", holey_plan_2c4g, holey_figure_13b, S_CURVE},
  {"13c", "Figure 13(c): Speedup of CPU 2, 2C4G", holey_plan_2c4g, holey_figure_13c, S_CURVE},
  {"13d", "Figure 13(d): Speedup of the GPU, 2C4G", holey_plan_2c4g, holey_figure_13d, S_CURVE},
  {"14", "Figure 14: Reuse characteristics of GPU applications at LLC", holey_plan_reuse, holey_figure_14,
   SHARES("ended_0", "ended_1", "ended_2", "ended_3", "ended_more")},
  {"15", "Figure 15: Distribution of the shared LLC in TAP", holey_plan_tap, holey_figure_15,
   SHARES("cpu", "gpu", "dead")},
  {"16", "Figure 16: Performance of 4C4G workloads with varying cache sizes", holey_plan_ways, holey_figure_16,
   BARS(1, SCHEMES)},
  {"17", "Figure 17: Speedup for 1C4G workloads category-wise", holey_plan_1c4g, holey_figure_17, BARS(1, SCHEMES)},
  {"bandwidth", "Section 5.6: Off-chip bandwidth utilization", holey_plan_all, holey_bandwidth, BARS(1, SCHEMES)},
  {"table5", "Table V: Hardware overhead", holey_plan_overhead, holey_table_5, NULL},
  {"18a", "Figure 18(a): On-chip dynamic energy consumption, 2C4G", holey_plan_2c4g, holey_figure_18a,
   BARS(1, SCHEMES)},
  {"18b", "Figure 18(b): On-chip static energy consumption, 2C4G", holey_plan_2c4g, holey_figure_18b, BARS(1, SCHEMES)},
  {"18c", "Figure 18(c): On-chip total energy consumption, 2C4G", holey_plan_2c4g, holey_figure_18c, BARS(1, SCHEMES)},
  {"19a", "Figure 19(a): DRAM energy consumption, 2C4G", holey_plan_2c4g, holey_figure_19a, BARS(1, SCHEMES)},
  {"19b", "Figure 19(b): Total system energy consumption, 2C4G", holey_plan_2c4g, holey_figure_19b, BARS(1, SCHEMES)},
  {"20", "Figure 20: Total system energy delay-squared (ED²) product, 2C4G", holey_plan_2c4g, holey_figure_20,
   BARS(1, SCHEMES)},
  {"open", "What the paper leaves open of HeLM, 2C4G", holey_plan_open, holey_open, BARS(1, "cpu", "gpu", "combined")},
  {"former", "The same of the form on which readings and values were chosen, 2C4G", holey_plan_former, holey_former,
   BARS(1, "cpu", "gpu", "combined")},
  {"loses", "Where HeLM loses, 1C4G", holey_plan_losses, holey_losses, NULL},
  {"ready", "Ready wavefronts of GPU programs alone, in two readings", holey_plan_readiness, holey_readiness,
   BARS(0, "issuable", "hazard_free")},
  {0},
};

static const char *const counters[] = {
#include "counters.def"
  NULL};

const struct weir_study weir_study_holey2014 = {
  .name = "holey2014",
  .title = "Performance-energy considerations for shared cache management in a heterogeneous multicore processor",
  .citation = "Holey, Mekkat, Yew, Zhai, TACO 2014",
  .figures = figures,
  .draws_mixes = true,
  .paper_inputs = true,
  .judged = "judge claims at size paper",
  .counters = counters,
};
