// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One pass of a radix sort over 4 of a key's 32 bits. Each work-item owns 16 keys that lie side by side, one 64-byte
// line, which it comes back to 16 times in each of the kernels: the reuse is in time within the work-item, while
// neighbouring work-items read different lines.

enum { DIGITS = 16, KEYS = 16, GROUP = 64, SCAN = 256 };

// How many of each work-item's keys have each digit: count[digit × work-items + work-item].
__kernel void digit_histogram(__global const uint *keys, __global uint *count, uint shift)
{
  __local uint mine[DIGITS][GROUP];
  uint lane = get_local_id(0);
  uint item = get_global_id(0);
  uint items = get_global_size(0);
  for (uint d = 0; d < DIGITS; d++)
    mine[d][lane] = 0;
  for (uint k = 0; k < KEYS; k++)
    mine[(keys[item * KEYS + k] >> shift) % DIGITS][lane]++;
  for (uint d = 0; d < DIGITS; d++)
    count[d * items + item] = mine[d][lane];
}

// The sums of `value` over all lower work-items of the group, and over the whole group.
static uint group_scan(__local uint (*buffer)[SCAN], uint lane, uint value, uint *total)
{
  uint from = 0;
  buffer[0][lane] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = 1; reach < SCAN; reach *= 2) {
    uint sum = buffer[from][lane] + (lane >= reach ? buffer[from][lane - reach] : 0);
    from ^= 1;
    buffer[from][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  *total = buffer[from][SCAN - 1];
  return buffer[from][lane] - value;
}

// Exclusive prefix sums of 256 counts per work-group, and each work-group's sum.
__kernel void scan_groups(__global uint *count, __global uint *group_sum)
{
  __local uint buffer[2][SCAN];
  uint i = get_global_id(0);
  uint total;
  count[i] = group_scan(buffer, get_local_id(0), count[i], &total);
  if (get_local_id(0) == 0)
    group_sum[get_group_id(0)] = total;
}

// Exclusive prefix sums of the groups' sums: one work-group, at most 256 sums.
__kernel void scan_sums(__global uint *group_sum, uint groups)
{
  __local uint buffer[2][SCAN];
  uint lane = get_local_id(0);
  uint total;
  uint sum = group_scan(buffer, lane, lane < groups ? group_sum[lane] : 0, &total);
  if (lane < groups)
    group_sum[lane] = sum;
}

// After this, count[digit × work-items + work-item] is where the work-item's first key of that digit goes.
__kernel void add_sums(__global uint *count, __global const uint *group_sum)
{
  count[get_global_id(0)] += group_sum[get_group_id(0)];
}

// Moves every key to its place; keys of one digit keep their order.
__kernel void permute(__global const uint *keys, __global const uint *count, __global uint *sorted, uint shift)
{
  __local uint next[DIGITS][GROUP];
  uint lane = get_local_id(0);
  uint item = get_global_id(0);
  uint items = get_global_size(0);
  for (uint d = 0; d < DIGITS; d++)
    next[d][lane] = count[d * items + item];
  for (uint k = 0; k < KEYS; k++) {
    uint key = keys[item * KEYS + k];
    sorted[next[(key >> shift) % DIGITS][lane]++] = key;
  }
}
