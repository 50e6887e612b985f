// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Transposition of a square matrix in the manner of the AMD APP SDK's MatrixTranspose: a work-group moves a tile of 64 ×
// 64 elements through local memory, each of its 16 × 16 work-items 4 × 4 of them, in vectors of four; `width` is in
// vectors.

enum { GROUP = 16 };

// Where the tile has the vector in line `y` and column `x`: work-items that read down a column read different banks.
static uint place(uint y, uint x)
{
  return y * GROUP + (x ^ y / 4);
}

__kernel void transpose(__global float4 *output, __global const float4 *input, __local float4 *tile, uint width)
{
  const uint column = get_local_id(0), row = get_local_id(1);
  const uint across = get_group_id(0) * GROUP, down = get_group_id(1) * GROUP;

  const uint from = (down + row) * 4 * width + across + column;
  for (uint i = 0; i < 4; i++)
    tile[place(row * 4 + i, column)] = input[from + i * width];
  barrier(CLK_LOCAL_MEM_FENCE);

  const float4 a = tile[place(column * 4, row)], b = tile[place(column * 4 + 1, row)];
  const float4 c = tile[place(column * 4 + 2, row)], d = tile[place(column * 4 + 3, row)];
  const uint to = (across + row) * 4 * width + down + column;
  output[to] = (float4)(a.x, b.x, c.x, d.x);
  output[to + width] = (float4)(a.y, b.y, c.y, d.y);
  output[to + 2 * width] = (float4)(a.z, b.z, c.z, d.z);
  output[to + 3 * width] = (float4)(a.w, b.w, c.w, d.w);
}
