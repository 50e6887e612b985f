// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One pass of the Floyd-Warshall algorithm in the manner of the AMD APP SDK's FloydWarshall: a work-item per pair of nodes
// looks whether the way through node `pass` is shorter than the best so far, and if so, keeps its length and that node.
// No way to or from the node itself gets shorter, so that nobody reads what another work-item writes.
__kernel void floyd_pass(__global uint *distance, __global uint *through, uint nodes, uint pass)
{
  const uint to = get_global_id(0), from = get_global_id(1);
  const uint best = distance[from * nodes + to];
  const uint detour = distance[from * nodes + pass] + distance[pass * nodes + to];
  if (detour < best) {
    distance[from * nodes + to] = detour;
    through[from * nodes + to] = pass;
  }
}
