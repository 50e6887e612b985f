// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The mean over a square window, one pixel of four 8-bit channels per work-item, in the manner of the separable variant
// of the AMD APP SDK's BoxFilter: along rows through local memory, then along columns from global memory. Where the
// window would leave the image, the result is 0.
enum { GROUP = 256, MOST_REACH = 8 };

static uint4 channels(uchar4 pixel) {
  const uint word = as_uint(pixel);
  return (uint4)(word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24);
}

// Work-groups of 256 pixels of a row; reach: the window has 2 × reach + 1 pixels.
__kernel void box_rows(__global const uchar4 *in, __global uchar4 *out, int reach) {
  __local uchar4 row[GROUP + 2 * MOST_REACH];
  const int x = get_global_id(0), width = get_global_size(0), lane = get_local_id(0);
  const int at = get_global_id(1) * width + x;
  row[lane + reach] = in[at];
  if (lane < reach && x >= reach) row[lane] = in[at - reach];
  if (lane >= GROUP - reach && x + reach < width) row[lane + 2 * reach] = in[at + reach];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < reach || x >= width - reach) {
    out[at] = (uchar4)(0);
    return;
  }
  uint4 sum = 0;
  for (int i = 0; i <= 2 * reach; i++) sum += channels(row[lane + i]);
  out[at] = convert_uchar4(sum / (uint)(2 * reach + 1));
}

__kernel void box_columns(__global const uchar4 *in, __global uchar4 *out, int reach) {
  const int x = get_global_id(0), width = get_global_size(0);
  const int y = get_global_id(1), height = get_global_size(1);
  if (y < reach || y >= height - reach) {
    out[y * width + x] = (uchar4)(0);
    return;
  }
  uint4 sum = 0;
  for (int i = y - reach; i <= y + reach; i++) sum += channels(in[i * width + x]);
  out[y * width + x] = convert_uchar4(sum / (uint)(2 * reach + 1));
}
