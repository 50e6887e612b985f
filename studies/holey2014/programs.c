// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The GPU programs of Table III in its classes. (CPU programs and their classes: trace/programs.h.)
#include "holey2014/holey2014.h"

#define SENSITIVE "matrixmul-wide", "transpose", "gaussian", "fastwalsh", "floyd"
#define STREAMING "histogram", "radixsort", "blackscholes", "reduction"
#define TOLERANT "sobel", "dwthaar", "scan", "dct", "boxfilter" // the paper: performance insensitive
#define COMPUTING "binomial", "eigen", "bitonic"

const char *const holey_gpu_sensitive[] = {SENSITIVE, NULL};
const char *const holey_gpu_insensitive[] = {STREAMING, TOLERANT, COMPUTING, NULL};

static const char *const all[] = {SENSITIVE, STREAMING, TOLERANT, COMPUTING, NULL};
static const char *const streaming[] = {STREAMING, NULL};
static const char *const tolerant[] = {TOLERANT, NULL};
static const char *const computing[] = {COMPUTING, NULL};

const struct weir_figure_group holey_gpu_all[] = {{all, "average"}, {NULL, NULL}};
const struct weir_figure_group holey_gpu_classes[] = {{holey_gpu_sensitive, "cache sensitive"},
                                                      {streaming, "streaming"},
                                                      {tolerant, "performance insensitive"},
                                                      {computing, "compute intensive"},
                                                      {NULL, NULL}};
