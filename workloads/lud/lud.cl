// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// LU decomposition in place, without pivoting, in the three kernels of Rodinia's lud: for each 16 × 16 tile on the
// diagonal, factor it, then the tiles to its right and below it, then subtract their products from the rest. `offset`
// is the row and column at which the diagonal tile begins.

enum { TILE = 16 };

// One work-group of 16 work-items factors the diagonal tile.
__kernel void diagonal(__global float *matrix, int width, int offset)
{
  __local float tile[TILE][TILE];
  int lane = get_local_id(0);
  __global float *corner = matrix + offset * width + offset;
  for (int row = 0; row < TILE; row++)
    tile[row][lane] = corner[row * width + lane];
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int i = 0; i < TILE - 1; i++) {
    // Column i of L below the diagonal, then row i + 1 of U.
    if (lane > i) {
      float sum = tile[lane][i];
      for (int k = 0; k < i; k++)
        sum -= tile[lane][k] * tile[k][i];
      tile[lane][i] = sum / tile[i][i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane > i) {
      float sum = tile[i + 1][lane];
      for (int k = 0; k <= i; k++)
        sum -= tile[i + 1][k] * tile[k][lane];
      tile[i + 1][lane] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int row = 1; row < TILE; row++)
    corner[row * width + lane] = tile[row][lane];
}

// Work-group g of 32 work-items takes the tile g + 1 places to the right of the diagonal one (work-items 0..15, one
// column each) and the tile as far below it (work-items 16..31, one row each).
__kernel void perimeter(__global float *matrix, int width, int offset)
{
  __local float factored[TILE][TILE];
  __local float right[TILE][TILE];
  __local float below[TILE][TILE];
  int lane = get_local_id(0) % TILE;
  bool is_right = get_local_id(0) < TILE;
  int away = ((int)get_group_id(0) + 1) * TILE;
  __global float *corner = matrix + offset * width + offset;

  // The two halves of the work-group share the loading.
  int half_tile = is_right ? 0 : TILE / 2;
  for (int row = half_tile; row < half_tile + TILE / 2; row++)
    factored[row][lane] = corner[row * width + lane];
  for (int row = 0; row < TILE; row++) {
    if (is_right)
      right[row][lane] = corner[row * width + away + lane];
    else
      below[row][lane] = corner[(row + away) * width + lane];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (is_right) {
    for (int i = 1; i < TILE; i++) {
      float sum = right[i][lane];
      for (int k = 0; k < i; k++)
        sum -= factored[i][k] * right[k][lane];
      right[i][lane] = sum;
    }
  } else {
    for (int i = 0; i < TILE; i++) {
      float sum = below[lane][i];
      for (int k = 0; k < i; k++)
        sum -= below[lane][k] * factored[k][i];
      below[lane][i] = sum / factored[i][i];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int row = 0; row < TILE; row++) {
    if (is_right)
      corner[row * width + away + lane] = right[row][lane];
    else
      corner[(row + away) * width + lane] = below[row][lane];
  }
}

// Work-groups of 16 × 16, one per tile to the right of and below the diagonal tile.
__kernel void internal(__global float *matrix, int width, int offset)
{
  __local float left[TILE][TILE];
  __local float above[TILE][TILE];
  int x = get_local_id(0);
  int y = get_local_id(1);
  int row = offset + ((int)get_group_id(1) + 1) * TILE + y;
  int column = offset + ((int)get_group_id(0) + 1) * TILE + x;

  left[y][x] = matrix[row * width + offset + x];
  above[y][x] = matrix[(offset + y) * width + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (int k = 0; k < TILE; k++)
    sum += left[y][k] * above[k][x];
  matrix[row * width + column] -= sum;
}
