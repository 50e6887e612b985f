// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Blocks of 1024 threads read a buffer of 512 KiB each, of `count` that lie interleaved: as many blocks later another reads the same. `first` blocks
// have run before, in other launches. A thread adds up the products of 32 pairs, as the program does that RRZE measured with; no sum is that number.
__kernel __attribute__((reqd_work_group_size(1024, 1, 1))) void buffers(__global const double *restrict data, uint count, uint first,
                                                                       __global double *restrict sums) {
  const size_t mine = ((first + get_group_id(0)) % count) * 2048 + get_local_id(0);
  double sum = 0;
#pragma unroll
  for (uint i = 0; i < 32; i++) {
    const size_t at = (size_t)i * count * 2048 + mine;
    sum += data[at] * data[at + 1024];
  }
  sum *= 0.5;
  if (get_local_id(0) == 0 || sum == 23.12) sums[get_group_id(0)] = sum;
}
