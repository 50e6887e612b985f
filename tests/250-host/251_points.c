// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host_test.h"

#include "host/points.h"

static struct weir_points *parse(const char *text, struct weir_sink *sink) {
  return weir_points_parse("p", text, strlen(text), sink);
}

static void assert_points(const char *text, uint32_t count, const float *x, const float *y) {
  struct weir_sink sink = {0};
  struct weir_points *p = parse(text, &sink);
  assert_clean(&sink);
  assert_int_equal(p->count, count);
  assert_memory_equal(p->x, x, count * sizeof *x);
  assert_memory_equal(p->y, y, count * sizeof *y);
  weir_points_free(p);
}

static void assert_bad(const char *text, const char *message) {
  struct weir_sink sink = {0};
  assert_null(parse(text, &sink));
  assert_message(&sink, 0, message);
  weir_sink_free(&sink);
}

static void all_forms(void **state) {
  (void)state;
  const float x[] = {1.5f, -3}, y[] = {2, 0};
  assert_points("# latitude longitude\n1.5 2\n\n-3, 0\n", 2, x, y);
  assert_points("c roads\np aux sp co 2\nv 1 1.5 2\nv 2 -3 0\n", 2, x, y);
  assert_points("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1.5\n1 2 2\n2 1 -3\n", 2, x, y);
}

static void malformed(void **state) {
  (void)state;
  assert_bad("1\n", "p:1:2: error: the second coordinate is missing");
  assert_bad("1 2\nx 2\n", "p:2:1: error: the first coordinate must be a number");
  assert_bad("v 0 1 2\n", "p:1:3: error: the node must be an integer");
  assert_bad("1 2 3\n", "p:1:5: error: nothing more is expected");
  assert_bad("# none\n", "the file has no point");
  assert_bad("%%MatrixMarket matrix coordinate real general\n1 3 1\n1 1 1\n", "a matrix of two columns");
  assert_bad("%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 1\n", "without values");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_forms), cmocka_unit_test(malformed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
