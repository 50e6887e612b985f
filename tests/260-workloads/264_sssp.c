// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// sssp's graphs, its reference, and what it makes of a file.
#include "sssp/sssp.h"

#include "base/alloc.h"
#include "from_text.h"

#include <stdio.h>

// From node 0: the way to node 3 measures 10 directly, 2 + 3 + 7 by nodes 1 and 2, and 1 + 7 by node 2. Node 4 is
// reached from there at no cost; no edge leads to node 5.
static const char six_nodes[] = "c a comment\n"
                                "p sp 6 8\n"
                                "a 1 4 10\na 1 3 1\na 1 2 2\na 2 3 3\na 3 4 7\na 2 1 1\na 4 5 0\na 6 1 1\n";
static const uint32_t six_distances[] = {0, 2, 1, 8, 8, WEIR_SSSP_FAR};

static void dijkstra_on_six_nodes(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  uint64_t distance[6];
  struct weir_graph *g = weir_graph_parse("six.gr", six_nodes, strlen(six_nodes), &sink);
  assert_non_null(g);
  weir_sssp_reference(g, 0, distance);
  for (unsigned i = 0; i < 5; i++) assert_int_equal(distance[i], six_distances[i]);
  assert_true(distance[5] == UINT64_MAX);
  weir_graph_free(g);
}

static void kernel_on_six_nodes(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_app *a = open_text("sssp", six_nodes, &sink);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  unsigned count;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &count);
  assert_int_equal(r->bytes, sizeof six_distances);
  assert_memory_equal(weir_host_bytes(weir_app_host(a), r->address, r->bytes), six_distances, sizeof six_distances);
  weir_app_free(a);
}

static void weights_it_cannot_add_are_refused(void **state) {
  (void)state;
  assert_refused("sssp", "p sp 2 1\na 1 2 0.5\n", "whole numbers");
  assert_refused("sssp", "p sp 2 1\na 1 2 -1\n", "whole numbers");
  assert_refused("sssp", "p sp 2 1\na 1 2 33554432\n", "whole numbers");
  assert_refused("sssp", "p sp 2 0\n", "no edge");
}

// A chain of 128 roads of 2^24 each: 2^31 in all.
static void distances_it_cannot_hold_are_refused(void **state) {
  (void)state;
  char text[8192] = "p sp 129 128\n";
  for (unsigned i = 1; i <= 128; i++) sprintf(text + strlen(text), "a %u %u 16777216\n", i, i + 1);
  assert_refused("sssp", text, "measures 2147483648");
}

static bool has_edge(const struct weir_graph *g, uint32_t from, uint32_t to, float weight) {
  for (uint32_t i = g->start[from]; i < g->start[from + 1]; i++)
    if (g->column[i] == to && g->value[i] == weight) return true;
  return false;
}

// Out of w × h crossings: 0.7 × 2 roads and 0.05 × 2 diagonals each, and two motorways in every 64, all twice: 3.06 per
// node, less at the borders.
static void roads_go_both_ways_and_are_few(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(1, 1);
  uint32_t centre;
  struct weir_graph *g = weir_sssp_road(64, 48, &rng, &centre);
  assert_int_equal(g->rows, 64 * 48);
  assert_in_range(g->entries, (uintmax_t)(2.85 * 64 * 48), (uintmax_t)(3.1 * 64 * 48));
  uint32_t *reached = weir_new_array(uint32_t, g->rows), far = 0;
  for (uint32_t r = 0; r < g->rows; r++)
    for (uint32_t i = g->start[r]; i < g->start[r + 1]; i++) {
      assert_true(g->column[i] < g->rows && g->column[i] != r && g->value[i] >= 700);
      assert_true(has_edge(g, g->column[i], r, g->value[i]));
      reached[g->column[i]]++;
    }
  for (uint32_t r = 0; r < g->rows; r++) far += reached[r] == 0;
  assert_true(far < g->rows / 50); // 0.3^4 × 0.95^4 of them have no road at all
  assert_in_range(g->start[centre + 1] - g->start[centre], 4, 12);
  weir_free(reached);
  weir_graph_free(g);
}

// The upper half of the matrix holds 0.57 + 0.19 of the edges, its left half as many, and its last quarter 0.05.
static void rmat_fills_the_quadrants_as_told(void **state) {
  (void)state;
  enum { SCALE = 10, EDGES = 100000, HALF = 1 << (SCALE - 1) };
  struct weir_rng rng = weir_rng_seed(1, 1);
  struct weir_graph *g = weir_sssp_rmat(SCALE, EDGES, &rng);
  uint32_t upper = 0, left = 0, last = 0;
  assert_int_equal(g->entries, EDGES);
  for (uint32_t r = 0; r < g->rows; r++)
    for (uint32_t i = g->start[r]; i < g->start[r + 1]; i++) {
      upper += r < HALF;
      left += g->column[i] < HALF;
      last += r >= HALF && g->column[i] >= HALF;
      assert_true(g->value[i] >= 1 && g->value[i] <= 255);
    }
  assert_in_range(upper, 75000, 77000); // seven standard deviations to either side
  assert_in_range(left, 75000, 77000);
  assert_in_range(last, 4500, 5500);
  weir_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(dijkstra_on_six_nodes),
    cmocka_unit_test(kernel_on_six_nodes),
    cmocka_unit_test(weights_it_cannot_add_are_refused),
    cmocka_unit_test(distances_it_cannot_hold_are_refused),
    cmocka_unit_test(roads_go_both_ways_and_are_few),
    cmocka_unit_test(rmat_fills_the_quadrants_as_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
