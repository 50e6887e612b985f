// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "silicon/silicon.h"

// A figure knows its chip and curve by its functions alone: a pair of them for each line of chips.def.
#define CHIP(symbol, chip, cores, mhz, strides_of)                                                                     \
  static const struct silicon_chip symbol = {chip, cores, mhz, strides_of};
#define CURVE(symbol, chip, curve)                                                                                     \
  static void plan_##symbol##_##curve(struct weir_plan *p) {                                                           \
    silicon_plan(p, &symbol, SILICON_##curve);                                                                         \
  }                                                                                                                    \
  static void table_##symbol##_##curve(struct weir_table *t, const struct weir_plan *p) {                              \
    silicon_table(t, p, &symbol, SILICON_##curve);                                                                     \
  }
#include "chips.def"
#undef CURVE
#undef CHIP

#define NUMBER_LATENCY "latency"
#define NUMBER_STRIDES "strides"
#define NUMBER_BANDWIDTH "bandwidth"
#define TITLE_LATENCY "Latency by footprint: "
#define TITLE_STRIDES "Loads from the first-level cache by stride: "
#define TITLE_BANDWIDTH "Bandwidth of a buffer that all cores read: "
#define LINES(series)                                                                                                  \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_LINES, {series}, .by = "x"                                                                              \
  }

static const struct weir_figure figures[] = {
#define CHIP(...)
#define CURVE(symbol, chip, curve)                                                                                     \
  {chip "-" NUMBER_##curve, TITLE_##curve chip, plan_##symbol##_##curve, table_##symbol##_##curve,                     \
   LINES(SILICON_VALUE_##curve)},
#include "chips.def"
#undef CURVE
#undef CHIP
  {0},
};

const struct weir_study weir_study_silicon = {
  .name = "silicon",
  .title = "Memory systems of modern chips against silicon",
  .citation = "RRZE-HPC, gpu-benches; mt4g",
  .figures = figures,
};
