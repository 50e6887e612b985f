// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Histogram of 8-bit pixels, one to a 32-bit word, in the manner of the AMD APP SDK's Histogram: every work-item counts
// 128 pixels into a histogram of its own, one byte per bin in local memory (128 pixels cannot overflow it), and the
// work-group's 128 histograms are then added up.

enum { BINS = 256, GROUP = 128, PIXELS = 128 };

// Four neighbouring work-items' counters of one bin share a word, and a bin's row of 128 bytes is one word in each of 32
// banks, so that work-items 0..31 count in different banks whatever their pixels are.
static uint counter(uint bin, uint lane)
{
  return bin * GROUP + (lane % 32) * 4 + lane / 32;
}

__kernel void group_histogram(__global const uint *pixels, __global uint *bins)
{
  __local uint words[BINS * GROUP / 4];
  __local uchar *mine = (__local uchar *)words;
  uint lane = get_local_id(0);
  uint group = get_group_id(0);
  for (uint i = 0; i < BINS / 4; i++)
    words[i * GROUP + lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = 0; i < PIXELS; i++)
    mine[counter(pixels[(group * PIXELS + i) * GROUP + lane], lane)]++;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint bin = lane; bin < BINS; bin += GROUP) {
    uint sum = 0;
    for (uint i = 0; i < GROUP / 4; i++) {
      // Work-items start at different words, which are in different banks.
      uint four = words[bin * (GROUP / 4) + (i + lane) % (GROUP / 4)];
      sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
    }
    bins[group * BINS + bin] = sum;
  }
}
