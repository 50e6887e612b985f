// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Eigenvalues of a symmetric tridiagonal matrix by bisection, in the manner of the AMD APP SDK's EigenValue: as many
// work-items as eigenvalues, each with an interval [lower, upper). A round counts each interval's eigenvalues and then
// hands every eigenvalue a narrower interval. `below[i]` is the element beside diagonal elements i and i + 1.

// How many eigenvalues are less than x: the negative terms of Sturm's sequence.
static uint eigenvalues_below(float x, __global const float *diagonal, __global const float *below, uint n) {
  float term = diagonal[0] - x;
  uint count = term < 0;
  for (uint i = 1; i < n; i++) {
    term = diagonal[i] - x - below[i - 1] * below[i - 1] / term;
    count += term < 0;
  }
  return count;
}

__kernel void count_eigenvalues(__global uint *counts, __global const float2 *intervals,
                                __global const float *diagonal, __global const float *below, uint n) {
  const uint item = get_global_id(0);
  const float2 interval = intervals[item];
  counts[item] = eigenvalues_below(interval.y, diagonal, below, n) - eigenvalues_below(interval.x, diagonal, below, n);
}

// An interval of one eigenvalue is halved until it is at most `width` wide, one of several divided by their number.
__kernel void narrow_intervals(__global float2 *narrower, __global const float2 *intervals, __global const uint *counts,
                               __global const float *diagonal, __global const float *below, uint n, float width) {
  const uint item = get_global_id(0);
  uint which = item, from = 0;
  while (which >= counts[from]) which -= counts[from++];
  const uint count = counts[from];
  float2 interval = intervals[from];
  if (count == 1) {
    const float middle = (interval.x + interval.y) / 2;
    if (interval.y - interval.x > width) {
      if (eigenvalues_below(middle, diagonal, below, n) == eigenvalues_below(interval.x, diagonal, below, n))
        interval.x = middle;
      else
        interval.y = middle;
    }
  } else {
    const float part = (interval.y - interval.x) / count, lower = interval.x;
    interval.x = fma(part, (float)which, lower);
    if (which + 1 < count) interval.y = fma(part, (float)(which + 1), lower);
  }
  narrower[item] = interval;
}
