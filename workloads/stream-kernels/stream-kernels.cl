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

__kernel void triad(__global double *restrict a, __global const double *restrict b, __global const double *restrict c,
                    __global const double *restrict d, uint count) {
  const uint i = get_global_id(0);
  if (i < count) a[i] = b[i] * d[i] + c[i];
}

__kernel void stencil3(__global double *restrict a, __global const double *restrict b, uint count) {
  const uint i = get_global_id(0);
  if (i >= 1 && i + 1 < count) a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1];
}

__kernel void stencil5(__global double *restrict a, __global const double *restrict b, uint count) {
  const uint i = get_global_id(0);
  if (i >= 2 && i + 2 < count) a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2];
}
