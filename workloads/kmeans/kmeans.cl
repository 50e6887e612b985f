// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Point-major to feature-major, so that the assignment below reads neighbouring words. One point per work-item: loads
// are strided here.
__kernel void kmeans_swap(__global const float *by_point, __global float *by_feature, int points, int features) {
  const int point = get_global_id(0);
  if (point >= points) return;
  for (int f = 0; f < features; f++) by_feature[f * points + point] = by_point[point * features + f];
}

// The nearest centre of every point, by squared distance; the first among equals.
__kernel void kmeans_assign(__global const float *by_feature, __global const float *centres, __global int *membership,
                            int points, int clusters, int features) {
  const int point = get_global_id(0);
  if (point >= points) return;
  float least = FLT_MAX;
  int nearest = 0;
  for (int c = 0; c < clusters; c++) {
    float distance = 0;
    for (int f = 0; f < features; f++) {
      const float d = by_feature[f * points + point] - centres[c * features + f];
      distance = fma(d, d, distance);
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}
