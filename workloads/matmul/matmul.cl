// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// C = A × B without shared memory, each thread a contiguous chunk of C's elements in row order: it goes along its row of A
// word by word, down a column of B line by line.
__kernel void matmul(__global const float *restrict a, __global const float *restrict b, __global float *restrict c,
                     uint n) {
  const uint thread = get_global_id(0), threads = get_global_size(0);
  const uint end = (uint)((ulong)(thread + 1) * n * n / threads);
  for (uint i = (uint)((ulong)thread * n * n / threads); i < end; i++) {
    const uint row = i / n, column = i % n;
    float sum = 0;
    for (uint k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[i] = sum;
  }
}
