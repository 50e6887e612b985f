// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs whose input follows the footprint that they are given: as large as fits, right results, and a word where
// nothing fits.
#include "host/app.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// 100 KiB are 25600 words.
//   matrixmul-wide  b has rows of 2048 words: 12 of them. a: 32 × 12, c: 32 × 2048.
//   transpose       two squares of a multiple of 64: 64² ≤ 12800 < 128².
//   gaussian        one of a multiple of 32: 160² = 25600; and 160 words of right side.
//   fastwalsh       four to seven arrays: six of 4096, as eight of them would not fit.
//   floyd           two squares of a multiple of 32: 96² ≤ 12800 < 128².
//   matmul          three squares of a multiple of 16: 80² ≤ 8533 < 96².
//   kmeans-stream   particles of four words: 6400; and 32 means.
static const struct {
  const char *program;
  uint64_t words;     // of all buffers
  unsigned least_kib; // below it nothing fits
} cases[] = {
  {"matrixmul-wide", 12 * 2048 + 32 * 12 + 32 * 2048, 8},
  {"transpose", 2 * 64 * 64, 2 * 64 * 64 * 4 / 1024},
  {"gaussian", 160 * 160 + 160, 32 * 32 * 4 / 1024},
  {"fastwalsh", 6 * 4096, 1},
  {"floyd", 2 * 96 * 96, 2 * 32 * 32 * 4 / 1024},
  {"matmul", 3 * 80 * 80, 3 * 16 * 16 * 4 / 1024},
  {"kmeans-stream", 6400 * 4 + 32 * 4, 1},
};

enum { CASES = sizeof cases / sizeof *cases };

static struct weir_app *opened(const char *program, unsigned kib, struct weir_sink *sink) {
  const struct weir_app_options options = {
    .size = WEIR_SIZE_SMALL, .seed = 5, .lanes = 64, .program = {.shape = {.footprint_kib = kib}}};
  return weir_app_open(program, &options, sink);
}

static void as_large_as_fits(void **state) {
  (void)state;
  for (unsigned i = 0; i < CASES; i++) {
    struct weir_sink sink = {0};
    struct weir_app *a = opened(cases[i].program, 100, &sink);
    assert_non_null(a);
    assert_int_equal(weir_host_buffer_bytes(weir_app_host(a)), cases[i].words * sizeof(uint32_t));
    assert_true(weir_app_run(a, weir_functional_backend(NULL)));
    assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
    weir_app_free(a);
    weir_sink_free(&sink);
  }
}

static void too_small(void **state) {
  (void)state;
  for (unsigned i = 0; i < CASES; i++) {
    struct weir_sink sink = {0};
    struct weir_app *a = opened(cases[i].program, cases[i].least_kib, &sink);
    assert_non_null(a);
    weir_app_free(a);
    if (cases[i].least_kib > 1) {
      char text[96];
      snprintf(text, sizeof text, "%s needs a footprint of %u KiB at least", cases[i].program, cases[i].least_kib);
      assert_null(opened(cases[i].program, cases[i].least_kib - 1, &sink));
      assert_int_equal(sink.count, 1);
      assert_non_null(strstr(sink.diags[0].message, text));
    }
    weir_sink_free(&sink);
  }
}

// A text is as long as that, and no longer than its last paragraph, tweet, page or line makes it. What a program keeps beside
// it may grow with it.
static void texts(void **state) {
  (void)state;
  static const struct {
    const char *program;
    unsigned copies; // of the text among the buffers
    bool alone;      // nothing else grows
  } of[] = {{"upper", 2, true},     {"wc", 1, true},        {"grep", 1, false},    {"opinion", 1, false},
            {"invindex", 1, false}, {"pageview", 1, false}, {"affinity", 1, false}};
  enum { PIECE = 8 }; // KiB
  for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
    uint64_t bytes[2];
    for (unsigned twice = 0; twice < 2; twice++) {
      struct weir_sink sink = {0};
      struct weir_app *a = opened(of[i].program, 256u << twice, &sink);
      assert_non_null(a);
      bytes[twice] = weir_host_buffer_bytes(weir_app_host(a));
      assert_true(weir_app_run(a, weir_functional_backend(NULL)));
      assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
      weir_app_free(a);
      weir_sink_free(&sink);
    }
    const uint64_t more = (bytes[1] - bytes[0]) / 1024;
    assert_in_range(more, of[i].copies * (256 - PIECE), of[i].alone ? of[i].copies * (256 + PIECE) : 2 * 256);
  }
}

// dna: eight fragments per KiB; three words of records and results for each, two of a table that is half empty, and a word
// per thread.
static void fragments(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_app *a = opened("dna", 64, &sink);
  assert_non_null(a);
  enum { FRAGMENTS = 512, SLOTS = 1024, THREADS = 1920 };
  const uint64_t text = weir_host_buffer_bytes(weir_app_host(a)) -
    sizeof(uint32_t) * (FRAGMENTS + 1 + 2 * FRAGMENTS + 2 * SLOTS + THREADS + 1);
  assert_in_range(text, FRAGMENTS * (80 + 12), FRAGMENTS * (119 + 16)); // bases, the name's line and ends of lines
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
  weir_app_free(a);
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_large_as_fits), cmocka_unit_test(too_small),
                                     cmocka_unit_test(texts), cmocka_unit_test(fragments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
