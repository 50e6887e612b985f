// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// bfs on a graph done by hand; the random graph of Rodinia, and how far its nodes are apart.
#include "bfs/bfs.h"
#include "from_text.h"

#include <math.h>

// No edge at node 1, so node 2 is the source. 2-3-4 and 5-2 are written against the way that the search takes; the way
// to node 6 is two edges long by node 5 and three by node 4; no edge leads to 7 and 8; 3-3 is a loop.
static const char eight_nodes[] = "p sp 8 8\n"
                                  "a 3 2 1\na 4 3 1\na 5 2 1\na 5 6 1\na 4 6 1\na 7 8 1\na 3 3 1\na 2 3 1\n";
static const uint32_t eight_distances[] = {UINT32_MAX, 0, 1, 2, 1, 2, UINT32_MAX, UINT32_MAX};

static const uint32_t *distances(struct weir_app *a, uint64_t *count) {
  unsigned results;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &results);
  assert_int_equal(results, 1);
  *count = r->bytes / sizeof(uint32_t);
  return weir_host_bytes(weir_app_host(a), r->address, r->bytes);
}

static void kernels_on_eight_nodes(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_app *a = open_text("bfs", eight_nodes, &sink);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
  uint64_t count;
  const uint32_t *distance = distances(a, &count);
  assert_int_equal(count, 8);
  assert_memory_equal(distance, eight_distances, sizeof eight_distances);
  weir_app_free(a);
}

static void graphs_without_a_way_are_refused(void **state) {
  (void)state;
  assert_refused("bfs", "p sp 2 1\na 1 1 1\n", "no edge between two nodes");
}

// A third of the nodes draws two partners each, a third three, a third four; half of the partners are in the lower half.
// Seven standard deviations to either side: of 30000 nodes sqrt(30000 × 2/9) = 82, of about 90000 partners 150.
static void nodes_draw_two_to_four_partners(void **state) {
  (void)state;
  enum { NODES = 30000 };
  struct weir_rng rng = weir_rng_seed(1, 1);
  struct weir_graph *g = weir_bfs_random(NODES, &rng);
  uint32_t draws[5] = {0}, lower = 0;
  assert_int_equal(g->rows, NODES);
  for (uint32_t r = 0; r < NODES; r++) {
    uint32_t degree = g->start[r + 1] - g->start[r];
    assert_in_range(degree, 2, 4);
    draws[degree]++;
  }
  for (uint32_t i = 0; i < g->entries; i++) {
    assert_true(g->column[i] < NODES);
    lower += g->column[i] < NODES / 2;
  }
  for (unsigned d = 2; d <= 4; d++) assert_in_range(draws[d], NODES / 3 - 574, NODES / 3 + 574);
  assert_in_range(lower, g->entries / 2 - 1050, g->entries / 2 + 1050);
  weir_graph_free(g);
}

// A node has 3 partners drawn, variance 2/3, and is drawn by Poisson(3): 6 edges, variance 11/3. Who comes along one of
// them finds E[D²]/6 - 1 = (36 + 11/3)/6 - 1 = 5.61 others. So 6 × 5.61^(d-1) nodes are at distance d until they are all,
// after 1 + ln(n/6) / ln 5.61 steps; with two edges or more to each, none is left out.
static void nodes_of_bfs_random_are_as_far_apart_as_branching_says(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  const struct weir_app_options options = {.seed = 1, .lanes = 32};
  struct weir_app *a = weir_app_open("bfs-random", &options, &sink);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  uint64_t count, sum = 0;
  const uint32_t *distance = distances(a, &count);
  assert_int_equal(count, 32768);
  for (uint64_t i = 0; i < count; i++) {
    assert_true(distance[i] < 16);
    sum += distance[i];
  }
  double mean = (double)sum / (double)count, want = 1 + log((double)count / 6) / log(5.61);
  assert_true(fabs(mean - want) < 0.75);
  weir_app_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_on_eight_nodes),
    cmocka_unit_test(graphs_without_a_way_are_refused),
    cmocka_unit_test(nodes_draw_two_to_four_partners),
    cmocka_unit_test(nodes_of_bfs_random_are_as_far_apart_as_branching_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
