// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Two ways to transpose an n × n matrix: straight, where each store of a warp touches a line per lane, and through a tile
// in local memory, where loads and stores both run along rows.
enum { TILE = 16 };

kernel void naive(global const float *in, global float *out, uint n) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

kernel void tiled(global const float *in, global float *out, uint n, local float *tile) {
  uint lx = get_local_id(0), ly = get_local_id(1), bx = get_group_id(0) * TILE, by = get_group_id(1) * TILE;
  if (bx + lx < n && by + ly < n) tile[ly * (TILE + 1) + lx] = in[(by + ly) * n + bx + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (by + lx < n && bx + ly < n) out[(bx + ly) * n + by + lx] = tile[lx * (TILE + 1) + ly];
}
