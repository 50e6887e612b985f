// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Nodes of graphs that allocate memory and free it (CUDA C++ Programming Guide, "Graph Memory Nodes"), and nodes by the one call for all
// kinds. Each word is set to 0x01010101, doubled and raised by five.
#include <cuda_runtime.h>

#include "check.h"

enum { WORDS = 64, BYTES = WORDS * 4, RESULT = 0x01010101 * 2 + 5 };
static int *words;
static cudaStream_t s;

__global__ void times_plus(int *to, const int *from, int factor, int more) {
  to[threadIdx.x] = from[threadIdx.x] * factor + more;
}

static int word() {
  int w = -1;
  OK(cudaMemcpy(&w, words + WORDS - 1, 4, cudaMemcpyDeviceToHost));
  OK(cudaMemset(words, 0, BYTES));
  return w;
}

static unsigned long long used(cudaGraphMemAttributeType attribute) {
  unsigned long long bytes = 1;
  OK(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
  return bytes;
}

static cudaGraphExec_t instantiate(cudaGraph_t g, unsigned long long flags) {
  cudaGraphExec_t x;
  OK(cudaGraphInstantiate(&x, g, flags));
  return x;
}

static cudaMemAllocNodeParams of_bytes(size_t bytes) {
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = bytes;
  return p;
}

// Allocates, sets, computes from there into `words`, and frees if asked to: every node by cudaGraphAddNode.
static cudaGraph_t chain(bool frees, void **at) {
  cudaGraph_t g;
  cudaGraphNode_t n[4];
  cudaGraphNodeParams alloc = {cudaGraphNodeTypeMemAlloc}, set = {cudaGraphNodeTypeMemset},
                      kernel = {cudaGraphNodeTypeKernel}, free = {cudaGraphNodeTypeMemFree};
  OK(cudaGraphCreate(&g, 0));
  alloc.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  alloc.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  alloc.alloc.bytesize = BYTES;
  OK(cudaGraphAddNode(&n[0], g, nullptr, nullptr, 0, &alloc));
  *at = alloc.alloc.dptr;
  set.memset.dst = *at;
  set.memset.value = set.memset.elementSize = set.memset.height = 1;
  set.memset.width = BYTES;
  OK(cudaGraphAddNode(&n[1], g, &n[0], nullptr, 1, &set));
  int factor = 2, more = 5;
  void *arguments[] = {&words, at, &factor, &more};
  kernel.kernel.func = (void *)times_plus;
  kernel.kernel.gridDim = dim3(1);
  kernel.kernel.blockDim = dim3(WORDS);
  kernel.kernel.kernelParams = arguments;
  OK(cudaGraphAddNode(&n[2], g, &n[1], nullptr, 1, &kernel));
  free.free.dptr = *at;
  if (frees) {
    OK(cudaGraphAddNode(&n[3], g, &n[2], nullptr, 1, &free));
    cudaGraphNode_t second;
    EXPECT(cudaGraphAddNode(&second, g, &n[2], nullptr, 1, &free), cudaErrorInvalidValue); // once in a graph
    void *freed;
    OK(cudaGraphMemFreeNodeGetParams(n[3], &freed));
    CHECK(freed == *at);
  }
  cudaMemAllocNodeParams told;
  OK(cudaGraphMemAllocNodeGetParams(n[0], &told));
  CHECK(told.dptr == *at && told.bytesize == BYTES);
  return g;
}

static void freed_by_the_graph() {
  void *at, *none;
  cudaGraph_t g = chain(true, &at), copy;
  EXPECT(cudaGraphClone(&copy, g), cudaErrorInvalidValue);
  cudaGraphExec_t x = instantiate(g, 0);
  for (int k = 0; k < 2; k++) {
    OK(cudaGraphLaunch(x, s));
    CHECK(word() == RESULT);
  }
  CHECK(used(cudaGraphMemAttrUsedMemCurrent) == 0 && used(cudaGraphMemAttrUsedMemHigh) == BYTES);
  CHECK(used(cudaGraphMemAttrReservedMemCurrent) == BYTES);
  EXPECT(cudaFree(at), cudaErrorInvalidValue); // it is not allocated now
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(g));
  CHECK(used(cudaGraphMemAttrReservedMemCurrent) == 0 && used(cudaGraphMemAttrReservedMemHigh) == BYTES);
  unsigned long long zero = 0;
  OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  CHECK(used(cudaGraphMemAttrUsedMemHigh) == 0);
  OK(cudaDeviceGraphMemTrim(0));
  OK(cudaMalloc(&none, 1 << 20));
  OK(cudaFree(none));
}

// What no node frees the program frees, or the next launch, if it may; and it outlives its graph.
static void freed_by_the_program() {
  void *at;
  cudaGraph_t g = chain(false, &at);
  cudaGraphExec_t x = instantiate(g, 0);
  OK(cudaGraphLaunch(x, s));
  CHECK(word() == RESULT && used(cudaGraphMemAttrUsedMemCurrent) == BYTES);
  EXPECT(cudaGraphLaunch(x, s), cudaErrorInvalidValue);
  OK(cudaFreeAsync(at, s));
  EXPECT(cudaFreeAsync(at, s), cudaErrorInvalidValue);
  OK(cudaGraphLaunch(x, s));
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(g));
  CHECK(used(cudaGraphMemAttrUsedMemCurrent) == BYTES);
  OK(cudaMemset(at, 0, BYTES)); // there still
  OK(cudaFree(at));
  CHECK(used(cudaGraphMemAttrUsedMemCurrent) == 0 && used(cudaGraphMemAttrReservedMemCurrent) == 0);

  g = chain(false, &at);
  x = instantiate(g, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  for (int k = 0; k < 3; k++) OK(cudaGraphLaunch(x, s));
  CHECK(word() == RESULT && used(cudaGraphMemAttrUsedMemCurrent) == BYTES);
  OK(cudaFree(at));
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(g));
}

static void captured() {
  int *at, *outside;
  cudaGraph_t g;
  OK(cudaMalloc(&outside, BYTES));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync((void **)&at, BYTES, s));
  OK(cudaMemsetAsync(at, 1, BYTES, s));
  times_plus<<<1, WORDS, 0, s>>>(words, at, 2, 5);
  OK(cudaFreeAsync(at, s));
  OK(cudaStreamEndCapture(s, &g));
  size_t count;
  OK(cudaGraphGetNodes(g, nullptr, &count));
  CHECK(count == 4);
  cudaGraphExec_t x = instantiate(g, 0);
  for (int k = 0; k < 2; k++) {
    OK(cudaGraphLaunch(x, s));
    CHECK(word() == RESULT);
  }
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(g));
  CHECK(used(cudaGraphMemAttrReservedMemCurrent) == 0);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaFreeAsync(outside, s), cudaErrorInvalidValue); // no graph's
  EXPECT(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
  OK(cudaFree(outside));
}

static void refused() {
  void *at;
  cudaGraph_t g = chain(true, &at), parent;
  cudaGraphNode_t n;
  cudaMemAllocNodeParams none = of_bytes(0), much = of_bytes((size_t)1 << 50);
  OK(cudaGraphCreate(&parent, 0));
  EXPECT(cudaGraphAddChildGraphNode(&n, parent, nullptr, 0, g), cudaErrorNotSupported);
  EXPECT(cudaGraphAddMemAllocNode(&n, parent, nullptr, 0, &none), cudaErrorInvalidValue);
  EXPECT(cudaGraphAddMemAllocNode(&n, parent, nullptr, 0, &much), cudaErrorMemoryAllocation);
  EXPECT(cudaGraphAddMemFreeNode(&n, parent, nullptr, 0, words), cudaErrorInvalidValue);
  cudaGraphNodeParams semaphore = {(cudaGraphNodeType)8};
  EXPECT(cudaGraphAddNode(&n, parent, nullptr, nullptr, 0, &semaphore), cudaErrorNotSupported);
  size_t count;
  OK(cudaGraphGetNodes(parent, nullptr, &count));
  CHECK(count == 0);
  OK(cudaGraphDestroy(parent));
  OK(cudaGraphDestroy(g));
}

// says: none signals semaphores
int main() {
  OK(cudaMalloc(&words, BYTES));
  OK(cudaStreamCreate(&s));
  freed_by_the_graph();
  freed_by_the_program();
  captured();
  refused();
  OK(cudaFree(words));
  return finish("graph_nodes");
}
