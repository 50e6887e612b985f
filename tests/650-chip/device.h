// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A chip with memory and programs on it, for tests that run kernels.
#ifndef WEIR_TESTS_CHIP_DEVICE_H
#define WEIR_TESTS_CHIP_DEVICE_H

#include "chip_test.h"

#include "exec/program.h"
#include "ptx/parse.h"

struct device {
  struct weir_sink sink;
  struct weir_memory *memory;
  struct weir_chip_config *config;
  struct weir_scheme *scheme;
  struct weir_chip *chip;
};

// set: an override, or NULL.
static inline void open_device(struct device *d, const char *chip, const char *set) {
  *d = (struct device){.memory = weir_memory_create()};
  d->config = weir_chip_read(chip, &d->sink);
  if (set) weir_chip_set(d->config, set, "--set", &d->sink);
  d->scheme = weir_scheme_read("lru", d->config, &d->sink);
  d->chip = weir_chip_create(d->config, d->scheme, 1, &d->sink);
  assert_clean(&d->sink);
}

static inline void close_device(struct device *d) {
  weir_chip_free(d->chip);
  weir_scheme_free(d->scheme);
  weir_chip_config_free(d->config);
  weir_memory_free(d->memory);
}

struct code {
  struct weir_module *module;
  struct weir_program *program;
};

static inline struct code load_lanes(struct device *d, const char *text, unsigned lanes) {
  struct code c = {.module = weir_ptx_parse("test.ptx", text, strlen(text), &d->sink)};
  if (c.module)
    c.program = weir_program_build(c.module, lanes, weir_code_written(WEIR_ASSEMBLER_SM_35), d->memory, &d->sink);
  assert_clean(&d->sink);
  return c;
}

static inline struct code load(struct device *d, const char *text) {
  return load_lanes(d, text, 32);
}

static inline void unload(struct code *c) {
  weir_program_free(c->program);
  weir_module_free(c->module);
}

// Runs `blocks` blocks of `threads` threads; returns the cycles that it took.
static inline uint64_t launch(struct device *d, const struct code *c, const char *kernel, uint32_t blocks,
                              uint32_t threads, const void *params) {
  uint64_t steps = 0, before = weir_chip_total(d->chip)->cycles;
  struct weir_launch l = {.program = c->program,
                          .kernel = weir_program_kernel(c->program, kernel),
                          .memory = d->memory,
                          .grid = {blocks, 1, 1},
                          .block = {threads, 1, 1},
                          .params = params,
                          .steps = &steps};
  struct weir_fault fault = {0};
  struct weir_backend backend = weir_chip_backend(d->chip);
  if (!backend.launch(backend.context, &l, &fault)) fail_msg("%s", fault.message);
  return weir_chip_total(d->chip)->cycles - before;
}

#endif
