// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "floyd/floyd.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "footprint.h"

enum { GROUP = 8, VECTOR = 4, MATRICES = 2, LONGEST = 200 }; // the longest edge

struct floyd {
  uint32_t nodes, passes;
  uint64_t distance, through; // device addresses
  uint32_t *want_distance, *want_through;
};

static void one_pass(uint32_t *distance, uint32_t *through, uint32_t nodes, uint32_t pass) {
  for (size_t from = 0; from < nodes; from++)
    for (size_t to = 0; to < nodes; to++) {
      const uint32_t detour = distance[from * nodes + pass] + distance[(size_t)pass * nodes + to];
      if (detour >= distance[from * nodes + to]) continue;
      distance[from * nodes + to] = detour;
      through[from * nodes + to] = pass;
    }
}

void weir_floyd_reference(uint32_t *distance, uint32_t *through, uint32_t nodes, uint32_t passes) {
  for (uint32_t pass = 0; pass < passes; pass++) one_pass(distance, through, nodes, pass);
}

// An edge between any two nodes, which comes from the node that it leaves.
static void make_graph(uint32_t *distance, uint32_t *through, uint32_t nodes, struct weir_rng *rng) {
  for (uint32_t from = 0; from < nodes; from++)
    for (uint32_t to = 0; to < nodes; to++) {
      distance[from * nodes + to] = from == to ? 0 : 1 + (uint32_t)weir_rng_below(rng, LONGEST);
      through[from * nodes + to] = from;
    }
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct floyd *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  const uint32_t kib = weir_host_shape(h).footprint_kib;
  *s =
    size == WEIR_SIZE_SMALL ? (struct floyd){.nodes = 512, .passes = 20} : (struct floyd){.nodes = 1024, .passes = 128};
  if (kib) s->nodes = weir_square_side(h, "floyd", kib, MATRICES, GROUP * VECTOR);
  if (!s->nodes) return false;
  if (s->passes > s->nodes) s->passes = s->nodes;
  uint64_t count = (uint64_t)s->nodes * s->nodes, bytes = count * sizeof(uint32_t);
  s->want_distance = weir_new_array(uint32_t, count);
  s->want_through = weir_new_array(uint32_t, count);
  make_graph(s->want_distance, s->want_through, s->nodes, &rng);
  s->distance = weir_host_upload(h, "distance", s->want_distance, bytes);
  s->through = weir_host_upload(h, "through", s->want_through, bytes);
  weir_host_result(h, "distance", s->distance, bytes);
  weir_host_result(h, "through", s->through, bytes);
  weir_floyd_reference(s->want_distance, s->want_through, s->nodes, s->passes);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct floyd *s = state;
  const uint32_t width = s->nodes / VECTOR;
  for (uint32_t pass = 0; pass < s->passes; pass++)
    if (!weir_launch_args(h, "floyd_pass", ((struct weir_dim){width / GROUP, s->nodes / GROUP, 1}),
                          ((struct weir_dim){GROUP, GROUP, 1}), WEIR_ARG(s->distance), WEIR_ARG(s->through),
                          WEIR_ARG(width), WEIR_ARG(pass)))
      return false;
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct floyd *s = state;
  uint64_t count = (uint64_t)s->nodes * s->nodes, bytes = count * sizeof(uint32_t);
  return weir_check_u32(h, "distance", weir_host_bytes(h, s->distance, bytes), s->want_distance, count) &&
    weir_check_u32(h, "through", weir_host_bytes(h, s->through, bytes), s->want_through, count);
}

static void release(void *state) {
  struct floyd *s = state;
  weir_free(s->want_distance);
  weir_free(s->want_through);
}

const struct weir_workload weir_workload_floyd = {
  .name = "floyd",
  .summary = "Floyd-Warshall: shortest ways between all pairs of nodes, one pass over the matrix per node",
  .citation = "AMD APP SDK FloydWarshall; Holey et al., TACO 2014, Table III",
  .small_text = "512 nodes, ways through the first 20",
  .paper_text = "1024 nodes, ways through the first 128",
  .takes = WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct floyd),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
