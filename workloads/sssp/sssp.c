// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sssp/sssp.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <inttypes.h>
#include <math.h>

enum { BLOCK = 128 };

static bool compute_reference(struct weir_host *h, struct weir_sssp *s, const struct weir_graph *g, uint32_t source,
                              const char *path) {
  uint64_t *distance = weir_new_array(uint64_t, g->rows), longest = 0;
  weir_sssp_reference(g, source, distance);
  s->want = weir_new_array(uint32_t, g->rows);
  for (uint32_t i = 0; i < g->rows; i++) {
    bool reached = distance[i] != UINT64_MAX;
    s->want[i] = reached ? (uint32_t)distance[i] : WEIR_SSSP_FAR;
    if (reached && distance[i] > longest) longest = distance[i];
  }
  weir_free(distance);
  return longest < WEIR_SSSP_FAR ||
    weir_fail(weir_host_sink(h), (struct weir_place){path, NULL, 0, 0},
              "the longest of the shortest paths measures %" PRIu64 ", but distances have 31 bits", longest);
}

static void upload_graph(struct weir_host *h, struct weir_sssp *s, const struct weir_graph *g) {
  uint64_t nodes = g->rows * sizeof(uint32_t), edges = g->entries * sizeof(uint32_t);
  uint32_t *degree = weir_new_array(uint32_t, g->rows), *weight = weir_new_array(uint32_t, g->entries);
  for (uint32_t r = 0; r < g->rows; r++) degree[r] = g->start[r + 1] - g->start[r];
  for (uint32_t i = 0; i < g->entries; i++) weight[i] = (uint32_t)g->value[i];
  s->degree = weir_host_upload(h, "degree", degree, nodes);
  s->first = weir_host_upload(h, "first", g->start, nodes);
  s->target = weir_host_upload(h, "target", g->column, edges);
  s->weight = weir_host_upload(h, "weight", weight, edges);
  weir_free(degree);
  weir_free(weight);
}

bool weir_sssp_set_up(struct weir_host *h, struct weir_sssp *s, const struct weir_graph *g, uint32_t source,
                      const char *path) {
  uint64_t bytes = g->rows * sizeof(uint32_t);
  s->count = g->rows;
  upload_graph(h, s, g);
  s->distance = weir_host_alloc(h, "distance", bytes);
  uint32_t *distance = weir_host_bytes(h, s->distance, bytes);
  for (uint32_t i = 0; i < s->count; i++) distance[i] = i == source ? 0 : WEIR_SSSP_FAR;
  weir_host_wrote(h, s->distance, bytes);
  weir_host_result(h, "distance", s->distance, bytes);
  s->changed = weir_host_alloc(h, "changed", sizeof(uint32_t));
  return compute_reference(h, s, g, source, path);
}

bool weir_sssp_run(struct weir_host *h, void *state) {
  struct weir_sssp *s = state;
  struct weir_dim grid = {(uint32_t)weir_div_up(s->count, BLOCK), 1, 1}, block = {BLOCK, 1, 1};
  for (uint32_t changed = 1; changed;) {
    changed = 0;
    weir_host_write(h, s->changed, &changed, sizeof changed);
    if (!weir_launch_args(h, "sssp_relax", grid, block, WEIR_ARG(s->degree), WEIR_ARG(s->first), WEIR_ARG(s->target),
                          WEIR_ARG(s->weight), WEIR_ARG(s->distance), WEIR_ARG(s->changed), WEIR_ARG(s->count)))
      return false;
    weir_host_read(h, &changed, s->changed, sizeof changed);
  }
  return true;
}

bool weir_sssp_check(struct weir_host *h, void *state) {
  struct weir_sssp *s = state;
  return weir_check_u32(h, "distance", weir_host_bytes(h, s->distance, s->count * sizeof(uint32_t)), s->want, s->count);
}

void weir_sssp_release(void *state) {
  weir_free(((struct weir_sssp *)state)->want);
}

// A pattern's edges weigh 1. Values come as single-precision numbers, which are exact up to 2²⁴.
static bool check_weights(struct weir_graph *g, const char *path, struct weir_sink *sink) {
  const struct weir_place place = {path, NULL, 0, 0};
  if (g->rows != g->columns)
    return weir_fail(sink, place, "a graph's matrix is square, but this one is %u × %u", g->rows, g->columns);
  if (!g->entries) return weir_fail(sink, place, "the graph has no edge");
  bool pattern = !g->value;
  if (pattern) g->value = weir_new_array(float, g->entries);
  for (uint32_t i = 0; i < g->entries; i++) {
    if (pattern) g->value[i] = 1;
    if (!(g->value[i] >= 0 && g->value[i] <= 0x1p24f && g->value[i] == truncf(g->value[i])))
      return weir_fail(sink, place, "an edge weighs %g; weights are whole numbers from 0 to 2^24", (double)g->value[i]);
  }
  return true;
}

// The first node with an edge is the source.
static bool set_up_file(struct weir_host *h, struct weir_sssp *s, const char *path) {
  struct weir_graph *g = weir_graph_read(path, weir_host_sink(h));
  bool ok = g && check_weights(g, path, weir_host_sink(h));
  uint32_t source = 0;
  while (ok && g->start[source + 1] == 0) source++;
  ok = ok && weir_sssp_set_up(h, s, g, source, path);
  weir_graph_free(g);
  return ok;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  if (input) return set_up_file(h, state, input);
  struct weir_rng rng = weir_rng_seed(seed, 7);
  bool small = size == WEIR_SIZE_SMALL;
  uint32_t centre;
  struct weir_graph *g = weir_sssp_road(small ? 96 : 256, small ? 64 : 256, &rng, &centre);
  bool ok = weir_sssp_set_up(h, state, g, centre, "sssp");
  weir_graph_free(g);
  return ok;
}

const struct weir_workload weir_workload_sssp = {
  .name = "sssp",
  .summary = "single-source shortest paths, Bellman-Ford in place, every node relaxed in every round; roads",
  .citation = "LonestarGPU sssp (Burtscher et al., IISWC 2012); Zhao et al., Table I",
  .small_text = "generated road map of 96 × 64 crossings, about 3 roads each",
  .paper_text = "generated road map of 256 × 256 crossings, about 3 roads each",
  .input_help = "a directed graph: DIMACS .gr, Matrix Market or SNAP edge list, plain or gzipped; weights are whole",
  .state_bytes = sizeof(struct weir_sssp),
  .prepare = prepare,
  .run = weir_sssp_run,
  .check = weir_sssp_check,
  .release = weir_sssp_release,
};
