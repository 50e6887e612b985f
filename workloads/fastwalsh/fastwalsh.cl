// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One of log2(length) passes of the fast Walsh-Hadamard transform, in place, in the manner of the AMD APP SDK's
// FastWalshTransform: a work-item replaces two elements that are `step` apart, a power of two, by sum and difference.
__kernel void fastwalsh(__global float *elements, ulong step)
{
  const size_t item = get_global_id(0);
  __global float *first = elements + item + (item & -step); // item % step of block item / step, of 2 × step elements
  const float a = first[0], b = first[step];
  first[0] = a + b;
  first[step] = a - b;
}
