// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Graphs: what a program wants done, and in which order, without doing it. Invariant: a node follows nodes of its own graph; handles are
// looked up before they are followed; what a node is told of a launch, its arguments included, is its own copy.
#ifndef WEIR_CUDART_GRAPH_H
#define WEIR_CUDART_GRAPH_H

#include "cudart/graph_condition.h"
#include "cudart/graph_memory.h"
#include "cudart/launch.h"

struct weir_cuda_nodes {
  cudaGraphNode_t *items;
  size_t count, capacity;
};

struct CUgraphNode_st {
  cudaGraph_t graph;
  enum cudaGraphNodeType type;
  struct weir_cuda_nodes after; // what it follows
  union {
    struct weir_cuda_launch kernel;
    struct cudaMemcpy3DParms copy;
    struct cudaMemsetParams fill;
    struct cudaHostNodeParams host;
    cudaGraph_t child;                     // its own
    cudaEvent_t event;                     // recorded, or waited for
    struct weir_cuda_graph_memory *memory; // allocated
    void *freed;
    struct {
      const struct weir_cuda_condition *condition;
      enum cudaGraphConditionalNodeType type;
      unsigned count;
      cudaGraph_t *bodies; // its own
    } conditional;
  } what;
  const struct CUgraphNode_st *origin; // of a node of a copy: what it is a copy of
  size_t index;                        // in its graph, while that is copied or brought into order
  bool disabled, marked;
  struct weir_item *done; // while its graph is launched
};

struct CUgraph_st {
  struct weir_cuda_nodes
    nodes; // in the order in which they were added; of an executable graph, in one that their edges allow
  struct weir_cuda_condition **conditions;
  unsigned condition_count, condition_capacity;
};

cudaGraph_t weir_cuda_graph_new(void);
void weir_cuda_graph_free(cudaGraph_t g);
cudaGraph_t weir_cuda_graph_copy(cudaGraph_t g);
bool weir_cuda_graph_is_valid(cudaGraph_t g);
bool weir_cuda_graph_has_memory(const struct CUgraph_st *g); // nodes that allocate it or free it
bool weir_cuda_graph_has_conditions(const struct CUgraph_st *g);
void weir_cuda_graph_keep_condition(cudaGraph_t g, struct weir_cuda_condition *c);
bool weir_cuda_node_is_valid(cudaGraphNode_t n);

// A node that does nothing yet. cudaErrorInvalidValue: those that it is to follow are not all of this graph.
cudaError_t weir_cuda_node_add(cudaGraph_t g, enum cudaGraphNodeType type, const cudaGraphNode_t *after, size_t count,
                               cudaGraphNode_t *node);
void weir_cuda_node_free(cudaGraphNode_t n);
void weir_cuda_node_clear(cudaGraphNode_t n); // what it does is given back
// That of a copy of a graph; NULL: none.
cudaGraphNode_t weir_cuda_node_in(cudaGraph_t copy, const struct CUgraphNode_st *origin);

void weir_cuda_nodes_add(struct weir_cuda_nodes *l, cudaGraphNode_t n); // unless it is there
bool weir_cuda_nodes_have(const struct weir_cuda_nodes *l, const struct CUgraphNode_st *n);
void weir_cuda_nodes_drop(struct weir_cuda_nodes *l, const struct CUgraphNode_st *n);
void weir_cuda_nodes_free(struct weir_cuda_nodes *l);

// Brings the nodes, and those of its child graphs, into an order in which each comes behind what it follows. False: there is a circle.
bool weir_cuda_graph_sort(cudaGraph_t g);

// What a capturing stream and an event that was recorded in one know of the capture.
struct weir_cuda_capturing {
  struct weir_cuda_capture *of; // NULL: it does not capture
  struct weir_cuda_nodes ends;  // that its next node follows
};
struct weir_cuda_captured {
  unsigned long long id; // of the capture; 0: the event was last recorded in no such stream
  struct weir_cuda_nodes ends;
};

#endif
