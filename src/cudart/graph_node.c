// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Nodes: added, and what they do told and asked.
#include "cudart/graph_node.h"

#include "cudart/copy.h"
#include "cudart/event.h"

#include "base/alloc.h"

#include <limits.h>

static bool is(cudaGraphNode_t n, enum cudaGraphNodeType type) {
  return weir_cuda_node_is_valid(n) && n->type == type;
}

cudaError_t weir_cuda_node_set_kernel(struct weir_device *d, cudaGraphNode_t n, const struct cudaKernelNodeParams *p) {
  if (!is(n, cudaGraphNodeTypeKernel) || !p) return cudaErrorInvalidValue;
  if (p->extra) {
    weir_device_say("weir takes the arguments of a graph's kernel from kernelParams, not from extra");
    return cudaErrorNotSupported;
  }
  const struct weir_cuda_launch *was = &n->what.kernel,
                                l = {.function = p->func,
                                     .grid = p->gridDim,
                                     .block = p->blockDim,
                                     .shared_bytes = p->sharedMemBytes,
                                     .args = p->kernelParams,
                                     .cooperative = was->cooperative,
                                     .cluster = was->cluster,
                                     .shared_preference = was->shared_preference,
                                     .priority = was->priority,
                                     .window = was->window};
  struct weir_cuda_launch kept;
  const cudaError_t e = weir_cuda_launch_later(d, &l, &kept);
  if (e) return e;
  weir_cuda_node_clear(n);
  n->what.kernel = kept;
  return cudaSuccess;
}

cudaError_t weir_cuda_node_set_copy(cudaGraphNode_t n, const struct cudaMemcpy3DParms *p) {
  enum weir_cuda_side to, from;
  if (!is(n, cudaGraphNodeTypeMemcpy) || !p) return cudaErrorInvalidValue;
  if (!weir_cuda_sides(p->kind, &to, &from)) return cudaErrorInvalidMemcpyDirection;
  if (!p->dstArray == !p->dstPtr.ptr || !p->srcArray == !p->srcPtr.ptr) return cudaErrorInvalidValue;
  n->what.copy = *p;
  return cudaSuccess;
}

cudaError_t weir_cuda_node_set_fill(cudaGraphNode_t n, const struct cudaMemsetParams *p) {
  if (!is(n, cudaGraphNodeTypeMemset) || !p || !p->dst || !p->width || !p->height) return cudaErrorInvalidValue;
  if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) return cudaErrorInvalidValue;
  n->what.fill = *p;
  return cudaSuccess;
}

cudaError_t weir_cuda_node_set_host(cudaGraphNode_t n, const struct cudaHostNodeParams *p) {
  if (!is(n, cudaGraphNodeTypeHost) || !p || !p->fn) return cudaErrorInvalidValue;
  n->what.host = *p;
  return cudaSuccess;
}

cudaError_t weir_cuda_node_set_memory(struct weir_device *d, cudaGraphNode_t n, size_t bytes) {
  if (!bytes) return cudaErrorInvalidValue;
  n->what.memory = weir_cuda_graph_memory_new(d, bytes);
  return n->what.memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Once in each graph.
cudaError_t weir_cuda_node_set_free(cudaGraphNode_t n, void *pointer) {
  if (!weir_cuda_graph_memory_at(pointer)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < n->graph->nodes.count; i++) {
    const struct CUgraphNode_st *other = n->graph->nodes.items[i];
    if (other->type == cudaGraphNodeTypeMemFree && other->what.freed == pointer) return cudaErrorInvalidValue;
  }
  n->what.freed = pointer;
  return cudaSuccess;
}

// ---- added --------------------------------------------------------------------------------------------------------------

// One whose kind of work could not be set is not kept.
static cudaError_t keep_if(cudaError_t e, cudaGraphNode_t *node) {
  if (!e) return e;
  weir_cuda_node_free(*node);
  *node = NULL;
  return e;
}

#define ADD(type, set)                                                                                                 \
  WEIR_CUDA_CALL(({                                                                                                    \
    const cudaError_t added = weir_cuda_node_add(graph, type, after, count, node);                                     \
    added ? added : keep_if(set, node);                                                                                \
  }))

WEIR_CUDA_API(cudaError_t, cudaGraphAddKernelNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, const struct cudaKernelNodeParams *p) {
  return ADD(cudaGraphNodeTypeKernel, weir_cuda_node_set_kernel(d, *node, p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddMemcpyNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, const struct cudaMemcpy3DParms *p) {
  return ADD(cudaGraphNodeTypeMemcpy, weir_cuda_node_set_copy(*node, p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddMemcpyNode1D, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, void *to, const void *from, size_t bytes,
              enum cudaMemcpyKind kind) {
  const struct cudaMemcpy3DParms p = weir_cuda_copy_params(to, from, bytes, kind);
  return ADD(cudaGraphNodeTypeMemcpy, weir_cuda_node_set_copy(*node, &p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddMemsetNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, const struct cudaMemsetParams *p) {
  return ADD(cudaGraphNodeTypeMemset, weir_cuda_node_set_fill(*node, p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddHostNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
              size_t count, const struct cudaHostNodeParams *p) {
  return ADD(cudaGraphNodeTypeHost, weir_cuda_node_set_host(*node, p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddEmptyNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count) {
  return ADD(cudaGraphNodeTypeEmpty, cudaSuccess);
}

static cudaError_t set_child(cudaGraphNode_t n, cudaGraph_t child) {
  if (!weir_cuda_graph_is_valid(child) || child == n->graph) return cudaErrorInvalidValue;
  if (weir_cuda_graph_has_memory(child) || weir_cuda_graph_has_conditions(child)) return cudaErrorNotSupported;
  n->what.child = weir_cuda_graph_copy(child);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddChildGraphNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, cudaGraph_t child) {
  return ADD(cudaGraphNodeTypeGraph, set_child(*node, child));
}

static cudaError_t set_event(cudaGraphNode_t n, cudaEvent_t event) {
  if (!weir_cuda_event_is_valid(event)) return cudaErrorInvalidValue;
  n->what.event = event;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddEventRecordNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, cudaEvent_t event) {
  return ADD(cudaGraphNodeTypeEventRecord, set_event(*node, event));
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddEventWaitNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, cudaEvent_t event) {
  return ADD(cudaGraphNodeTypeWaitEvent, set_event(*node, event));
}

static cudaError_t set_alloc(struct weir_device *d, cudaGraphNode_t n, struct cudaMemAllocNodeParams *p) {
  if (!p || p->poolProps.allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  if (p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.handleTypes) {
    weir_device_say("nodes of weir's graphs allocate device memory, which is not shared between processes");
    return cudaErrorNotSupported;
  }
  const cudaError_t e = weir_cuda_node_set_memory(d, n, p->bytesize);
  p->dptr = e ? NULL : n->what.memory->address;
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddMemAllocNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, struct cudaMemAllocNodeParams *p) {
  return ADD(cudaGraphNodeTypeMemAlloc, set_alloc(d, *node, p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphAddMemFreeNode, cudaGraphNode_t *node, cudaGraph_t graph,
              const cudaGraphNode_t *after, size_t count, void *pointer) {
  return ADD(cudaGraphNodeTypeMemFree, weir_cuda_node_set_free(*node, pointer));
}

// The graphs that it runs are empty yet.
static cudaError_t set_conditional(cudaGraphNode_t n, struct cudaGraphNodeParams *p) {
  const unsigned most[] = {
    [cudaGraphCondTypeIf] = 2, [cudaGraphCondTypeWhile] = 1, [cudaGraphCondTypeSwitch] = UINT_MAX};
  const struct weir_cuda_condition *c = weir_cuda_condition_of(p->conditional.handle);
  const unsigned type = p->conditional.type, count = p->conditional.size;
  if (!c || type > cudaGraphCondTypeSwitch || !count || count > most[type]) return cudaErrorInvalidValue;
  n->what.conditional.condition = c;
  n->what.conditional.type = p->conditional.type;
  n->what.conditional.count = count;
  n->what.conditional.bodies = weir_new_array(cudaGraph_t, count);
  for (unsigned k = 0; k < count; k++) n->what.conditional.bodies[k] = weir_cuda_graph_new();
  p->conditional.phGraph_out = n->what.conditional.bodies;
  return cudaSuccess;
}

static cudaError_t set_any(struct weir_device *d, cudaGraphNode_t n, struct cudaGraphNodeParams *p) {
  switch (p->type) {
  case cudaGraphNodeTypeKernel: return weir_cuda_node_set_kernel(d, n, &p->kernel);
  case cudaGraphNodeTypeMemcpy:
    return p->memcpy.flags ? cudaErrorInvalidValue : weir_cuda_node_set_copy(n, &p->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: return weir_cuda_node_set_fill(n, &p->memset);
  case cudaGraphNodeTypeHost: return weir_cuda_node_set_host(n, &p->host);
  case cudaGraphNodeTypeGraph: return p->graph.ownership ? cudaErrorNotSupported : set_child(n, p->graph.graph);
  case cudaGraphNodeTypeWaitEvent:
  case cudaGraphNodeTypeEventRecord: return set_event(n, p->event.event);
  case cudaGraphNodeTypeMemAlloc: return set_alloc(d, n, &p->alloc);
  case cudaGraphNodeTypeMemFree: return weir_cuda_node_set_free(n, p->free.dptr);
  case cudaGraphNodeTypeConditional: return set_conditional(n, p);
  case cudaGraphNodeTypeEmpty: return cudaSuccess;
  }
  weir_device_say("weir's graphs have no nodes of type %d: none signals semaphores or waits for them", (int)p->type);
  return cudaErrorNotSupported;
}

// Edges have no data here.
WEIR_CUDA_API(cudaError_t, cudaGraphAddNode_v2, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
              const void *edges, size_t count, struct cudaGraphNodeParams *p) {
  (void)edges;
  if (!p) return weir_cuda_error(cudaErrorInvalidValue);
  return ADD(p->type, set_any(d, *node, p));
}

// That is the second form under the name of the first since CUDA 13.
WEIR_CUDA_API(cudaError_t, cudaGraphAddNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
              const void *fourth, size_t fifth, struct cudaGraphNodeParams *sixth) {
  if (weir_cuda_version >= 13000) return cudaGraphAddNode_v2(node, graph, after, fourth, fifth, sixth);
  return cudaGraphAddNode_v2(node, graph, after, NULL, (uintptr_t)fourth, (struct cudaGraphNodeParams *)fifth);
}

// ---- told anew, and asked -----------------------------------------------------------------------------------------------

WEIR_CUDA_API(cudaError_t, cudaGraphKernelNodeSetParams, cudaGraphNode_t n, const struct cudaKernelNodeParams *p) {
  return WEIR_CUDA_CALL(weir_cuda_node_set_kernel(d, n, p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphMemcpyNodeSetParams, cudaGraphNode_t n, const struct cudaMemcpy3DParms *p) {
  return WEIR_CUDA_CALL(weir_cuda_node_set_copy(n, p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphMemcpyNodeSetParams1D, cudaGraphNode_t n, void *to, const void *from, size_t bytes,
              enum cudaMemcpyKind kind) {
  const struct cudaMemcpy3DParms p = weir_cuda_copy_params(to, from, bytes, kind);
  return WEIR_CUDA_CALL(weir_cuda_node_set_copy(n, &p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphMemsetNodeSetParams, cudaGraphNode_t n, const struct cudaMemsetParams *p) {
  return WEIR_CUDA_CALL(weir_cuda_node_set_fill(n, p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphHostNodeSetParams, cudaGraphNode_t n, const struct cudaHostNodeParams *p) {
  return WEIR_CUDA_CALL(weir_cuda_node_set_host(n, p));
}

// Sets *p to an expression of the node `n`, which is of that kind.
#define ASK(kind, expression)                                                                                          \
  WEIR_CUDA_CALL(({                                                                                                    \
    cudaError_t asked_ = cudaErrorInvalidValue;                                                                        \
    if (is(n, kind) && p) {                                                                                            \
      *p = (expression);                                                                                               \
      asked_ = cudaSuccess;                                                                                            \
    }                                                                                                                  \
    asked_;                                                                                                            \
  }))

WEIR_CUDA_API(cudaError_t, cudaGraphKernelNodeGetParams, cudaGraphNode_t n, struct cudaKernelNodeParams *p) {
  return ASK(cudaGraphNodeTypeKernel,
             ((struct cudaKernelNodeParams){(void *)(uintptr_t)n->what.kernel.function, n->what.kernel.grid,
                                            n->what.kernel.block, (unsigned)n->what.kernel.shared_bytes,
                                            n->what.kernel.args, NULL}));
}

WEIR_CUDA_API(cudaError_t, cudaGraphMemcpyNodeGetParams, cudaGraphNode_t n, struct cudaMemcpy3DParms *p) {
  return ASK(cudaGraphNodeTypeMemcpy, n->what.copy);
}

WEIR_CUDA_API(cudaError_t, cudaGraphMemsetNodeGetParams, cudaGraphNode_t n, struct cudaMemsetParams *p) {
  return ASK(cudaGraphNodeTypeMemset, n->what.fill);
}

WEIR_CUDA_API(cudaError_t, cudaGraphHostNodeGetParams, cudaGraphNode_t n, struct cudaHostNodeParams *p) {
  return ASK(cudaGraphNodeTypeHost, n->what.host);
}

WEIR_CUDA_API(cudaError_t, cudaGraphChildGraphNodeGetGraph, cudaGraphNode_t n, cudaGraph_t *p) {
  return ASK(cudaGraphNodeTypeGraph, n->what.child);
}

WEIR_CUDA_API(cudaError_t, cudaGraphEventRecordNodeGetEvent, cudaGraphNode_t n, cudaEvent_t *p) {
  return ASK(cudaGraphNodeTypeEventRecord, n->what.event);
}

WEIR_CUDA_API(cudaError_t, cudaGraphEventWaitNodeGetEvent, cudaGraphNode_t n, cudaEvent_t *p) {
  return ASK(cudaGraphNodeTypeWaitEvent, n->what.event);
}

WEIR_CUDA_API(cudaError_t, cudaGraphMemAllocNodeGetParams, cudaGraphNode_t n, struct cudaMemAllocNodeParams *p) {
  return ASK(cudaGraphNodeTypeMemAlloc,
             ((struct cudaMemAllocNodeParams){
               .poolProps = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}},
               .bytesize = n->what.memory->bytes,
               .dptr = n->what.memory->address}));
}

WEIR_CUDA_API(cudaError_t, cudaGraphMemFreeNodeGetParams, cudaGraphNode_t n, void **p) {
  return ASK(cudaGraphNodeTypeMemFree, n->what.freed);
}
