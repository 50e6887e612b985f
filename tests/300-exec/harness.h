// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels from text, run functionally. Header of tests only.
#ifndef WEIR_TESTS_300_HARNESS_H
#define WEIR_TESTS_300_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/warp.h"
#include "ptx/parse.h"

#define PTX_HEADER ".version 7.8\n.target sm_80\n.address_size 64\n"

struct bench {
  struct weir_module *module;
  struct weir_program *program;
  struct weir_memory *memory;
  struct weir_sink sink;
};

static inline void bench_fail(struct bench *b, const char *what) {
  weir_sink_print(&b->sink, stderr);
  fail_msg("%s", what);
}

static inline void bench_build_for(struct bench *b, unsigned lanes, enum weir_assembler assembler) {
  if (!b->module) bench_fail(b, "PTX does not parse");
  b->memory = weir_memory_create();
  b->program = weir_program_build(b->module, lanes, weir_code_written(assembler), b->memory, &b->sink);
  if (!b->program) bench_fail(b, "program does not build");
}

static inline void bench_build(struct bench *b, unsigned lanes) {
  bench_build_for(b, lanes, WEIR_ASSEMBLER_SM_35);
}

static inline void bench_open_for(struct bench *b, const char *ptx, unsigned lanes, enum weir_assembler assembler) {
  memset(b, 0, sizeof *b);
  b->module = weir_ptx_parse("test.ptx", ptx, strlen(ptx), &b->sink);
  bench_build_for(b, lanes, assembler);
}

static inline void bench_open(struct bench *b, const char *ptx, unsigned lanes) {
  bench_open_for(b, ptx, lanes, WEIR_ASSEMBLER_SM_35);
}

static inline void bench_close(struct bench *b) {
  weir_program_free(b->program);
  weir_module_free(b->module);
  weir_memory_free(b->memory);
  weir_sink_free(&b->sink);
}

static inline struct weir_launch bench_launch(const struct bench *b, const char *kernel, uint32_t grid, uint32_t block,
                                              const void *params) {
  const struct weir_kernel *k = weir_program_kernel(b->program, kernel);
  assert_non_null(k);
  return (struct weir_launch){.program = b->program,
                              .kernel = k,
                              .memory = b->memory,
                              .grid = {grid, 1, 1},
                              .block = {block, 1, 1},
                              .params = params};
}

// Runs to the end; the number of warp instructions.
static inline uint64_t bench_run(const struct bench *b, const char *kernel, uint32_t grid, uint32_t block,
                                 const void *params) {
  uint64_t steps = 0;
  struct weir_fault fault;
  struct weir_launch launch = bench_launch(b, kernel, grid, block, params);
  launch.steps = &steps;
  if (!weir_run_functional(&launch, &fault)) fail_msg("%s", fault.message);
  return steps;
}

static inline void *bench_at(const struct bench *b, uint64_t address, uint64_t bytes) {
  void *p = weir_memory_at(b->memory, address, bytes);
  assert_non_null(p);
  return p;
}

// For qsort, of doubles.
static inline int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#endif
