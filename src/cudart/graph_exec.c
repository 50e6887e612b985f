// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Executable graphs. A launch is an item of its stream: its nodes follow what this was given before, each the nodes that it has an edge
// from and nothing else, and what the stream is given later follows them all. Two launches of one executable graph follow one another.
#include "cudart/capture.h"
#include "cudart/copy3d.h"
#include "cudart/event.h"
#include "cudart/graph_node.h"
#include "cudart/host_call.h"
#include "cudart/memory.h"
#include "cudart/set.h"
#include "cudart/stream.h"

#include "base/alloc.h"

struct CUgraphExec_st {
  cudaGraph_t graph; // a copy, in order
  unsigned long long flags;
  struct weir_item *last; // of its last launch
};

static struct weir_cuda_set execs;

static bool is_valid(cudaGraphExec_t x) {
  return weir_cuda_set_find(&execs, x) != NULL;
}

// ---- made and destroyed -------------------------------------------------------------------------------------------------

static bool is_sound(const struct CUgraph_st *body);

// CUDA Runtime API, struct cudaConditionalNodeParams: what bodies of conditional nodes may hold.
static bool bodies_are_sound(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->nodes.count; i++) {
    const struct CUgraphNode_st *n = g->nodes.items[i];
    for (unsigned k = 0; n->type == cudaGraphNodeTypeConditional && k < n->what.conditional.count; k++)
      if (!is_sound(n->what.conditional.bodies[k])) return false;
  }
  return true;
}

static bool is_sound(const struct CUgraph_st *body) {
  for (size_t i = 0; i < body->nodes.count; i++) {
    const struct CUgraphNode_st *n = body->nodes.items[i];
    const bool known = n->type <= cudaGraphNodeTypeMemset || n->type == cudaGraphNodeTypeEmpty ||
      n->type == cudaGraphNodeTypeGraph || n->type == cudaGraphNodeTypeConditional;
    if (!known || (n->type == cudaGraphNodeTypeGraph && !is_sound(n->what.child))) return false;
  }
  return bodies_are_sound(body);
}

static cudaError_t instantiate(cudaGraphExec_t *x, cudaGraph_t graph, unsigned long long flags) {
  if (!x || !weir_cuda_graph_is_valid(graph)) return cudaErrorInvalidValue;
  if (flags &
      ~(unsigned long long)(cudaGraphInstantiateFlagAutoFree | cudaGraphInstantiateFlagUpload |
                            cudaGraphInstantiateFlagUseNodePriority)) {
    weir_device_say("weir launches graphs from the host alone");
    return cudaErrorNotSupported;
  }
  if (!bodies_are_sound(graph)) {
    weir_device_say(
      "what a conditional node runs has a node that does not set memory, copy it, run a kernel or hold others");
    return cudaErrorInvalidValue;
  }
  cudaGraph_t copy = weir_cuda_graph_copy(graph);
  if (!weir_cuda_graph_sort(copy)) {
    weir_device_say("a graph has a circle of nodes that wait for one another");
    weir_cuda_graph_free(copy);
    return cudaErrorInvalidValue;
  }
  *x = weir_new(struct CUgraphExec_st);
  **x = (struct CUgraphExec_st){.graph = copy, .flags = flags};
  weir_cuda_set_add(&execs, *x, *x);
  return cudaSuccess;
}

// Until CUDA 11 the third argument was a place for a node at fault.
WEIR_CUDA_API(cudaError_t, cudaGraphInstantiate, cudaGraphExec_t *x, cudaGraph_t graph, uintptr_t flags) {
  return WEIR_CUDA_CALL(instantiate(x, graph, weir_cuda_version < 12000 ? 0 : flags));
}

WEIR_CUDA_API(cudaError_t, cudaGraphInstantiateWithFlags, cudaGraphExec_t *x, cudaGraph_t graph,
              unsigned long long flags) {
  return WEIR_CUDA_CALL(instantiate(x, graph, flags));
}

static void release(void *exec) {
  cudaGraphExec_t x = exec;
  weir_item_release(x->last);
  if (weir_cuda_graph_is_valid(x->graph)) weir_cuda_graph_free(x->graph); // else all graphs were forgotten
  weir_free(x);
}

static cudaError_t destroy(cudaGraphExec_t x) {
  if (!weir_cuda_set_remove(&execs, x)) return cudaErrorInvalidValue;
  release(x);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphExecDestroy, cudaGraphExec_t x) {
  return WEIR_CUDA_CALL(destroy(x));
}

void weir_cuda_forget_graph_execs(void) {
  weir_cuda_set_clear(&execs, release);
}

static cudaError_t flags_of(cudaGraphExec_t x, unsigned long long *flags) {
  if (!is_valid(x) || !flags) return cudaErrorInvalidValue;
  *flags = x->flags;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphExecGetFlags, cudaGraphExec_t x, unsigned long long *flags) {
  return WEIR_CUDA_CALL(flags_of(x, flags));
}

// ---- launched -----------------------------------------------------------------------------------------------------------

static cudaError_t call_host(const struct cudaHostNodeParams *h, cudaStream_t launched_in) {
  struct weir_cuda_host_call c = {
    .function = h->fn, .data = h->userData, .call = "cudaGraphLaunch", .stream_id = weir_cuda_stream_id(launched_in)};
  weir_device_unlock();
  weir_cuda_call_host(&c);
  weir_device_lock();
  return cudaSuccess;
}

static cudaError_t fill(struct weir_device *d, const struct cudaMemsetParams *f, cudaStream_t s) {
  const struct weir_cuda_box box = {f->dst, WEIR_CUDA_DEVICE, f->pitch, f->pitch * f->height};
  const struct cudaExtent bytes = {f->width * f->elementSize, f->height, 1};
  return weir_cuda_fill_box(d, "cudaGraphLaunch", &box, f->value, f->elementSize, bytes, s);
}

struct launching {
  struct weir_device *d;
  cudaStream_t stream;
  bool own_priorities;
};

static cudaError_t run(const struct launching *l, cudaGraphNode_t n, cudaStream_t s) {
  if (n->disabled) return cudaSuccess;
  switch (n->type) {
  case cudaGraphNodeTypeKernel: {
    struct weir_cuda_launch launch = n->what.kernel;
    if (!l->own_priorities) launch.priority = NULL;
    return weir_cuda_launch(l->d, &launch, s);
  }
  case cudaGraphNodeTypeMemcpy: return weir_cuda_copy3d(l->d, "cudaGraphLaunch", &n->what.copy, s);
  case cudaGraphNodeTypeMemset: return fill(l->d, &n->what.fill, s);
  case cudaGraphNodeTypeHost: return call_host(&n->what.host, l->stream);
  case cudaGraphNodeTypeWaitEvent: return weir_cuda_event_wait(l->d, s, n->what.event, 0);
  case cudaGraphNodeTypeEventRecord: return weir_cuda_event_record(l->d, n->what.event, s, 0);
  case cudaGraphNodeTypeMemAlloc:
    return weir_cuda_graph_memory_allocate(n->what.memory) ? cudaSuccess : cudaErrorInvalidValue;
  case cudaGraphNodeTypeMemFree: return weir_cuda_release(l->d, "cudaGraphLaunch", n->what.freed);
  case cudaGraphNodeTypeEmpty:
  case cudaGraphNodeTypeConditional: // run_bodies
  case cudaGraphNodeTypeGraph: break;
  }
  return cudaSuccess;
}

// The line follows what the node follows.
static void follow(struct weir_timeline *t, struct weir_stream *line, const struct CUgraphNode_st *n,
                   struct weir_item *begin) {
  if (!n->after.count) weir_timeline_wait(t, line, begin);
  for (size_t i = 0; i < n->after.count; i++) weir_timeline_wait(t, line, n->after.items[i]->done);
}

static cudaError_t run_graph(const struct launching *l, cudaGraph_t g, struct weir_item *begin, struct weir_item **end);

// The node is done when all of that graph is.
static cudaError_t run_behind(const struct launching *l, cudaGraphNode_t n, cudaGraph_t g) {
  struct weir_item *from = n->done;
  const cudaError_t e = run_graph(l, g, from, &n->done);
  weir_item_release(from);
  return e;
}

// What the condition's value, when the launch comes to the node, says.
static cudaError_t run_bodies(const struct launching *l, cudaGraphNode_t n) {
  const __typeof__(n->what.conditional) *w = &n->what.conditional;
  const uint32_t value = weir_cuda_condition_value(w->condition);
  cudaError_t e = cudaSuccess;
  switch (w->type) {
  case cudaGraphCondTypeIf:
    if (value || w->count > 1) e = run_behind(l, n, w->bodies[!value]);
    break;
  case cudaGraphCondTypeWhile:
    while (!e && weir_cuda_condition_value(w->condition)) e = run_behind(l, n, w->bodies[0]);
    break;
  case cudaGraphCondTypeSwitch:
    if (value < w->count) e = run_behind(l, n, w->bodies[value]);
  }
  return e;
}

// *end: what follows all its nodes, to be released.
static cudaError_t run_graph(const struct launching *l, cudaGraph_t g, struct weir_item *begin,
                             struct weir_item **end) {
  struct weir_timeline *t = weir_device_timeline(l->d);
  cudaError_t e = cudaSuccess;
  size_t done = 0;
  for (; done < g->nodes.count && !e; done++) {
    cudaGraphNode_t n = g->nodes.items[done];
    cudaStream_t s = weir_cuda_open_node_stream(l->stream);
    if (t) follow(t, weir_cuda_stream_line(s), n, begin);
    e = run(l, n, s);
    n->done = weir_cuda_close_node_stream();
    if (!e && n->type == cudaGraphNodeTypeGraph && !n->disabled) e = run_behind(l, n, n->what.child);
    if (!e && n->type == cudaGraphNodeTypeConditional) e = run_bodies(l, n);
  }
  struct weir_stream all = {.kind = WEIR_STREAM_NON_BLOCKING};
  if (t && !g->nodes.count) weir_timeline_wait(t, &all, begin);
  for (size_t i = 0; i < done; i++) {
    if (t) weir_timeline_wait(t, &all, g->nodes.items[i]->done);
    weir_item_release(g->nodes.items[i]->done);
    g->nodes.items[i]->done = NULL;
  }
  *end = all.last;
  return e;
}

// What a launch allocated and nothing freed: the next one fails, or frees it.
static cudaError_t allocate_anew(cudaGraphExec_t x) {
  for (size_t i = 0; i < x->graph->nodes.count; i++) {
    const struct CUgraphNode_st *n = x->graph->nodes.items[i];
    if (n->type != cudaGraphNodeTypeMemAlloc || !n->what.memory->allocated) continue;
    if (x->flags & cudaGraphInstantiateFlagAutoFree) {
      weir_cuda_graph_memory_free(n->what.memory);
      continue;
    }
    weir_device_say("cudaGraphLaunch: memory that an earlier launch of the graph allocated has not been freed");
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

static cudaError_t launch(struct weir_device *d, cudaGraphExec_t x, cudaStream_t stream) {
  struct weir_timeline *t = weir_device_timeline(d);
  const struct launching l = {d, stream, x && is_valid(x) && x->flags & cudaGraphInstantiateFlagUseNodePriority};
  cudaGraphNode_t node;
  if (!is_valid(x)) return cudaErrorInvalidValue;
  cudaError_t e = weir_cuda_capture(stream, cudaGraphNodeTypeGraph, &node);
  if (!e && !node) e = allocate_anew(x);
  for (unsigned k = 0; !e && !node && k < x->graph->condition_count; k++)
    weir_cuda_condition_begin(x->graph->conditions[k]);
  if (node) node->what.child = weir_cuda_graph_copy(x->graph);
  if (e || node) return e;
  struct weir_stream *line = weir_cuda_stream_line(stream);
  if (t) weir_timeline_wait(t, line, x->last);
  struct weir_item *begin = t ? weir_item_hold(weir_timeline_place(t, line, WEIR_ENGINE_NONE, 0)) : NULL, *end;
  e = run_graph(&l, x->graph, begin, &end);
  weir_item_release(begin);
  weir_item_release(x->last);
  x->last = end;
  if (t) weir_timeline_wait(t, line, end);
  return e;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaGraphLaunch, (cudaGraphExec_t x, cudaStream_t stream), (x, stream)) {
  return WEIR_CUDA_CALL(launch(d, x, stream));
}

// There is nothing to prepare.
static cudaError_t upload(cudaGraphExec_t x, cudaStream_t stream) {
  return is_valid(x) && weir_cuda_stream_is_valid(stream) ? cudaSuccess : cudaErrorInvalidValue;
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaGraphUpload, (cudaGraphExec_t x, cudaStream_t stream), (x, stream)) {
  return WEIR_CUDA_CALL(upload(x, stream));
}

// ---- changed ------------------------------------------------------------------------------------------------------------

// The node of the executable graph by the one that it was made of; NULL: there is none.
static cudaGraphNode_t own(cudaGraphExec_t x, cudaGraphNode_t n) {
  return is_valid(x) ? weir_cuda_node_in(x->graph, n) : NULL;
}

WEIR_CUDA_API(cudaError_t, cudaGraphExecKernelNodeSetParams, cudaGraphExec_t x, cudaGraphNode_t n,
              const struct cudaKernelNodeParams *p) {
  return WEIR_CUDA_CALL(weir_cuda_node_set_kernel(d, own(x, n), p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphExecMemcpyNodeSetParams, cudaGraphExec_t x, cudaGraphNode_t n,
              const struct cudaMemcpy3DParms *p) {
  return WEIR_CUDA_CALL(weir_cuda_node_set_copy(own(x, n), p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphExecMemcpyNodeSetParams1D, cudaGraphExec_t x, cudaGraphNode_t n, void *to,
              const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  const struct cudaMemcpy3DParms p = weir_cuda_copy_params(to, from, bytes, kind);
  return WEIR_CUDA_CALL(weir_cuda_node_set_copy(own(x, n), &p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphExecMemsetNodeSetParams, cudaGraphExec_t x, cudaGraphNode_t n,
              const struct cudaMemsetParams *p) {
  return WEIR_CUDA_CALL(weir_cuda_node_set_fill(own(x, n), p));
}

WEIR_CUDA_API(cudaError_t, cudaGraphExecHostNodeSetParams, cudaGraphExec_t x, cudaGraphNode_t n,
              const struct cudaHostNodeParams *p) {
  return WEIR_CUDA_CALL(weir_cuda_node_set_host(own(x, n), p));
}

static cudaError_t set_enabled(cudaGraphNode_t n, unsigned enabled) {
  if (!n || n->type > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
  n->disabled = !enabled;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphNodeSetEnabled, cudaGraphExec_t x, cudaGraphNode_t n, unsigned enabled) {
  return WEIR_CUDA_CALL(set_enabled(own(x, n), enabled));
}

static cudaError_t get_enabled(const struct CUgraphNode_st *n, unsigned *enabled) {
  if (!n || !enabled) return cudaErrorInvalidValue;
  *enabled = !n->disabled;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaGraphNodeGetEnabled, cudaGraphExec_t x, cudaGraphNode_t n, unsigned *enabled) {
  return WEIR_CUDA_CALL(get_enabled(own(x, n), enabled));
}

// ---- updated from another graph -----------------------------------------------------------------------------------------

static bool follow_alike(const struct CUgraphNode_st *a, const struct CUgraphNode_st *b) {
  if (a->after.count != b->after.count) return false;
  for (size_t i = 0; i < a->after.count; i++)
    if (a->after.items[i]->index != b->after.items[i]->index) return false;
  return true;
}

// Of graphs in order.
static enum cudaGraphExecUpdateResult compare(cudaGraph_t a, cudaGraph_t b, cudaGraphExecUpdateResultInfo *info) {
  if (a->nodes.count != b->nodes.count) return cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < a->nodes.count; i++) {
    const struct CUgraphNode_st *m = a->nodes.items[i], *n = b->nodes.items[i];
    info->errorNode = (cudaGraphNode_t)(uintptr_t)n->origin;
    if (m->type != n->type) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (!follow_alike(m, n)) return cudaGraphExecUpdateErrorTopologyChanged;
    if (m->type != cudaGraphNodeTypeGraph) continue;
    const enum cudaGraphExecUpdateResult r = compare(m->what.child, n->what.child, info);
    if (r) return r;
  }
  info->errorNode = NULL;
  return cudaGraphExecUpdateSuccess;
}

// The two exchange what their nodes do; the handles by which each is known stay.
static void exchange(cudaGraph_t a, cudaGraph_t b) {
  for (size_t i = 0; i < a->nodes.count; i++) {
    cudaGraphNode_t m = a->nodes.items[i], n = b->nodes.items[i];
    if (m->type == cudaGraphNodeTypeGraph) {
      exchange(m->what.child, n->what.child);
      continue;
    }
    const __typeof__(m->what) was = m->what;
    m->what = n->what;
    n->what = was;
  }
}

static cudaError_t update(cudaGraphExec_t x, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  if (!is_valid(x) || !weir_cuda_graph_is_valid(graph)) return cudaErrorInvalidValue;
  cudaGraph_t copy = weir_cuda_graph_copy(graph);
  *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateErrorTopologyChanged};
  if (weir_cuda_graph_sort(copy)) info->result = compare(x->graph, copy, info);
  if (!info->result) exchange(x->graph, copy);
  weir_cuda_graph_free(copy);
  return info->result ? cudaErrorGraphExecUpdateFailure : cudaSuccess;
}

// Until CUDA 11 the node at fault and the result had a place each.
WEIR_CUDA_API(cudaError_t, cudaGraphExecUpdate, cudaGraphExec_t x, cudaGraph_t graph, void *to,
              enum cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info = {0};
  const cudaError_t e = WEIR_CUDA_CALL(update(x, graph, &info));
  if (weir_cuda_version >= 12000) {
    if (to) *(cudaGraphExecUpdateResultInfo *)to = info;
    return e;
  }
  if (to) *(cudaGraphNode_t *)to = info.errorNode;
  if (result) *result = info.result;
  return e;
}
