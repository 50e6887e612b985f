// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A tiled product of matrices whose tiles are __local arguments, and the same with a required work-group size; a second
// kernel takes three local arguments of different types, which must not overlap.
#include "program.h"

static const char *const source =
  "kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
  "void product(global const float *a, global const float *b, global float *c, int n, local float *ta, local float "
  "*tb) {\n"
  "  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);\n"
  "  float sum = 0;\n"
  "  for (int t = 0; t < n; t += TILE) {\n"
  "    ta[y * TILE + x] = a[row * n + t + x];\n"
  "    tb[y * TILE + x] = b[(t + y) * n + column];\n"
  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
  "    for (int k = 0; k < TILE; k++)\n"
  "      sum += ta[y * TILE + k] * tb[k * TILE + x];\n"
  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
  "  }\n"
  "  c[row * n + column] = sum;\n"
  "}\n"
  "kernel void mixed(global double *out, local char *c, local double *d, local ushort3 *u) {\n"
  "  local int own[32];\n"
  "  int i = get_local_id(0), last = get_local_size(0) - 1;\n"
  "  c[i] = i; d[i] = i * 0.25; u[i] = (ushort3)(i, 2 * i, 3 * i); own[i] = -i;\n"
  "  barrier(CLK_LOCAL_MEM_FENCE);\n"
  "  int j = last - i;\n"
  "  out[i] = c[j] + d[j] + u[j].z + own[j] * 1000.0;\n"
  "}\n";

enum { N = 48, TILE = 8, ITEMS = 32 };

static void product(cl_program p) {
  static float a[N * N], b[N * N], c[N * N];
  for (int i = 0; i < N * N; i++) {
    a[i] = (float)(next_random() % 17) - 8;
    b[i] = (float)(next_random() % 13) - 6;
  }
  cl_kernel k = kernel_of(p, "product");
  cl_mem ma = buffer(CL_MEM_READ_ONLY, sizeof a, a), mb = buffer(CL_MEM_READ_ONLY, sizeof b, b);
  cl_mem mc = buffer(CL_MEM_WRITE_ONLY, sizeof c, NULL);
  const cl_int n = N;
  const size_t global[2] = {N, N}, local[2] = {TILE, TILE}, other[2] = {16, 4};
  size_t required[3];
  ARG(k, 0, ma);
  ARG(k, 1, mb);
  ARG(k, 2, mc);
  ARG(k, 3, n);
  LOCAL(k, 4, TILE * TILE * sizeof(float));
  LOCAL(k, 5, TILE * TILE * sizeof(float));
  OK(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  CHECK(required[0] == TILE && required[1] == TILE && required[2] == 1, "%zu %zu %zu", required[0], required[1],
        required[2]);
  const cl_int wrong = clEnqueueNDRangeKernel(queue, k, 2, NULL, global, other, 0, NULL, NULL);
  CHECK(wrong == CL_INVALID_WORK_GROUP_SIZE, "%d", wrong);
  run(k, 2, NULL, global, local);
  read_back(mc, c, sizeof c);
  for (int row = 0; row < N; row++)
    for (int column = 0; column < N; column++) {
      float sum = 0; // small integers: exact in any order
      for (int i = 0; i < N; i++) sum += a[row * N + i] * b[i * N + column];
      CHECK(c[row * N + column] == sum, "c[%d][%d] is %g, not %g", row, column, c[row * N + column], sum);
    }
}

static void mixed(cl_program p) {
  double out[ITEMS];
  cl_kernel k = kernel_of(p, "mixed");
  cl_mem m = buffer(CL_MEM_WRITE_ONLY, sizeof out, NULL);
  const size_t size = ITEMS;
  ARG(k, 0, m);
  LOCAL(k, 1, ITEMS + 3); // so that the next one needs room to be aligned
  LOCAL(k, 2, ITEMS * sizeof(double));
  LOCAL(k, 3, ITEMS * sizeof(cl_ushort4));
  run(k, 1, NULL, &size, &size);
  read_back(m, out, sizeof out);
  for (int i = 0; i < ITEMS; i++) {
    const int j = ITEMS - 1 - i;
    const double expected = j + j * 0.25 + 3 * j - j * 1000.0;
    CHECK(out[i] == expected, "out[%d] is %g, not %g", i, out[i], expected);
  }
}

int main(void) {
  open_device();
  cl_program p = build(source, "-D TILE=8");
  product(p);
  mixed(p);
  close_device();
  puts("PASSED");
}
