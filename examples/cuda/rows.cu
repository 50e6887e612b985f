// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The sums of a matrix' rows, one thread for each row.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void row_sums(const float *matrix, float *sums, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < columns; k++)
    sum += matrix[row * columns + k];
  sums[row] = sum;
}

int main(void) {
  const int rows = 69632, columns = 32;
  float *matrix, *sums, first;
  cudaMalloc(&matrix, sizeof(float) * rows * columns);
  cudaMalloc(&sums, sizeof(float) * rows);
  cudaMemset(matrix, 0, sizeof(float) * rows * columns);
  row_sums<<<rows / 256, 256>>>(matrix, sums, columns);
  cudaMemcpy(&first, sums, sizeof first, cudaMemcpyDeviceToHost);
  printf("the first row's sum is %g\n", first);
  return 0;
}
