// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Conditional nodes of graphs (CUDA C++ Programming Guide, "Conditional Graph Nodes"), whose values device code sets. nvcc compiles such code
// separately alone (-rdc=true), so that this is for clang.
#include <cuda_runtime.h>

#include "check.h"

static int *sum, *left;
static cudaStream_t s;

__global__ void add(int *to, int more) {
  *to += more;
}

__global__ void set(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}

__global__ void count_down(cudaGraphConditionalHandle handle, int *n) {
  cudaGraphSetConditional(handle, --*n > 0);
}

static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t after, void *function, void **arguments) {
  cudaGraphNode_t n;
  cudaKernelNodeParams p = {function, dim3(1), dim3(1), 0, arguments, nullptr};
  OK(cudaGraphAddKernelNode(&n, g, &after, after ? 1 : 0, &p));
  return n;
}

static cudaGraphNode_t adds(cudaGraph_t g, cudaGraphNode_t after, int more) {
  void *arguments[] = {&sum, &more};
  return kernel(g, after, (void *)add, arguments);
}

static cudaError_t conditional(cudaGraph_t g, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                               cudaGraphConditionalNodeType type, unsigned count, cudaGraph_t **bodies,
                               cudaGraphNode_t *node) {
  cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = count;
  const cudaError_t e = cudaGraphAddNode(node, g, &after, nullptr, after ? 1 : 0, &p);
  *bodies = p.conditional.phGraph_out;
  return e;
}

static int read(const int *at) {
  int value;
  OK(cudaMemcpy(&value, at, 4, cudaMemcpyDeviceToHost));
  return value;
}

static int launched(cudaGraphExec_t x) {
  OK(cudaMemset(sum, 0, 4));
  OK(cudaGraphLaunch(x, s));
  return read(sum);
}

// The value that the graph's first node sets decides; 1000 is added behind what was run.
static cudaGraphExec_t choice(cudaGraphConditionalNodeType type, unsigned count, unsigned value) {
  cudaGraph_t g, *bodies;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  cudaGraphExec_t x;
  OK(cudaGraphCreate(&g, 0));
  OK(cudaGraphConditionalHandleCreate(&handle, g, 0, 0));
  void *arguments[] = {&handle, &value};
  cudaGraphNode_t first = kernel(g, nullptr, (void *)set, arguments);
  OK(conditional(g, first, handle, type, count, &bodies, &node));
  for (unsigned k = 0, more = 1; k < count; k++, more *= 10) adds(bodies[k], adds(bodies[k], nullptr, more), more);
  adds(g, node, 1000);
  OK(cudaGraphInstantiate(&x, g, 0));
  OK(cudaGraphDestroy(g));
  return x;
}

static int chosen(cudaGraphConditionalNodeType type, unsigned count, unsigned value) {
  cudaGraphExec_t x = choice(type, count, value);
  const int result = launched(x);
  OK(cudaGraphExecDestroy(x));
  return result;
}

// Three times, as `left` says; then, as each launch begins with 1, once. A condition within it adds 10 in the last of the three.
static void loop() {
  cudaGraph_t g, *bodies, *inner;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  cudaGraphExec_t x;
  const int three = 3;
  OK(cudaGraphCreate(&g, 0));
  OK(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
  OK(conditional(g, nullptr, handle, cudaGraphCondTypeWhile, 1, &bodies, &node));
  void *arguments[] = {&handle, &left};
  cudaGraphNode_t counted = kernel(bodies[0], adds(bodies[0], nullptr, 1), (void *)count_down, arguments), within;
  OK(conditional(bodies[0], counted, handle, cudaGraphCondTypeIf, 2, &inner, &within));
  adds(inner[1], nullptr, 10);
  OK(cudaGraphInstantiate(&x, g, 0));
  OK(cudaGraphDestroy(g));
  OK(cudaMemcpy(left, &three, 4, cudaMemcpyHostToDevice));
  CHECK(launched(x) == 13 && read(left) == 0);
  CHECK(launched(x) == 11 && read(left) == -1);
  OK(cudaGraphExecDestroy(x));
}

static void errors() {
  cudaGraph_t g, *bodies, copy;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node, empty;
  cudaGraphExec_t x;
  OK(cudaGraphCreate(&g, 0));
  OK(cudaGraphConditionalHandleCreate(&handle, g, 0, 0));
  EXPECT(conditional(g, nullptr, handle + 1, cudaGraphCondTypeIf, 1, &bodies, &node), cudaErrorInvalidValue);
  EXPECT(conditional(g, nullptr, handle, cudaGraphCondTypeWhile, 2, &bodies, &node), cudaErrorInvalidValue);
  EXPECT(conditional(g, nullptr, handle, cudaGraphCondTypeIf, 3, &bodies, &node), cudaErrorInvalidValue);
  OK(conditional(g, nullptr, handle, cudaGraphCondTypeIf, 1, &bodies, &node));
  EXPECT(cudaGraphClone(&copy, g), cudaErrorInvalidValue);
  const cudaHostNodeParams host = {[](void *) {}, nullptr};
  OK(cudaGraphAddHostNode(&empty, bodies[0], nullptr, 0, &host));
  EXPECT(cudaGraphInstantiate(&x, g, 0), cudaErrorInvalidValue); // no function of the host there
  OK(cudaGraphDestroy(g));
}

// says: what a conditional node runs has a node
int main() {
  OK(cudaMalloc(&sum, 4));
  OK(cudaMalloc(&left, 4));
  OK(cudaStreamCreate(&s));
  CHECK(chosen(cudaGraphCondTypeIf, 1, 5) == 1002 && chosen(cudaGraphCondTypeIf, 1, 0) == 1000);
  CHECK(chosen(cudaGraphCondTypeIf, 2, 1) == 1002 && chosen(cudaGraphCondTypeIf, 2, 0) == 1020);
  CHECK(chosen(cudaGraphCondTypeSwitch, 3, 2) == 1200 && chosen(cudaGraphCondTypeSwitch, 3, 3) == 1000);
  loop();
  errors();
  return finish("conditions");
}
