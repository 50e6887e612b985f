// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Distance of every record from the target; the host picks the nearest.
struct record {
  float latitude, longitude;
};

__kernel void nn_distance(__global const struct record *records, __global float *distance, int count, float latitude,
                          float longitude) {
  const int id = get_global_id(0);
  if (id >= count) return;
  const float dy = latitude - records[id].latitude, dx = longitude - records[id].longitude;
  distance[id] = sqrt(dy * dy + dx * dx);
}
