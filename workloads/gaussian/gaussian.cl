// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Gaussian elimination of column `t` from the rows below row `t`, in place: first their multipliers, which replace the
// elements that they make zero, then the elements beside. Neighbouring work-items have neighbouring columns.

enum { WIDTH = 64, HEIGHT = 4, ROWS = 4 };

__kernel void gaussian_multipliers(__global float *matrix, uint size, uint t)
{
  const uint row = t + 1 + get_global_id(0);
  if (row < size)
    matrix[row * size + t] /= matrix[t * size + t];
}

// A work-item has four rows, 4 apart; a work-group's columns begin at a multiple of its width.
__kernel void gaussian_eliminate(__global float *matrix, __global float *right, uint size, uint t)
{
  const uint column = (t & ~(WIDTH - 1)) + get_global_id(0);
  if (column < t)
    return;
  const uint first = t + 1 + get_group_id(1) * HEIGHT * ROWS + get_local_id(1);
  const uint end = min(first + HEIGHT * ROWS, size);
  if (column == t) {
    const float pivot = right[t];
    for (uint row = first; row < end; row += HEIGHT)
      right[row] = fma(-matrix[row * size + t], pivot, right[row]);
  } else {
    const float pivot = matrix[t * size + column];
    for (uint row = first; row < end; row += HEIGHT)
      matrix[row * size + column] = fma(-matrix[row * size + t], pivot, matrix[row * size + column]);
  }
}
