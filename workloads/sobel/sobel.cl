// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sobel's edge detector on pixels of four 8-bit channels, one pixel per work-item, in the manner of the AMD APP SDK's
// SobelFilter: the eight neighbours straight from global memory, the border left as it is.

static float4 channels(uchar4 pixel) {
  const uint word = as_uint(pixel);
  return convert_float4((uint4)(word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24));
}

__kernel void sobel(__global const uchar4 *in, __global uchar4 *out) {
  const uint x = get_global_id(0), y = get_global_id(1);
  const uint width = get_global_size(0), height = get_global_size(1);
  if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;
  const uint at = y * width + x;
  const float4 above_left = channels(in[at - width - 1]);
  const float4 above = channels(in[at - width]);
  const float4 above_right = channels(in[at - width + 1]);
  const float4 left = channels(in[at - 1]);
  const float4 right = channels(in[at + 1]);
  const float4 below_left = channels(in[at + width - 1]);
  const float4 below = channels(in[at + width]);
  const float4 below_right = channels(in[at + width + 1]);
  const float4 down = above_left + 2.0f * above + above_right - below_left - 2.0f * below - below_right;
  const float4 across = above_left + 2.0f * left + below_left - above_right - 2.0f * right - below_right;
  const uint4 length = convert_uint4(sqrt(down * down + across * across) / 2.0f);
  out[at] = convert_uchar4(min(length, 255u));
}
