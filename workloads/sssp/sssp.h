// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What sssp and sssp-rmat share: their graphs, their host side (the kernel is the same) and the CPU reference.
#ifndef WEIR_WORKLOADS_SSSP_H
#define WEIR_WORKLOADS_SSSP_H

#include "base/rng.h"
#include "host/graph.h"
#include "host/workload.h"

// No path: Lonestar marks these by a number that no path is as long as. The kernel adds a weight below 2³¹ to it.
#define WEIR_SSSP_FAR UINT32_C(0x7FFFFFFF)

// Roads on a map of width × height crossings, both multiples of 8, all of them in both directions. Crossings are
// joined to their neighbours, with three roads in ten missing and a few diagonal ones; every eighth crossing of every
// eighth row is a junction of motorways, three times as fast, to the next junctions. So degrees are about 3, and paths
// are long, but not so long that a small map takes a hundred rounds. Lengths vary by a third. Numbers are as in the
// road maps of the DIMACS challenge, which come from TIGER/Line: county by county (64 × 64 crossings; those of the USA
// have 7700 on average), the ends of a road one after the other, and otherwise in no order. *centre is the junction
// nearest the middle.
struct weir_graph *weir_sssp_road(uint32_t width, uint32_t height, struct weir_rng *rng, uint32_t *centre);

// R-MAT (Chakrabarti et al., SDM 2004): 2^scale nodes, `entries` edges, each put by choosing a quadrant of the
// adjacency matrix `scale` times with the odds 0.57, 0.19, 0.19, 0.05. Weights are uniform in 1…255.
struct weir_graph *weir_sssp_rmat(unsigned scale, uint32_t entries, struct weir_rng *rng);

// Dijkstra's algorithm. Distances from `source` into distance[rows], UINT64_MAX where no path leads.
void weir_sssp_reference(const struct weir_graph *g, uint32_t source, uint64_t *distance);

struct weir_sssp {
  uint32_t count;
  uint64_t degree, first, target, weight, distance, changed; // device addresses
  uint32_t *want;
};

// Uploads the graph, whose weights are whole and below 2²⁴, and computes the reference. False (with a diagnostic that
// names `path`) if distances do not fit.
bool weir_sssp_set_up(struct weir_host *h, struct weir_sssp *s, const struct weir_graph *g, uint32_t source,
                      const char *path);
bool weir_sssp_run(struct weir_host *h, void *state);
bool weir_sssp_check(struct weir_host *h, void *state);
void weir_sssp_release(void *state);

#endif
