// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every block, of 1024 threads, reads the same buffer of `words` words, a multiple of 8192, again and again: `passes` times. A thread
// has eight loads in flight. The first pass, which fills the cache, ends before the second begins: launches of different passes then
// differ by whole passes over what is there.
__kernel __attribute__((reqd_work_group_size(1024, 1, 1))) void one_buffer(__global const float *data, uint words,
                                                                          uint passes, __global float *sums) {
  float sum[8] = {0};
#pragma unroll 1 // launches of different passes execute the same code
  for (uint pass = 0; pass < passes; pass++) {
    __global const float *at = data + get_local_id(0), *end = data + words;
    for (; at < end; at += 8192) {
      float got[8];
#pragma unroll
      for (int k = 0; k < 8; k++) got[k] = at[k * 1024];
#pragma unroll
      for (int k = 0; k < 8; k++) sum[k] += got[k];
    }
    if (!pass) barrier(CLK_GLOBAL_MEM_FENCE);
  }
  sums[get_global_id(0)] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}
