// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One pass of the Floyd-Warshall algorithm in the manner of the AMD APP SDK's FloydWarshall: a work-item looks whether the
// ways from one node to four others are shorter through node `pass` than the best so far, and if so, keeps their lengths
// and that node; `width` is the number of nodes in fours. No way to or from the node itself gets shorter, so that nobody
// reads a length that another work-item changes.
__kernel void floyd_pass(__global uint4 *distance, __global uint4 *through, uint width, uint pass)
{
  const uint to = get_global_id(0), from = get_global_id(1);
  const uint way = from * width + to;
  const uint first_half = ((__global const uint *)distance)[from * width * 4 + pass];
  const uint4 best = distance[way], detour = first_half + distance[pass * width + to];
  const int4 shorter = detour < best;
  if (any(shorter)) {
    distance[way] = min(best, detour);
    through[way] = select(through[way], (uint4)pass, shorter);
  }
}
