// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// C = A × B, one element per work-item, straight from global memory, as in matrixmul; `inner`: columns of A, rows of B.
__kernel void product(__global const float *a, __global const float *b, __global float *c, uint inner) {
  const uint column = get_global_id(0), columns = get_global_size(0), row = get_global_id(1);
  __global const float *left = a + row * inner, *right = b + column;
  float sum = 0;
  for (uint k = 0; k < inner; k++, right += columns) sum += left[k] * *right;
  c[row * columns + column] = sum;
}
