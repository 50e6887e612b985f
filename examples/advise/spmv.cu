// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// y = A x, compressed rows, a thread per row. Each thread walks its own lines of `column` and `value`; x is gathered.
__global__ void spmv(const int *column, const float *value, const float *x, float *y, int per_row) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = row * per_row; i < (row + 1) * per_row; i++) sum += value[i] * x[column[i]];
  y[row] = sum;
}
