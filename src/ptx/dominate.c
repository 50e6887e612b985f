// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", TOPLAS 1979, with path compression
// alone. For post-dominators the graph is turned round: its root is the exit. O(edges * log blocks) however the graph is
// made, which the simpler iterative method does not promise for hostile input. Nodes are named by their number in
// depth-first order.
#include "ptx/dominate.h"

#include "base/alloc.h"

enum { NONE = 0 }; // the root's number; no other node has it

struct graph {
  const struct weir_cfg *cfg;
  bool forward;                // from the entry on, else from the exit back
  uint32_t nodes;              // blocks and the exit
  uint32_t *into, *into_first; // predecessors of node b: into[into_first[b] .. into_first[b + 1])
  bool *leads_out;             // has an edge to the exit that the program has not: of an endless loop
  uint32_t *number, *node;     // node → number (UINT32_MAX: not reached), and back
  uint32_t *parent;            // the rest: by number
  uint32_t *semi, *label, *ancestor, *dominator;
  uint32_t *bucket, *bucket_next; // nodes by their semidominator
  uint32_t *stack;
  uint32_t reached;
};

static void list_predecessors(struct graph *g) {
  const struct weir_cfg *cfg = g->cfg;
  for (uint32_t b = 0; b < cfg->block_count; b++)
    for (uint32_t i = 0; i < cfg->blocks[b].next_count; i++) g->into_first[cfg->blocks[b].next[i] + 1]++;
  for (uint32_t n = 0; n < g->nodes; n++) g->into_first[n + 1] += g->into_first[n];
  g->into = weir_new_array(uint32_t, g->into_first[g->nodes]);
  uint32_t *fill = weir_new_array(uint32_t, g->nodes);
  for (uint32_t b = 0; b < cfg->block_count; b++)
    for (uint32_t i = 0; i < cfg->blocks[b].next_count; i++) {
      uint32_t to = cfg->blocks[b].next[i];
      g->into[g->into_first[to] + fill[to]++] = b;
    }
  weir_free(fill);
}

static void reach(struct graph *g, uint32_t node, uint32_t parent) {
  g->number[node] = g->reached;
  g->node[g->reached] = node;
  g->parent[g->reached] = parent;
  g->reached++;
}

// The edges along which nodes are numbered, and those against it.
static uint32_t edges(const struct graph *g, uint32_t node, bool along, const uint32_t **to) {
  if (along != g->forward) {
    *to = g->into + g->into_first[node];
    return g->into_first[node + 1] - g->into_first[node];
  }
  if (node == g->nodes - 1) return 0; // the exit
  *to = g->cfg->blocks[node].next;
  return g->cfg->blocks[node].next_count;
}

// Depth first from a node already reached; `cursor` holds how far each node's edges are done.
static void search(struct graph *g, uint32_t node, uint32_t *cursor) {
  uint32_t depth = 0;
  g->stack[depth++] = node;
  while (depth) {
    const uint32_t *next = NULL;
    uint32_t at = g->stack[depth - 1];
    if (cursor[at] == edges(g, at, true, &next)) {
      depth--;
      continue;
    }
    uint32_t to = next[cursor[at]++];
    if (g->number[to] != UINT32_MAX) continue;
    reach(g, to, g->number[at]);
    g->stack[depth++] = to;
  }
}

// Numbers the nodes: forward those that the entry leads to, backward all. Blocks from which nothing leads to the exit are
// taken last first, so that a loop's end is.
static void number_nodes(struct graph *g) {
  uint32_t *cursor = weir_new_array(uint32_t, g->nodes), exit = g->nodes - 1, root = g->forward ? 0 : exit;
  for (uint32_t n = 0; n < g->nodes; n++) g->number[n] = UINT32_MAX;
  reach(g, root, NONE);
  search(g, root, cursor);
  for (uint32_t b = g->forward ? 0 : exit; b--;)
    if (g->number[b] == UINT32_MAX) {
      g->leads_out[b] = true;
      reach(g, b, NONE);
      search(g, b, cursor);
    }
  weir_free(cursor);
}

// The node of least semidominator on the way from v up to the root of its tree in the forest.
static uint32_t evaluate(struct graph *g, uint32_t v) {
  uint32_t depth = 0;
  for (uint32_t u = v; g->ancestor[u] != UINT32_MAX && g->ancestor[g->ancestor[u]] != UINT32_MAX; u = g->ancestor[u])
    g->stack[depth++] = u;
  while (depth) {
    uint32_t u = g->stack[--depth], a = g->ancestor[u];
    if (g->semi[g->label[a]] < g->semi[g->label[u]]) g->label[u] = g->label[a];
    g->ancestor[u] = g->ancestor[a];
  }
  return g->label[v];
}

static void relax(struct graph *g, uint32_t w, uint32_t v) {
  uint32_t least = g->semi[evaluate(g, v)];
  if (least < g->semi[w]) g->semi[w] = least;
}

static void find_semidominator(struct graph *g, uint32_t w) {
  const uint32_t *from = NULL;
  const uint32_t count = edges(g, g->node[w], false, &from);
  for (uint32_t i = 0; i < count; i++)
    if (g->number[from[i]] != UINT32_MAX) relax(g, w, g->number[from[i]]);
  if (g->leads_out[g->node[w]]) relax(g, w, NONE);
}

static void dominate(struct graph *g) {
  for (uint32_t w = g->reached; --w;) {
    find_semidominator(g, w);
    g->bucket_next[w] = g->bucket[g->semi[w]];
    g->bucket[g->semi[w]] = w;
    uint32_t parent = g->parent[w];
    g->ancestor[w] = parent;
    for (uint32_t v = g->bucket[parent]; v; v = g->bucket_next[v]) {
      uint32_t u = evaluate(g, v);
      g->dominator[v] = g->semi[u] < g->semi[v] ? u : parent;
    }
    g->bucket[parent] = NONE;
  }
  for (uint32_t w = 1; w < g->reached; w++)
    if (g->dominator[w] != g->semi[w]) g->dominator[w] = g->dominator[g->dominator[w]];
}

static struct graph new_graph(struct weir_arena *arena, const struct weir_cfg *cfg, bool forward) {
  struct graph g = {.cfg = cfg, .forward = forward, .nodes = cfg->block_count + 1};
  uint32_t **arrays[] = {&g.number,   &g.node,      &g.parent, &g.semi,        &g.label,
                         &g.ancestor, &g.dominator, &g.bucket, &g.bucket_next, &g.stack};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = weir_arena_array(arena, uint32_t, g.nodes);
  g.into_first = weir_arena_array(arena, uint32_t, g.nodes + 1);
  g.leads_out = weir_arena_array(arena, bool, g.nodes);
  for (uint32_t n = 0; n < g.nodes; n++) g.semi[n] = g.label[n] = n, g.ancestor[n] = UINT32_MAX;
  return g;
}

static void find_dominators(struct graph *g, struct weir_arena *arena, const struct weir_cfg *cfg, bool forward) {
  *g = new_graph(arena, cfg, forward);
  list_predecessors(g);
  number_nodes(g);
  dominate(g);
}

void weir_cfg_post_dominate(struct weir_cfg *cfg) {
  struct weir_arena arena = {0};
  struct graph g;
  find_dominators(&g, &arena, cfg, false);
  for (uint32_t w = 1; w < g.reached; w++) cfg->blocks[g.node[w]].post_dominator = g.node[g.dominator[w]];
  weir_free(g.into);
  weir_arena_free(&arena);
}

void weir_cfg_dominate(const struct weir_cfg *cfg, uint32_t *dominator) {
  struct weir_arena arena = {0};
  struct graph g;
  for (uint32_t b = 0; b < cfg->block_count; b++) dominator[b] = WEIR_CFG_EXIT;
  if (!cfg->block_count) return;
  find_dominators(&g, &arena, cfg, true);
  dominator[0] = 0;
  for (uint32_t w = 1; w < g.reached; w++)
    if (g.node[w] < cfg->block_count) dominator[g.node[w]] = g.node[g.dominator[w]];
  weir_free(g.into);
  weir_arena_free(&arena);
}
