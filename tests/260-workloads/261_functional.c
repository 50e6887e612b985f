// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every bundled workload, run for its results alone at size small: right for warps of 32 and of 64 lanes, and its check
// notices a wrong word anywhere in its results.
#include "host/app.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct weir_app *open_app(const char *name, unsigned lanes, uint64_t seed, struct weir_sink *sink) {
  const struct weir_app_options options = {.size = WEIR_SIZE_SMALL, .seed = seed, .lanes = lanes};
  struct weir_app *a = weir_app_open(name, &options, sink);
  if (!a) weir_sink_print(sink, stderr);
  assert_non_null(a);
  return a;
}

static void run_app(struct weir_app *a, struct weir_sink *sink) {
  bool ran = weir_app_run(a, weir_functional_backend(NULL));
  if (!ran) weir_sink_print(sink, stderr);
  assert_true(ran);
}

static void assert_passes(struct weir_app *a, struct weir_sink *sink) {
  enum weir_check_outcome outcome = weir_app_check(a);
  if (outcome != WEIR_CHECK_PASSED) {
    fprintf(stderr, "%s:\n", weir_app_name(a));
    weir_sink_print(sink, stderr);
  }
  assert_int_equal(outcome, WEIR_CHECK_PASSED);
}

static void assert_notices(struct weir_app *a, uint32_t *word) {
  *word ^= UINT32_C(0x40000000); // the highest exponent bit of a number in single precision
  assert_int_equal(weir_app_check(a), WEIR_CHECK_FAILED);
  *word ^= UINT32_C(0x40000000);
}

static void assert_notices_wrong_words(struct weir_app *a) {
  unsigned count;
  const struct weir_result *results = weir_host_results(weir_app_host(a), &count);
  assert_int_not_equal(count, 0);
  for (unsigned i = 0; i < count; i++) {
    uint32_t *words = weir_host_bytes(weir_app_host(a), results[i].address, results[i].bytes);
    uint64_t last = results[i].bytes / sizeof *words - 1;
    assert_notices(a, &words[0]);
    assert_notices(a, &words[last / 2]);
    assert_notices(a, &words[last]);
  }
}

// Under sanitizers these take a third of all, or are others' kernels again: they are opened, and not run.
static bool is_long(const char *name) {
  static const char *const all[] = {"grep",           "dna",       "opinion", "kmeans-stream", "lud-plain",
                                    "matrixmul-wide", "bfs-random"};
  for (unsigned i = 0; WEIR_SANITIZED && i < sizeof all / sizeof *all; i++)
    if (!strcmp(name, all[i])) return true;
  return false;
}

static void run_all(unsigned lanes) {
  unsigned count;
  const struct weir_workload *const *all = weir_workloads(&count);
  for (unsigned i = 0; i < count; i++) {
    struct weir_sink sink = {0};
    struct weir_app *a = open_app(all[i]->name, lanes, 1, &sink);
    assert_int_equal(weir_app_check(a), WEIR_CHECK_FAILED); // nothing has run yet
    if (!is_long(all[i]->name)) {
      run_app(a, &sink);
      assert_passes(a, &sink);
    }
    if (!WEIR_SANITIZED) { // a dozen checks, which are the same code each time
      assert_notices_wrong_words(a);
      assert_passes(a, &sink);
    }
    weir_app_free(a);
    weir_sink_free(&sink);
  }
}

static void all_pass_with_32_lanes(void **state) {
  (void)state;
  run_all(32);
}

// Under sanitizers the sorts and nw below are run with 64 lanes; the host's side of a workload is the same with both.
static void all_pass_with_64_lanes(void **state) {
  (void)state;
  if (!WEIR_SANITIZED) run_all(64);
}

// A sort's output, judged without the reference: ascending, and the same keys by count, sum and sum of squares.
static void assert_sorts(const char *name) {
  struct weir_sink sink = {0};
  struct weir_app *a = open_app(name, 64, 2, &sink);
  unsigned results;
  const struct weir_result *keys = weir_host_results(weir_app_host(a), &results);
  assert_int_equal(results, 1);
  const uint32_t *now = weir_host_bytes(weir_app_host(a), keys->address, keys->bytes);
  uint64_t count = keys->bytes / sizeof *now, sum = 0, squares = 0;
  for (uint64_t i = 0; i < count; i++) {
    sum += now[i];
    squares += (uint64_t)now[i] * now[i];
  }
  run_app(a, &sink);
  for (uint64_t i = 0; i < count; i++) {
    assert_true(i == 0 || now[i - 1] <= now[i]);
    sum -= now[i];
    squares -= (uint64_t)now[i] * now[i];
  }
  assert_int_equal(sum, 0);
  assert_int_equal(squares, 0);
  weir_app_free(a);
  weir_sink_free(&sink);
}

static void bitonic_sorts(void **state) {
  (void)state;
  assert_sorts("bitonic");
}

static void radix_sorts_sort(void **state) {
  (void)state;
  assert_sorts("sort");
  assert_sorts("radixsort");
}

// The result of a program is to the bit that of another, all of whose kernels (NULL at the end) do without local memory.
static void assert_does_without_local_memory(const char *program, const char *other, const char *const *kernels) {
  struct weir_sink sink = {0};
  struct weir_app *with = open_app(program, 64, 3, &sink), *without = open_app(other, 64, 3, &sink);
  run_app(with, &sink);
  run_app(without, &sink);
  unsigned count;
  const struct weir_result *a = weir_host_results(weir_app_host(with), &count);
  const struct weir_result *b = weir_host_results(weir_app_host(without), &count);
  assert_int_equal(a->bytes, b->bytes);
  assert_memory_equal(weir_host_bytes(weir_app_host(with), a->address, a->bytes),
                      weir_host_bytes(weir_app_host(without), b->address, b->bytes), a->bytes);
  for (; *kernels; kernels++) {
    assert_true(weir_program_kernel(weir_app_program(with), *kernels)->shared_bytes > 0);
    assert_int_equal(weir_program_kernel(weir_app_program(without), *kernels)->shared_bytes, 0);
  }
  weir_app_free(with);
  weir_app_free(without);
  weir_sink_free(&sink);
}

// nw aligns the same sequences, and lud, whose sums have the same order, factors the same matrix.
static void nw_and_lud_need_no_local_memory(void **state) {
  (void)state;
  static const char *const nw[] = {"upper_left", "lower_right", NULL};
  static const char *const lud[] = {"diagonal", "perimeter", "internal", NULL};
  assert_does_without_local_memory("nw", "nw-nospm", nw);
  assert_does_without_local_memory("nw", "nw-plain", nw);
  assert_does_without_local_memory("lud", "lud-plain", lud);
}

static uint64_t result_bytes(const char *name, enum weir_size size, unsigned which) {
  struct weir_sink sink = {0};
  const struct weir_app_options options = {.size = size, .seed = 1, .lanes = 32};
  struct weir_app *a = weir_app_open(name, &options, &sink);
  assert_non_null(a);
  unsigned count;
  const struct weir_result *results = weir_host_results(weir_app_host(a), &count);
  assert_true(which < count);
  uint64_t bytes = results[which].bytes;
  weir_app_free(a);
  return bytes;
}

// bp has Rodinia's default of 65536 inputs at size paper, and at size small as many as its text says: 17 weights each,
// as many of the bias, and a sum per 16 inputs and hidden unit. bfs-random has the million nodes of bfs.
static void bp_and_bfs_random_are_of_the_size_they_say(void **state) {
  (void)state;
  const uint64_t small = strtoul(weir_workload_find("bp")->small_text, NULL, 10);
  assert_int_equal(result_bytes("bp", WEIR_SIZE_SMALL, 0), (small + 1) * 17 * 4);
  assert_int_equal(result_bytes("bp", WEIR_SIZE_PAPER, 0), 65537 * 17 * 4);
  assert_int_equal(result_bytes("bp", WEIR_SIZE_PAPER, 2), 65536 * 4);
  assert_int_equal(result_bytes("bfs-random", WEIR_SIZE_PAPER, 0), 1000000 * 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_pass_with_32_lanes),
    cmocka_unit_test(all_pass_with_64_lanes),
    cmocka_unit_test(bitonic_sorts),
    cmocka_unit_test(radix_sorts_sort),
    cmocka_unit_test(nw_and_lud_need_no_local_memory),
    cmocka_unit_test(bp_and_bfs_random_are_of_the_size_they_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
