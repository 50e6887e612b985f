// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Graphs, made by hand and captured: what they do, in which order, and how long it takes. Times by hand (timeline.cu has the link), N = 1 MiB:
// IN to the device, OUT to the host, in us. A kernel multiplies every word and adds to it, which shows which nodes ran, in which order.
// options: --chip=turing-2080ti
// again: --threads=2
#include <cuda_runtime.h>

#include <pthread.h>

#include "check.h"

enum { BYTES = 1 << 20, WORDS = 64 };
static const double IN = 96.159147, OUT = 85.939229;
static char *pinned, *device, *other;
static int *words, *host_words;
static cudaStream_t s, t, free_one;

__global__ void times_plus(int *at, int factor, int more) {
  at[threadIdx.x] = at[threadIdx.x] * factor + more;
}

static cudaEvent_t mark(cudaStream_t stream) {
  cudaEvent_t e;
  OK(cudaEventCreate(&e));
  OK(cudaEventRecord(e, stream));
  return e;
}

static double between(cudaEvent_t a, cudaEvent_t b) { // us, when both have been
  float ms = -1;
  OK(cudaEventSynchronize(a));
  OK(cudaEventSynchronize(b));
  OK(cudaEventElapsedTime(&ms, a, b));
  return ms * 1e3;
}

static int near(double a, double b) {
  return a > b - 2e-4 && a < b + 2e-4;
}

static int word() {
  OK(cudaMemcpy(host_words, words, WORDS * sizeof *words, cudaMemcpyDeviceToHost));
  for (int k = 1; k < WORDS; k++) CHECK(host_words[k] == host_words[0]);
  return host_words[0];
}

static cudaGraphNode_t add_kernel(cudaGraph_t g, const cudaGraphNode_t *after, size_t count, int factor, int more) {
  cudaGraphNode_t node;
  void *args[] = {&words, &factor, &more}; // which the node copies
  cudaKernelNodeParams p = {};
  p.func = (void *)times_plus;
  p.gridDim = dim3(1);
  p.blockDim = dim3(WORDS);
  p.kernelParams = args;
  OK(cudaGraphAddKernelNode(&node, g, after, count, &p));
  return node;
}

static void count_up(void *at) {
  ++*(int *)at;
}

static cudaGraphExec_t instantiate(cudaGraph_t g) {
  cudaGraphExec_t x;
  OK(cudaGraphInstantiate(&x, g, 0));
  return x;
}

// Words set to 7; times 3 plus 1: 22; times 5 plus 2: 112. The edges say so, whatever the order of the nodes; the graph may change, and go,
// meanwhile. Updated by node, 7 x 3 + 1 = 22, x 10 + 0 = 220; from another graph, (7 x 2 + 0) x 2 + 1 = 29.
static void by_hand() {
  cudaGraph_t g, h;
  cudaGraphNode_t set, host;
  OK(cudaGraphCreate(&g, 0));
  int called = 0;
  cudaGraphNode_t second = add_kernel(g, 0, 0, 5, 2), first = add_kernel(g, 0, 0, 3, 1);
  cudaMemsetParams m = {};
  m.dst = words;
  m.value = 7;
  m.elementSize = 4;
  m.width = WORDS;
  m.height = 1;
  OK(cudaGraphAddMemsetNode(&set, g, 0, 0, &m));
  cudaGraphNode_t from[] = {set, first}, to[] = {first, second};
  OK(cudaGraphAddDependencies(g, from, to, 0, 2));
  cudaHostNodeParams call = {count_up, &called};
  OK(cudaGraphAddHostNode(&host, g, &second, 1, &call));
  size_t count = 0;
  OK(cudaGraphGetNodes(g, 0, &count));
  CHECK(count == 4);
  OK(cudaGraphGetEdges(g, 0, 0, 0, &count));
  CHECK(count == 3);
  cudaGraphNode_t root[2];
  count = 2;
  OK(cudaGraphGetRootNodes(g, root, &count));
  CHECK(count == 1 && root[0] == set && !root[1]);
  cudaGraphExec_t x = instantiate(g);
  CHECK(called == 0);
  OK(cudaGraphLaunch(x, s));
  OK(cudaGraphLaunch(x, t)); // follows the first
  CHECK(called == 2 && word() == 112);

  int factor = 10, more = 0;
  void *args[] = {&words, &factor, &more};
  cudaKernelNodeParams p = {};
  OK(cudaGraphKernelNodeGetParams(second, &p));
  CHECK(p.func == (void *)times_plus && p.blockDim.x == WORDS && *(int *)p.kernelParams[1] == 5);
  p.kernelParams = args;
  OK(cudaGraphExecKernelNodeSetParams(x, second, &p));
  OK(cudaGraphLaunch(x, s));
  CHECK(word() == 220);
  OK(cudaGraphNodeSetEnabled(x, second, 0));
  OK(cudaGraphLaunch(x, s));
  CHECK(word() == 22);
  OK(cudaGraphNodeSetEnabled(x, second, 1));

  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphClone(&h, g));
  OK(cudaGraphDestroy(g));
  OK(cudaGraphLaunch(x, s));
  CHECK(word() == 220);
  cudaGraphNode_t nodes[4];
  count = 4;
  OK(cudaGraphGetNodes(h, nodes, &count));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(nodes[0], &type));
  CHECK(count == 4 && type == cudaGraphNodeTypeKernel);
  OK(cudaGraphExecUpdate(x, h, &info)); // as it was
  OK(cudaGraphLaunch(x, s));
  CHECK(info.result == cudaGraphExecUpdateSuccess && word() == 112);
  OK(cudaGraphDestroyNode(nodes[1]));
  EXPECT(cudaGraphExecUpdate(x, h, &info), cudaErrorGraphExecUpdateFailure);
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  OK(cudaGraphDestroy(h));
  OK(cudaGraphExecDestroy(x));
  EXPECT(cudaGraphLaunch(x, s), cudaErrorInvalidValue);
  EXPECT(cudaGraphDestroy(h), cudaErrorInvalidValue);
}

// A copy in and a copy out that follow nothing, and a second copy in behind both: IN + IN, as OUT is beside the first. What the stream was
// given before holds them back, what it is given later waits; another stream does not.
static void takes_the_longest_way() {
  cudaGraph_t g, parent;
  cudaGraphNode_t a, b, c, child;
  OK(cudaGraphCreate(&g, 0));
  OK(cudaGraphAddMemcpyNode1D(&a, g, 0, 0, device, pinned, BYTES, cudaMemcpyHostToDevice));
  OK(cudaGraphAddMemcpyNode1D(&b, g, 0, 0, pinned, other, BYTES, cudaMemcpyDeviceToHost));
  cudaGraphNode_t both[] = {a, b};
  OK(cudaGraphAddEmptyNode(&c, g, both, 2));
  OK(cudaGraphAddMemcpyNode1D(&b, g, &c, 1, other, pinned, BYTES, cudaMemcpyHostToDevice));
  cudaGraphExec_t x = instantiate(g);
  cudaEvent_t began = mark(s);
  OK(cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, s));
  OK(cudaGraphLaunch(x, s));
  cudaEvent_t ended = mark(s), beside = mark(free_one);
  CHECK(near(between(began, ended), OUT + 2 * IN) && between(began, beside) == 0);

  // As a child, twice, one behind the other; and the same graph in two streams: one behind the other, too.
  OK(cudaGraphCreate(&parent, 0));
  OK(cudaGraphAddChildGraphNode(&child, parent, 0, 0, g));
  OK(cudaGraphAddChildGraphNode(&c, parent, &child, 1, g));
  cudaGraphExec_t y = instantiate(parent);
  began = mark(s);
  OK(cudaGraphLaunch(y, s));
  CHECK(near(between(began, mark(s)), 4 * IN));
  began = mark(free_one);
  OK(cudaGraphLaunch(x, s));
  OK(cudaGraphLaunch(x, free_one));
  CHECK(near(between(began, mark(free_one)), 4 * IN));

  cudaGraphNode_t circle_from[] = {child, c}, circle_to[] = {c, child};
  EXPECT(cudaGraphAddDependencies(parent, circle_from, circle_to, 0, 2), cudaErrorInvalidValue); // the first is there
  OK(cudaGraphAddDependencies(parent, circle_from + 1, circle_to + 1, 0, 1));
  cudaGraphExec_t none;
  EXPECT(cudaGraphInstantiate(&none, parent, 0), cudaErrorInvalidValue);
  EXPECT(cudaGraphAddEmptyNode(&c, g, &child, 1), cudaErrorInvalidValue); // of another graph
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphExecDestroy(y));
  OK(cudaGraphDestroy(g));
  OK(cudaGraphDestroy(parent));
}

// s copies in and forks; t copies out beside s's second copy in; s joins it, and a kernel follows: as many nodes as calls that do
// something, and edges as by hand. Nothing happens before the launch.
static void captured() {
  cudaEvent_t fork, joined;
  cudaGraph_t g;
  cudaStreamCaptureStatus status;
  int called = 0;
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&joined));
  OK(cudaMemset(words, 0, WORDS * sizeof *words));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s));
  OK(cudaEventRecord(fork, s));
  OK(cudaStreamWaitEvent(t, fork, 0));
  OK(cudaStreamIsCapturing(t, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  OK(cudaMemcpyAsync(pinned, other, BYTES, cudaMemcpyDeviceToHost, t));
  OK(cudaEventRecord(joined, t));
  OK(cudaMemcpy2DAsync(other, 1024, pinned, 1024, 1024, BYTES / 1024, cudaMemcpyHostToDevice, s));
  OK(cudaStreamWaitEvent(s, joined, 0));
  OK(cudaMemsetAsync(words, 1, WORDS * sizeof *words, s));
  times_plus<<<1, WORDS, 0, s>>>(words, 2, 5);
  OK(cudaLaunchHostFunc(s, count_up, &called));
  EXPECT(cudaEventQuery(fork), cudaErrorCapturedEvent);
  OK(cudaStreamEndCapture(s, &g));
  OK(cudaStreamIsCapturing(t, &status));
  CHECK(status == cudaStreamCaptureStatusNone && called == 0);
  CHECK(word() == 0);
  size_t count;
  OK(cudaGraphGetNodes(g, 0, &count));
  CHECK(count == 6);
  OK(cudaGraphGetEdges(g, 0, 0, 0, &count));
  CHECK(count == 6); // two from the fork, two to the join, two along s
  cudaGraphExec_t x = instantiate(g);
  cudaEvent_t began = mark(s);
  OK(cudaGraphLaunch(x, s));
  CHECK(called == 1 && word() == 0x01010101 * 2 + 5);
  CHECK(between(began, mark(s)) > 2 * IN);
  OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, t)); // both are streams again
  OK(cudaStreamSynchronize(t));
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(g));
}

static void begin() {
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
}

static cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(stream, &status));
  return status;
}

// The calls of one thread while s is captured by another, whose mode is `mode`: what allocating memory says, and ending the capture.
struct Other {
  cudaStreamCaptureMode own, before;
  cudaError_t allocated, ended;
};

static void *in_another_thread(void *data) {
  Other *o = (Other *)data;
  void *p = nullptr;
  cudaGraph_t g;
  o->before = o->own;
  OK(cudaThreadExchangeStreamCaptureMode(&o->before));
  o->allocated = cudaMalloc(&p, 64);
  o->ended = cudaStreamEndCapture(s, &g);
  cudaFree(p);
  cudaGetLastError();
  return nullptr;
}

static Other meanwhile(cudaStreamCaptureMode own) {
  Other o = {own};
  pthread_t thread;
  pthread_create(&thread, nullptr, in_another_thread, &o);
  pthread_join(thread, nullptr);
  CHECK(o.before == cudaStreamCaptureModeGlobal); // each thread's at first
  return o;
}

// cudaStreamBeginCapture and cudaThreadExchangeStreamCaptureMode of the CUDA Runtime API: whom each mode forbids calls that may be unsafe.
static void modes() {
  const cudaStreamCaptureMode all[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                       cudaStreamCaptureModeRelaxed};
  for (cudaStreamCaptureMode mode : all)
    for (cudaStreamCaptureMode own : all) {
      const bool mine = mode != cudaStreamCaptureModeRelaxed,
                 others = mode == cudaStreamCaptureModeGlobal && own == cudaStreamCaptureModeGlobal;
      cudaGraph_t g;
      void *p;
      OK(cudaStreamBeginCapture(s, mode));
      const Other o = meanwhile(own);
      CHECK(o.allocated == (others ? cudaErrorStreamCaptureUnsupported : cudaSuccess));
      if (!mine) { // any thread may end it
        CHECK(o.ended == cudaSuccess);
        continue;
      }
      CHECK(o.ended == cudaErrorStreamCaptureWrongThread);
      CHECK(status_of(s) == (others ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive));
      EXPECT(cudaMalloc(&p, 64), cudaErrorStreamCaptureUnsupported);
      EXPECT(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);

      // The thread may lift it for itself.
      cudaEvent_t before = mark(t);
      cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;
      OK(cudaStreamBeginCapture(s, mode));
      OK(cudaThreadExchangeStreamCaptureMode(&relaxed));
      OK(cudaMalloc(&p, 64));
      OK(cudaFree(p));
      OK(cudaThreadExchangeStreamCaptureMode(&relaxed));
      CHECK(status_of(s) == cudaStreamCaptureStatusActive);
      EXPECT(cudaEventQuery(before), cudaErrorStreamCaptureUnsupported);
      EXPECT(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
    }
}

// Each error ends the capture, of which no graph comes.
static void errors() {
  cudaGraph_t g = (cudaGraph_t)1;
  cudaEvent_t captured_event, plain = mark(t);
  OK(cudaEventCreate(&captured_event));
  EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed), cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &g), cudaErrorIllegalState);
  begin();
  EXPECT(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaMemsetAsync(words, 0, 4, s), cudaErrorStreamCaptureInvalidated);
  EXPECT(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
  CHECK(!g);
  begin();
  EXPECT(cudaMemset(words, 0, 4), cudaErrorStreamCaptureImplicit); // the legacy stream would wait for s
  EXPECT(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
  begin();
  EXPECT(cudaStreamWaitEvent(s, plain, 0), cudaErrorStreamCaptureIsolation);
  EXPECT(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
  begin();
  OK(cudaEventRecord(captured_event, s));
  OK(cudaStreamWaitEvent(t, captured_event, 0));
  OK(cudaMemsetAsync(words, 0, 4, t));
  EXPECT(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureUnjoined);
  begin();
  OK(cudaEventRecord(captured_event, s));
  OK(cudaStreamWaitEvent(t, captured_event, 0));
  EXPECT(cudaStreamEndCapture(t, &g), cudaErrorStreamCaptureUnmatched);
  EXPECT(cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureInvalidated);
  EXPECT(cudaStreamWaitEvent(s, captured_event, 0), cudaErrorCapturedEvent); // of a capture that has ended
  OK(cudaEventRecord(captured_event, s));
  OK(cudaStreamWaitEvent(s, captured_event, 0));
}

int main() {
  OK(cudaMallocHost((void **)&pinned, BYTES));
  OK(cudaMallocHost((void **)&host_words, WORDS * sizeof *words));
  OK(cudaMalloc((void **)&device, BYTES));
  OK(cudaMalloc((void **)&other, BYTES));
  OK(cudaMalloc((void **)&words, WORDS * sizeof *words));
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
  by_hand();
  takes_the_longest_way();
  captured();
  modes();
  errors();
  cudaGraph_t left;
  OK(cudaGraphCreate(&left, 0));
  OK(cudaDeviceReset());
  EXPECT(cudaGraphDestroy(left), cudaErrorInvalidValue);
  return finish("graphs");
}
