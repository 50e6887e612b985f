// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One warp each, so that every access can be followed by hand (docs/teaching).

// Goes over `lines` places, `stride` elements apart, again and again.
extern "C" __global__ void walk(const float *in, float *out, int lines, int stride, int rounds) {
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; r++)
#pragma unroll 1
    for (int i = 0; i < lines; i++)
      sum += in[i * stride + threadIdx.x];
  out[threadIdx.x] = sum;
}

// A table that is read in each round, and a stream of which no element is read twice.
extern "C" __global__ void mix(const float *table, const float *stream, float *out, int lines, int streamed, int rounds) {
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
#pragma unroll 1
    for (int i = 0; i < lines; i++)
      sum += table[i * 32 + threadIdx.x];
#pragma unroll 1
    for (int i = 0; i < streamed; i++)
      sum += stream[(r * streamed + i) * 32 + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

// Each lane reads one element, `stride` elements from its neighbour's.
extern "C" __global__ void gather(const float *in, float *out, int stride) {
  out[threadIdx.x] = in[threadIdx.x * stride];
}
