// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

struct particle {
  float x, y, z;
  uint cluster;
};

// Each particle's nearest mean, the first among equals. The means are in shared memory, of which the host gives a block
// so much that little is left on a core; each thread has a contiguous part of the particles.
__kernel void kmeans_stream(__global struct particle *restrict particles, uint count,
                            __global const float4 *restrict means, uint clusters, __local float4 *shared_means) {
  for (uint i = get_local_id(0); i < clusters; i += get_local_size(0)) shared_means[i] = means[i];
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint thread = get_global_id(0), threads = get_global_size(0);
  const uint last = (uint)((ulong)count * (thread + 1) / threads);
  for (uint i = (uint)((ulong)count * thread / threads); i < last; i++) {
    const float x = particles[i].x, y = particles[i].y, z = particles[i].z;
    float least = FLT_MAX;
    uint nearest = 0;
    for (uint c = 0; c < clusters; c++) {
      const float4 m = shared_means[c];
      const float d = fma(x - m.x, x - m.x, fma(y - m.y, y - m.y, (z - m.z) * (z - m.z)));
      if (d < least) {
        least = d;
        nearest = c;
      }
    }
    particles[i].cluster = nearest;
  }
}
