// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The nearest centre of every point, by squared distance; the first among equals. A point's features lie side by side,
// so that each lane of a warp reads a line of its own: half of the loads become as many accesses as there are lanes.
__kernel void kmn_assign(__global const float *by_point, __global const float *centres, __global int *membership,
                         int points, int clusters, int features) {
  const int point = get_global_id(0);
  if (point >= points) return;
  float least = FLT_MAX;
  int nearest = 0;
  for (int c = 0; c < clusters; c++) {
    float distance = 0;
    for (int f = 0; f < features; f++) {
      const float d = by_point[point * features + f] - centres[c * features + f];
      distance = fma(d, d, distance);
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}
