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
// One of each class: with bzip2 beside each program in eight ways the rest of a small study would wait for Figure 1.
static const char *const four[] = {"floyd", "reduction", "dwthaar", "bitonic", NULL};
static const struct weir_figure_group few[] = {{four, "average"}, {NULL, NULL}};

const struct weir_figure_group *holey_gpu_beside(const struct weir_plan *p) {
  return weir_plan_size(p) == WEIR_SIZE_PAPER ? holey_gpu_all : few;
}

const struct weir_figure_group holey_gpu_classes[] = {{holey_gpu_sensitive, "cache sensitive"},
                                                      {streaming, "streaming"},
                                                      {tolerant, "performance insensitive"},
                                                      {computing, "compute intensive"},
                                                      {NULL, NULL}};
