// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Small kernels through the pass, run functionally. Header of tests only.
#ifndef WEIR_TESTS_280_HARNESS_H
#define WEIR_TESTS_280_HARNESS_H

#include "../300-exec/harness.h"
#include "sl1/launch.h"
#include "sl1/sl1.h"

#define SL1_HEADER ".version 7.8\n.target sm_70\n.address_size 64\n"

struct sl1_bench {
  struct weir_module *original;
  struct weir_sl1_report report;
  char *text;
  struct bench b; // of the transformed module
};

// Options as "line_bytes=8,alias=none" over the defaults; "" for those.
static inline struct weir_sl1_options sl1_options(const char *list) {
  struct weir_sl1_options o = weir_sl1_defaults();
  struct weir_sink sink = {0};
  char *copy = weir_text_copy(list), *rest = copy;
  for (char *one; (one = strsep(&rest, ",")) && *one;)
    if (!weir_param_set(&weir_sl1_table, &o, one, weir_option_place("test"), &sink)) fail_msg("no option %s", one);
  weir_free(copy);
  return o;
}

static inline void sl1_open(struct sl1_bench *s, const char *ptx, const char *options) {
  struct weir_sink sink = {0};
  const struct weir_sl1_options o = sl1_options(options);
  memset(s, 0, sizeof *s);
  s->original = weir_ptx_parse("test.ptx", ptx, strlen(ptx), &sink);
  weir_sink_print(&sink, stderr);
  assert_non_null(s->original);
  s->text = weir_sl1_transform(s->original, &o, &s->report);
  if (getenv("WEIR_SL1_SHOW")) printf("%s", s->text);
  bench_open(&s->b, s->text, 32);
  weir_memory_set_line(s->b.memory, o.line_bytes);
  weir_sink_free(&sink);
}

static inline void sl1_close(struct sl1_bench *s) {
  bench_close(&s->b);
  weir_sl1_report_free(&s->report);
  weir_free(s->text);
  weir_module_free(s->original);
}

// A buffer whose byte i is `first` + i × step.
static inline uint64_t sl1_buffer(const struct sl1_bench *s, const char *name, uint32_t bytes, unsigned first,
                                  unsigned step) {
  const uint64_t at = weir_memory_alloc(s->b.memory, name, bytes);
  uint8_t *to = bench_at(&s->b, at, bytes);
  for (uint32_t i = 0; i < bytes; i++) to[i] = (uint8_t)(first + i * step);
  return at;
}

// Launches kernel k with room for so many lines per thread; the number of warp instructions.
static inline uint64_t sl1_launch(const struct sl1_bench *s, uint32_t grid, uint32_t block, uint32_t lines,
                                  const void *params) {
  struct weir_fault fault;
  struct weir_sl1_need need;
  struct weir_launch launch = bench_launch(&s->b, "k", grid, block, params);
  uint64_t steps = 0;
  launch.steps = &steps;
  launch.step_limit = 10000000;
  if (weir_sl1_need(s->b.program, "k", s->b.memory, &need))
    launch.dynamic_shared_bytes = weir_sl1_extend(&need, s->b.memory, block, 0, lines);
  if (!weir_run_functional(&launch, &fault)) fail_msg("%s", fault.message);
  return steps;
}

static inline uint64_t sl1_count(const struct sl1_bench *s, unsigned candidate, enum weir_sl1_counter c) {
  uint32_t structures;
  const uint64_t *counts = weir_sl1_counts(s->b.program, "k", s->b.memory, &structures);
  assert_non_null(counts);
  assert_true(candidate < structures);
  return counts[candidate * WEIR_SL1_COUNTERS + c];
}

// The counters of one candidate, in launch.h's order.
#define assert_counts(s, candidate, ...)                                                                               \
  do {                                                                                                                 \
    const uint64_t expected_[WEIR_SL1_COUNTERS] = {__VA_ARGS__};                                                       \
    for (unsigned c_ = 0; c_ < WEIR_SL1_COUNTERS; c_++)                                                                \
      if (sl1_count(s, candidate, c_) != expected_[c_])                                                                \
        fail_msg("counter %u of candidate %u is %llu, not %llu", c_, (unsigned)(candidate),                            \
                 (unsigned long long)sl1_count(s, candidate, c_), (unsigned long long)expected_[c_]);                  \
  } while (0)

#endif
