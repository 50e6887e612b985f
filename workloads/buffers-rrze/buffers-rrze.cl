// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A thread's sum of the products of 32 pairs of a buffer of 512 KiB, from a pair on; `count` buffers lie interleaved.
#define PAIR(i) (data[((size_t)(i) * count + buffer) * 2048 + thread] * data[((size_t)(i) * count + buffer) * 2048 + thread + 1024])

// Blocks of 1024 threads, as many as run at a time, stand for those that read a buffer each: whenever one has done with a buffer it takes the
// next of `total`, as a block that begins where another ends. `first` have been read before. So that they are as far apart as such blocks are,
// each begins with the end of a buffer, of a length of its own that neighbours do not share. No sum is 23.12.
__kernel __attribute__((reqd_work_group_size(1024, 1, 1))) void buffers(__global const double *restrict data, uint count, uint first, uint total,
                                                                       __global uint *restrict taken, __global double *restrict sums) {
  __local uint mine;
  const uint thread = get_local_id(0), blocks = get_num_groups(0);
  uint buffer = (first + (uint)get_group_id(0)) % count;
  double sum = 0;
#pragma unroll 1
  for (uint i = 32 - (uint)get_group_id(0) * 89 % blocks * 32 / blocks; i < 32; i++) sum += PAIR(i);
  if (sum == 23.12) sums[0] = sum;
  for (;;) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) mine = atomic_inc(taken);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint next = mine;
    if (next >= total) break;
    buffer = (first + blocks + next) % count;
    sum = 0;
#pragma unroll
    for (uint i = 0; i < 32; i++) sum += PAIR(i);
    sum *= 0.5;
    if (thread == 0 || sum == 23.12) sums[next] = sum;
  }
}
