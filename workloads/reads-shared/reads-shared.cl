// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

enum { WORDS = 8, APART = 1024 }; // of a thread; from one to the next, as many as a block has threads at most

static ulong cycle(void) {
  return (ulong)__nvvm_read_ptx_sreg_clock64();
}

// Threads read words of shared memory that no other thread reads, as fast as they can, for `cycles`: a round is four of a
// thread's eight, then the other four, all in flight at once, and neighbours read neighbouring words. Each thread goes on
// where its `rounds` say that it was.
__kernel void reads_shared(__global const uint *data, uint cycles, __global uint *rounds, __global uint *sums,
                           __local uint *words) {
  const uint thread = get_global_id(0), me = get_local_id(0);
  uint round = rounds[thread], sum = sums[thread];
  for (uint i = 0; i < WORDS; i++) words[i * APART + me] = data[thread * WORDS + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong end = cycle() + cycles;
  do {
    __local const uint *at = words + round % 2 * (WORDS / 2 * APART) + me;
    sum += at[0] + at[APART] + at[2 * APART] + at[3 * APART];
    round++;
  } while (cycle() < end);
  rounds[thread] = round;
  sums[thread] = sum;
}
