// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Haar's wavelet transform of a signal, in the manner of the AMD APP SDK's DwtHaar1D: a work-group takes 2^levels
// neighbouring samples through that many levels in local memory. The details of each level go to global memory, where
// those of a level lie behind those of all coarser ones; what remains of a work-group is one average, the input of the
// next launch. `done`: the levels before, of a signal that had `length` samples then.
__kernel void haar(__global const float *in, __global float *details, __global float *averages, __local float *part,
                   uint levels, uint length, uint done) {
  const uint lane = get_local_id(0), items = get_local_size(0), group = get_group_id(0);
  const float scale = done ? 1.0f : rsqrt((float)length);
  part[lane] = in[group * items * 2 + lane] * scale;
  part[lane + items] = in[group * items * 2 + items + lane] * scale;
  barrier(CLK_LOCAL_MEM_FENCE);

  uint active = items, behind = (length >> done) / 2;
  for (uint level = 0; level < levels; level++) {
    float even = 0, odd = 0;
    if (lane < active) {
      even = part[2 * lane];
      odd = part[2 * lane + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < active) {
      part[lane] = (even + odd) * M_SQRT1_2_F;
      details[behind + group * active + lane] = (even - odd) * M_SQRT1_2_F;
    }
    active /= 2;
    behind /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) averages[group] = part[0];
}
