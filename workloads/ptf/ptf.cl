// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The four kernels of Rodinia's particlefilter (its float version), which follows a bright disk through a noisy video:
// one particle per work-item. Single precision where Rodinia has double, and arithmetic that rounds alike everywhere:
// sums of uniform numbers for the noise instead of Box and Muller's formula, and an exponential function of our own.

enum { BLOCK = 64 };

// The particle's own stream of uniform numbers in [0, 2²⁴), from the generator of the C library.
static uint draw(__global uint *seed, int particle) {
  seed[particle] = (seed[particle] * 1103515245u + 12345u) & 0x7FFFFFFFu;
  return seed[particle] >> 7;
}

// The sum of four uniform numbers, moved to mean 0 and scaled to deviation 1.
static float noise(__global uint *seed, int particle) {
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += (int)draw(seed, particle);
  return (float)(sum - 0x2000000) * 1.0323827e-7f; // sqrt(3) / 2^24
}

// e^v for small v: 2^n × e^r with |r| <= ln 2 / 2, where the series up to r^7 / 7! is as good as the format.
static float exponential(float v) {
  const float n = rint(v * 1.44269504f);
  const float r = fma(n, -0.693147181f, v);
  float sum = fma(r, 1.98412698e-4f, 1.38888889e-3f);
  sum = fma(r, sum, 8.33333333e-3f);
  sum = fma(r, sum, 4.16666667e-2f);
  sum = fma(r, sum, 0.166666667f);
  sum = fma(r, sum, 0.5f);
  sum = fma(r, sum, 1.0f);
  sum = fma(r, sum, 1.0f);
  return sum * as_float(((int)n + 127) << 23);
}

// Moves the particle as the object is known to move, with noise; lists the pixels of the disk around it (`index`); and
// weighs it by how much they look like the object rather than like the background. `partial` are the sums of weights of
// the work-groups.
__kernel void likelihood(__global const float *from_x, __global const float *from_y, __global float *x,
                         __global float *y, __global uint *seed, __global const int *disk, __global int *index,
                         __global const uchar *video, __global float *weight, __global float *partial, int particles,
                         int points, int columns, int frames, int frame, int pixels, float scale) {
  __local float sum[BLOCK];
  const int i = get_global_id(0);
  const int place = get_local_id(0);
  if (i < particles) {
    x[i] = fma(5.0f, noise(seed, i), from_x[i] + 1.0f);
    y[i] = fma(2.0f, noise(seed, i), from_y[i] - 2.0f);
    for (int point = 0; point < points; point++) {
      const int row = (int)rint(x[i]) + disk[2 * point + 1];
      const int column = (int)rint(y[i]) + disk[2 * point];
      const int at = (int)abs(row * columns * frames + column * frames + frame);
      index[i * points + point] = at < pixels ? at : 0;
    }
    int likeness = 0;
    for (int point = 0; point < points; point++) {
      const int pixel = video[index[i * points + point]];
      likeness += (pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228);
    }
    weight[i] = exponential((float)likeness * scale);
  }
  sum[place] = i < particles ? weight[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = BLOCK / 2; step; step /= 2) {
    if (place < step) sum[place] += sum[place + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (place == 0) partial[get_group_id(0)] = sum[0];
}

// One work-item: what the work-groups before each one weigh, and all of them (before[groups]). Also where the
// equidistant numbers begin by which the next generation is drawn.
__kernel void sum_weights(__global const float *partial, __global float *before, int groups, __global uint *seed,
                          __global float *start) {
  if (get_global_id(0) != 0) return;
  float total = 0;
  for (int group = 0; group < groups; group++) {
    before[group] = total;
    total += partial[group];
  }
  before[groups] = total;
  *start = (float)draw(seed, 0) * 0x1p-24f;
}

// Weights become shares. Each work-group's first work-item adds up its part of their cumulative distribution.
__kernel void normalize_weights(__global float *weight, __global const float *before, __global float *cumulative,
                                __global const float *start, __global float *u, int particles, int groups,
                                float share) {
  const int i = get_global_id(0);
  const int group = get_group_id(0);
  if (i < particles) weight[i] = weight[i] / before[groups];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    float total = before[group] / before[groups];
    for (int j = i; j < i + BLOCK && j < particles; j++) {
      total += weight[j];
      cumulative[j] = total;
    }
  }
  if (i < particles) u[i] = (*start + (float)i) * share;
}

// The next generation: each takes the place of the first particle at which the cumulative distribution reaches its
// number, found by going through them one by one.
__kernel void find_index(__global const float *x, __global const float *y, __global const float *cumulative,
                         __global const float *u, __global float *from_x, __global float *from_y, int particles) {
  const int i = get_global_id(0);
  if (i >= particles) return;
  int found = particles - 1;
  for (int j = 0; j < particles; j++)
    if (cumulative[j] >= u[i]) {
      found = j;
      break;
    }
  from_x[i] = x[found];
  from_y[i] = y[found];
}
