// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// y = A x with A in compressed rows, one row per work-item ("scalar CSR"): neighbouring work-items walk different rows,
// so the loads of columns and values are un-coalesced, and x is gathered.
__kernel void spmv(__global const uint *start, __global const uint *column, __global const float *value,
                   __global const float *x, __global float *y, uint rows) {
  const uint row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0;
  const uint end = start[row + 1];
  for (uint i = start[row]; i < end; i++) sum = fma(value[i], x[column[i]], sum);
  y[row] = sum;
}
