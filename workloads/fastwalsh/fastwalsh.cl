// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One of log2(length) passes of the fast Walsh-Hadamard transform, in place, in the manner of the AMD APP SDK's
// FastWalshTransform: a work-item replaces two elements that are `step` apart, a power of two, by sum and difference.
__kernel void fastwalsh(__global float *elements, uint step)
{
  const uint item = get_global_id(0);
  const uint first = item + (item & ~(step - 1)); // item % step of block item / step, which has 2 × step elements
  const float a = elements[first], b = elements[first + step];
  elements[first] = a + b;
  elements[first + step] = a - b;
}
