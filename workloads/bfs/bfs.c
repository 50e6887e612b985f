// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "bfs/bfs.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/file.h"

#include <string.h>

enum { BLOCK = 256 };

struct weir_graph *weir_bfs_random(uint32_t nodes, struct weir_rng *rng) {
  enum { FEWEST = 2, MOST = 4 };
  struct weir_graph *g = weir_new(struct weir_graph);
  g->rows = g->columns = nodes;
  g->start = weir_new_array(uint32_t, nodes + 1);
  g->column = weir_new_array(uint32_t, (size_t)nodes * MOST);
  for (uint32_t r = 0; r < nodes; r++) {
    uint64_t degree = FEWEST + weir_rng_below(rng, MOST - FEWEST + 1);
    for (; degree; degree--) g->column[g->entries++] = (uint32_t)weir_rng_below(rng, nodes);
    g->start[r + 1] = g->entries;
  }
  return g;
}

// With a queue, node by node.
static uint32_t *search(const struct weir_graph *g, uint32_t source) {
  uint32_t *distance = weir_new_array(uint32_t, g->rows), *queue = weir_new_array(uint32_t, g->rows);
  size_t head = 0, tail = 0;
  memset(distance, 0xFF, g->rows * sizeof *distance);
  distance[source] = 0;
  queue[tail++] = source;
  while (head < tail) {
    uint32_t node = queue[head++];
    for (uint32_t i = g->start[node]; i < g->start[node + 1]; i++) {
      uint32_t neighbour = g->column[i];
      if (distance[neighbour] != UINT32_MAX) continue;
      distance[neighbour] = distance[node] + 1;
      queue[tail++] = neighbour;
    }
  }
  weir_free(queue);
  return distance;
}

static void upload_graph(struct weir_host *h, struct weir_bfs *s, const struct weir_graph *g) {
  struct node {
    uint32_t first, count;
  } *nodes = weir_new_array(struct node, g->rows);
  for (uint32_t r = 0; r < g->rows; r++) nodes[r] = (struct node){g->start[r], g->start[r + 1] - g->start[r]};
  s->nodes = weir_host_upload(h, "nodes", nodes, g->rows * sizeof *nodes);
  s->edges = weir_host_upload(h, "edges", g->column, g->entries * sizeof *g->column);
  weir_free(nodes);
}

// A byte per node, 1 at the source.
static uint64_t upload_mask(struct weir_host *h, const char *name, const struct weir_bfs *s) {
  uint64_t address = weir_host_alloc(h, name, s->count);
  memset(weir_host_bytes(h, address + s->source, 1), 1, 1);
  weir_host_wrote(h, address, s->count);
  return address;
}

static void upload_distance(struct weir_host *h, struct weir_bfs *s) {
  uint64_t bytes = s->count * sizeof(uint32_t);
  s->distance = weir_host_alloc(h, "distance", bytes);
  uint32_t *distance = weir_host_bytes(h, s->distance, bytes);
  memset(distance, 0xFF, bytes);
  distance[s->source] = 0;
  weir_host_wrote(h, s->distance, bytes);
  weir_host_result(h, "distance", s->distance, bytes);
}

static void set_up_undirected(struct weir_host *h, struct weir_bfs *s, const struct weir_graph *g) {
  s->count = g->rows;
  while (g->start[s->source + 1] == 0) s->source++; // the first node with an edge
  upload_graph(h, s, g);
  s->frontier = upload_mask(h, "frontier", s);
  s->reached = weir_host_alloc(h, "reached", s->count);
  s->visited = upload_mask(h, "visited", s);
  upload_distance(h, s);
  s->more = weir_host_alloc(h, "more", 1);
  s->want = search(g, s->source);
}

static bool set_up(struct weir_host *h, struct weir_bfs *s, const struct weir_graph *g, const char *path) {
  struct weir_sink *sink = weir_host_sink(h);
  struct weir_graph *both = weir_graph_undirected(g, path, sink);
  bool ok = both &&
    (both->entries ||
     weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "the graph has no edge between two nodes"));
  if (ok) set_up_undirected(h, s, both);
  weir_graph_free(both);
  return ok;
}

bool weir_bfs_set_up_random(struct weir_host *h, struct weir_bfs *s, uint32_t nodes, uint64_t seed) {
  struct weir_rng rng = weir_rng_seed(seed, 3);
  struct weir_graph *g = weir_bfs_random(nodes, &rng);
  bool ok = set_up(h, s, g, "random graph");
  weir_graph_free(g);
  return ok;
}

static bool set_up_file(struct weir_host *h, struct weir_bfs *s, const char *path) {
  struct weir_graph *g = weir_graph_read(path, weir_host_sink(h));
  bool ok = g && set_up(h, s, g, path);
  weir_graph_free(g);
  return ok;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  if (input) return set_up_file(h, state, input);
  if (size == WEIR_SIZE_PAPER) return weir_bfs_set_up_random(h, state, WEIR_BFS_PAPER_NODES, seed);
  char *bundled = weir_data_path("workloads/data/debian12-depends.mtx.gz");
  bool ok = set_up_file(h, state, bundled ? bundled : "workloads/data/debian12-depends.mtx.gz");
  weir_free(bundled);
  return ok;
}

bool weir_bfs_run(struct weir_host *h, void *state) {
  struct weir_bfs *s = state;
  struct weir_dim grid = {(uint32_t)weir_div_up(s->count, BLOCK), 1, 1}, block = {BLOCK, 1, 1};
  for (uint8_t more = 1; more;) {
    more = 0;
    weir_host_write(h, s->more, &more, 1);
    if (!weir_launch_args(h, "bfs_expand", grid, block, WEIR_ARG(s->nodes), WEIR_ARG(s->edges), WEIR_ARG(s->frontier),
                          WEIR_ARG(s->reached), WEIR_ARG(s->visited), WEIR_ARG(s->distance), WEIR_ARG(s->count)) ||
        !weir_launch_args(h, "bfs_advance", grid, block, WEIR_ARG(s->frontier), WEIR_ARG(s->reached),
                          WEIR_ARG(s->visited), WEIR_ARG(s->more), WEIR_ARG(s->count)))
      return false;
    weir_host_read(h, &more, s->more, 1);
  }
  return true;
}

bool weir_bfs_check(struct weir_host *h, void *state) {
  struct weir_bfs *s = state;
  return weir_check_u32(h, "distance", weir_host_bytes(h, s->distance, s->count * sizeof(uint32_t)), s->want, s->count);
}

void weir_bfs_release(void *state) {
  weir_free(((struct weir_bfs *)state)->want);
}

const struct weir_workload weir_workload_bfs = {
  .name = "bfs",
  .summary = "breadth-first search, two kernels per level, one node per work-item",
  .citation = "Rodinia bfs (Che et al., IISWC 2009); Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "Debian 12's dependency graph, 63436 nodes, edges in both directions",
  .paper_text = "random graph of 1000000 nodes and about 6 edges each, as Rodinia generates it",
  .input_help = "a graph: Matrix Market, DIMACS .gr or SNAP edge list, plain or gzipped; every edge counts both ways",
  .state_bytes = sizeof(struct weir_bfs),
  .prepare = prepare,
  .run = weir_bfs_run,
  .check = weir_bfs_check,
  .release = weir_bfs_release,
};
