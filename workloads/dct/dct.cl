// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Discrete cosine transform of an image in square blocks, one work-group per block and one work-item per coefficient,
// in the manner of the AMD APP SDK's DCT: output = C × input × Cᵀ, the first product kept in local memory.
__kernel void dct(__global float *output, __global const float *input, __global const float *cosine,
                  __local float *product, uint width, uint block)
{
  uint column = get_local_id(0);
  uint row = get_local_id(1);
  uint corner = get_group_id(1) * block * width + get_group_id(0) * block;

  float sum = 0.0f;
  for (uint k = 0; k < block; k++)
    sum += cosine[row * block + k] * input[corner + k * width + column];
  product[row * block + column] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);

  sum = 0.0f;
  for (uint k = 0; k < block; k++)
    sum += product[row * block + k] * cosine[column * block + k];
  output[corner + row * width + column] = sum;
}
