// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Convolution with a 3 × 3 filter, one pixel per work-item; the border stays as it is.
__kernel void convolve(__global const float *in, __global float *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || x >= columns - 1 || y < 1 || y >= rows - 1) return;
  const int above = (y - 1) * columns + x, here = y * columns + x, below = (y + 1) * columns + x;
  float sum = 0.0625f * in[above - 1];
  sum = fma(0.25f, in[above], sum);
  sum = fma(-0.1875f, in[above + 1], sum);
  sum = fma(0.3125f, in[here - 1], sum);
  sum = fma(0.5f, in[here], sum);
  sum = fma(-0.4375f, in[here + 1], sum);
  sum = fma(-0.125f, in[below - 1], sum);
  sum = fma(0.375f, in[below], sum);
  out[here] = fma(-0.5625f, in[below + 1], sum);
}
