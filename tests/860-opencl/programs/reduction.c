// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sums and extremes by barriers in local memory and by atomic functions of 32 and 64 bits, old and new names.
#include "program.h"

static const char *const source =
  "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
  "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
  "#if !defined(cl_khr_int64_base_atomics) || !defined(cl_khr_int64_extended_atomics)\n"
  "#error no atomics of 64 bits\n"
  "#endif\n"
  "kernel void reduce(global const int *in, uint n, global int *sums, global ulong *total, global int *extremes,\n"
  "                   local int *part) {\n"
  "  uint l = get_local_id(0);\n"
  "  int sum = 0;\n"
  "  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
  "    sum += in[i];\n"
  "    atomic_min(&extremes[0], in[i]);\n"
  "    atomic_max(&extremes[1], in[i]);\n"
  "  }\n"
  "  part[l] = sum;\n"
  "  for (uint step = get_local_size(0) / 2; step; step >>= 1) {\n"
  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
  "    if (l < step) part[l] += part[l + step];\n"
  "  }\n"
  "  if (!l) {\n"
  "    sums[get_group_id(0)] = part[0];\n"
  "    atom_add(total, (ulong)(long)part[0]);\n"
  "  }\n"
  "}\n"
  "kernel void all(global int *i, global uint *u, global long *l, global float *f, local uint *s) {\n"
  "  uint k = get_local_id(0);\n"
  "  if (!k) *s = 0;\n"
  "  barrier(CLK_LOCAL_MEM_FENCE);\n"
  "  atomic_add(&i[0], 3); atomic_sub(&i[1], 2); atomic_inc(&i[2]); atomic_dec(&i[3]);\n"
  "  atomic_and(&u[0], ~(1u << (k & 31))); atomic_or(&u[1], 1u << (k & 31)); atomic_xor(&u[2], k);\n"
  "  atom_max(&l[0], (long)k << 33); atom_min(&l[1], -((long)k << 33)); atom_xor(&l[2], (long)k << 40);\n"
  "  atom_inc(&l[3]);\n"
  "  for (float old = f[0], seen; (seen = as_float(atomic_cmpxchg((global int *)f, as_int(old), as_int(old + "
  "0.5f)))) != old;)\n"
  "    old = seen;\n"
  "  atomic_add(s, k);\n"
  "  barrier(CLK_LOCAL_MEM_FENCE);\n"
  "  if (!k) { u[3] = *s; atomic_xchg(&f[1], 2.5f); }\n"
  "}\n";

enum { N = 5000, GROUPS = 6, GROUP = 128, ITEMS = 64 };

static void reduce(cl_program p) {
  static cl_int in[N];
  cl_int sums[GROUPS], extremes[2] = {INT32_MAX, INT32_MIN}, low = INT32_MAX, high = INT32_MIN;
  cl_long total = 0, expected = 0, partial = 0;
  for (int i = 0; i < N; i++) {
    in[i] = (cl_int)(next_random() % 200001) - 100500;
    expected += in[i];
    low = in[i] < low ? in[i] : low;
    high = in[i] > high ? in[i] : high;
  }
  cl_kernel k = kernel_of(p, "reduce");
  cl_mem mi = buffer(CL_MEM_READ_ONLY, sizeof in, in), ms = buffer(CL_MEM_READ_WRITE, sizeof sums, NULL);
  cl_mem mt = buffer(CL_MEM_READ_WRITE, sizeof total, &total),
         me = buffer(CL_MEM_READ_WRITE, sizeof extremes, extremes);
  const cl_uint n = N;
  const size_t global = GROUPS * GROUP, local = GROUP;
  ARG(k, 0, mi);
  ARG(k, 1, n);
  ARG(k, 2, ms);
  ARG(k, 3, mt);
  ARG(k, 4, me);
  LOCAL(k, 5, GROUP * sizeof(cl_int));
  run(k, 1, NULL, &global, &local);
  read_back(ms, sums, sizeof sums);
  read_back(mt, &total, sizeof total);
  read_back(me, extremes, sizeof extremes);
  for (int g = 0; g < GROUPS; g++) partial += sums[g];
  CHECK(partial == expected && total == expected, "%lld and %lld, not %lld", (long long)partial, (long long)total,
        (long long)expected);
  CHECK(extremes[0] == low && extremes[1] == high, "%d %d, not %d %d", extremes[0], extremes[1], low, high);
}

static void all(cl_program p) {
  cl_int i[4] = {10, 20, 30, 40};
  cl_uint u[4] = {0xffffffff, 0, 0, 0}, folded = 0;
  cl_long l[4] = {-5, 5, 0, (cl_long)1 << 40}, folded_wide = 0;
  cl_float f[2] = {1, 0};
  for (cl_uint k = 0; k < ITEMS; k++) {
    folded ^= k;
    folded_wide ^= (cl_long)k << 40;
  }
  cl_kernel k = kernel_of(p, "all");
  cl_mem mi = buffer(CL_MEM_READ_WRITE, sizeof i, i), mu = buffer(CL_MEM_READ_WRITE, sizeof u, u);
  cl_mem ml = buffer(CL_MEM_READ_WRITE, sizeof l, l), mf = buffer(CL_MEM_READ_WRITE, sizeof f, f);
  const size_t size = ITEMS;
  ARG(k, 0, mi);
  ARG(k, 1, mu);
  ARG(k, 2, ml);
  ARG(k, 3, mf);
  LOCAL(k, 4, sizeof(cl_uint));
  run(k, 1, NULL, &size, &size);
  read_back(mi, i, sizeof i);
  read_back(mu, u, sizeof u);
  read_back(ml, l, sizeof l);
  read_back(mf, f, sizeof f);
  CHECK(i[0] == 10 + 3 * ITEMS && i[1] == 20 - 2 * ITEMS && i[2] == 30 + ITEMS && i[3] == 40 - ITEMS, "%d %d %d %d",
        i[0], i[1], i[2], i[3]);
  CHECK(u[0] == 0 && u[1] == 0xffffffff && u[2] == folded && u[3] == ITEMS * (ITEMS - 1) / 2, "%x %x %x %u", u[0], u[1],
        u[2], u[3]);
  CHECK(l[0] == (cl_long)(ITEMS - 1) << 33 && l[1] == -((cl_long)(ITEMS - 1) << 33), "%llx %llx", (long long)l[0],
        (long long)l[1]);
  CHECK(l[2] == folded_wide && l[3] == ((cl_long)1 << 40) + ITEMS, "%llx %llx", (long long)l[2], (long long)l[3]);
  CHECK(f[0] == 1 + 0.5f * ITEMS && f[1] == 2.5f, "%g %g", f[0], f[1]);
}

int main(void) {
  open_device();
  cl_program p = build(source, NULL);
  reduce(p);
  all(p);
  close_device();
  puts("PASSED");
}
