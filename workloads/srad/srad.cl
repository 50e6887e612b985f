// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Speckle-reducing anisotropic diffusion (Yu and Acton, IEEE Trans. Image Processing 2002) in the kernels of Rodinia's
// program. The image is column-major: pixel (row, column) is element row + rows × column. One work-item per pixel.

enum { GROUP = 256 };

// From grey levels 0..255 to the exponential scale the diffusion works on.
__kernel void extract(int count, __global float *image)
{
  int e = get_global_id(0);
  if (e < count)
    image[e] = exp(image[e] / 255.0f);
}

// The terms of the two sums behind mean and variance.
__kernel void prepare(int count, __global const float *image, __global float *sums, __global float *squares)
{
  int e = get_global_id(0);
  if (e < count) {
    float value = image[e];
    sums[e] = value;
    squares[e] = value * value;
  }
}

// One level of the reduction: each work-group adds up 256 terms, which lie `stride` apart, into the first of them.
__kernel void reduce(int count, int stride, __global float *sums, __global float *squares)
{
  __local float sum[GROUP];
  __local float square[GROUP];
  int item = get_local_id(0);
  int e = get_global_id(0);
  sum[item] = e < count ? sums[e * stride] : 0.0f;
  square[item] = e < count ? squares[e * stride] : 0.0f;
  for (int half_width = GROUP / 2; half_width > 0; half_width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_width) {
      sum[item] += sum[item + half_width];
      square[item] += square[item + half_width];
    }
  }
  if (item == 0) {
    sums[e * stride] = sum[0];
    squares[e * stride] = square[0];
  }
}

// Directional derivatives and the diffusion coefficient of each pixel. north and south hold the neighbouring row of
// each row, west and east the neighbouring column of each column, mirrored at the border.
__kernel void srad(int rows, int count, __global const int *north, __global const int *south,
                   __global const int *west, __global const int *east, __global float *to_north,
                   __global float *to_south, __global float *to_west, __global float *to_east, float noise,
                   __global float *coefficient, __global const float *image)
{
  int e = get_global_id(0);
  if (e >= count)
    return;
  int row = e % rows;
  int column = e / rows;
  float here = image[e];
  float n = image[north[row] + rows * column] - here;
  float s = image[south[row] + rows * column] - here;
  float w = image[row + rows * west[column]] - here;
  float o = image[row + rows * east[column]] - here;

  float gradient = (n * n + s * s + w * w + o * o) / (here * here);
  float laplacian = (n + s + w + o) / here;
  float scale = 1.0f + 0.25f * laplacian;
  float variation = (0.5f * gradient - laplacian * laplacian / 16.0f) / (scale * scale);
  float excess = (variation - noise) / (noise * (1.0f + noise));
  to_north[e] = n;
  to_south[e] = s;
  to_west[e] = w;
  to_east[e] = o;
  coefficient[e] = clamp(1.0f / (1.0f + excess), 0.0f, 1.0f);
}

// The divergence of the flow, and the image's step along it.
__kernel void srad2(float lambda, int rows, int count, __global const int *south, __global const int *east,
                    __global const float *to_north, __global const float *to_south, __global const float *to_west,
                    __global const float *to_east, __global const float *coefficient, __global float *image)
{
  int e = get_global_id(0);
  if (e >= count)
    return;
  int row = e % rows;
  int column = e / rows;
  float here = coefficient[e];
  float below = coefficient[south[row] + rows * column];
  float right = coefficient[row + rows * east[column]];
  float divergence = here * to_north[e] + below * to_south[e] + here * to_west[e] + right * to_east[e];
  image[e] = image[e] + 0.25f * lambda * divergence;
}

// Back to grey levels.
__kernel void compress(int count, __global float *image)
{
  int e = get_global_id(0);
  if (e < count)
    image[e] = log(image[e]) * 255.0f;
}
