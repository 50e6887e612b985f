// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One pass of a radix sort over 8 of a key's 32 bits, in the manner of the AMD APP SDK's RadixSort: each work-item counts
// and later moves 256 keys that lie side by side, read four at a time, with 256 counters of 16 bits in local memory.
// Between the two kernels the host turns counts into places.

enum { DIGITS = 256, KEYS = 256, GROUP = 64 };

// How many of each work-item's keys have each digit: counts[work-item × 256 + digit].
__kernel void radix_histogram(__global const uint4 *keys, __global uint4 *counts, uint shift)
{
  __local ushort mine[DIGITS][GROUP];
  const uint lane = get_local_id(0), item = get_global_id(0);
  for (uint d = 0; d < DIGITS; d++)
    mine[d][lane] = 0;
  for (uint k = 0; k < KEYS / 4; k++) {
    const uint4 digit = keys[item * (KEYS / 4) + k] >> shift & (DIGITS - 1);
    mine[digit.x][lane]++;
    mine[digit.y][lane]++;
    mine[digit.z][lane]++;
    mine[digit.w][lane]++;
  }
  for (uint d = 0; d < DIGITS; d += 4)
    counts[(item * DIGITS + d) / 4] = (uint4)(mine[d][lane], mine[d + 1][lane], mine[d + 2][lane], mine[d + 3][lane]);
}

// Moves every key to its place; keys of one digit keep their order. A work-group's keys of one digit go side by side, so
// that 16 bits say how far from its first work-item's place.
__kernel void radix_permute(__global const uint4 *keys, __global const uint4 *places, __global uint *sorted, uint shift)
{
  __local ushort next[DIGITS][GROUP];
  const uint lane = get_local_id(0), item = get_global_id(0);
  __global const uint4 *first = places + get_group_id(0) * GROUP * (DIGITS / 4);
  for (uint d = 0; d < DIGITS; d += 4) {
    const uint4 ahead = places[(item * DIGITS + d) / 4] - first[d / 4];
    next[d][lane] = ahead.x;
    next[d + 1][lane] = ahead.y;
    next[d + 2][lane] = ahead.z;
    next[d + 3][lane] = ahead.w;
  }
  __global const uint *begin = (__global const uint *)first;
  for (uint k = 0; k < KEYS / 4; k++) {
    const uint4 key = keys[item * (KEYS / 4) + k];
    const uint4 digit = key >> shift & (DIGITS - 1);
    sorted[begin[digit.x] + next[digit.x][lane]++] = key.x;
    sorted[begin[digit.y] + next[digit.y][lane]++] = key.y;
    sorted[begin[digit.z] + next[digit.z][lane]++] = key.z;
    sorted[begin[digit.w] + next[digit.w][lane]++] = key.w;
  }
}
