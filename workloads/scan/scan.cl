// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Prefix sums of a large array, in the manner of the AMD APP SDK's ScanLargeArrays: blocks in local memory, two
// elements per work-item, then the blocks' own sums by the same kernel, and what lies before each block is added to it.

// Exclusive prefix sums of each block of `block` elements, twice as many as the work-group has work-items; sums[b] is
// block b's total. Hillis and Steele's method in local memory.
__kernel void scan_blocks(__global const float *in, __global float *out, __global float *sums, __local float *part,
                          uint block) {
  const uint item = get_global_id(0), low = 2 * get_local_id(0), high = low + 1;
  part[low] = in[2 * item];
  part[high] = in[2 * item + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = 1; reach < block; reach *= 2) {
    float first = part[low], second = part[high];
    if (low >= reach) first += part[low - reach];
    if (high >= reach) second += part[high - reach];
    barrier(CLK_LOCAL_MEM_FENCE);
    part[low] = first;
    part[high] = second;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (high == block - 1) sums[get_group_id(0)] = part[high];
  out[2 * item] = low ? part[low - 1] : 0;
  out[2 * item + 1] = part[low];
}

// Work-groups of a block's size.
__kernel void add_sums(__global float *out, __global const float *sums) {
  __local float before;
  if (get_local_id(0) == 0) before = sums[get_group_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] += before;
}
