// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "silicon/silicon.h"

// A figure knows its chip and curve by its functions alone: a pair of them for each line of chips.def.
#define RRZE "RRZE-HPC, gpu-benches"
#define DEWING "M. Dewing, AI_kernels"
#define CHIP(symbol, chip, cores, mhz, strides_of, l2, channels, by)                                                   \
  static const struct silicon_chip symbol = {chip, cores, mhz, strides_of, l2, channels, by};
#define TABLE_LATENCY silicon_table
#define TABLE_STRIDES silicon_table
#define TABLE_BANDWIDTH silicon_table
#define TABLE_BUFFERS silicon_table
#define TABLE_OCCUPANCY(t, plan, chip, curve) silicon_occupancy_table(t, plan, chip)
#define CURVE(symbol, chip, curve)                                                                                     \
  static void plan_##symbol##_##curve(struct weir_plan *p) {                                                           \
    silicon_plan(p, &symbol, SILICON_##curve);                                                                         \
  }                                                                                                                    \
  static void table_##symbol##_##curve(struct weir_table *t, const struct weir_plan *p) {                              \
    TABLE_##curve(t, p, &symbol, SILICON_##curve);                                                                     \
  }
#include "chips.def"
#undef CURVE
#undef CHIP

#define NUMBER_LATENCY "latency"
#define NUMBER_STRIDES "strides"
#define NUMBER_BANDWIDTH "bandwidth"
#define NUMBER_BUFFERS "buffers"
#define NUMBER_OCCUPANCY "occupancy"
#define TITLE_LATENCY "Latency by footprint: "
#define TITLE_STRIDES "Loads from the first-level cache by stride: "
#define TITLE_BANDWIDTH "Bandwidth of a buffer that all cores read: "
#define TITLE_BUFFERS "Bandwidth of buffers that a block reads each: "
#define TITLE_OCCUPANCY "Bandwidth of streams by occupancy: "
#define SERIES_LATENCY SILICON_VALUE_LATENCY
#define SERIES_STRIDES SILICON_VALUE_STRIDES
#define SERIES_BANDWIDTH SILICON_VALUE_BANDWIDTH
#define SERIES_BUFFERS SILICON_VALUE_BUFFERS
#define SERIES_OCCUPANCY SILICON_STREAMS
#define LINES(...)                                                                                                     \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_LINES, {__VA_ARGS__}, .by = "x"                                                                         \
  }

static const struct weir_figure figures[] = {
#define CHIP(...)
#define CURVE(symbol, chip, curve)                                                                                     \
  {chip "-" NUMBER_##curve, TITLE_##curve chip, plan_##symbol##_##curve, table_##symbol##_##curve,                     \
   LINES(SERIES_##curve)},
#include "chips.def"
#undef CURVE
#undef CHIP
  {0},
};

static const char *const counters[] = {
#include "counters.def"
  NULL};

const struct weir_study weir_study_silicon = {
  .name = "silicon",
  .title = "Memory systems of modern chips against silicon",
  .citation = RRZE "; mt4g; " DEWING,
  .figures = figures,
  .counters = counters,
};
