// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Breadth-first search level by level, one node per work-item, with byte masks instead of a queue.
struct node {
  int first, count; // its edges
};

// Every node of the frontier gives its unvisited neighbours their distance. Neighbours that two nodes share are written
// twice with one value.
__kernel void bfs_expand(__global const struct node *nodes, __global const int *edges, __global char *frontier,
                         __global char *reached, __global const char *visited, __global int *distance, int count) {
  const int id = get_global_id(0);
  if (id >= count || !frontier[id]) return;
  frontier[id] = 0;
  const int end = nodes[id].first + nodes[id].count;
  for (int i = nodes[id].first; i < end; i++) {
    const int neighbour = edges[i];
    if (!visited[neighbour]) {
      distance[neighbour] = distance[id] + 1;
      reached[neighbour] = 1;
    }
  }
}

// What was reached is the next frontier; `more` tells the host that there is one.
__kernel void bfs_advance(__global char *frontier, __global char *reached, __global char *visited,
                          __global char *more, int count) {
  const int id = get_global_id(0);
  if (id >= count || !reached[id]) return;
  frontier[id] = 1;
  visited[id] = 1;
  *more = 1;
  reached[id] = 0;
}
