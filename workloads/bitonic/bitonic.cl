// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One pass of a bitonic sort: each work-item orders one pair of keys in global memory. The pairs of pass p of stage s
// are 2^(s-p) apart; stage s merges runs of 2^s keys, alternately upwards and downwards, into runs of 2^(s+1).
__kernel void bitonic_pass(__global uint *keys, uint stage, uint pass, uint ascending)
{
  uint pair = get_global_id(0);
  uint shift = stage - pass;
  uint distance = 1u << shift;
  uint low = ((pair >> shift) << (shift + 1)) + (pair & (distance - 1));
  uint high = low + distance;

  uint first = keys[low];
  uint second = keys[high];
  uint smaller = min(first, second);
  uint larger = max(first, second);
  bool upwards = (((pair >> stage) ^ ascending) & 1) != 0;
  keys[low] = upwards ? smaller : larger;
  keys[high] = upwards ? larger : smaller;
}
