// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Single-source shortest paths as LonestarGPU's topology-driven sssp: Bellman-Ford in place, one node per work-item and
// every node in every round, also those that no path has reached yet. As there, each edge reads the node's own entries
// (distance, degree, first edge) again: the distances change meanwhile.
__kernel void sssp_relax(__global const uint *degree, __global const uint *first, __global const uint *target,
                         __global const uint *weight, __global uint *distance, __global uint *changed, uint count) {
  const uint node = get_global_id(0);
  if (node >= count) return;
  for (uint i = 0; i < degree[node]; i++) {
    const uint edge = first[node] + i;
    const uint neighbour = target[edge];
    // No path's length is the largest signed number, so it needs no test: with a weight added it shortens nothing.
    const uint candidate = distance[node] + weight[edge];
    if (candidate < distance[neighbour] && candidate < atomic_min(&distance[neighbour], candidate)) *changed = 1;
  }
}
