// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// C = A × B, one element per work-item, straight from global memory: no tile in local memory, so that the caches hold
// all the reuse there is.
__kernel void matrixmul(__global const float *a, __global const float *b, __global float *c, int n) {
  const size_t column = get_global_id(0), row = get_global_id(1);
  __global const float *left = a + row * n;
  __global const float *right = b + column;
  float sum = 0;
  for (int k = 0; k < n; k++, right += n) sum += left[k] * *right;
  c[row * n + column] = sum;
}
