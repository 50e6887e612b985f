// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "silicon/silicon.h"

#define LINES(series)                                                                                                  \
  &(const struct weir_chart) {                                                                                         \
    WEIR_CHART_LINES, {series}, "x", 0                                                                                 \
  }

// A figure knows no chip but by its functions: three pairs of them for each.
#define CURVE(symbol, curve, name)                                                                                     \
  static void plan_##symbol##_##name(struct weir_plan *p) {                                                            \
    silicon_plan(p, &symbol, curve);                                                                                   \
  }                                                                                                                    \
  static void table_##symbol##_##name(struct weir_table *t, const struct weir_plan *p) {                               \
    silicon_table(t, p, &symbol, curve);                                                                               \
  }
#define CHIP(symbol, name, cores, mhz, strides_of)                                                                     \
  static const struct silicon_chip symbol = {name, cores, mhz, strides_of};                                            \
  CURVE(symbol, SILICON_LATENCY, latency)                                                                              \
  CURVE(symbol, SILICON_STRIDES, strides)                                                                              \
  CURVE(symbol, SILICON_BANDWIDTH, bandwidth)
#include "chips.def"
#undef CHIP

#define FIGURE(symbol, chip, name, title, series)                                                                      \
  { chip "-" #name, title, plan_##symbol##_##name, table_##symbol##_##name, LINES(series) }
#define CHIP(symbol, name, cores, mhz, strides_of)                                                                     \
  FIGURE(symbol, name, latency, "Latency by footprint: " name, "cycles"),                                              \
    FIGURE(symbol, name, strides, "Loads from the first-level cache by stride: " name, "cycles"),                      \
    FIGURE(symbol, name, bandwidth, "Bandwidth of a buffer that all cores read: " name, "bytes"),
static const struct weir_figure figures[] = {
#include "chips.def"
  {0},
};
#undef CHIP

const struct weir_study weir_study_silicon = {
  .name = "silicon",
  .title = "Memory systems of modern chips against silicon",
  .citation = "RRZE-HPC, gpu-benches; mt4g",
  .figures = figures,
};
