// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One block's warps load what the first-level cache has, each of 64 threads `stride` words from the one before: `rounds` rounds of four
// loads, a multiple of two. Which words, and what becomes of them, is as in the program that RRZE measured with.
__kernel void strides(__global const float *data, uint stride, uint rounds, __global float *sums) {
  __global const float *at = data + (get_local_id(0) & 63) * stride;
  float sum = 0;
#pragma unroll 1
  for (uint i = 0; i < rounds; i += 2) {
    at += i >> 31; // nothing; but loads stay in the loop
    sum += at[0] * at[4];
    sum += at[8] * at[12];
    sum += at[20] * at[16];
    sum += at[24] * at[28];
  }
  sums[get_global_id(0)] = sum;
}
