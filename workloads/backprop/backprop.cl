// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The two kernels of Rodinia's back-propagation: a layer of inputs fully connected to 16 hidden units. Work-groups of
// 16 × 16: y runs over 16 inputs, x over the hidden units. weight[(input + 1) × (hidden + 1) + unit + 1]; row 0 and
// column 0 belong to the bias units.

enum { WIDTH = 16, HEIGHT = 16 };

// Products of inputs and weights, added up over the 16 inputs of the work-group into partial[group × hidden + unit].
// As in the original, what the work-group's tile holds after the additions goes back over the weights; the host copies
// the weights in again before it adjusts them.
__kernel void layer_forward(__global const float *input, __global float *weight, __global float *partial, int hidden)
{
  __local float node[HEIGHT];
  __local float tile[HEIGHT][WIDTH];
  int group = get_group_id(1);
  int x = get_local_id(0);
  int y = get_local_id(1);
  int unit = (hidden + 1) * (HEIGHT * group + y + 1) + x + 1;

  if (x == 0)
    node[y] = input[HEIGHT * group + y + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[y][x] = weight[unit];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[y][x] = tile[y][x] * node[y];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < HEIGHT; step *= 2) {
    if (y % (2 * step) == 0)
      tile[y][x] += tile[y + step][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  weight[unit] = tile[y][x];
  if (x == 0)
    partial[group * hidden + y] = tile[0][y];
}

// Gradient step with momentum on every weight; the first work-group's first row also takes the bias weights.
__kernel void adjust_weights(__global const float *delta, int hidden, __global const float *input,
                             __global float *weight, __global float *previous, float rate, float momentum)
{
  int group = get_group_id(1);
  int x = get_local_id(0);
  int y = get_local_id(1);
  int unit = (hidden + 1) * (HEIGHT * group + y + 1) + x + 1;

  float step = rate * delta[x + 1] * input[HEIGHT * group + y + 1] + momentum * previous[unit];
  weight[unit] += step;
  previous[unit] = step;
  if (group == 0 && y == 0) {
    float bias = rate * delta[x + 1] + momentum * previous[x + 1];
    weight[x + 1] += bias;
    previous[x + 1] = bias;
  }
}
