// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What bfs and bfs-random share: Rodinia's graph and the host side (the kernels are the same).
#ifndef WEIR_WORKLOADS_BFS_H
#define WEIR_WORKLOADS_BFS_H

#include "base/rng.h"
#include "host/graph.h"
#include "host/workload.h"

enum { WEIR_BFS_PAPER_NODES = 1000000 }; // Rodinia's graph1MW_6

// Rodinia's generator: every node draws two to four partners. Directed; weir_bfs_set_up_random takes both directions.
struct weir_graph *weir_bfs_random(uint32_t nodes, struct weir_rng *rng);

struct weir_bfs {
  uint32_t count, source;
  uint64_t nodes, edges, frontier, reached, visited, distance, more; // device addresses
  uint32_t *want;                                                    // distance, or ~0 for a node that is not reached
};

bool weir_bfs_set_up_random(struct weir_host *h, struct weir_bfs *s, uint32_t nodes, uint64_t seed);
bool weir_bfs_run(struct weir_host *h, void *state);
bool weir_bfs_check(struct weir_host *h, void *state);
void weir_bfs_release(void *state);

#endif
