// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One thread follows pointers, each load's address the value of the one before. `steps` is a multiple of 16.
__kernel void chase(__global ulong *start, uint steps, __global ulong *end) {
  __global ulong *p = start;
  for (uint i = 0; i < steps; i += 16) {
#pragma unroll
    for (int k = 0; k < 16; k++) p = (__global ulong *)*p;
  }
  *end = (ulong)p;
}
