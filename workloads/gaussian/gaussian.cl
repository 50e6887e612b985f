// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Gaussian elimination of column `t` from the rows below row `t`, in place: first their multipliers, which replace the
// elements that they make zero, then the elements beside. Neighbouring work-items have neighbouring
// columns, in vectors of four.

enum { GROUP = 8, ROWS = 4 };

__kernel void gaussian_multipliers(__global float *matrix, uint size, uint t)
{
  const uint row = t + 1 + get_global_id(0);
  if (row < size)
    matrix[row * size + t] /= matrix[t * size + t];
}

// A work-item has one vector of four rows, 8 apart; a work-group's columns begin at a multiple of its width. What is left
// of the pivot's column and in it stays as it is, for its multipliers are of zeros here. The first vector's work-items do
// the right side.
__kernel void gaussian_eliminate(__global float *matrix, __global float *right, uint size, uint t)
{
  const uint vector = t / (GROUP * 4) * GROUP + get_global_id(0), width = size / 4;
  if (vector < t / 4 || vector >= width)
    return;
  __global float4 *vectors = (__global float4 *)matrix;
  const uint4 column = vector * 4 + (uint4)(0, 1, 2, 3);
  const float4 pivot = select(vectors[t * width + vector], 0.0f, column <= t);
  const uint first = t + 1 + get_group_id(1) * GROUP * ROWS + get_local_id(1);
  const uint end = min(first + GROUP * ROWS, size);
  for (uint row = first; row < end; row += GROUP) {
    const float multiplier = -matrix[row * size + t];
    vectors[row * width + vector] = fma(multiplier, pivot, vectors[row * width + vector]);
    if (vector == t / 4)
      right[row] = fma(multiplier, right[t], right[row]);
  }
}
