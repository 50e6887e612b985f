// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A text from lower to upper case, each thread a chunk of it, character by character.
__kernel void upper(__global const uchar *restrict in, __global uchar *restrict out,
                    __global const uint *restrict start) {
  const uint thread = get_global_id(0);
  const uint end = start[thread + 1];
  for (uint i = start[thread]; i < end; i++) {
    const uchar c = in[i];
    out[i] = c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
  }
}
