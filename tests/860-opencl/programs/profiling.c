// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Profiling: times of one event are in order, those of an in-order queue do not overlap, and ten times the work takes
// longer.
#include "program.h"

static const char *const source = "kernel void work(global float *a, int rounds) {\n"
                                  "  float x = a[get_global_id(0)];\n"
                                  "  for (int i = 0; i < rounds; i++) x = mad(x, 0.999f, 0.5f);\n"
                                  "  a[get_global_id(0)] = x;\n"
                                  "}\n";

enum { N = 256, RUNS = 4 };

int main(void) {
  float a[N];
  cl_ulong times[RUNS][4];
  open_device();
  for (int i = 0; i < N; i++) a[i] = (float)i;
  cl_kernel k = kernel_of(build(source, "-cl-fast-relaxed-math"), "work");
  cl_mem m = buffer(CL_MEM_READ_WRITE, sizeof a, a);
  ARG(k, 0, m);
  for (int r = 0; r < RUNS; r++) {
    const cl_int rounds = r == RUNS - 1 ? 1000 : 100;
    const size_t global = N, local = 64;
    cl_event event;
    ARG(k, 1, rounds);
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    for (cl_uint i = 0; i < 4; i++)
      OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof(cl_ulong), &times[r][i], NULL));
    OK(clReleaseEvent(event));
    const cl_ulong *t = times[r];
    CHECK(t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3], "%llu %llu %llu %llu", (unsigned long long)t[0],
          (unsigned long long)t[1], (unsigned long long)t[2], (unsigned long long)t[3]);
    CHECK(!r || times[r - 1][3] <= t[2], "run %d overlaps the one before", r);
  }
  const cl_ulong few = times[RUNS - 2][3] - times[RUNS - 2][2], many = times[RUNS - 1][3] - times[RUNS - 1][2];
  if (!getenv("WEIR_SCHEME") || strcmp(getenv("WEIR_SCHEME"), "none")) // a functional run takes no time
    CHECK(few > 0 && many > 5 * few && many < 12 * few, "%llu ns and %llu ns", (unsigned long long)few,
          (unsigned long long)many);
  close_device();
  puts("PASSED");
}
