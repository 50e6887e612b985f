// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One block's warps load what the first-level cache has, each lane `stride` words from the one before: `rounds` times, a multiple of
// four, and four loads in flight.
__kernel void strides(__global const float *data, uint stride, uint rounds, __global float *sums) {
  const uint at = (get_local_id(0) & 31) * stride;
  float a = 0, b = 0, c = 0, d = 0;
  for (uint i = 0; i < rounds; i += 4) {
    __global const float *from = data + at + (i & 4);
#pragma unroll
    for (uint k = 0; k < 4; k++) {
      const float w = from[k], x = from[k + 8], y = from[k + 16], z = from[k + 24];
      a += w;
      b += x;
      c += y;
      d += z;
    }
  }
  sums[get_global_id(0)] = (a + b) + (c + d);
}
