// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every block, of 256 threads, reads the same buffer of `words` words, a multiple of 8192 and no less, again and again: `passes` times.
// A thread adds up 32 loads at a time, as the program does that RRZE measured with. The first pass, which fills the cache, ends before
// the second begins: launches of different passes then differ by whole passes over what is there.
static float read_once(__global const float *data, uint words, float sum) {
  __global const float *at = data + get_local_id(0), *end = data + words;
#pragma unroll 1
  do {
#pragma unroll
    for (int k = 0; k < 32; k++) sum += at[k * 256];
    at += 8192;
  } while (at < end);
  return sum * 0.5f;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void one_buffer(__global const float *data, uint words,
                                                                         uint passes, __global float *sums) {
  float sum = read_once(data, words, 0);
  barrier(CLK_GLOBAL_MEM_FENCE);
#pragma unroll 1 // launches of different passes execute the same code
  for (uint pass = 1; pass < passes; pass++) sum = read_once(data, words, sum);
  sums[get_global_id(0)] = sum;
}
