// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Graphs as a whole: made, copied, taken apart, and what they consist of.
#include "cudart/graph.h"

static cudaError_t create(cudaGraph_t *graph, unsigned flags) {
  if (!graph || flags) return cudaErrorInvalidValue;
  *graph = weir_cuda_graph_new();
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphCreate, cudaGraph_t *graph, unsigned flags) {
  return WEIR_CUDA_CALL(create(graph, flags));
}

static cudaError_t destroy(cudaGraph_t graph) {
  if (!weir_cuda_graph_is_valid(graph)) return cudaErrorInvalidValue;
  weir_cuda_graph_free(graph);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphDestroy, cudaGraph_t graph) {
  return WEIR_CUDA_CALL(destroy(graph));
}

// CUDA C++ Programming Guide, "Graph Memory Nodes": of a graph that has some, nodes and edges stay.
static cudaError_t destroy_node(cudaGraphNode_t node) {
  if (!weir_cuda_node_is_valid(node)) return cudaErrorInvalidValue;
  if (weir_cuda_graph_has_memory(node->graph)) return cudaErrorNotSupported;
  weir_cuda_node_free(node);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphDestroyNode, cudaGraphNode_t node) {
  return WEIR_CUDA_CALL(destroy_node(node));
}

static cudaError_t clone(cudaGraph_t *copy, cudaGraph_t graph) {
  if (!copy || !weir_cuda_graph_is_valid(graph)) return cudaErrorInvalidValue;
  if (weir_cuda_graph_has_memory(graph) || weir_cuda_graph_has_conditions(graph)) return cudaErrorInvalidValue;
  *copy = weir_cuda_graph_copy(graph);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphClone, cudaGraph_t *copy, cudaGraph_t graph) {
  return WEIR_CUDA_CALL(clone(copy, graph));
}

static cudaError_t create_condition(struct weir_device *d, unsigned long long *handle, cudaGraph_t graph,
                                    unsigned first, unsigned flags) {
  if (!handle || !weir_cuda_graph_is_valid(graph) || flags & ~(unsigned)cudaGraphCondAssignDefault)
    return cudaErrorInvalidValue;
  struct weir_cuda_condition *c = weir_cuda_condition_new(d, first, flags);
  if (!c) return cudaErrorMemoryAllocation;
  weir_cuda_graph_keep_condition(graph, c);
  *handle = c->handle;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphConditionalHandleCreate, unsigned long long *handle, cudaGraph_t graph,
              unsigned first, unsigned flags) {
  return WEIR_CUDA_CALL(create_condition(d, handle, graph, first, flags));
}

static cudaError_t find_in_clone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t copy) {
  if (!node || !weir_cuda_graph_is_valid(copy)) return cudaErrorInvalidValue;
  *node = weir_cuda_node_in(copy, original);
  return *node ? cudaSuccess : cudaErrorInvalidValue;
}

WEIR_CUDA_API(cudaError_t, cudaGraphNodeFindInClone, cudaGraphNode_t *node, cudaGraphNode_t original,
              cudaGraph_t copy) {
  return WEIR_CUDA_CALL(find_in_clone(node, original, copy));
}

// ---- what there is in it ------------------------------------------------------------------------------------------------

// What the calls that list nodes do: no room asked for, their number; else as many as there are, and NULL in the rest.
static cudaError_t list(const struct weir_cuda_nodes *l, cudaGraphNode_t *to, size_t *count) {
  if (!count) return cudaErrorInvalidValue;
  for (size_t i = 0; to && i < *count; i++) to[i] = i < l->count ? l->items[i] : NULL;
  if (!to || *count > l->count) *count = l->count;
  return cudaSuccess;
}

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *to, size_t *count) {
  return weir_cuda_graph_is_valid(graph) ? list(&graph->nodes, to, count) : cudaErrorInvalidValue;
}

WEIR_CUDA_API(cudaError_t, cudaGraphGetNodes, cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return WEIR_CUDA_CALL(list_nodes(graph, nodes, count));
}

static cudaError_t list_roots(cudaGraph_t graph, cudaGraphNode_t *to, size_t *count) {
  if (!weir_cuda_graph_is_valid(graph)) return cudaErrorInvalidValue;
  struct weir_cuda_nodes roots = {0};
  for (size_t i = 0; i < graph->nodes.count; i++)
    if (!graph->nodes.items[i]->after.count) weir_cuda_nodes_add(&roots, graph->nodes.items[i]);
  const cudaError_t e = list(&roots, to, count);
  weir_cuda_nodes_free(&roots);
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaGraphGetRootNodes, cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return WEIR_CUDA_CALL(list_roots(graph, nodes, count));
}

static cudaError_t type_of(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  if (!weir_cuda_node_is_valid(node) || !type) return cudaErrorInvalidValue;
  *type = node->type;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphNodeGetType, cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  return WEIR_CUDA_CALL(type_of(node, type));
}

// ---- edges --------------------------------------------------------------------------------------------------------------

// Since CUDA 13 the calls on edges have a parameter of data more, in front of the number; before, their forms with `_v2` have. Edges have
// no data here: what is asked for is zeros.
enum { EDGE_BYTES = 8 };
static bool have_data(void) {
  return weir_cuda_version >= 13000;
}

static void no_data(void *data, const cudaGraphNode_t *nodes, const size_t *count) {
  for (size_t i = 0; data && nodes && count && i < *count * EDGE_BYTES; i++) ((char *)data)[i] = 0;
}

static cudaError_t list_after(cudaGraphNode_t node, cudaGraphNode_t *to, size_t *count) {
  return weir_cuda_node_is_valid(node) ? list(&node->after, to, count) : cudaErrorInvalidValue;
}

WEIR_CUDA_API(cudaError_t, cudaGraphNodeGetDependencies_v2, cudaGraphNode_t node, cudaGraphNode_t *to, void *data,
              size_t *count) {
  no_data(data, to, count);
  return WEIR_CUDA_CALL(list_after(node, to, count));
}

WEIR_CUDA_API(cudaError_t, cudaGraphNodeGetDependencies, cudaGraphNode_t node, cudaGraphNode_t *to, void *data,
              size_t *count) {
  return have_data() ? cudaGraphNodeGetDependencies_v2(node, to, data, count)
                     : cudaGraphNodeGetDependencies_v2(node, to, NULL, data);
}

static cudaError_t list_dependents(cudaGraphNode_t node, cudaGraphNode_t *to, size_t *count) {
  if (!weir_cuda_node_is_valid(node)) return cudaErrorInvalidValue;
  struct weir_cuda_nodes dependents = {0};
  for (size_t i = 0; i < node->graph->nodes.count; i++) {
    cudaGraphNode_t n = node->graph->nodes.items[i];
    if (weir_cuda_nodes_have(&n->after, node)) weir_cuda_nodes_add(&dependents, n);
  }
  const cudaError_t e = list(&dependents, to, count);
  weir_cuda_nodes_free(&dependents);
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaGraphNodeGetDependentNodes_v2, cudaGraphNode_t node, cudaGraphNode_t *to, void *data,
              size_t *count) {
  no_data(data, to, count);
  return WEIR_CUDA_CALL(list_dependents(node, to, count));
}

WEIR_CUDA_API(cudaError_t, cudaGraphNodeGetDependentNodes, cudaGraphNode_t node, cudaGraphNode_t *to, void *data,
              size_t *count) {
  return have_data() ? cudaGraphNodeGetDependentNodes_v2(node, to, data, count)
                     : cudaGraphNodeGetDependentNodes_v2(node, to, NULL, data);
}

static cudaError_t list_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
  if (!weir_cuda_graph_is_valid(graph) || !count || !from != !to) return cudaErrorInvalidValue;
  size_t n = 0;
  for (size_t i = 0; i < graph->nodes.count; i++)
    for (size_t k = 0; k < graph->nodes.items[i]->after.count; k++, n++) {
      if (!to || n >= *count) continue;
      from[n] = graph->nodes.items[i]->after.items[k];
      to[n] = graph->nodes.items[i];
    }
  for (size_t i = n; to && i < *count; i++) from[i] = to[i] = NULL;
  if (!to || *count > n) *count = n;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphGetEdges_v2, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
              void *data, size_t *count) {
  no_data(data, to, count);
  return WEIR_CUDA_CALL(list_edges(graph, from, to, count));
}

WEIR_CUDA_API(cudaError_t, cudaGraphGetEdges, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *data,
              size_t *count) {
  return have_data() ? cudaGraphGetEdges_v2(graph, from, to, data, count)
                     : cudaGraphGetEdges_v2(graph, from, to, NULL, data);
}

static cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count,
                                bool add) {
  if (!weir_cuda_graph_is_valid(graph) || (count && (!from || !to))) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; i++)
    if (!weir_cuda_node_is_valid(from[i]) || !weir_cuda_node_is_valid(to[i]) || from[i]->graph != graph ||
        to[i]->graph != graph || weir_cuda_nodes_have(&to[i]->after, from[i]) == add)
      return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; i++) {
    if (add)
      weir_cuda_nodes_add(&to[i]->after, from[i]);
    else
      weir_cuda_nodes_drop(&to[i]->after, from[i]);
  }
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddDependencies_v2, cudaGraph_t graph, const cudaGraphNode_t *from,
              const cudaGraphNode_t *to, const void *data, size_t count) {
  (void)data;
  return WEIR_CUDA_CALL(change_edges(graph, from, to, count, true));
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddDependencies, cudaGraph_t graph, const cudaGraphNode_t *from,
              const cudaGraphNode_t *to, const void *data, size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, NULL, have_data() ? count : (uintptr_t)data);
}

WEIR_CUDA_API(cudaError_t, cudaGraphRemoveDependencies_v2, cudaGraph_t graph, const cudaGraphNode_t *from,
              const cudaGraphNode_t *to, const void *data, size_t count) {
  (void)data;
  return WEIR_CUDA_CALL(change_edges(graph, from, to, count, false));
}

WEIR_CUDA_API(cudaError_t, cudaGraphRemoveDependencies, cudaGraph_t graph, const cudaGraphNode_t *from,
              const cudaGraphNode_t *to, const void *data, size_t count) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, NULL, have_data() ? count : (uintptr_t)data);
}
