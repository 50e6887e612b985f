// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Needleman-Wunsch without local memory, in the plainest way: the tiles, work-groups and launches of nw, but every score
// is in global memory, and a cell reads all three neighbours there: above, to the left and to the upper left.

enum { TILE = 16 };

static void tile_scores(__global const int *similarity, __global int *score, int pitch, int penalty,
                        int tile_x, int tile_y)
{
  int lane = get_local_id(0);
  // The cell above this work-item's column.
  int top = pitch * TILE * tile_y + TILE * tile_x + 1 + lane;
  for (int step = 0; step < 2 * TILE - 1; step++) {
    int row = step - lane;
    if (row >= 0 && row < TILE) {
      int at = top + pitch * (row + 1);
      int up = score[at - pitch], left = score[at - 1], diagonal = score[at - pitch - 1];
      score[at] = max(diagonal + similarity[at], max(left, up) - penalty);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// Anti-diagonals of 1, 2, … `tiles` tiles, from the top left corner.
__kernel void upper_left(__global const int *similarity, __global int *score, int pitch, int penalty, int tiles)
{
  int x = get_group_id(0);
  tile_scores(similarity, score, pitch, penalty, x, tiles - 1 - x);
}

// Anti-diagonals of `tiles` tiles out of `across` per side, towards the bottom right corner.
__kernel void lower_right(__global const int *similarity, __global int *score, int pitch, int penalty, int tiles,
                          int across)
{
  int x = (int)get_group_id(0) + across - tiles;
  tile_scores(similarity, score, pitch, penalty, x, 2 * across - tiles - 1 - x);
}
