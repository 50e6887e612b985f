// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

static bool is_space(uchar c) {
  return c == ' ' || c - '\t' < 5u; // \t \n \v \f \r
}

// Lines and words of a text, each thread a chunk of it, character by character. A word belongs to the thread whose chunk
// it begins in.
__kernel void wc(__global const uchar *restrict text, __global const uint *restrict start,
                 __global uint *restrict totals) {
  const uint thread = get_global_id(0);
  const uint first = start[thread], end = start[thread + 1];
  bool in_word = first > 0 && !is_space(text[first - 1]);
  uint lines = 0, words = 0;
  for (uint i = first; i < end; i++) {
    const uchar c = text[i];
    const bool space = is_space(c);
    lines += c == '\n';
    words += !space && !in_word;
    in_word = !space;
  }
  atomic_add(&totals[0], lines);
  atomic_add(&totals[1], words);
}
