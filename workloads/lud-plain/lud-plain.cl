// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// LU decomposition without local memory, in the plainest way: the tiles, work-groups and launches of lud, and the same sums in the
// same order, but every element is in global memory, and is read there each time that it is needed.

enum { TILE = 16 };

// One work-group of 16 work-items factors the diagonal tile.
__kernel void diagonal(__global float *matrix, int width, int offset)
{
  int lane = get_local_id(0);
  __global float *corner = matrix + offset * width + offset;

  for (int i = 0; i < TILE - 1; i++) {
    // Column i of L below the diagonal, then row i + 1 of U.
    if (lane > i) {
      float sum = corner[lane * width + i];
      for (int k = 0; k < i; k++)
        sum -= corner[lane * width + k] * corner[k * width + i];
      corner[lane * width + i] = sum / corner[i * width + i];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (lane > i) {
      float sum = corner[(i + 1) * width + lane];
      for (int k = 0; k <= i; k++)
        sum -= corner[(i + 1) * width + k] * corner[k * width + lane];
      corner[(i + 1) * width + lane] = sum;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// Work-group g of 32 work-items takes the tile g + 1 places to the right of the diagonal one (work-items 0..15, one
// column each) and the tile as far below it (work-items 16..31, one row each).
__kernel void perimeter(__global float *matrix, int width, int offset)
{
  int lane = get_local_id(0) % TILE;
  int away = ((int)get_group_id(0) + 1) * TILE;
  __global const float *factored = matrix + offset * width + offset;

  if (get_local_id(0) < TILE) {
    __global float *right = matrix + offset * width + offset + away + lane;
    for (int i = 1; i < TILE; i++) {
      float sum = right[i * width];
      for (int k = 0; k < i; k++)
        sum -= factored[i * width + k] * right[k * width];
      right[i * width] = sum;
    }
  } else {
    __global float *below = matrix + (offset + away + lane) * width + offset;
    for (int i = 0; i < TILE; i++) {
      float sum = below[i];
      for (int k = 0; k < i; k++)
        sum -= below[k] * factored[k * width + i];
      below[i] = sum / factored[i * width + i];
    }
  }
}

// Work-groups of 16 × 16, one per tile to the right of and below the diagonal tile.
__kernel void internal(__global float *matrix, int width, int offset)
{
  int row = offset + ((int)get_group_id(1) + 1) * TILE + (int)get_local_id(1);
  int column = offset + ((int)get_group_id(0) + 1) * TILE + (int)get_local_id(0);
  __global const float *left = matrix + row * width + offset;
  __global const float *above = matrix + offset * width + column;

  float sum = 0.0f;
  for (int k = 0; k < TILE; k++)
    sum += left[k] * above[k * width];
  matrix[row * width + column] -= sum;
}
