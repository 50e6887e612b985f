// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU references of fastwalsh, floyd and blackscholes on cases whose answers are known without them, and what
// gaussian leaves, against its input.
#include "base/alloc.h"
#include "base/rng.h"
#include "blackscholes/blackscholes.h"
#include "fastwalsh/fastwalsh.h"
#include "floyd/floyd.h"
#include "host/app.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define assert_near(got, want, by) assert_true(fabs((double)(got) - (double)(want)) <= (by))

// Of a single one at place j: column j of the Hadamard matrix.
static void walsh_of_an_impulse(void **state) {
  (void)state;
  enum { LENGTH = 32 };
  for (uint32_t j = 0; j < LENGTH; j++) {
    int32_t e[LENGTH] = {0};
    e[j] = 1;
    weir_fastwalsh_reference(e, LENGTH);
    for (uint32_t i = 0; i < LENGTH; i++) assert_int_equal(e[i], __builtin_popcount(i & j) % 2 ? -1 : 1);
  }
}

// The Hadamard matrix is its own inverse but for its length.
static void walsh_twice_is_the_length_times_the_input(void **state) {
  (void)state;
  enum { LENGTH = 256 };
  int32_t e[LENGTH];
  for (int32_t i = 0; i < LENGTH; i++) e[i] = i * 37 % 101 - 50;
  weir_fastwalsh_reference(e, LENGTH);
  weir_fastwalsh_reference(e, LENGTH);
  for (int32_t i = 0; i < LENGTH; i++) assert_int_equal(e[i], LENGTH * (i * 37 % 101 - 50));
}

// Edges 3 → 0 → 1 → 2 of length 1, all others of length 9.
static void floyd_goes_by_way_of_the_first_nodes_only(void **state) {
  (void)state;
  static const uint32_t after[3][3] = {{1, 9, 9}, {1, 2, 9}, {1, 2, 3}}; // from 3 to 0, 1, 2; after 0, 1, 2 passes
  for (uint32_t passes = 0; passes < 3; passes++) {
    uint32_t d[16], through[16];
    for (uint32_t i = 0; i < 16; i++) {
      d[i] = i / 4 == i % 4 ? 0 : 9;
      through[i] = i / 4;
    }
    d[3 * 4 + 0] = d[0 * 4 + 1] = d[1 * 4 + 2] = 1;
    weir_floyd_reference(d, through, 4, passes);
    assert_memory_equal(&d[3 * 4], after[passes], sizeof after[passes]);
    assert_int_equal(through[3 * 4 + 0], 3);
    assert_int_equal(through[3 * 4 + 1], passes >= 1 ? 0 : 3);
    assert_int_equal(through[3 * 4 + 2], passes >= 2 ? 1 : 3);
  }
}

enum { NODES = 24 };

static uint32_t length_of_way(const uint32_t *edge, const uint32_t *through, uint32_t from, uint32_t to) {
  const uint32_t by = through[from * NODES + to];
  if (by == from) return edge[from * NODES + to];
  return length_of_way(edge, through, from, by) + length_of_way(edge, through, by, to);
}

// Against Bellman and Ford's algorithm; and following `through` gives a way of that length.
static void floyd_finds_the_shortest_ways(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(4, 1);
  uint32_t edge[NODES * NODES], d[NODES * NODES], through[NODES * NODES];
  for (uint32_t i = 0; i < NODES * NODES; i++) {
    edge[i] = i / NODES == i % NODES ? 0 : 1 + (uint32_t)weir_rng_below(&rng, 200);
    through[i] = i / NODES;
  }
  memcpy(d, edge, sizeof d);
  weir_floyd_reference(d, through, NODES, NODES);
  for (uint32_t from = 0; from < NODES; from++) {
    uint32_t best[NODES];
    memcpy(best, &edge[from * NODES], sizeof best);
    for (uint32_t round = 1; round < NODES; round++)
      for (uint32_t i = 0; i < NODES * NODES; i++)
        if (best[i / NODES] + edge[i] < best[i % NODES]) best[i % NODES] = best[i / NODES] + edge[i];
    for (uint32_t to = 0; to < NODES; to++) {
      assert_int_equal(d[from * NODES + to], best[to]);
      assert_int_equal(length_of_way(edge, through, from, to), best[to]);
    }
  }
}

// Hull, Options, Futures, and Other Derivatives, example of the Black-Scholes-Merton formulas: 4.76 and 0.81.
static void price_of_the_textbook_example(void **state) {
  (void)state;
  double call, put;
  weir_blackscholes_reference(
    &(struct weir_option){.price = 42, .strike = 40, .years = 0.5, .rate = 0.1, .volatility = 0.2}, &call, &put);
  assert_near(call, 4.76, 0.005);
  assert_near(put, 0.81, 0.005);
}

// Both rights together are one's share now for the strike price then; without volatility one of them is worth nothing.
static void prices_are_in_parity(void **state) {
  (void)state;
  for (double price = 10; price <= 100; price += 7.5) {
    const struct weir_option o = {.price = price, .strike = 50, .years = 3, .rate = 0.04, .volatility = 0.3};
    struct weir_option sure = o;
    sure.volatility = 1e-4;
    double call, put, least = price - 50 * exp(-0.12);
    weir_blackscholes_reference(&o, &call, &put);
    assert_near(call - put, least, 1e-12);
    assert_true(call > fmax(least, 0) && put > fmax(-least, 0));
    weir_blackscholes_reference(&sure, &call, &put);
    assert_near(call, fmax(least, 0), 1e-9);
    assert_near(put, fmax(-least, 0), 1e-9);
  }
}

static struct weir_app *opened(const char *name, struct weir_sink *sink) {
  const struct weir_app_options options = {.size = WEIR_SIZE_SMALL, .seed = 5, .lanes = 64};
  struct weir_app *a = weir_app_open(name, &options, sink);
  if (!a) weir_sink_print(sink, stderr);
  assert_non_null(a);
  return a;
}

static const struct weir_result *result(struct weir_app *a, const char *name) {
  unsigned count;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &count);
  while (strcmp(r->name, name) != 0) {
    assert_true(--count > 0);
    r++;
  }
  return r;
}

static const float *floats(struct weir_app *a, const char *name) {
  const struct weir_result *r = result(a, name);
  return weir_host_bytes(weir_app_host(a), r->address, r->bytes);
}

// Adding the pivots' rows back, each as often as its multiplier says, gives the matrix and the right side that there
// were, but for the 24 roundings of numbers of at most 2 each.
static void gaussian_can_be_undone(void **state) {
  (void)state;
  enum { N = 640, COLUMNS = 24 };
  struct weir_sink sink = {0};
  struct weir_app *a = opened("gaussian", &sink);
  assert_int_equal(result(a, "matrix")->bytes, N * N * sizeof(float));
  const float *m = floats(a, "matrix"), *right = floats(a, "right");
  float *before = weir_new_array(float, N *N), right_before[N];
  memcpy(before, m, sizeof(float) * N * N);
  memcpy(right_before, right, sizeof right_before);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  for (size_t i = 0; i < N; i++) {
    double sum = (double)right[i];
    for (size_t t = 0; t < COLUMNS && t < i; t++) sum += (double)m[i * N + t] * (double)right[t];
    assert_near(sum, right_before[i], 24 * 0x1p-23);
    for (size_t j = 0; j < N; j++) {
      sum = j < i && j < COLUMNS ? 0 : (double)m[i * N + j];
      for (size_t t = 0; t < COLUMNS && t < i && t <= j; t++) sum += (double)m[i * N + t] * (double)m[t * N + j];
      assert_near(sum, before[i * N + j], 24 * 0x1p-23);
    }
  }
  weir_free(before);
  weir_app_free(a);
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(walsh_of_an_impulse),
    cmocka_unit_test(walsh_twice_is_the_length_times_the_input),
    cmocka_unit_test(floyd_goes_by_way_of_the_first_nodes_only),
    cmocka_unit_test(floyd_finds_the_shortest_ways),
    cmocka_unit_test(price_of_the_textbook_example),
    cmocka_unit_test(prices_are_in_parity),
    cmocka_unit_test(gaussian_can_be_undone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
