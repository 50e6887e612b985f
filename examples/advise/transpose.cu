// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Neighbouring threads read neighbouring elements, and write elements that are a row apart.
__global__ void transpose(const float *in, float *out, int width) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}
