// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/graph.h"

#include "cudart/set.h"

#include "base/alloc.h"

#include <string.h>

static struct weir_cuda_set graphs, nodes;

bool weir_cuda_graph_is_valid(cudaGraph_t g) {
  return weir_cuda_set_find(&graphs, g) != NULL;
}

bool weir_cuda_node_is_valid(cudaGraphNode_t n) {
  return weir_cuda_set_find(&nodes, n) != NULL;
}

// ---- lists of nodes -----------------------------------------------------------------------------------------------------

bool weir_cuda_nodes_have(const struct weir_cuda_nodes *l, const struct CUgraphNode_st *n) {
  for (size_t i = 0; i < l->count; i++)
    if (l->items[i] == n) return true;
  return false;
}

void weir_cuda_nodes_add(struct weir_cuda_nodes *l, cudaGraphNode_t n) {
  if (!weir_cuda_nodes_have(l, n)) *weir_push(l->items, l->count, l->capacity) = n;
}

void weir_cuda_nodes_drop(struct weir_cuda_nodes *l, const struct CUgraphNode_st *n) {
  size_t kept = 0;
  for (size_t i = 0; i < l->count; i++)
    if (l->items[i] != n) l->items[kept++] = l->items[i];
  l->count = kept;
}

void weir_cuda_nodes_free(struct weir_cuda_nodes *l) {
  weir_free(l->items);
  *l = (struct weir_cuda_nodes){0};
}

// ---- nodes --------------------------------------------------------------------------------------------------------------

cudaError_t weir_cuda_node_add(cudaGraph_t g, enum cudaGraphNodeType type, const cudaGraphNode_t *after, size_t count,
                               cudaGraphNode_t *node) {
  if (!weir_cuda_graph_is_valid(g) || !node || (count && !after)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; i++)
    if (!weir_cuda_node_is_valid(after[i]) || after[i]->graph != g) return cudaErrorInvalidValue;
  cudaGraphNode_t n = weir_new(struct CUgraphNode_st);
  n->graph = g;
  n->type = type;
  for (size_t i = 0; i < count; i++) weir_cuda_nodes_add(&n->after, after[i]);
  *weir_push(g->nodes.items, g->nodes.count, g->nodes.capacity) = n;
  weir_cuda_set_add(&nodes, n, n);
  *node = n;
  return cudaSuccess;
}

void weir_cuda_node_clear(cudaGraphNode_t n) {
  if (n->type == cudaGraphNodeTypeKernel) weir_free(n->what.kernel.args);
  if (n->type == cudaGraphNodeTypeGraph && n->what.child) weir_cuda_graph_free(n->what.child);
  if (n->type == cudaGraphNodeTypeMemAlloc && n->what.memory) weir_cuda_graph_memory_release(n->what.memory);
  for (unsigned k = 0; n->type == cudaGraphNodeTypeConditional && k < n->what.conditional.count; k++)
    if (n->what.conditional.bodies[k]) weir_cuda_graph_free(n->what.conditional.bodies[k]);
  if (n->type == cudaGraphNodeTypeConditional) weir_free(n->what.conditional.bodies);
  memset(&n->what, 0, sizeof n->what);
}

void weir_cuda_node_free(cudaGraphNode_t n) {
  for (size_t i = 0; i < n->graph->nodes.count; i++) weir_cuda_nodes_drop(&n->graph->nodes.items[i]->after, n);
  weir_cuda_nodes_drop(&n->graph->nodes, n);
  weir_cuda_node_clear(n);
  weir_cuda_nodes_free(&n->after);
  weir_cuda_set_remove(&nodes, n);
  weir_free(n);
}

// ---- graphs -------------------------------------------------------------------------------------------------------------

cudaGraph_t weir_cuda_graph_new(void) {
  cudaGraph_t g = weir_new(struct CUgraph_st);
  weir_cuda_set_add(&graphs, g, g);
  return g;
}

void weir_cuda_graph_free(cudaGraph_t g) {
  for (size_t i = 0; i < g->nodes.count; i++) {
    cudaGraphNode_t n = g->nodes.items[i];
    weir_cuda_node_clear(n);
    weir_cuda_nodes_free(&n->after);
    weir_cuda_set_remove(&nodes, n);
    weir_free(n);
  }
  weir_cuda_nodes_free(&g->nodes);
  for (unsigned k = 0; k < g->condition_count; k++) weir_cuda_condition_release(g->conditions[k]);
  weir_free(g->conditions);
  weir_cuda_set_remove(&graphs, g);
  weir_free(g);
}

// Child graphs are among the others.
static void forget(void *graph) {
  cudaGraph_t g = graph;
  for (size_t i = 0; i < g->nodes.count; i++) {
    cudaGraphNode_t n = g->nodes.items[i];
    if (n->type == cudaGraphNodeTypeGraph) n->what.child = NULL;
    for (unsigned k = 0; n->type == cudaGraphNodeTypeConditional && k < n->what.conditional.count; k++)
      n->what.conditional.bodies[k] = NULL;
  }
  weir_cuda_graph_free(g);
}

void weir_cuda_forget_graphs(void) {
  weir_cuda_set_clear(&graphs, forget);
}

static void copy_what(cudaGraphNode_t to, const struct CUgraphNode_st *from) {
  to->what = from->what;
  if (from->type == cudaGraphNodeTypeKernel)
    to->what.kernel = weir_cuda_launch_keep(&from->what.kernel, from->what.kernel.kernel);
  if (from->type == cudaGraphNodeTypeMemAlloc) weir_cuda_graph_memory_hold(from->what.memory);
  if (from->type == cudaGraphNodeTypeGraph) to->what.child = weir_cuda_graph_copy(from->what.child);
  if (from->type != cudaGraphNodeTypeConditional) return;
  to->what.conditional.bodies = weir_new_array(cudaGraph_t, from->what.conditional.count);
  for (unsigned k = 0; k < from->what.conditional.count; k++)
    to->what.conditional.bodies[k] = weir_cuda_graph_copy(from->what.conditional.bodies[k]);
}

void weir_cuda_graph_keep_condition(cudaGraph_t g, struct weir_cuda_condition *c) {
  *weir_push(g->conditions, g->condition_count, g->condition_capacity) = c;
}

cudaGraph_t weir_cuda_graph_copy(cudaGraph_t g) {
  cudaGraph_t copy = weir_cuda_graph_new();
  for (unsigned k = 0; k < g->condition_count; k++) {
    weir_cuda_condition_hold(g->conditions[k]);
    weir_cuda_graph_keep_condition(copy, g->conditions[k]);
  }
  for (size_t i = 0; i < g->nodes.count; i++) {
    cudaGraphNode_t n = g->nodes.items[i], own;
    n->index = i;
    weir_cuda_node_add(copy, n->type, NULL, 0, &own);
    own->origin = n;
    own->disabled = n->disabled;
    copy_what(own, n);
  }
  for (size_t i = 0; i < g->nodes.count; i++)
    for (size_t k = 0; k < g->nodes.items[i]->after.count; k++)
      weir_cuda_nodes_add(&copy->nodes.items[i]->after, copy->nodes.items[g->nodes.items[i]->after.items[k]->index]);
  return copy;
}

bool weir_cuda_graph_has_memory(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->nodes.count; i++)
    if (g->nodes.items[i]->type == cudaGraphNodeTypeMemAlloc || g->nodes.items[i]->type == cudaGraphNodeTypeMemFree)
      return true;
  return false;
}

bool weir_cuda_graph_has_conditions(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->nodes.count; i++)
    if (g->nodes.items[i]->type == cudaGraphNodeTypeConditional) return true;
  return false;
}

cudaGraphNode_t weir_cuda_node_in(cudaGraph_t copy, const struct CUgraphNode_st *origin) {
  for (size_t i = 0; i < copy->nodes.count; i++)
    if (copy->nodes.items[i]->origin == origin) return copy->nodes.items[i];
  return NULL;
}

static bool all_marked(const struct weir_cuda_nodes *l) {
  for (size_t i = 0; i < l->count; i++)
    if (!l->items[i]->marked) return false;
  return true;
}

// Nearly always each node was added behind what it follows, and one pass takes them all.
bool weir_cuda_graph_sort(cudaGraph_t g) {
  struct weir_cuda_nodes sorted = {0};
  for (size_t i = 0; i < g->nodes.count; i++) g->nodes.items[i]->marked = false;
  for (size_t before = SIZE_MAX; before != sorted.count && sorted.count < g->nodes.count;) {
    before = sorted.count;
    for (size_t i = 0; i < g->nodes.count; i++) {
      cudaGraphNode_t n = g->nodes.items[i];
      if (n->marked || !all_marked(&n->after)) continue;
      n->marked = true;
      n->index = sorted.count;
      *weir_push(sorted.items, sorted.count, sorted.capacity) = n;
    }
  }
  const bool whole = sorted.count == g->nodes.count;
  if (whole && sorted.count) memcpy(g->nodes.items, sorted.items, sorted.count * sizeof *sorted.items);
  weir_cuda_nodes_free(&sorted);
  for (size_t i = 0; whole && i < g->nodes.count; i++) {
    cudaGraphNode_t n = g->nodes.items[i];
    if (n->type == cudaGraphNodeTypeGraph && !weir_cuda_graph_sort(n->what.child)) return false;
    for (unsigned k = 0; n->type == cudaGraphNodeTypeConditional && k < n->what.conditional.count; k++)
      if (!weir_cuda_graph_sort(n->what.conditional.bodies[k])) return false;
  }
  return whole;
}
