// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Arguments of every size, and what is refused: the wrong size, a kernel with an argument missing.
#include "program.h"

static const char *const source =
  "kernel void add(global const float *a, global const float *b, global float *c, uint n, char bias, double scale,\n"
  "                short2 pair, ulong wide) {\n"
  "  size_t i = get_global_id(0);\n"
  "  if (i < n)\n"
  "    c[i] = (float)((a[i] + b[i]) * scale) + bias + pair.x * 2 + pair.y + (float)(wide >> 32);\n"
  "}\n";

enum { N = 1000 };

int main(void) {
  float a[N], b[N], c[N];
  open_device();
  for (int i = 0; i < N; i++) {
    a[i] = (float)i;
    b[i] = (float)(N - 2 * i);
  }
  cl_program p = build(source, NULL);
  cl_kernel k = kernel_of(p, "add");
  cl_mem ma = buffer(CL_MEM_READ_ONLY, sizeof a, a), mb = buffer(CL_MEM_READ_ONLY, sizeof b, b);
  cl_mem mc = buffer(CL_MEM_WRITE_ONLY, sizeof c, NULL);
  const cl_uint n = N;
  const cl_char bias = -3;
  const cl_double scale = 0.5;
  const cl_short2 pair = {{-7, 100}};
  const cl_ulong wide = (cl_ulong)11 << 32 | 5;
  const size_t global = 1024, local = 64;
  ARG(k, 0, ma);
  ARG(k, 1, mb);
  ARG(k, 2, mc);
  ARG(k, 3, n);
  ARG(k, 4, bias);
  ARG(k, 5, scale);
  ARG(k, 6, pair);
  const cl_int missing = clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL);
  CHECK(missing == CL_INVALID_KERNEL_ARGS, "%d", missing);
  CHECK(clSetKernelArg(k, 7, 4, &n) == CL_INVALID_ARG_SIZE, "4 bytes for 8");
  CHECK(clSetKernelArg(k, 8, 4, &n) == CL_INVALID_ARG_INDEX, "argument 8 of 8");
  ARG(k, 7, wide);
  run(k, 1, NULL, &global, &local);
  read_back(mc, c, sizeof c);
  for (int i = 0; i < N; i++) {
    const float expected = (float)(N - i) * 0.5f - 3 - 14 + 100 + 11;
    CHECK(c[i] == expected, "c[%d] is %g, not %g", i, c[i], expected);
  }
  OK(clReleaseMemObject(ma));
  OK(clReleaseMemObject(mb));
  OK(clReleaseMemObject(mc));
  OK(clReleaseKernel(k));
  OK(clReleaseProgram(p));
  close_device();
  puts("PASSED");
}
