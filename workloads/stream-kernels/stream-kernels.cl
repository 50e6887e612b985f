// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Six kernels that stream, an element of eight bytes per thread. b, c and d are read, a is written; `count` is that of elements.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void read(__global double *restrict a, __global const double *restrict b, uint count) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  const double x = b[i];
  if (x < 0) a[i] = x; // never; the load stays
}

__kernel void init(__global double *restrict a, uint count) {
  const uint i = get_global_id(0);
  if (i < count) a[i] = 0.25;
}

__kernel void scale(__global double *restrict a, __global const double *restrict b, uint count) {
  const uint i = get_global_id(0);
  if (i < count) a[i] = b[i] * 1.5;
}

#ifdef TRIAD_OF_TWO
__kernel void triad(__global double *restrict a, __global const double *restrict b, __global const double *restrict c,
                    uint count) {
  const uint i = get_global_id(0);
  if (i < count) a[i] = b[i] * 1.5 + c[i];
}
#else
__kernel void triad(__global double *restrict a, __global const double *restrict b, __global const double *restrict c,
                    __global const double *restrict d, uint count) {
  const uint i = get_global_id(0);
  if (i < count) a[i] = b[i] * d[i] + c[i];
}
#endif

// The loads of a stencil come before what is computed, as an assembler puts them.
__kernel void stencil3(__global double *restrict a, __global const double *restrict b, uint count) {
  const uint i = get_global_id(0);
  if (i < 1 || i + 1 >= count) return;
  __global const double *at = b + i;
  const double x = at[-1], y = at[0], z = at[1];
  a[i] = 0.5 * x - y + 0.5 * z;
}

__kernel void stencil5(__global double *restrict a, __global const double *restrict b, uint count) {
  const uint i = get_global_id(0);
  if (i < 2 || i + 2 >= count) return;
  __global const double *at = b + i;
  const double v = at[-2], w = at[-1], x = at[0], y = at[1], z = at[2];
  a[i] = 0.25 * v + 0.25 * w - x + 0.5 * y + 0.5 * z;
}
