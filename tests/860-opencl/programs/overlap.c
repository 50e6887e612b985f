// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// On a chip with a link, profiling tells when copies, fills and kernels of several queues happen. By hand, of the link of
// chips/turing-2080ti.yaml, in nanoseconds: 36000 bytes of pageable memory take 6200 + 10000 to the device and 7650 + 10000 to the host;
// 616000 bytes set take 1000, copied within the device 2000. Mapped memory is pinned: 1 MiB takes 6900 + 79039.2 to the host, and
// 8800 + 87359.1 back (tests/850-cudart/programs/timeline.cu derives all of these). A kernel that reads 1 MiB of the host's takes 87359.2 for the
// link's bytes (host_link.cu), and less than 6000 besides.
// options: --chip=turing-2080ti
#include "program.h"

enum { STAGED = 36000, AMONG = 616000, MAPPED = 1 << 20, IN = 16200, OUT = 17650 };

static cl_ulong time_of(cl_event e, cl_profiling_info what) {
  cl_ulong t;
  OK(clGetEventProfilingInfo(e, what, sizeof t, &t, NULL));
  return t;
}

static cl_ulong started(cl_event e) {
  return time_of(e, CL_PROFILING_COMMAND_START);
}

static cl_ulong ended(cl_event e) {
  return time_of(e, CL_PROFILING_COMMAND_END);
}

static cl_int status_of(cl_event e) {
  cl_int status;
  OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  return status;
}

// Times are cut to whole nanoseconds, each by itself.
#define TOOK(e, ns)                                                                                                    \
  CHECK(ended(e) - started(e) + 1 >= (ns) && ended(e) - started(e) <= (ns) + 1, "%llu ns",                             \
        (unsigned long long)(ended(e) - started(e)))

static char staged[STAGED], other[STAGED];
static cl_mem m, n;
static cl_command_queue second, unordered;

static cl_event write_to(cl_command_queue q, cl_uint count, const cl_event *waits) {
  cl_event e;
  OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, STAGED, staged, count, waits, &e));
  return e;
}

static cl_event read_from(cl_command_queue q, cl_uint count, const cl_event *waits) {
  cl_event e;
  OK(clEnqueueReadBuffer(q, n, CL_FALSE, 0, STAGED, other, count, waits, &e));
  return e;
}

// A host that asks goes on; when it asks again, something has ended meanwhile.
static void two_queues(void) {
  cl_event in = write_to(queue, 0, NULL), out = read_from(second, 0, NULL), behind = read_from(queue, 0, NULL);
  CHECK(status_of(in) == CL_RUNNING && status_of(behind) == CL_SUBMITTED, "%d", status_of(in));
  CHECK(status_of(in) == CL_RUNNING, "asked again: until the first end");
  CHECK(status_of(in) == CL_COMPLETE && status_of(out) == CL_RUNNING, "the copy in ends first");
  OK(clFinish(queue));
  CHECK(status_of(behind) == CL_COMPLETE, "%d", status_of(behind));
  TOOK(in, IN);
  TOOK(out, OUT);
  TOOK(behind, OUT);
  CHECK(started(in) == started(out), "both at once");
  CHECK(started(behind) == ended(out), "one engine in each direction");
}

static void one_queue(void) {
  cl_event in = write_to(queue, 0, NULL), out = read_from(queue, 0, NULL), across = write_to(second, 1, &out), fill,
           copy;
  const cl_int zero = 0;
  OK(clEnqueueFillBuffer(queue, m, &zero, sizeof zero, 0, AMONG, 0, NULL, &fill));
  OK(clEnqueueCopyBuffer(queue, m, n, 0, 0, AMONG, 0, NULL, &copy));
  OK(clWaitForEvents(1, &copy));
  CHECK(started(out) == ended(in) && started(fill) == ended(out) && started(copy) == ended(fill), "in order");
  CHECK(started(across) == ended(out), "it waited for the other queue's event");
  TOOK(
    fill,
    1003); // beside a copy that takes 36000 bytes per 16.2 us of the DRAM's 616000 per us: 1000 / (1 - 2222 / 616000)
  TOOK(copy, 2007);
}

static void out_of_order(void) {
  cl_event in = write_to(unordered, 0, NULL), out = read_from(unordered, 0, NULL), last = read_from(unordered, 1, &in),
           marker;
  OK(clEnqueueBarrierWithWaitList(unordered, 0, NULL, &marker));
  cl_event after = write_to(unordered, 0, NULL);
  OK(clFinish(unordered));
  CHECK(started(in) == started(out) && started(last) == ended(out), "by events alone");
  CHECK(ended(marker) == ended(last) && started(after) == ended(last), "the barrier");
}

// What waits for the host begins when the host says so: after it has waited for something else.
static void user_event(void) {
  cl_int code;
  cl_event user = clCreateUserEvent(context, &code), held = write_to(queue, 1, &user), out = read_from(second, 0, NULL);
  OK(code);
  OK(clWaitForEvents(1, &out));
  OK(clSetUserEventStatus(user, CL_COMPLETE));
  OK(clFinish(queue));
  CHECK(started(held) == ended(out) && time_of(held, CL_PROFILING_COMMAND_QUEUED) == started(out),
        "when the host waited");
}

static void mapped(void) {
  cl_int code;
  cl_event there, back;
  void *at = clEnqueueMapBuffer(queue, m, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, MAPPED, 0, NULL, &there, &code);
  OK(code);
  OK(clEnqueueUnmapMemObject(queue, m, at, 0, NULL, &back));
  OK(clFinish(queue));
  TOOK(there, 6900 + 79039);
  TOOK(back, 8800 + 87359);
}

static cl_event marker_of(cl_command_queue q) {
  cl_event e;
  OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &e));
  return e;
}

// Memory that the program brings is copied when the object is made, and the host waits.
static void brought(void) {
  const cl_event before = marker_of(queue);
  const cl_mem copied = buffer(CL_MEM_READ_ONLY, STAGED, staged);
  const cl_event after = marker_of(queue);
  const cl_ulong took = time_of(after, CL_PROFILING_COMMAND_QUEUED) - time_of(before, CL_PROFILING_COMMAND_QUEUED);
  CHECK(took + 1 >= IN && took <= IN + 1, "%llu ns", (unsigned long long)took);
  OK(clReleaseMemObject(copied));
}

// The host's memory: mapped at once, the pinned side of copies, and over the link for kernels.
static void allocated_at_the_host(void) {
  static const char source[] =
    "kernel void look(global const int *a, global int *b) { int v = a[get_global_id(0)]; if (v) *b = v; }";
  cl_int code;
  cl_event mapping, unmapping, in, to, from, host, fill, kernel;
  const cl_mem p = buffer(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, MAPPED, NULL);
  const cl_int zero = 0;
  const size_t threads = MAPPED / sizeof zero;
  char *at = clEnqueueMapBuffer(queue, p, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, MAPPED, 0, NULL, &mapping, &code);
  OK(code);
  OK(clEnqueueWriteBuffer(queue, m, CL_FALSE, 0, MAPPED, at, 0, NULL, &in));
  OK(clEnqueueUnmapMemObject(queue, p, at, 0, NULL, &unmapping));
  OK(clEnqueueCopyBuffer(queue, p, m, 0, 0, MAPPED, 0, NULL, &to));
  OK(clEnqueueCopyBuffer(queue, m, p, 0, 0, MAPPED, 0, NULL, &from));
  OK(clEnqueueWriteBuffer(queue, p, CL_FALSE, 0, STAGED, staged, 0, NULL, &host));
  OK(clEnqueueFillBuffer(queue, p, &zero, sizeof zero, 0, MAPPED, 0, NULL, &fill));
  const cl_program program = build(source, "");
  const cl_kernel k = kernel_of(program, "look");
  OK(clSetKernelArg(k, 0, sizeof p, &p));
  OK(clSetKernelArg(k, 1, sizeof n, &n));
  OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &threads, NULL, 0, NULL, &kernel));
  OK(clFinish(queue));
  CHECK(started(mapping) == ended(mapping) && started(unmapping) == ended(unmapping), "nothing is copied");
  TOOK(in, 8800 + 87359);
  TOOK(to, 8800 + 87359);
  TOOK(from, 6900 + 79039);
  CHECK(started(host) == ended(host), "the host copies from here to there");
  TOOK(fill, 6900 + 79039);
  const cl_ulong reads = ended(kernel) - started(kernel);
  enum { LAUNCH = 3236 }; // 5000 cycles of 1545 MHz
  CHECK(reads >= 87359 + LAUNCH && reads < 87359 + LAUNCH + 6000, "%llu ns", (unsigned long long)reads);
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(program));
  OK(clReleaseMemObject(p));
}

int main(void) {
  cl_int code;
  open_device();
  second = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  OK(code);
  unordered =
    clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  OK(code);
  m = buffer(CL_MEM_READ_WRITE, 1 << 21, NULL);
  n = buffer(CL_MEM_READ_WRITE, 1 << 21, NULL);
  two_queues();
  one_queue();
  out_of_order();
  user_event();
  mapped();
  brought();
  allocated_at_the_host();
  OK(clReleaseCommandQueue(second));
  OK(clReleaseCommandQueue(unordered));
  close_device();
  puts("PASSED");
}
