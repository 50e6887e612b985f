// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Elimination of column t from the rows below row t: their multipliers, then their new elements. Neighbouring work-items
// have neighbouring rows, which are `size` elements apart.
__kernel void gau_multipliers(__global float *multiplier, __global const float *matrix, int size, int t) {
  const int below = get_global_id(0);
  if (below >= size - 1 - t) return;
  const int row = size * (below + t + 1);
  multiplier[row + t] = matrix[row + t] / matrix[size * t + t];
}

__kernel void gau_eliminate(__global const float *multiplier, __global float *matrix, __global float *right, int size,
                            int t) {
  const int below = get_global_id(0), beside = get_global_id(1);
  if (below >= size - 1 - t || beside >= size - t) return;
  const int row = size * (below + t + 1);
  matrix[row + t + beside] = fma(-multiplier[row + t], matrix[size * t + t + beside], matrix[row + t + beside]);
  if (beside == 0) right[below + t + 1] = fma(-multiplier[row + t], right[t], right[below + t + 1]);
}
