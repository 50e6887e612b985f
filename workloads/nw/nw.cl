// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Needleman-Wunsch alignment scores in the two kernels of Rodinia's nw. The matrix of (n + 1) × (n + 1) scores is cut
// into tiles of 16 × 16, the tiles of one anti-diagonal are independent, and each is one work-group of 16 work-items.
// A tile's scores and similarities live in local memory while they are computed.

enum { TILE = 16 };

static void tile_scores(__global const int *similarity, __global int *score, __local int (*cell)[TILE + 1],
                        __local int (*match)[TILE], int pitch, int penalty, int tile_x, int tile_y)
{
  int lane = get_local_id(0);
  // The tile's top left cell, and the row above it.
  int first = pitch * (TILE * tile_y + 1) + TILE * tile_x + 1;
  int above = first - pitch;

  if (lane == 0)
    cell[0][0] = score[above - 1];
  for (int row = 0; row < TILE; row++)
    match[row][lane] = similarity[first + row * pitch + lane];
  cell[lane + 1][0] = score[first + lane * pitch - 1];
  cell[0][lane + 1] = score[above + lane];
  barrier(CLK_LOCAL_MEM_FENCE);

  // Along the tile's anti-diagonals: work-item i computes column i, one row behind its left neighbour.
  for (int step = 0; step < 2 * TILE - 1; step++) {
    int row = step - lane;
    if (row >= 0 && row < TILE) {
      int diagonal = cell[row][lane] + match[row][lane];
      int left = cell[row + 1][lane] - penalty;
      int up = cell[row][lane + 1] - penalty;
      cell[row + 1][lane + 1] = max(diagonal, max(left, up));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int row = 0; row < TILE; row++)
    score[first + row * pitch + lane] = cell[row + 1][lane + 1];
}

// Anti-diagonals of 1, 2, … `tiles` tiles, from the top left corner.
__kernel void upper_left(__global const int *similarity, __global int *score, int pitch, int penalty, int tiles)
{
  __local int cell[TILE + 1][TILE + 1];
  __local int match[TILE][TILE];
  int x = get_group_id(0);
  tile_scores(similarity, score, cell, match, pitch, penalty, x, tiles - 1 - x);
}

// Anti-diagonals of `tiles` tiles out of `across` per side, towards the bottom right corner.
__kernel void lower_right(__global const int *similarity, __global int *score, int pitch, int penalty, int tiles,
                          int across)
{
  __local int cell[TILE + 1][TILE + 1];
  __local int match[TILE][TILE];
  int x = (int)get_group_id(0) + across - tiles;
  tile_scores(similarity, score, cell, match, pitch, penalty, x, 2 * across - tiles - 1 - x);
}
