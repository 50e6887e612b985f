// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Comparison with a reference: what passes, what fails, and what is said.
#include "host_test.h"

#include "host/workload.h"

#include <math.h>

static bool near(float got, float want, double relative, double absolute) {
  struct weir_sink sink = {0};
  struct weir_host *h = weir_host_create(NULL, NULL, &sink);
  bool ok = weir_check_f32(h, "x", &got, &want, 1, relative, absolute);
  assert_int_equal(sink.errors, !ok); // says why exactly when it fails
  weir_host_free(h);
  weir_sink_free(&sink);
  return ok;
}

static void tolerances(void **state) {
  (void)state;
  assert_true(near(1, 1, 0, 0));
  assert_false(near(1, 1 + 0x1p-23f, 0, 0));
  assert_true(near(1, 1 + 0x1p-23f, 0x1p-23, 0));
  assert_true(near(1.5f, 1, 0.34, 0));  // a third of the larger
  assert_false(near(1.5f, 1, 0.33, 0)); // … but not less
  assert_true(near(-1, -1.5f, 0, 0.5));
  assert_false(near(-1, 1, 0.5, 0));
  assert_true(near(0.0f, -0.0f, 0, 0));
}

static void not_finite(void **state) {
  (void)state;
  assert_true(near(NAN, NAN, 0, 0));
  assert_false(near(NAN, 1, 1, 1e30));
  assert_false(near(1, NAN, 1, 1e30));
  assert_true(near(INFINITY, INFINITY, 0, 0));
  assert_false(near(INFINITY, -INFINITY, 0, 0));
  assert_false(near(INFINITY, 3, 0, 1e30));
}

static void first_difference_is_named(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_host *h = weir_host_create(NULL, NULL, &sink);
  assert_false(weir_check_u32(h, "sum", (uint32_t[]){1, 2, 3, 4}, (uint32_t[]){1, 9, 3, 8}, 4));
  assert_message(&sink, 0, "check failed: sum[1] is 2 instead of 9 (2 of 4 elements differ)");
  assert_false(weir_check_f32(h, "y", (float[]){1, 2.5f}, (float[]){1, 2}, 2, 0, 0));
  assert_message(&sink, 1, "check failed: y[1] is 2.5 instead of 2 (1 of 2 elements differ)");
  assert_true(weir_check_u32(h, "none", NULL, NULL, 0));
  weir_host_free(h);
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tolerances), cmocka_unit_test(not_finite),
                                     cmocka_unit_test(first_difference_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
