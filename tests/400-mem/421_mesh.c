// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The mesh: ways and waiting by hand, and what holds of any traffic.
#include "mem_test.h"

#include "base/rng.h"
#include "mem/network.h"

enum { HOP = 2 };

// 3 columns, 2 rows:  0 1 2   A port at each node, of the node's number.
//                     3 4 5
static struct weir_mesh_params three_by_two(void) {
  struct weir_mesh_params p = {.columns = 3, .rows = 2, .hop_cycles = HOP};
  for (uint8_t n = 0; n < 6; n++) p.input_node[n] = p.output_node[n] = n;
  return p;
}

static void test_ways(void **state) {
  (void)state;
  const struct weir_mesh_params p = three_by_two();
  struct weir_mesh m = {0};
  assert_int_equal(weir_mesh_carry(&m, &p, 0, 0, 1, 100), 100);           // at home
  assert_int_equal(weir_mesh_carry(&m, &p, 0, 5, 1, 200), 200 + 3 * HOP); // east, east, south
  assert_int_equal(weir_mesh_carry(&m, &p, 5, 0, 4, 300),
                   300 + 3 * HOP + 3); // west, west, north; three more flits behind
  assert_int_equal(weir_mesh_carry(&m, &p, 4, 1, 1, 400), 400 + HOP);
}

static void test_waiting(void **state) {
  (void)state;
  const struct weir_mesh_params p = three_by_two();
  struct weir_mesh m = {0};
  // 0 to 2 takes the links 0-1 from 10 to 13 and 1-2 from 12 to 15, the port from 14 on
  assert_int_equal(weir_mesh_carry(&m, &p, 0, 2, 3, 10), 10 + 2 * HOP + 2);
  // 1 to 5 by the link 1-2 then waits for cycle 15, and its way south is free
  assert_int_equal(weir_mesh_carry(&m, &p, 1, 5, 3, 10), 15 + 2 * HOP + 2);
  // 4 to 2 goes by 4-5 and 5-2, and meets the first one at the port, which is taken until 17
  assert_int_equal(weir_mesh_carry(&m, &p, 4, 2, 1, 10), 17);
  // the other direction of a link is another link
  assert_int_equal(weir_mesh_carry(&m, &p, 2, 1, 3, 12), 12 + HOP + 2);
}

static unsigned distance(const struct weir_mesh_params *p, unsigned a, unsigned b) {
  const int across = (int)(a % p->columns) - (int)(b % p->columns),
            along = (int)(a / p->columns) - (int)(b / p->columns);
  return (unsigned)(abs(across) + abs(along));
}

// One port takes one flit per cycle, in the order of entering; nothing is faster than its way is long; and a link between
// the halves of the mesh carries no more than a flit per cycle.
static void test_any_traffic(void **state) {
  (void)state;
  struct weir_mesh_params p = {.columns = 4, .rows = 4, .hop_cycles = 3};
  for (uint8_t n = 0; n < 16; n++) p.input_node[n] = p.output_node[n] = n;
  struct weir_mesh m = {0};
  struct weir_rng rng = weir_rng_seed(5, 5);
  weir_cycle now = 1000, last[16] = {0}, latest = 0;
  uint64_t crossing = 0;
  for (unsigned k = 0; k < 20000; k++) {
    const uint32_t from = (uint32_t)weir_rng_below(&rng, 16), to = (uint32_t)weir_rng_below(&rng, 16);
    const uint32_t flits = 1 + (uint32_t)weir_rng_below(&rng, 5);
    now += weir_rng_below(&rng, 2);
    const weir_cycle when = weir_mesh_carry(&m, &p, from, to, flits, now);
    assert_true(when >= now + 3 * distance(&p, from, to) + flits - 1);
    assert_true(when >= last[to] + flits);
    last[to] = when;
    if (from % 4 < 2 && to % 4 >= 2) crossing += flits;
    if (when > latest) latest = when;
  }
  assert_true(latest - 1000 >= crossing / 4); // four links go east between the second and the third column
}

// In a network: a packet that waits for a link in the mesh holds up neither its own port nor others.
static uint32_t route(const void *context, const struct weir_mreq *r) {
  (void)context;
  return r->slice;
}

static void arrives(void *context, uint32_t output, weir_cycle when) {
  ((weir_cycle *)context)[output] = when;
}

static void test_network(void **state) {
  (void)state;
  struct weir_mreq_pool pool = {0};
  struct weir_network *n = calloc(1, sizeof *n);
  assert_non_null(n);
  const struct weir_network_params p = {.inputs = 6,
                                        .outputs = 6,
                                        .flit_bytes = 32,
                                        .header_bytes = 8,
                                        .latency_cycles = 1,
                                        .input_flits = 64,
                                        .output_packets = 8,
                                        .flits_per_input = 1,
                                        .flits_per_output = 1,
                                        .mesh = three_by_two()};
  weir_network_init(n, &p, route, NULL);
  static const uint8_t ways[][2] = {{0, 2}, {1, 5}, {3, 4}};
  for (unsigned k = 0; k < 3; k++) { // of 88 bytes: three flits
    struct weir_mreq *r = weir_mreq_new(&pool);
    *r = (struct weir_mreq){.kind = WEIR_MREQ_STORE, .bytes = 80, .slice = ways[k][1], .mshr = WEIR_NO_MSHR};
    weir_network_send(n, ways[k][0], r);
  }
  weir_cycle when[6] = {0};
  assert_int_equal(weir_network_tick(n, 10, arrives, when), WEIR_NEVER);
  // all enter in cycle 11; outputs are served in their order: 0 to 2 first, 3 to 4, then 1 to 5 behind the first one
  assert_int_equal(when[2], 11 + 2 * HOP + 2);
  assert_int_equal(when[4], 11 + HOP + 2);
  assert_int_equal(when[5], (11 + HOP + 3) + 2 * HOP + 2);
  for (unsigned k = 0; k < 3; k++) {
    assert_null(weir_network_peek(n, ways[k][1], when[ways[k][1]] - 1));
    assert_non_null(weir_network_peek(n, ways[k][1], when[ways[k][1]]));
  }
  weir_mreq_pool_free(&pool);
  weir_network_free(n);
  free(n);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways), cmocka_unit_test(test_waiting),
                                     cmocka_unit_test(test_any_traffic), cmocka_unit_test(test_network)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
