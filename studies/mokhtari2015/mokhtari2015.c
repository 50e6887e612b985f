// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mokhtari2015/mokhtari2015.h"

#define BARS(from, ...)                                                                                                \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_BARS, {__VA_ARGS__}, .baseline = from                                                                   \
  }
#define LINES(over, ...)                                                                                               \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_LINES, {__VA_ARGS__}, .by = over                                                                        \
  }

static const struct weir_figure figures[] = {
  {"1", "Figure 1: L1 hit rate when running wc", mokhtari_plan_threads, mokhtari_figure_1,
   LINES("threads", "hit_rate")},
  {"5", "Figure 5: L2 memory throughput as a function of number of threads in a thread block", mokhtari_plan_figure_5,
   mokhtari_figure_5,
   LINES("threads", "blocks_1", "blocks_3", "blocks_6", "blocks_9", "blocks_12", "blocks_15", "apart", "dram")},
  {"6", "Figure 6: L2 and DRAM memory bandwidth as a function of number of thread blocks", mokhtari_plan_figure_6,
   mokhtari_figure_6, LINES("blocks", "l2", "dram")},
  {"shared", "Section 2.3.1: Shared memory throughput", mokhtari_plan_shared, mokhtari_shared,
   LINES("threads", "one", "all")},
  {"7", "Figure 7: Speedup when using S-L1 relative to no L1 caching", mokhtari_plan_speed, mokhtari_figure_7,
   BARS(1, "l1", "sl1")},
  {"8", "Figure 8: S-L1 hit rate", mokhtari_plan_hits, mokhtari_figure_8, BARS(0, "hit_rate")},
  {"9", "Figure 9: The optimal number of online threads", mokhtari_plan_speed, mokhtari_figure_9,
   BARS(0, "none", "l1", "sl1")},
  {"7at1024", "Figure 7 at 1024 threads per SMX, and with weir's defaults of S-L1", mokhtari_plan_at_1024,
   mokhtari_at_1024, BARS(1, "l1", "sl1", "weir")},
  {"chip", "Figure 7 on the whole chip, for the record", mokhtari_plan_chip, mokhtari_chip, BARS(1, "l1", "sl1")},
  {"former", "Figure 7 in the former form: a third of the chip, with inputs of size small", mokhtari_plan_former,
   mokhtari_former, BARS(1, "l1", "sl1")},
  {"10", "Figure 10: Speedup of four applications processing large data sets located in CPU memory",
   mokhtari_plan_large, mokhtari_figure_10, BARS(1, "cores", "single", "double", "big", "big_sl1")},
  {"10causes", "Figure 10 with one assumption at a time changed", mokhtari_plan_causes, mokhtari_causes, NULL},
  {"10times", "What Figure 10's copies and kernels take of a chunk", mokhtari_plan_times, mokhtari_times, NULL},
  {"10gathers", "What gathering takes of a chunk", mokhtari_plan_gathers, mokhtari_gathers, NULL},
  {"10addresses", "Figure 10 with addresses that a kernel works out and sends one by one", mokhtari_plan_addresses,
   mokhtari_addresses, NULL},
  {"registers", "Section 3.3: registers, and the threads that an SMX has room for", mokhtari_plan_registers,
   mokhtari_registers, NULL},
  {"table1", "Table 1: used data structures", mokhtari_plan_structures, mokhtari_table_1, NULL},
  {"11", "Figure 11: Extra instructions executed and issued due to S-L1", mokhtari_plan_instructions,
   mokhtari_figure_11, BARS(1, "executed", "issued")},
  {"11at1024", "Figure 11 at 1024 threads per SMX", mokhtari_plan_instructions_at_1024, mokhtari_figure_11_at_1024,
   BARS(1, "executed", "issued")},
  {"12", "Figure 12: Overhead of S-L1 when it is enabled but not used to cache data", mokhtari_plan_unused,
   mokhtari_figure_12, BARS(1, "unused", "monitoring")},
  {"13", "Figure 13: Speed with other lines than those of 16 bytes", mokhtari_plan_lines, mokhtari_figure_13,
   BARS(1, "bytes_8", "bytes_24", "bytes_32")},
  {0},
};

static const char *const counters[] = {
#include "counters.def"
  NULL};

const struct weir_study weir_study_mokhtari2015 = {
  .name = "mokhtari2015",
  .title = "S-L1: a software-based GPU L1 cache that outperforms the hardware L1 for data processing applications",
  .citation = "Mokhtari, Stumm (MEMSYS 2015)",
  .figures = figures,
  .judged = "judge claims at any size: inputs of Figures 7 to 13 are their own",
  .counters = counters,
};
