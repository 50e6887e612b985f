// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a node does, by its kind. An error: it could not be done, and the node does what it did before.
#ifndef WEIR_CUDART_GRAPH_NODE_H
#define WEIR_CUDART_GRAPH_NODE_H

#include "cudart/graph.h"

cudaError_t weir_cuda_node_set_kernel(struct weir_device *d, cudaGraphNode_t n, const struct cudaKernelNodeParams *p);
cudaError_t weir_cuda_node_set_copy(cudaGraphNode_t n, const struct cudaMemcpy3DParms *p);
cudaError_t weir_cuda_node_set_fill(cudaGraphNode_t n, const struct cudaMemsetParams *p);
cudaError_t weir_cuda_node_set_host(cudaGraphNode_t n, const struct cudaHostNodeParams *p);

cudaError_t weir_cuda_node_set_memory(struct weir_device *d, cudaGraphNode_t n, size_t bytes);
cudaError_t weir_cuda_node_set_free(cudaGraphNode_t n, void *pointer);

#endif
