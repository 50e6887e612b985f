// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A sparse matrix times a vector, one thread for each row. Each row has as many elements, and those of all rows lie side by side.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void multiply(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < width; k++)
    sum += values[k * rows + row] * x[columns[k * rows + row]];
  y[row] = sum;
}

int main(void) {
  const int rows = 65536, width = 16, elements = rows * width, words = 1 << 20;
  int *columns = (int *)malloc(sizeof(int) * elements), *there;
  float *values, *x, *y, first;
  unsigned random = 1; // its upper 20 bits are a word's number
  for (int i = 0; i < elements; i++) columns[i] = (random = random * 1664525 + 1013904223) >> 12;
  cudaMalloc(&there, sizeof(int) * elements);
  cudaMalloc(&values, sizeof(float) * elements);
  cudaMalloc(&x, sizeof(float) * words);
  cudaMalloc(&y, sizeof(float) * rows);
  cudaMemcpy(there, columns, sizeof(int) * elements, cudaMemcpyHostToDevice);
  cudaMemset(values, 0, sizeof(float) * elements);
  cudaMemset(x, 0, sizeof(float) * words);
  multiply<<<rows / 256, 256>>>(values, there, x, y, rows, width);
  cudaMemcpy(&first, y, sizeof first, cudaMemcpyDeviceToHost);
  printf("the first row's sum is %g\n", first);
  free(columns);
  return 0;
}
