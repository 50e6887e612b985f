// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Memory that nodes of graphs allocate. Invariant: it has its address, and its place in the device's memory, from the node's making until no
// graph has the node and nobody has it allocated; a launch allocates it, and a node, or a call, frees it.
#ifndef WEIR_CUDART_GRAPH_MEMORY_H
#define WEIR_CUDART_GRAPH_MEMORY_H

#include "cudart/runtime.h"

struct weir_cuda_graph_memory {
  struct weir_device *device;
  void *address;
  size_t bytes;
  unsigned nodes; // of graphs and executable graphs
  bool allocated;
};

// For one node. NULL: the device has not that much left.
struct weir_cuda_graph_memory *weir_cuda_graph_memory_new(struct weir_device *d, size_t bytes);
void weir_cuda_graph_memory_hold(struct weir_cuda_graph_memory *m);
void weir_cuda_graph_memory_release(struct weir_cuda_graph_memory *m);

// A launch comes to its node. False: it is still allocated.
bool weir_cuda_graph_memory_allocate(struct weir_cuda_graph_memory *m);

// What begins there; NULL: nothing of a graph's.
struct weir_cuda_graph_memory *weir_cuda_graph_memory_at(const void *address);
// False: it is not allocated. It may be gone afterwards.
bool weir_cuda_graph_memory_free(struct weir_cuda_graph_memory *m);

#endif
