// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sums of a work-group's elements, in the manner of the AMD APP SDK's Reduction: each work-item adds two neighbouring
// vectors of four whole numbers, and the work-group adds up what its 256 work-items have in local memory.

enum { GROUP = 256 };

__kernel void reduce(__global const uint4 *input, __global uint4 *output)
{
  __local uint4 sums[GROUP];
  const uint lane = get_local_id(0);
  const uint first = get_global_id(0) * 2;
  sums[lane] = input[first] + input[first + 1];
  for (uint reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < reach)
      sums[lane] += sums[lane + reach];
  }
  if (lane == 0)
    output[get_group_id(0)] = sums[0];
}
